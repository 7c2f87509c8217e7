/*
 * From counted addresses to records between places in functions: the branches themselves, and the
 * fall-throughs of the runs between them. For a binary that llvm-bolt made, places are those of its
 * input.
 */
#ifndef AN_BRANCH_RESOLVE_H
#define AN_BRANCH_RESOLVE_H

#include "bolt/bat_runs.h"
#include "branch/counted.h"
#include "branch/flow.h"
#include "branch/records.h"

struct an_resolver {
    const struct an_functions *functions;
    struct an_flow *flow;
    const struct an_bat *bat;     /* NULL: the binary was not made by llvm-bolt */
    struct an_bat_runs *bat_runs; /* if it was */
    struct an_records *records;
    uint64_t mismatching, out_of_range, untraceable, in_plt, cold;
};

/* A branch that was taken. False when memory runs out. */
bool an_resolve_branch(struct an_resolver *resolver, const struct an_counted *counted,
                       const struct an_tally_slot *slot);

/* A run from `start` to `end`. `before` is where the branch to it came from; 0: from elsewhere. */
bool an_resolve_run(struct an_resolver *resolver, uint64_t before, uint64_t start, uint64_t end,
                    uint64_t count);

/* Samples without branches; *known tells whether a function was hit. */
bool an_resolve_place(struct an_resolver *resolver, uint64_t address, uint64_t count, bool *known);

/* To be called in the end: what the runs have in common becomes records. */
bool an_resolve_finish(struct an_resolver *resolver);

#endif
