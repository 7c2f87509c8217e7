/* Random numbers for the choice of threads and moments: xorshift64*, Marsaglia 2003 and Vigna 2016. */
#ifndef AN_RECORD_RANDOM_H
#define AN_RECORD_RANDOM_H

#include <stdint.h>

/* `state` must not be 0. */
static inline uint64_t an_random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

/* From 0 to below `most`, which must not be 0. */
static inline uint64_t an_random_below(uint64_t *state, uint64_t most)
{
    return (uint64_t)((unsigned __int128)an_random_next(state) * most >> 64);
}

/* Above 0, up to 1. */
static inline double an_random_share(uint64_t *state)
{
    return (double)((an_random_next(state) >> 11) + 1) * 0x1p-53;
}

#endif
