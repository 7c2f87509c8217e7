/* anneal diff for BOLT's text profiles. */
#ifndef AN_CLI_FAMILY_FDATA_DIFF_H
#define AN_CLI_FAMILY_FDATA_DIFF_H

#include "diffing.h"

/* Compares two of them. Returns the exit status; messages were printed. */
int fdata_diff(const struct diff_request *request);

#endif
