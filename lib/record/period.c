/* Periods of alarms; see period.h. */
#include "record/period.h"

#include <math.h>

#include "record/random.h"

/* Of the budget, what is aimed at: what windows cost varies, and hardly any should be left out because
 * the last ones were dear. */
static const double aim = 0.95;
static const double second = 1e9;

enum {
    FIRST_WINDOWS = 1, /* that the guess counts for */
    MEMORY = 1024,     /* windows that an average remembers, at least */
    RESERVE = 64,      /* windows in which the dearest one is forgotten */
    SHORTEST = 10000,  /* that the kernel counts */
};
static const double longest = 60e9, remembered = 10e9; /* run time, likewise */

void an_period_start(struct an_period *period, double overhead, unsigned frequency,
                     double first_cost, uint64_t *random)
{
    *period = (struct an_period){
        .overhead = overhead,
        .shortest = second / frequency,
        .cost = first_cost,
        .dearest = first_cost,
        .run = first_cost / overhead,
        .covered = first_cost / overhead,
        .windows = FIRST_WINDOWS,
    };
    period->random = random;
}

/* The share of the run time in which alarms ring. */
static double user_share(const struct an_period *period)
{
    const double least = 0.01;
    return fmin(fmax(period->covered / fmax(period->run, 1), least), 1);
}

/* What is missing for the next window to be paid for; not more than 0: nothing. */
static double missing(const struct an_period *period, uint64_t spent, uint64_t run)
{
    return (double)spent + period->dearest - period->overhead * (double)run;
}

/*
 * More than seems right when more was spent than is aimed at. Where a window could not be paid for at once, as on a
 * machine that lets the recorder wait, the alarm rings only when it can: a stop in vain costs, too.
 */
uint64_t an_period_next(const struct an_period *period, uint64_t spent, uint64_t run)
{
    double budget = period->overhead * aim;
    double used = run > 0 ? (double)spent / ((double)run * budget) : 1;
    double mean = period->cost * user_share(period) / budget * fmin(fmax(used, 0.5), 2);
    double next = -log(an_random_share(period->random)) * fmax(mean, period->shortest);
    if (run > 0)
        next += fmax(missing(period, spent, run), 0) / period->overhead;
    return (uint64_t)fmin(fmax(next, SHORTEST), longest);
}

bool an_period_rings(struct an_period *period, uint64_t nanoseconds, uint64_t spent, uint64_t run)
{
    period->covered_since += (double)nanoseconds;
    return missing(period, spent, run) <= 0;
}

void an_period_taken(struct an_period *period, uint64_t spent, uint64_t run)
{
    double cost = (double)(spent - period->spent_before);
    double run_since = (double)(run - period->run_before);
    period->windows +=
        period->windows < MEMORY || (double)period->windows * period->run < remembered;
    double weight = 1 / (double)period->windows;
    period->cost += (cost - period->cost) * weight;
    period->run += (run_since - period->run) * weight;
    period->covered += (period->covered_since - period->covered) * weight;
    period->dearest = fmax(cost, period->dearest + (cost - period->dearest) / RESERVE);
    period->spent_before = spent;
    period->run_before = run;
    period->covered_since = 0;
}
