/* Differences of BOLT's profiles, in text form or in YAML: what is found, and how it is told. */
#ifndef AN_CLI_FAMILY_BOLT_DIFF_H
#define AN_CLI_FAMILY_BOLT_DIFF_H

#include "diffing.h"
#include "family.h"
#include "moved.h"

struct bolt_side {
    const char *path;
    uint64_t total_count;
};

struct bolt_diff {
    const struct diff_request *request;
    struct bolt_side base, test;
    double overlap;
    size_t in_both;                /* branches or sampled places */
    const char *place, *places;    /* what these are called, one and many of them */
    size_t compared, only_in_test; /* functions */
    double only_in_test_share;
    struct moved_list moved;
};

/* Adds a function and takes its name, which is malloc()ed. False: no memory, or no name for lack of it. */
bool bolt_diff_add(struct bolt_diff *diff, struct moved moved);

/* Prints it, functions that moved most first. Returns the exit status. */
int bolt_diff_print(struct bolt_diff *diff);
void bolt_diff_free(struct bolt_diff *diff);

/* Whether there are options that mean nothing for these profiles; then after a message. */
bool bolt_diff_refuses_options(const struct diff_request *request, const struct family *family);

#endif
