/* estimate.c of lib/work: rates and intervals of made-up slices, whose truth is known. */
#include <anneal/work.h>

#include <math.h>

#include "support/test.h"

enum { SLICES = 20, MOST_SLICES = 64, SECOND = 1000000000 };

static struct an_work_reading slices[MOST_SLICES], others[MOST_SLICES];

/* ---- making slices ---- */

static double uniform(uint64_t *state)
{
    return (double)(next_number(state) >> 11) * 0x1p-53;
}

/* Of the normal distribution, nearly: the sum of twelve. */
static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(state);
    return sum;
}

static uint64_t entries_of(double number)
{
    return number > 0 ? (uint64_t)(number + 0.5) : 0;
}

/* A second of CPU time in each slice, in which function i is entered 1000 (i + 1) times. */
static void make_steady(struct an_work_reading *to, size_t count)
{
    for (size_t k = 0; k < count; k++)
        to[k] = (struct an_work_reading){SECOND, SECOND, {1000, 2000, 3000}};
}

/* The rate is off by a share that is like that of the slice before: their correlation. */
static void make_correlated(struct an_work_reading *to, size_t count, size_t functions,
                            double share, double correlation, uint64_t *state)
{
    double off[AN_WORK_MOST] = {0};
    for (size_t i = 0; i < functions; i++)
        off[i] = normal(state);
    make_steady(to, count);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < functions; i++) {
            to[k].entries[i] = entries_of(1e6 * (1 + share * off[i]));
            off[i] = correlation * off[i] + sqrt(1 - correlation * correlation) * normal(state);
        }
}

static struct an_work_estimate estimated(size_t count, size_t functions)
{
    struct an_work_estimate estimate;
    an_work_estimate(slices, count, functions, &estimate);
    return estimate;
}

static struct an_work_estimate compared(size_t count, size_t functions)
{
    struct an_work_estimate estimate;
    an_work_compare(slices, others, count, functions, &estimate);
    return estimate;
}

static bool is_near(double one, double other, double share)
{
    return fabs(one / other - 1) <= share;
}

/* ---- one process ---- */

static void steady(void **state)
{
    (void)state;
    make_steady(slices, SLICES);
    struct an_work_estimate estimate = estimated(SLICES, 1);
    check(estimate.is_known && is_near(estimate.value, 1000, 1e-12), "%g", estimate.value);
    check(estimate.low < 1000 && estimate.high > 1000 && estimate.high < 1001, "%g to %g",
          estimate.low, estimate.high); /* an entry may lie on the edge */
    assert_false(estimate.drifts);
    assert_int_equal(estimate.shares[0].entries, 1000 * SLICES);
    check(is_near(estimate.cpu_seconds, SLICES, 1e-12), "%g", estimate.cpu_seconds);
    check(is_near(an_work_at(&estimate, &slices[3]), 1000, 1e-12), "%g",
          an_work_at(&estimate, &slices[3]));
}

static void steady_functions_together(void **state)
{
    (void)state;
    make_steady(slices, SLICES);
    struct an_work_estimate estimate = estimated(SLICES, 3);
    double weights = 0, logarithm = 0;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(estimate.shares[i].use, AN_WORK_USED);
        weights += estimate.shares[i].weight;
        logarithm += estimate.shares[i].weight * log(1000.0 * (i + 1));
    }
    check(is_near(weights, 1, 1e-12) && is_near(estimate.value, exp(logarithm), 1e-12),
          "weights %g, %g", weights, estimate.value);
    check(estimate.shares[2].weight > estimate.shares[0].weight, "more entries say more");
    slices[3].entries[0] /= 2;
    slices[3].entries[1] /= 2;
    slices[3].entries[2] /= 2;
    check(is_near(an_work_at(&estimate, &slices[3]), estimate.value / 2, 1e-12), "half the work");
}

/* A second that is half idle has half the entries, and says half as much. */
static void idle_slices(void **state)
{
    (void)state;
    make_steady(slices, SLICES);
    for (size_t k = 0; k < SLICES; k += 3)
        slices[k] = (struct an_work_reading){SECOND / 2, SECOND, {500}};
    slices[4] = (struct an_work_reading){0, SECOND, {0}};
    struct an_work_estimate estimate = estimated(SLICES, 1);
    check(is_near(estimate.value, 1000, 1e-12) && estimate.high < 1001, "%g, up to %g",
          estimate.value, estimate.high);
    check(an_work_at(&estimate, &slices[4]) == 0, "no time, no rate");
}

