/* anneal diff for BOLT's YAML profiles. */
#ifndef AN_CLI_FAMILY_YAML_DIFF_H
#define AN_CLI_FAMILY_YAML_DIFF_H

#include "diffing.h"

/* Compares two profiles, each in one file. Returns the exit status; messages were printed. */
int yaml_diff(const struct diff_request *request);

#endif
