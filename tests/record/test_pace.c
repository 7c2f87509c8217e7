/* Keeping to a budget, with a clock of its own. */
#include "support/test.h"

#include <math.h>

#include "record/pace.h"

enum { MS = 1000000 };

/* A program that runs `rate` of the time, recorded for `seconds`; each window costs so much. */
struct run {
    double overhead, rate, seconds;
    unsigned frequency;
    uint64_t cost, other_cost; /* other_cost: beyond windows, every millisecond */
    uint64_t windows, spent, run;
};

static void simulate(struct run *run)
{
    struct an_pace pace;
    uint64_t random = 12345, time = 1000, end = (uint64_t)(run->seconds * 1e9) + time,
             next_other = time;
    an_pace_start(&pace, run->overhead, run->frequency, 200000, time, &random);
    while (time < end) {
        run->run = (uint64_t)((double)(time - 1000) * run->rate);
        uint64_t wait = an_pace_wait(&pace, time, run->run);
        if (wait) {
            time += wait;
        } else {
            run->windows++;
            run->spent += run->cost;
            time += run->cost;
            an_pace_spend(&pace, run->cost, run->run, true);
        }
        while (run->other_cost && next_other < time) {
            next_other += MS;
            run->spent += run->other_cost;
            an_pace_charge(&pace, run->other_cost);
        }
    }
}

static double share(const struct run *run)
{
    return (double)run->spent / (double)run->run;
}

static void stays_within_the_budget(void **state)
{
    static const double overheads[] = {0.001, 0.01, 0.02, 0.1, 0.5};
    static const uint64_t costs[] = {200000, 1000000, 5000000};
    (void)state;
    for (size_t i = 0; i < sizeof overheads / sizeof *overheads; i++)
        for (size_t j = 0; j < sizeof costs / sizeof *costs; j++) {
            struct run run = {overheads[i], 1.5, 60, 1000000, costs[j], 0, 0, 0, 0};
            simulate(&run);
            check(share(&run) <= overheads[i], "%f of %f", share(&run), overheads[i]);
            check(run.windows == 0 || share(&run) > 0.7 * overheads[i] ||
                      costs[j] > 0.05 * 60e9 * overheads[i],
                  "only %f of %f, %llu windows", share(&run), overheads[i],
                  (unsigned long long)run.windows);
        }
}

static void counts_what_is_not_a_window(void **state)
{
    struct run run = {0.02, 1, 30, 1000000, 100000, 15000, 0, 0, 0}; /* 1.5 % of it */
    (void)state;
    simulate(&run);
    check(share(&run) <= 0.02, "%f", share(&run));
    check(run.windows > 1000 && run.windows < 2000, "%llu", (unsigned long long)run.windows);
}

static void keeps_to_the_frequency(void **state)
{
    struct run run = {0.5, 1, 30, 100, 20000, 0, 0, 0, 0};
    (void)state;
    simulate(&run);
    check(run.windows > 2600 && run.windows < 3400, "%llu", (unsigned long long)run.windows);
}

static void leaves_sleepers_alone(void **state)
{
    struct run run = {0.02, 0, 10, 1000, 100000, 0, 0, 0, 0};
    (void)state;
    simulate(&run);
    assert_int_equal(run.windows, 0);
}

/* Of moments that have nothing to do with each other, the intervals' mean is their deviation. */
static void chooses_random_moments(void **state)
{
    enum { NUMBER = 20000 };
    struct an_pace pace;
    uint64_t random = 99, run = 0;
    double sum = 0, squares = 0;
    (void)state;
    an_pace_start(&pace, 1, 1000, 1, 0, &random);
    for (int i = 0; i < NUMBER; i++) {
        an_pace_spend(&pace, 1, run, true);
        double interval = (double)(pace.next_run - run);
        sum += interval;
        squares += interval * interval;
        run = pace.next_run;
    }
    double mean = sum / NUMBER, deviation = sqrt(squares / NUMBER - mean * mean);
    check(fabs(mean / MS - 1) < 0.05, "mean %f", mean);
    check(fabs(deviation / mean - 1) < 0.1, "deviation %f of %f", deviation, mean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_within_the_budget), cmocka_unit_test(counts_what_is_not_a_window),
        cmocka_unit_test(keeps_to_the_frequency),  cmocka_unit_test(leaves_sleepers_alone),
        cmocka_unit_test(chooses_random_moments),
    };
    return RUN_TESTS(tests);
}
