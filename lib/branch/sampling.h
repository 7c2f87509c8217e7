/* From a recording to counts: every sample's branches, turned into the binary's own addresses. */
#ifndef AN_BRANCH_SAMPLING_H
#define AN_BRANCH_SAMPLING_H

#include "base/bits.h"
#include "branch/counted.h"
#include "perf/mappings.h"

/*
 * Addresses of which a jump leads from one with a number to another one with the same. The bits say of most addresses
 * that they are none, without a look into the table: 22 % of all time went there before.
 */
struct an_entries {
    struct an_map map; /* address as in the tally -> number, not 0 */
    uint64_t bits[1 << 12];
};

static inline uint32_t an_entries_bit(uint32_t address)
{
    return address * 2654435761u >> (32 - 18);
}

static inline uint64_t an_entries_find(const struct an_entries *entries, uint32_t address)
{
    uint32_t bit = an_entries_bit(address);
    if (!an_bit(entries->bits, bit))
        return 0;
    const uint64_t *found = an_map_find(&entries->map, address);
    return found ? *found : 0;
}

/* Whether a branch was put there to lead to a function's newer code. */
static inline bool an_entries_is_jump(const struct an_entries *entries, uint32_t from, uint32_t to)
{
    uint64_t one = an_entries_find(entries, from);
    return one && from != to && an_entries_find(entries, to) == one;
}

struct an_sampling_options {
    unsigned threads;     /* 0: as many as there are processors */
    bool no_branches;     /* count where samples were taken, not their branches */
    bool use_event_pc;    /* the place of a sample ends the run behind its newest branch */
    bool keep_interrupts; /* also branches into and out of the kernel */
    /*
     * Where jumps lead from a function to its new code, in all layouts: at its beginning, or behind its first
     * instruction. Such a branch is left out, and what led to it leads on. NULL: none.
     */
    const struct an_entries *entries;
    bool skip_two_newest; /* Intel Skylake may record its oldest entry twice; perf2bolt leaves out
                                two entries then, when it cannot check against the code */
    void (*progress)(void *context, size_t done, size_t total); /* by the first thread; or NULL */
    void *context;
};

struct an_sampling_counts {
    uint64_t samples;          /* all */
    uint64_t matching;         /* of processes that ran the binary */
    uint64_t without_branches; /* of these */
    uint64_t branches;         /* of these */
    uint64_t entry_jumps;      /* of these, to the new code of a function, left out */
    uint64_t runs;             /* from one branch to the next */
};

struct an_memory_sample {
    uint64_t pc, address; /* in the binary; address is the process's if it lies elsewhere */
};

struct an_sampling {
    struct an_sampling_counts counts;
    struct {
        AN_VECTOR(struct an_memory_sample);
    } memory;
    uint64_t events_seen; /* bit n: event n of the recording, for n < 64 */
};

/* Refuses recordings whose entries are the frames of call stacks (perf record --call-graph lbr). */
enum an_code an_sampling_check(const struct an_samples *samples, struct an_error *error);

/* Counts into `counted`, whose base is set. The caller frees both results, also on failure. */
enum an_code an_sampling_read(struct an_sampling *sampling, struct an_counted *counted,
                              struct an_samples *samples, const struct an_mappings *mappings,
                              const struct an_sampling_options *options, struct an_error *error);
void an_sampling_free(struct an_sampling *sampling);

/* The number of branches of the sample that has most. */
enum an_code an_sampling_longest(struct an_samples *samples, unsigned threads, uint64_t *longest,
                                 struct an_error *error);

#endif
