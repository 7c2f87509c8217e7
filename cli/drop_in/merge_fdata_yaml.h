/* The merge-fdata personality for YAML profiles. */
#ifndef AN_CLI_DROP_IN_MERGE_FDATA_YAML_H
#define AN_CLI_DROP_IN_MERGE_FDATA_YAML_H

#include "cli/family/family.h"

enum merge_fdata_print { PRINT_NONE, PRINT_EXECUTIONS, PRINT_BRANCHES };

/* Merges YAML profiles and says what merge-fdata says. Output NULL: nothing is written. Returns the exit status. */
int merge_fdata_yaml(const struct inputs *inputs, const char *output, enum merge_fdata_print print);

/* Whether merge-fdata takes a file for YAML, which is not read if it cannot be read again. */
bool merge_fdata_is_yaml(const char *path);

/* What merge-fdata says of an input of the other format. */
void merge_fdata_refuse_mixture(const char *path);

#endif
