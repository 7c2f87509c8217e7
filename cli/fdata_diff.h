/* anneal diff for BOLT's text profiles. */
#ifndef AN_CLI_FDATA_DIFF_H
#define AN_CLI_FDATA_DIFF_H

#include <stdbool.h>
#include <stddef.h>

struct fdata_diff_request {
    const char *base, *test;
    const char *output;
    size_t number; /* of functions to list */
    bool json;
};

/* Compares two fdata files. Returns the exit status; messages were printed. */
int fdata_diff(const struct fdata_diff_request *request);

#endif