static void drifting(void **state)
{
    (void)state;
    make_steady(slices, SLICES);
    for (size_t k = 0; k < SLICES; k++)
        slices[k].entries[0] = 100000 + 1000 * k; /* up by 19 % */
    struct an_work_estimate estimate = estimated(SLICES, 1);
    check(is_near(estimate.value, 109500, 1e-9), "%g", estimate.value);
    check(estimate.drifts && is_near(estimate.drift, 0.0913, 0.05), "drift %g", estimate.drift);
    check(estimate.low < 106000 && estimate.high > 113000, "%g to %g", estimate.low, estimate.high);
}

static void one_slice_off(void **state)
{
    (void)state;
    make_steady(slices, SLICES);
    for (size_t k = 0; k < SLICES; k++)
        slices[k].entries[0] += k % 3;
    double before = estimated(SLICES, 1).high;
    slices[7].entries[0] = 0;
    struct an_work_estimate estimate = estimated(SLICES, 1);
    assert_int_equal(estimate.shares[0].use, AN_WORK_USED);
    check(estimate.low < 951 && estimate.high > 1000 && before < 1003, "%g to %g", estimate.low,
          estimate.high);
    assert_false(estimate.drifts);
    /* A function that counts on is the better one. */
    struct an_work_estimate both = estimated(SLICES, 2);
    assert_int_equal(both.shares[0].use, AN_WORK_UNSTEADY);
    assert_int_equal(both.shares[1].use, AN_WORK_USED);
    check(is_near(both.value, 2000, 1e-3), "%g", both.value);
}

static void unsteady(void **state)
{
    (void)state;
    make_steady(slices, SLICES);
    for (size_t k = 0; k < SLICES; k++)
        slices[k].entries[0] = k % 2 ? 2000 : 10;
    struct an_work_estimate estimate = estimated(SLICES, 1);
    assert_int_equal(estimate.shares[0].use, AN_WORK_UNSTEADY);
    assert_false(estimate.is_known);
}

static void no_entries(void **state)
{
    (void)state;
    make_steady(slices, SLICES);
    for (size_t k = 0; k < SLICES; k++)
        slices[k].entries[0] = 0;
    struct an_work_estimate estimate = estimated(SLICES, 2);
    assert_int_equal(estimate.shares[0].use, AN_WORK_TOO_FEW);
    check(estimate.is_known && is_near(estimate.value, 2000, 1e-12), "%g", estimate.value);
    assert_false(estimated(SLICES, 1).is_known);
    memset(slices, 0, sizeof slices);
    assert_false(estimated(SLICES, 3).is_known);
    assert_false(estimated(0, 3).is_known);
}

static void few_slices(void **state)
{
    (void)state;
    make_steady(slices, SLICES);
    for (size_t k = 0; k < 2 * AN_WORK_FEWEST_SLICES; k++) {
        struct an_work_estimate estimate = estimated(k, 1);
        check(estimate.is_known == (k >= AN_WORK_FEWEST_SLICES), "%zu slices", k);
        check(k == 0 || is_near(estimate.shares[0].rate, 1000, 1e-12), "its rate is known anyway");
    }
}

/* CPU time differs from slice to slice: a timer's function does not care. */
static void timers(void **state)
{
    uint64_t random = 5;
    (void)state;
    for (size_t k = 0; k < SLICES; k++) {
        double busy = 0.3 + 0.7 * uniform(&random);
        slices[k] = (struct an_work_reading){
            entries_of(busy * SECOND), SECOND, {1000 + k % 2, entries_of(1000 * busy)}};
    }
    struct an_work_estimate estimate = estimated(SLICES, 2);
    assert_int_equal(estimate.shares[0].use, AN_WORK_WALL_CLOCK);
    assert_int_equal(estimate.shares[1].use, AN_WORK_USED);
    check(is_near(estimate.value, 1000, 1e-3), "%g", estimate.value);
    for (size_t k = 0; k < SLICES; k++) /* a slow one, two or three entries in a slice */
        slices[k].entries[0] = 2 + k % 2;
    estimate = estimated(SLICES, 1);
    assert_int_equal(estimate.shares[0].use, AN_WORK_WALL_CLOCK);
}

/* Work that varies is no timer, whether there is always CPU time or not. */
static void no_timers(void **state)
{
    uint64_t random = 6;
    unsigned timers = 0;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        make_correlated(slices, SLICES, 1, 0.05, 0.5, &random);
        for (size_t k = 0; k < SLICES; k++) {
            double busy = i % 2 ? 1 : 0.9 + 0.1 * uniform(&random);
            slices[k].cpu = entries_of(busy * SECOND);
            slices[k].entries[0] = entries_of((double)slices[k].entries[0] / 250 * busy);
        }
        timers += estimated(SLICES, 1).shares[0].use == AN_WORK_WALL_CLOCK;
    }
    check(timers <= 5, "%u of 1000", timers);
}

