/* anneal diff for GCC's profiles. */
#ifndef AN_CLI_GCC_DIFF_H
#define AN_CLI_GCC_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "inputs.h"

struct gcc_diff_request {
    const char *base, *test;                /* as they were named */
    struct inputs base_inputs, test_inputs; /* that were found there */
    const char *gcno;                       /* the folder that the control flow is below, or NULL */
    const char *output;
    size_t number; /* of functions to list */
    bool json;
};

/* Compares two gcda files, or folders of them. Returns the exit status; messages were printed. */
int gcc_diff(const struct gcc_diff_request *request);

#endif
