/* Merging BOLT's YAML profiles for the commands merge and merge-fdata. */
#ifndef AN_CLI_FAMILY_YAML_MERGING_H
#define AN_CLI_FAMILY_YAML_MERGING_H

#include <anneal/yaml.h>

#include "merging.h"

/* Merges the inputs of the request and writes the result. Returns the exit status; messages were printed. */
int yaml_merge_run(const struct merge_request *request);

/* anneal convert: there is one format only. Returns the exit status, after a message. */
int yaml_convert_run(const struct merge_request *request);

/* The inputs as the library wants them; free() it. NULL: no memory. */
struct an_yaml_input *yaml_inputs(const struct inputs *inputs);

#endif