/* Nothing enters a timer's function so often: when counting goes on for moments, its time is too short to tell. */
static void too_often_for_timers(void **state)
{
    uint64_t random = 7;
    (void)state;
    for (size_t k = 0; k < SLICES; k++)
        slices[k] = (struct an_work_reading){
            entries_of((0.3 + 0.7 * uniform(&random)) * SECOND), SECOND, {8000}};
    assert_int_equal(estimated(SLICES, 1).shares[0].use, AN_WORK_USED);
}

/* ---- what counting costs ---- */

static void cost(void **state)
{
    const double entry = 1e-5; /* seconds */
    struct an_work_reading slice = {SECOND, SECOND, {20000, 10000, 0}};
    (void)state;
    check(is_near(an_work_cost_share(&slice, entry), 0.3, 1e-12), "%g",
          an_work_cost_share(&slice, entry));
    an_work_correct(&slice, entry);
    check(is_near((double)slice.cpu, 0.7 * SECOND, 1e-6), "%g", (double)slice.cpu);
    an_work_correct(&slice, 1); /* more than there is */
    check(slice.cpu > 0 && slice.cpu < SECOND / 10, "%g", (double)slice.cpu);
    slice.cpu = 0;
    assert_true(an_work_cost_share(&slice, entry) == 0);
    an_work_correct(&slice, entry);
    assert_true(slice.cpu == 0);
}

static void part(void **state)
{
    (void)state;
    assert_true(an_work_part(0.01, 0) == 1);
    assert_true(an_work_part(0.01, 0.009) == 1);
    for (double share = 0.011; share < 1; share += 0.01) {
        double all = an_work_part(0.01, share) * share; /* of all the time */
        check(all <= 0.01 && all > 0.005, "%g: %g", share, all);
    }
}

/* ---- readings ---- */

static void wrapped_counters(void **state)
{
    struct an_work_reading before = {10, 20, {UINT64_MAX - 4, 7, 0}}, after = {15, 26, {5, 9, 0}};
    struct an_work_reading slice;
    (void)state;
    assert_true(an_work_slice(&before, &after, &slice));
    assert_int_equal(slice.cpu, 5);
    assert_int_equal(slice.wall, 6);
    assert_int_equal(slice.entries[0], 10);
    assert_int_equal(slice.entries[1], 2);
    after.entries[1] = 6; /* backwards: not of the same counters */
    assert_false(an_work_slice(&before, &after, &slice));
    check(slice.cpu == 0 && slice.wall == 0 && slice.entries[0] == 0, "nothing is left of it");
    after = before;
    after.cpu--;
    assert_false(an_work_slice(&before, &after, &slice));
}

/* ---- whether intervals hold what they promise ---- */

/* How many of a thousand intervals contain the truth, 1000000. */
static unsigned covering(size_t count, size_t functions, double share, double correlation)
{
    uint64_t random = 20240229;
    unsigned good = 0;
    for (int i = 0; i < 1000; i++) {
        make_correlated(slices, count, functions, share, correlation, &random);
        struct an_work_estimate estimate = estimated(count, functions);
        good += estimate.is_known && estimate.low <= 1e6 && estimate.high >= 1e6;
    }
    return good;
}

static void honest(void **state)
{
    (void)state;
    static const struct {
        size_t count, functions;
        double share, correlation;
        unsigned least;
    } cases[] = {
        {6, 1, 0.01, 0, 950},    {12, 1, 0.01, 0, 950},   {20, 1, 0.01, 0, 950},
        {20, 1, 0.1, 0, 950},    {40, 1, 0.01, 0, 950},   {12, 3, 0.01, 0, 950},
        {20, 3, 0.01, 0, 950},   {40, 3, 0.01, 0, 950},   {40, 1, 0.01, -0.5, 950},
        {20, 1, 0.01, 0.3, 940}, {40, 1, 0.01, 0.3, 950}, {40, 1, 0.01, 0.5, 940},
        {64, 1, 0.01, 0.7, 945}, {40, 3, 0.01, 0.3, 940},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned good =
            covering(cases[i].count, cases[i].functions, cases[i].share, cases[i].correlation);
        check(good >= cases[i].least, "%zu slices, %zu functions, correlation %g: %u of 1000",
              cases[i].count, cases[i].functions, cases[i].correlation, good);
    }
}

/* Caution is no excuse: half a percent of noise in twenty slices is an error of a third of a percent. */
static void narrow(void **state)
{
    uint64_t random = 77;
    double sum = 0;
    (void)state;
    for (int i = 0; i < 200; i++) {
        make_correlated(slices, SLICES, 1, 0.005, 0, &random);
        struct an_work_estimate estimate = estimated(SLICES, 1);
        sum += (estimate.high - estimate.low) / estimate.value / 2;
    }
    check(sum / 200 < 1.5 * 1.96 * 0.005 / sqrt(SLICES), "half width %g", sum / 200);
}

