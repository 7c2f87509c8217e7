/* Periods of alarms: the budget, and that no part of a program has more windows than its share of time. */
#include "support/test.h"

#include <math.h>

#include "record/period.h"

enum { MS = 1000000, FUNCTIONS = 5 };

/* A program that goes through five functions, over and over, each round in so many nanoseconds of CPU time;
 * the first part of each function is in the kernel. */
struct program {
    uint64_t round;
    double in_kernel;      /* share */
    uint64_t cost, dearer; /* of a window; and more so much in each next function */
    uint64_t stop;         /* what a stop costs in any case */
    double overhead;
    unsigned frequency;
};

struct result {
    uint64_t counts[FUNCTIONS], windows, skipped, spent, run;
};

static const double shares[FUNCTIONS] = {0.4, 0.25, 0.15, 0.12, 0.08};

static size_t function_at(double place, double *part)
{
    size_t function = 0;
    for (; function < FUNCTIONS - 1 && place >= shares[function]; function++)
        place -= shares[function];
    *part = place / shares[function];
    return function;
}

/* Rings behind whole periods, where the program is in user mode. */
static struct result simulate(const struct program *program, uint64_t windows, uint64_t run)
{
    struct result result = {.windows = 0};
    struct an_period period;
    uint64_t random = 7;
    an_period_start(&period, program->overhead, program->frequency, 200000, &random);
    uint64_t next = an_period_next(&period, 0, 0);
    while (result.windows < windows || result.run < run) {
        double part, place;
        result.run += next;
        place = (double)(result.run % program->round) / (double)program->round;
        size_t function = function_at(place, &part);
        if (part < program->in_kernel)
            continue;
        bool affordable = an_period_rings(&period, next, result.spent, result.run);
        result.spent += program->stop;
        if (affordable) {
            result.spent += program->cost + program->dearer * function;
            result.counts[function]++;
            result.windows++;
            an_period_taken(&period, result.spent, result.run);
        } else {
            result.skipped++;
            assert_true(result.skipped < 1000000);
        }
        next = an_period_next(&period, result.spent, result.run);
    }
    return result;
}

/*
 * Within five standard errors, of which a bias of 10 % would be more than twelve, or within 3 %: in the first seconds,
 * when what windows cost is not known yet, some that are dear are left out. Windows may be dearer in some functions than
 * in others, and rounds be long.
 */
static void meets_functions_in_proportion(void **state)
{
    enum { ROUNDS = 200, WINDOWS = 200000 };
    static const uint64_t rounds[] = {37000, 900000, 7 * MS, 250 * MS, 1000 * (uint64_t)MS};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof rounds / sizeof *rounds; i++) {
        uint64_t round = rounds[i / 2];
        struct program program = {.round = round,
                                  .in_kernel = round < 10 * MS ? 0.5 : 0,
                                  .cost = 20000,
                                  .dearer = i % 2 ? 15000 : 0,
                                  .overhead = 0.5,
                                  .frequency = 1000000};
        struct result result = simulate(&program, WINDOWS, ROUNDS * round);
        for (size_t function = 0; function < FUNCTIONS; function++) {
            double share = (double)result.counts[function] / (double)result.windows;
            double expected = shares[function];
            double error = sqrt(expected * (1 - expected) / (double)result.windows);
            assert_true(0.1 * expected > 12 * error);
            check(fabs(share - expected) < fmax(5 * error, 0.03 * expected),
                  "round of %llu ns%s: %f, expected %f", (unsigned long long)round,
                  i % 2 ? ", dearer" : "", share, expected);
        }
    }
}

static void stays_within_the_budget(void **state)
{
    static const double overheads[] = {0.001, 0.02, 0.5}, in_kernel[] = {0, 0.5, 0.95};
    static const uint64_t costs[] = {20000, 200000, 5000000};
    (void)state;
    for (size_t i = 0; i < 27; i++) {
        struct program program = {.round = 3 * MS,
                                  .in_kernel = in_kernel[i / 9],
                                  .cost = costs[i / 3 % 3],
                                  .overhead = overheads[i % 3],
                                  .frequency = 1000000};
        struct result result = simulate(&program, 10000, 0);
        double share = (double)result.spent / (double)result.run;
        check(share <= program.overhead, "%f of %f", share, program.overhead);
        /* beneath 10 us the kernel does not count, so not all of a great budget can be used */
        bool usable = (double)program.cost * (1 - program.in_kernel) > 40000 * program.overhead;
        check(!usable || share > 0.8 * program.overhead, "only %f of %f, %f in the kernel, %llu ns",
              share, program.overhead, program.in_kernel, (unsigned long long)program.cost);
    }
}

/* Where the recorder itself has to wait for a processor, stops in vain cost as much as others: there are few. */
static void survives_dear_stops(void **state)
{
    static const double overheads[] = {0.02, 0.5};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct program program = {.round = MS,
                                  .stop = 50 * MS,
                                  .cost = 200000,
                                  .overhead = overheads[i],
                                  .frequency = 1000};
        struct result result = simulate(&program, 1000, 0);
        double share = (double)result.spent / (double)result.run;
        check(result.skipped < result.windows / 10, "%llu windows, %llu stops in vain",
              (unsigned long long)result.windows, (unsigned long long)result.skipped);
        check(share > 0.8 * program.overhead && share < 1.05 * program.overhead, "%f of %f", share,
              program.overhead);
    }
}

static void keeps_to_the_frequency(void **state)
{
    struct program program = {.round = MS, .cost = 2000, .overhead = 0.5, .frequency = 100};
    (void)state;
    struct result result = simulate(&program, 10000, 0);
    double frequency = 10000 / ((double)result.run / 1e9);
    check(frequency < 104 && frequency > 96, "%f", frequency);
}

/* Of moments that have nothing to do with each other, the intervals' mean is their deviation. */
static void chooses_random_moments(void **state)
{
    enum { NUMBER = 20000 };
    struct an_period period;
    uint64_t random = 99;
    double sum = 0, squares = 0;
    (void)state;
    an_period_start(&period, 1, 1000, 1, &random);
    for (int i = 0; i < NUMBER; i++) {
        double next = (double)an_period_next(&period, 0, 0);
        sum += next;
        squares += next * next;
    }
    double mean = sum / NUMBER, deviation = sqrt(squares / NUMBER - mean * mean);
    check(fabs(mean / MS - 1) < 0.05, "mean %f", mean);
    check(fabs(deviation / mean - 1) < 0.1, "deviation %f of %f", deviation, mean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meets_functions_in_proportion), cmocka_unit_test(stays_within_the_budget),
        cmocka_unit_test(survives_dear_stops),           cmocka_unit_test(keeps_to_the_frequency),
        cmocka_unit_test(chooses_random_moments),
    };
    return RUN_TESTS(tests);
}
