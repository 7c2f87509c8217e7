/* Keeping to a budget; see pace.h. */
#include "record/pace.h"

#include <math.h>

#include "record/random.h"

/* How much of the past an average remembers, and between which bounds a wait is. */
static const double inertia = 0.9;
static const double second = 1e9;
enum { SHORTEST_WAIT = 200000, LONGEST_WAIT = 50000000, LOOK_AT_RATE = 5000000 };

void an_pace_start(struct an_pace *pace, double overhead, unsigned frequency, double first_cost,
                   uint64_t time, uint64_t *random)
{
    *pace = (struct an_pace){
        .overhead = overhead,
        .interval = second / frequency,
        .cost = first_cost,
        .run_rate = 1,
        .time = time,
    };
    pace->random = random;
}

/* Moments that have nothing to do with each other, nor with anything periodic in the program. */
static double random_interval(struct an_pace *pace, double mean)
{
    double factor = -log(an_random_share(pace->random));
    return mean * (factor < 4 ? factor : 4);
}

static void look_at_rate(struct an_pace *pace, uint64_t time, uint64_t run)
{
    if (time - pace->time < LOOK_AT_RATE)
        return;
    double rate = (double)(run - pace->run) / (double)(time - pace->time);
    pace->run_rate = pace->run_rate * inertia + rate * (1 - inertia);
    pace->time = time;
    pace->run = run;
}

/* The run time by which all that was spent, and one window more, is within the budget. */
static double affordable_at(const struct an_pace *pace)
{
    return ((double)pace->spent + pace->cost) / pace->overhead;
}

uint64_t an_pace_wait(struct an_pace *pace, uint64_t time, uint64_t run)
{
    look_at_rate(pace, time, run);
    double wanted = fmax((double)pace->next_run, affordable_at(pace));
    if ((double)run >= wanted)
        return 0;
    /* A little longer than it seems: to wake in vain costs more. */
    double wait = (wanted - (double)run) / fmax(pace->run_rate, 0.001) * 1.05 + SHORTEST_WAIT / 4.0;
    return (uint64_t)fmin(fmax(wait, SHORTEST_WAIT), LONGEST_WAIT);
}

void an_pace_spend(struct an_pace *pace, uint64_t cost, uint64_t run, bool taken)
{
    pace->spent += cost;
    pace->cost = pace->cost * inertia + (double)cost * (1 - inertia);
    double mean = fmax(taken ? pace->interval : 0, pace->cost / pace->overhead);
    pace->next_run = run + (uint64_t)random_interval(pace, mean);
}

void an_pace_charge(struct an_pace *pace, uint64_t cost)
{
    pace->spent += cost;
}
