/* anneal convert for GCC's profiles. */
#ifndef AN_CLI_FAMILY_GCC_CONVERT_H
#define AN_CLI_FAMILY_GCC_CONVERT_H

#include "merging.h"

/* Writes the input, which is a gcda, as another version or in another byte order. Returns the exit status;
 * messages were printed. */
int gcc_convert_run(const struct merge_request *request);

/* "12.2" or "12.2.0": false after a message. */
bool gcc_convert_version(const char *text, struct an_gcc_convert_options *options);

#endif
