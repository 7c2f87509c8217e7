/* Keeping to a budget, with a clock of its own. */
#include "support/test.h"

#include <math.h>

#include "record/pace.h"

enum { MS = 1000000 };

/*
 * A program of one thread that runs `rate` of the time, the first part of each period, recorded for
 * `seconds`. A moment costs so much, and `window_cost` more when the thread runs then.
 */
struct run {
    double overhead, rate, seconds;
    unsigned frequency;
    uint64_t period, window_cost, cost, other_cost; /* other_cost: beyond, every millisecond */
    uint64_t windows, moments, spent, run;
    uint64_t histogram[10]; /* of moments, over the period */
};

static uint64_t run_time(const struct run *run, uint64_t time)
{
    double most = (double)run->period * run->rate, begun = (double)(time % run->period);
    double threads = fmax(run->rate, 1);
    return (uint64_t)((double)(time / run->period) * most + fmin(begun * threads, most));
}

static void pay(struct run *run, struct an_pace *pace, uint64_t cost)
{
    run->spent += cost;
    an_pace_charge(pace, cost);
}

static void at_moment(struct run *run, struct an_pace *pace, uint64_t *time)
{
    double begun = (double)(*time % run->period) / (double)run->period;
    bool running = begun < run->rate;
    uint64_t cost = run->cost + (running ? run->window_cost : 0);
    run->moments++;
    run->windows += running;
    run->histogram[(int)(begun * 10)]++;
    pay(run, pace, cost);
    *time += cost;
    an_pace_next(pace, *time, 1);
}

static void simulate(struct run *run)
{
    struct an_pace pace;
    uint64_t random = 12345, time = 0, next_other = 0;
    uint64_t end = (uint64_t)(run->seconds * 1e9);
    run->period = run->period ? run->period : 10 * MS;
    an_pace_start(&pace, run->overhead, run->frequency, 200000, time, &random);
    while (time < end) {
        run->run = run_time(run, time);
        uint64_t wait = an_pace_wait(&pace, time, run->run);
        if (wait)
            time += wait;
        else
            at_moment(run, &pace, &time);
        for (; run->other_cost && next_other < time; next_other += MS)
            pay(run, &pace, run->other_cost);
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
    static const double rates[] = {0.05, 0.7, 1.5};
    (void)state;
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 3; k++) {
                struct run run = {.overhead = overheads[i],
                                  .rate = rates[k],
                                  .seconds = 60,
                                  .frequency = 1000000,
                                  .window_cost = costs[j],
                                  .cost = 20000};
                bool enough = (double)costs[j] < 0.05 * 60e9 * overheads[i] * rates[k];
                simulate(&run);
                /* how dear a window is is known when there was one */
                check((double)(run.spent - costs[j]) <= overheads[i] * (double)run.run ||
                          !run.windows,
                      "%f of %f", share(&run), overheads[i]);
                check(!enough || share(&run) <= overheads[i], "%f of %f", share(&run),
                      overheads[i]);
                check(!enough || share(&run) > 0.7 * overheads[i],
                      "only %f of %f, %llu windows of %llu at %f", share(&run), overheads[i],
                      (unsigned long long)run.windows, (unsigned long long)costs[j], rates[k]);
            }
}

static void counts_what_is_not_a_window(void **state)
{
    struct run run = {.overhead = 0.02,
                      .rate = 1,
                      .seconds = 30,
                      .frequency = 1000000,
                      .window_cost = 100000,
                      .other_cost = 15000}; /* 1.5 % of it */
    (void)state;
    simulate(&run);
    check(share(&run) <= 0.02, "%f", share(&run));
    check(run.windows > 800 && run.windows < 1300, "%llu", (unsigned long long)run.windows);
}

static void keeps_to_the_frequency(void **state)
{
    struct run run = {
        .overhead = 0.5, .rate = 1, .seconds = 30, .frequency = 100, .window_cost = 20000};
    (void)state;
    simulate(&run);
    check(run.windows > 2600 && run.windows < 3400, "%llu", (unsigned long long)run.windows);
}

static void leaves_sleepers_alone(void **state)
{
    struct run run = {.overhead = 0.02, .rate = 0, .seconds = 10, .frequency = 1000, .cost = 1000};
    (void)state;
    simulate(&run);
    assert_int_equal(run.moments, 0);
}

/*
 * A program that runs for 2 ms of every 5: no part of that has more moments than others. (Some 57,000
 * of them, 5,700 in each part: 1.3% is a standard error.) Of one that runs for 400 ms of every second
 * some parts may have more, since the mean follows that much time.
 */
static void knows_nothing_of_the_program(void **state)
{
    static const uint64_t periods[] = {5 * MS, 1000 * MS};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct run run = {.overhead = 0.02,
                          .rate = 0.4,
                          .seconds = 600,
                          .frequency = 1000000,
                          .window_cost = 150000,
                          .cost = 20000,
                          .period = periods[i]};
        double tolerance = i ? 0.3 : 0.05;
        simulate(&run);
        for (int part = 0; part < 10; part++) {
            double relative = (double)run.histogram[part] * 10 / (double)run.moments;
            check(fabs(relative - 1) < tolerance, "part %d: %f of %llu", part, relative,
                  (unsigned long long)run.moments);
        }
    }
}

