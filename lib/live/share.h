/*
 * Which share of a process's time goes to some code, by the samples of a recording: they are taken at
 * random moments of its run time.
 *
 * Of two recordings, the odds (time in this code : time elsewhere) tell what a new layout is worth
 * without counting any work, as long as the mixture of work is the same: what happens elsewhere, in
 * libraries and functions that were not moved, costs what it did.
 *
 * Samples are no independent draws. A window of a recording has several, a few instructions apart, and what the process does
 * changes by the second: the odds are less certain than so many draws would be. How much less, the pieces
 * of the recording show, in the order of time (base/interval.h). In simulations an interval of 95 % holds the truth in 96 to 99 of
 * a hundred comparisons, and in 92 where phases take a fifth of the shorter recording, in 86 where they take two fifths.
 */
#ifndef AN_LIVE_SHARE_H
#define AN_LIVE_SHARE_H

#include <anneal/live.h>

#include "base/error.h"
#include "base/vector.h"

struct an_share_range {
    uint64_t start, end; /* as the process has them */
};

struct an_share_ranges {
    AN_VECTOR(struct an_share_range);
};

/* Counts the samples of process `pid` with an address, and those of them in the ranges, which get
 * sorted. */
enum an_code an_share_count(const char *recording, uint32_t pid, struct an_share_ranges *ranges,
                            struct an_live_share *share, struct an_error *error);

/* Of so many samples, in the order of time, these are inside. False: there is no memory. */
bool an_share_estimate(const bool *inside, size_t count, struct an_live_share *share);

#endif
