/* Looks within a budget; see looks.h. */
#include "record/looks.h"

#include <math.h>

static const double share = 0.1; /* of the budget */

/* LEAST_COSTS: looks take at most half a percent of the time, as long as LONGEST allows it. */
enum { SHORTEST = 250000000, LONGEST = 2000000000, LEAST_COSTS = 200 };

void an_looks_start(struct an_looks *looks, double overhead, uint64_t time, uint64_t run)
{
    *looks = (struct an_looks){.overhead = overhead, .time = time, .run = run};
}

uint64_t an_looks_wait(struct an_looks *looks, uint64_t cost, uint64_t time, uint64_t run)
{
    uint64_t since = time - looks->time;
    double rate = since ? (double)(run - looks->run) / (double)since : 1;
    double budget = looks->overhead * rate * share;
    looks->time = time;
    looks->run = run;
    double wait = fmax((double)cost / fmax(budget, 1e-9), (double)cost * LEAST_COSTS);
    return (uint64_t)fmin(fmax(wait, SHORTEST), LONGEST);
}