static const double shares[] = {0.4, 0.25, 0.15, 0.12, 0.08};

enum { FUNCTIONS = sizeof shares / sizeof *shares, MOMENTS = 200000 };

static size_t function_at(double place)
{
    size_t function = 0;
    for (; function < FUNCTIONS - 1 && place >= shares[function]; function++)
        place -= shares[function];
    return function;
}

/* A program that always runs and goes through five functions, over and over, each round in so many
 * nanoseconds. While it is held it does not run. `dearer`: what a window costs more in each function. */
static void count_functions(uint64_t round, uint64_t dearer, uint64_t counts[FUNCTIONS])
{
    struct an_pace pace;
    uint64_t random = 7, time = 0, run = 0;
    an_pace_start(&pace, 0.5, 1000000, 20000, time, &random);
    for (unsigned moments = 0; moments < MOMENTS;) {
        uint64_t wait = an_pace_wait(&pace, time, run);
        time += wait;
        run += wait;
        if (wait)
            continue;
        size_t function = function_at((double)(run % round) / (double)round);
        uint64_t cost = 20000 + dearer * function;
        counts[function]++;
        moments++;
        an_pace_charge(&pace, cost);
        time += cost;
        an_pace_next(&pace, time, 1);
    }
}

/*
 * Each has moments in proportion to its time, however long a round is: within four standard errors, of which a
 * bias of 10 % would be twelve. Windows may be dearer in some functions than in others where a round is short. (In
 * long ones the mean interval follows what the last windows cost.)
 */
static void meets_functions_in_proportion(void **state)
{
    static const uint64_t rounds[] = {37000, 900000, 7 * MS, 250 * MS};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof rounds / sizeof *rounds; i++) {
        uint64_t counts[FUNCTIONS] = {0}, round = rounds[i / 2];
        uint64_t dearer = i % 2 && round < MS ? 15000 : 0;
        count_functions(round, dearer, counts);
        for (size_t function = 0; function < FUNCTIONS; function++) {
            double share = (double)counts[function] / MOMENTS, expected = shares[function];
            double error = sqrt(expected * (1 - expected) / MOMENTS);
            assert_true(0.1 * expected > 12 * error);
            check(fabs(share - expected) < 4 * error, "round of %llu ns: %f, expected %f",
                  (unsigned long long)round, share, expected);
        }
    }
}

/* Where another way has spent more than the budget so far: the moments that the rest of it pays for are taken. */
static void goes_on_after_others(void **state)
{
    enum { SECONDS = 10, COST = 200000 };
    const uint64_t second = 1000 * (uint64_t)MS, start = 7 * second;
    struct an_pace pace;
    uint64_t random = 3, time = start, run = second, spent = 36 * (uint64_t)MS;
    unsigned moments = 0;
    (void)state;
    an_pace_start(&pace, 0.03, 100000, COST, time, &random);
    an_pace_carry(&pace, run, spent);
    while (time < start + SECONDS * second) {
        uint64_t wait = an_pace_wait(&pace, time, run);
        time += wait ? wait : COST;
        run += wait / 2;
        if (wait)
            continue;
        moments++;
        spent += COST;
        an_pace_charge(&pace, COST);
        an_pace_next(&pace, time, 1);
    }
    double budget = 0.03 * (double)run, left = budget - 36.0 * MS;
    check((double)spent <= budget, "%llu of %.0f", (unsigned long long)spent, budget);
    check(moments * (double)COST > 0.7 * left, "%u moments", moments);
}

/* Of moments that have nothing to do with each other, the intervals' mean is their deviation. */
static void chooses_random_moments(void **state)
{
    enum { NUMBER = 20000 };
    struct an_pace pace;
    uint64_t random = 99, time = 0;
    double sum = 0, squares = 0;
    (void)state;
    an_pace_start(&pace, 1, 1000, 1, 0, &random);
    for (int i = 0; i < NUMBER; i++) {
        an_pace_next(&pace, time, 1);
        double interval = (double)(pace.next - time);
        sum += interval;
        squares += interval * interval;
        time = pace.next;
    }
    double mean = sum / NUMBER, deviation = sqrt(squares / NUMBER - mean * mean);
    check(fabs(mean / MS - 1) < 0.05, "mean %f", mean);
    check(fabs(deviation / mean - 1) < 0.1, "deviation %f of %f", deviation, mean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_within_the_budget),
        cmocka_unit_test(counts_what_is_not_a_window),
        cmocka_unit_test(keeps_to_the_frequency),
        cmocka_unit_test(leaves_sleepers_alone),
        cmocka_unit_test(knows_nothing_of_the_program),
        cmocka_unit_test(meets_functions_in_proportion),
        cmocka_unit_test(goes_on_after_others),
        cmocka_unit_test(chooses_random_moments),
    };
    return RUN_TESTS(tests);
}
