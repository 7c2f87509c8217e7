/* Merging GCC's counter files (gcda) for the command merge. */
#ifndef AN_CLI_FAMILY_GCC_MERGING_H
#define AN_CLI_FAMILY_GCC_MERGING_H

#include "merging.h"

/*
 * Merges the inputs of the request. Files become one; when folders were named, files of the same name below
 * them become one of that name below the output folder; the cores' files of the present folder become one
 * for each module, there, or in the output folder. Returns the exit status; messages were printed.
 */
int gcc_merge_run(const struct merge_request *request);

#endif
