/*
 * Which share of a process's time goes to some code, by the samples of a recording: they are taken at
 * random moments of its run time.
 *
 * Of two recordings, the odds (time in this code : time elsewhere) tell what a new layout is worth
 * without counting any work, as long as the mixture of work is the same: what happens elsewhere, in
 * libraries and functions that were not moved, costs what it did.
 */
#ifndef AN_LIVE_SHARE_H
#define AN_LIVE_SHARE_H

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
                            uint64_t *inside, uint64_t *all, struct an_error *error);

#endif