static void false_drifts(void **state)
{
    uint64_t random = 4711;
    unsigned drifts = 0;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        make_correlated(slices, SLICES, 1, 0.02, 0.3, &random);
        drifts += estimated(SLICES, 1).drifts;
    }
    check(drifts <= 10, "%u of 1000", drifts);
}

/* ---- two processes ---- */

/* Both get slower and faster together, by far more than the difference. */
static void common_noise_cancels(void **state)
{
    uint64_t random = 99;
    (void)state;
    for (size_t k = 0; k < SLICES; k++) {
        double speed = 1 + 0.2 * uniform(&random);
        slices[k] = others[k] = (struct an_work_reading){SECOND, SECOND, {0}};
        for (size_t i = 0; i < 3; i++) {
            double off = 1 + 0.001 * normal(&random);
            slices[k].entries[i] = entries_of(1e6 * speed);
            others[k].entries[i] = entries_of(1.02e6 * speed * off);
        }
    }
    struct an_work_estimate estimate = compared(SLICES, 3);
    check(estimate.is_known && estimate.low < 1.02 && estimate.high > 1.02, "%g to %g",
          estimate.low, estimate.high);
    check(estimate.high - estimate.low < 0.003, "%g to %g", estimate.low, estimate.high);
    assert_false(estimate.disagree);
}

static void the_same_twice(void **state)
{
    unsigned good = 0;
    uint64_t random = 3;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        make_correlated(slices, SLICES, 2, 0.01, 0, &random);
        make_correlated(others, SLICES, 2, 0.01, 0, &random);
        struct an_work_estimate estimate = compared(SLICES, 2);
        good += estimate.is_known && estimate.low <= 1 && estimate.high >= 1;
        check(i > 20 || !estimate.disagree, "round %d", i);
    }
    check(good >= 940, "%u of 1000", good);
}

static void disagreement(void **state)
{
    (void)state;
    make_steady(slices, SLICES);
    make_steady(others, SLICES);
    for (size_t k = 0; k < SLICES; k++)
        others[k].entries[2] = 2900; /* inlined at some places, perhaps */
    struct an_work_estimate estimate = compared(SLICES, 3);
    check(estimate.is_known && estimate.disagree, "%g", estimate.value);
    check(is_near(estimate.shares[2].ratio, 2900.0 / 3000, 1e-12), "%g", estimate.shares[2].ratio);
    for (size_t k = 0; k < SLICES; k++)
        others[k].entries[2] = 0;
    estimate = compared(SLICES, 3);
    assert_int_equal(estimate.shares[2].use, AN_WORK_TOO_FEW);
    check(estimate.is_known && !estimate.disagree && is_near(estimate.value, 1, 1e-12), "%g",
          estimate.value);
}

/* One build has a function in its callers: it does no third of the work for that. */
static void inlined(void **state)
{
    (void)state;
    make_steady(slices, SLICES);
    make_steady(others, SLICES);
    for (size_t k = 0; k < SLICES; k++) {
        others[k].entries[0] = 950;
        others[k].entries[1] = 700;
    }
    struct an_work_estimate estimate = compared(SLICES, 2);
    assert_int_equal(estimate.shares[0].use, AN_WORK_USED);
    assert_int_equal(estimate.shares[1].use, AN_WORK_INLINED);
    check(estimate.is_known && !estimate.disagree && is_near(estimate.value, 0.95, 1e-9), "%g",
          estimate.value);
    for (size_t k = 0; k < SLICES; k++) /* all of them: that is how it is */
        others[k].entries[0] = 350;
    estimate = compared(SLICES, 2);
    check(is_near(estimate.value, 0.35, 1e-9), "%g", estimate.value);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(an_work_use_name(AN_WORK_USED), "used");
    assert_string_equal(an_work_use_name(AN_WORK_WALL_CLOCK), "wall clock");
    assert_string_equal(an_work_use_name((enum an_work_use)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady),
        cmocka_unit_test(steady_functions_together),
        cmocka_unit_test(idle_slices),
        cmocka_unit_test(drifting),
        cmocka_unit_test(one_slice_off),
        cmocka_unit_test(unsteady),
        cmocka_unit_test(no_entries),
        cmocka_unit_test(few_slices),
        cmocka_unit_test(timers),
        cmocka_unit_test(no_timers),
        cmocka_unit_test(too_often_for_timers),
        cmocka_unit_test(cost),
        cmocka_unit_test(part),
        cmocka_unit_test(wrapped_counters),
        cmocka_unit_test(honest),
        cmocka_unit_test(narrow),
        cmocka_unit_test(false_drifts),
        cmocka_unit_test(common_noise_cancels),
        cmocka_unit_test(the_same_twice),
        cmocka_unit_test(disagreement),
        cmocka_unit_test(inlined),
        cmocka_unit_test(names),
    };
    return RUN_TESTS(tests);
}
