/*
 * An event loop: a way round in one of the program's functions that calls through a pointer. A
 * process that was started before its code was replaced never leaves it.
 */
#ifndef AN_BENCH_LOOP_H
#define AN_BENCH_LOOP_H

#include "copies.h"

struct loop {
    uint32_t call;  /* the site that serves requests */
    uint32_t first; /* of the function */
    uint32_t *next; /* by site of the function: the one that follows; NO_SITE off the way */
};

/*
 * After the plan was made. Rather in a function that layouts move, and without other calls of the
 * program's own on the way. NULL when the program has none.
 */
struct loop *loop_find(const struct copies *copies, uint64_t seed);
void loop_free(struct loop *loop);

/* The site that follows; NO_SITE when the site is not on the way. */
uint32_t loop_next(const struct loop *loop, const struct graph *graph, uint32_t site);

#endif
