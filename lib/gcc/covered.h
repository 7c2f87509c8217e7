/*
 * An object file for the coverage: its control flow, and how often each arc and block of it ran in all runs
 * that are given. Objects are loaded without regard to each other, so that threads can share the work.
 */
#ifndef AN_GCC_COVERED_H
#define AN_GCC_COVERED_H

#include <anneal/coverage.h>

#include "base/ledger.h"
#include "gcc/flow.h"

/* A block's arcs ascend by destination, as gcov shows them. */
struct an_covered_block {
    int64_t count;
    uint32_t number;               /* in its function */
    uint32_t first_arc, arc_count; /* in arcs */
    bool is_exceptional, is_call_return;
};

struct an_covered {
    struct an_gcno gcno; /* no functions when its file is no good; lines ascend by block */
    const char *path;    /* of its file; the caller's, while loading lasts */
    int64_t modified;
    size_t size;             /* of the gcno's file */
    struct an_map functions; /* by ident: their numbers */
    uint64_t *counters;      /* of all functions in turn; NULL when there are no runs */
    uint32_t *first_counter; /* of each function, and at last, how many there are */
    bool *has_counts;        /* each function, in a run; NULL when there are no runs */
    uint64_t **paths;        /* of each function, bits of the paths that runs took; NULL: none */
    uint64_t *masks;         /* two of each condition of the gcno; NULL when no run has them */
    unsigned release;        /* for the caller to set: of gcov */
    bool as_llvm;            /* for the caller to set: clang made it, and LLVM's rules are wanted */
    bool *is_merged;         /* functions whose counts another one has; NULL: none */
    uint32_t *first_block;   /* of each function, in blocks; none of what is merged */
    uint32_t *first_arc;     /* likewise, in arcs */
    struct an_covered_block *blocks; /* of all functions in turn */
    struct an_coverage_branch *arcs; /* likewise */
    int64_t *block_counts;           /* the same as in blocks */
    int64_t *entered;                /* as_llvm: how often each block was, by its arcs; else NULL */
    uint64_t runs, programs;
    const char *misfit; /* a function of which a gcda tells otherwise; NULL: there is none */
};

/* Whether there is a good gcda. */
static inline bool an_covered_has_data(const struct an_covered *covered)
{
    return covered->counters != NULL;
}

/*
 * Loads an object; `entries` are the ledger's, of the gcno and of each gcda. Files that are no good are
 * rejected there; it fails only when memory runs out, and then is good for nothing but to be freed.
 */
bool an_covered_load(struct an_covered *covered, const struct an_coverage_input *input,
                     struct an_ledger_entry *entries);
void an_covered_free(struct an_covered *covered);

/* How often the flow came into a block, for lines. As much leaves it, unless counts are wrong; LLVM looks at what came. */
static inline int64_t an_covered_entered(const struct an_covered *covered, uint32_t block)
{
    return covered->entered ? covered->entered[block] : covered->blocks[block].count;
}

/* Adds the counts of one gcda, whole or not at all (covered_counts.c). */
enum an_code an_covered_add(struct an_covered *covered, struct an_bytes gcda,
                            struct an_ledger_entry *entry, struct an_error *error);

/* Has room for counters, all 0 if there was none; false when memory runs out (covered_counts.c). */
bool an_covered_make_counters(struct an_covered *covered);

/* Room for the bits of a function's paths, all 0 if there was none; NULL when memory runs out (covered_counts.c). */
uint64_t *an_covered_make_paths(struct an_covered *covered, size_t number);

/* Finds the counts of all blocks and arcs, and what kinds they are of, once for each object (covered_flow.c). */
bool an_covered_solve(struct an_covered *covered);

#endif
