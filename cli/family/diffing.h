/* What the families of profiles are asked for by anneal diff. */
#ifndef AN_CLI_FAMILY_DIFFING_H
#define AN_CLI_FAMILY_DIFFING_H

#include <stdbool.h>
#include <stddef.h>

#include "inputs.h"

struct diff_request {
    const char *base, *test;                /* as they were named */
    struct inputs base_inputs, test_inputs; /* that were found there */
    const char *gcno; /* the folder that GCC's control flow is below, or NULL */
    const char *output;
    unsigned number; /* of functions to list */
    bool context_sensitive, json;
};

#endif
