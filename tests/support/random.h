/* Numbers that are random enough and the same in every run. */
#ifndef AN_TEST_RANDOM_H
#define AN_TEST_RANDOM_H

#include <stdint.h>

/* xorshift64* (S. Vigna); the state must not be 0. */
static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du >> 16;
}

/* A number that depends on nothing but these two (the finalizer of splitmix64, S. Vigna). */
static inline uint64_t random_of(uint64_t seed, uint64_t number)
{
    uint64_t mixed = number + seed * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

#endif
