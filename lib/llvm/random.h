/*
 * The random numbers of LLVM's trace reservoir: std::mt19937 with its default seed, drawn as
 * libstdc++'s uniform_int_distribution does. The same numbers give the same sample, so that anneal
 * keeps the traces that llvm-profdata keeps.
 */
#ifndef AN_LLVM_RANDOM_H
#define AN_LLVM_RANDOM_H

#include <stdint.h>

struct an_random {
    uint32_t state[624];
    unsigned next;
};

/* A seed gives the same numbers each time; std::mt19937's own is LLVM's sample. */
#define AN_RANDOM_DEFAULT_SEED 5489u
void an_random_start(struct an_random *random, uint32_t seed);
uint32_t an_random_next(struct an_random *random);

/* Uniform in 0..most. */
uint64_t an_random_upto(struct an_random *random, uint64_t most);

#endif
