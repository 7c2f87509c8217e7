/* anneal show for BOLT's YAML profiles. */
#ifndef AN_CLI_FAMILY_YAML_SHOW_H
#define AN_CLI_FAMILY_YAML_SHOW_H

#include "inputs.h"
#include "showing.h"

/* Shows a profile, in one file. Returns the exit status; messages were printed. */
int yaml_show_run(const struct show_request *request, const struct inputs *inputs);

#endif
