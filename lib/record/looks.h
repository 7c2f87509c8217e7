/*
 * When to look for new threads and children again: looks get a tenth of the budget.
 *
 * A look reads /proc for each thread. Where a process runs for a tenth of the time only, as on a machine that is
 * busy with others, four looks a second would take most of what may be spent, and windows would go without.
 *
 * All times are nanoseconds; "run time" is CPU time of the processes.
 */
#ifndef AN_RECORD_LOOKS_H
#define AN_RECORD_LOOKS_H

#include <stdint.h>

struct an_looks {
    double overhead;    /* the budget, for all that is done */
    uint64_t time, run; /* at the last look */
};

void an_looks_start(struct an_looks *looks, double overhead, uint64_t time, uint64_t run);

/* A look is over that has cost so much. How long to wait for the next one: a quarter of a second to two. */
uint64_t an_looks_wait(struct an_looks *looks, uint64_t cost, uint64_t time, uint64_t run);

#endif
