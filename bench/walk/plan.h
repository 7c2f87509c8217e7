/*
 * Which part of a program the walk keeps to, and how it decides there. A server under load runs a
 * tenth of its functions, in which most branches go one way nearly always; so here.
 *
 * In the sites, `distance` becomes the number of branches that are needed, at least, until the
 * function returns, without leaving the chosen functions. A side of a branch from which there is no
 * way back (the program ends, or goes to a function that was not chosen) is never taken.
 */
#ifndef AN_BENCH_PLAN_H
#define AN_BENCH_PLAN_H

#include "graph.h"

struct plan {
    uint32_t *roots; /* entries of functions that nobody calls: they begin a request */
    size_t root_number;
    size_t function_number; /* chosen */
};

/* Chooses about so many functions. The sites' biases, distances and targets are set. */
struct plan *plan_of(struct graph *graph, size_t functions, uint64_t seed);
void plan_free(struct plan *plan);

#endif
