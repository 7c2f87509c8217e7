/* Merging GCC's counter files without loss: from and into partial results. */
#ifndef AN_CLI_FAMILY_GCC_SUM_H
#define AN_CLI_FAMILY_GCC_SUM_H

#include "gcc_modules.h"
#include "merging.h"

/* Merges the modules, some of which may be partial results. Returns the exit status; messages were printed. */
int gcc_sum_run(const struct merge_request *request, const struct gcc_modules *modules);

#endif
