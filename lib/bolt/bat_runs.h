/*
 * Fall-throughs in code that BOLT made: control came to one place, ran straight on and branched away
 * at another, and passed the blocks between them. Each pair of neighbouring blocks that was passed is
 * a fall-through (BoltAddressTranslation::getFallthroughsInTrace()).
 *
 * Runs overlap: what many of them passed is told once, when all are counted. So the work is that of
 * the runs and of the blocks, not of both multiplied.
 */
#ifndef AN_BOLT_BAT_RUNS_H
#define AN_BOLT_BAT_RUNS_H

#include "bolt/bat.h"

struct an_bat_fallthrough {
    uint32_t from_output, to_output; /* where the two blocks begin, in the fragment */
    uint32_t from_input, to_input;   /* the same translated: a source and a target */
};

struct an_bat_runs;

/* To count in; NULL when memory runs out. The tables must outlive it; the caller frees it. */
struct an_bat_runs *an_bat_runs_new(const struct an_bat *bat);
void an_bat_runs_free(struct an_bat_runs *runs);

/*
 * Counts `count` runs from one offset in a fragment to another. `owner` is what an_bat_runs_each()
 * tells of the fragment; all runs in it have to name the same. A run that goes backwards, or that
 * begins before the first block, passes nothing.
 */
void an_bat_runs_add(struct an_bat_runs *runs, const struct an_bat_function *fragment,
                     uint32_t owner, uint64_t from, uint64_t to, uint64_t count);

/* Calls take() for every fall-through that was counted, until it returns false, and returns that. */
bool an_bat_runs_each(const struct an_bat_runs *runs,
                      bool (*take)(void *context, uint32_t owner,
                                   const struct an_bat_fallthrough *step, uint64_t count),
                      void *context);

#endif
