/* Keeping to a budget; see pace.h. */
#include "record/pace.h"

#include <math.h>

#include "record/random.h"

static const double second = 1e9;

/* Of the budget, what is aimed at: what moments cost varies, and hardly any should be left out because
 * the last ones were dear. */
static const double aim = 0.95;

enum {
    SHORTEST_WAIT = 50000,
    LONGEST_WAIT = 50000000, /* for whatever else there is to do; and the mean of random ones */
    LOOK_AT_RATE = 5000000,
    FIRST_MOMENTS = 8, /* that a guess counts for */
    MEMORY = 128,      /* moments that an average remembers */
};

/* Exponentially distributed */
static uint64_t random_wait(const struct an_pace *pace, double mean)
{
    return (uint64_t)(-log(an_random_share(pace->random)) * mean);
}

void an_pace_start(struct an_pace *pace, double overhead, unsigned frequency, double first_cost,
                   uint64_t time, uint64_t *random)
{
    *pace = (struct an_pace){
        .overhead = overhead,
        .interval = second / frequency,
        .cost = first_cost,
        .dearest = first_cost,
        .run_rate = 1,
        .moments = FIRST_MOMENTS,
        .start = time,
        .time = time,
    };
    pace->random = random;
    pace->next = time + random_wait(pace, first_cost);
}

void an_pace_carry(struct an_pace *pace, uint64_t run, uint64_t spent)
{
    pace->run = run;
    pace->spent = pace->spent_before = spent;
}

/* Of the last second, or of all the time while that is shorter. Parts of a second must not count: the
 * moments would follow what the processes do. */
static void look_at_rate(struct an_pace *pace, uint64_t time, uint64_t run)
{
    double passed = (double)(time - pace->time), all = (double)(time - pace->start);
    if (passed < LOOK_AT_RATE)
        return;
    double rate = (double)(run - pace->run) / passed;
    double weight = passed / fmax(fmin(all, second), passed);
    pace->run_rate += (rate - pace->run_rate) * weight;
    pace->time = time;
    pace->run = run;
}

/* Wall-clock time between two moments, which take time themselves. More than seems right when more was
 * spent than is aimed at. */
static double mean_wait(const struct an_pace *pace, double shortest)
{
    double budget = pace->overhead * aim, run = (double)pace->run;
    double used = run > 0 ? (double)pace->spent / (run * budget) : 1;
    double mean = pace->cost / (budget * fmax(pace->run_rate, 1e-6)) * fmin(fmax(used, 0.5), 2);
    return fmin(fmax(fmax(mean - pace->cost, mean / 8), shortest), LONGEST_WAIT);
}

uint64_t an_pace_wait(struct an_pace *pace, uint64_t time, uint64_t run)
{
    look_at_rate(pace, time, run);
    if (time >= pace->next) {
        if ((double)pace->spent + pace->dearest <= pace->overhead * (double)run)
            return 0;
        pace->next = time + random_wait(pace, mean_wait(pace, 0));
    }
    uint64_t wait = pace->next > time ? pace->next - time : 0;
    return wait < SHORTEST_WAIT ? SHORTEST_WAIT : wait < LONGEST_WAIT ? wait : LONGEST_WAIT;
}

void an_pace_charge(struct an_pace *pace, uint64_t cost)
{
    pace->spent += cost;
}

void an_pace_next(struct an_pace *pace, uint64_t time, double chance)
{
    double cost = (double)(pace->spent - pace->spent_before);
    pace->moments += pace->moments < MEMORY;
    pace->cost += (cost - pace->cost) / pace->moments;
    pace->dearest = fmax(cost, pace->dearest + (cost - pace->dearest) / MEMORY);
    pace->spent_before = pace->spent;
    pace->next = time + random_wait(pace, mean_wait(pace, pace->interval * chance));
}
