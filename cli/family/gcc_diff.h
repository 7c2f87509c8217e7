/* anneal diff for GCC's counter files. */
#ifndef AN_CLI_FAMILY_GCC_DIFF_H
#define AN_CLI_FAMILY_GCC_DIFF_H

#include "diffing.h"

/* Compares two of them. Returns the exit status; messages were printed. */
int gcc_diff(const struct diff_request *request);

#endif
