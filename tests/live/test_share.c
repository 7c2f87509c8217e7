/* share.c of lib/live: odds of made-up samples, whose truth is known, and their intervals. */
#include "live/share.h"

#include <math.h>

#include "support/test.h"

/* ---- a process, and its samples ---- */

enum { MOST = 20000 };

static bool samples[MOST];

static double uniform(uint64_t *state)
{
    return (double)(next_number(state) >> 11) * 0x1p-53;
}

static double waiting(double mean, uint64_t *state)
{
    return -mean * log(1 - uniform(state));
}

struct process {
    double phase; /* seconds that it does the same kind of work, on average, in the original code */
    double gain;  /* the moved functions take less time by this: 1 / (1 + gain) */
    unsigned windows; /* in a recording */
    unsigned each;    /* samples of a window */
    double alike;     /* the chance that a sample is where the one before it in the window was */
};

/* A recording of some seconds, at random moments of run time. Each kind of work spends another share of its time in the
 * moved functions. Returns the number of samples. */
static size_t record(const struct process *process, double seconds, uint64_t *state)
{
    static const double shares[] = {0.35, 0.5, 0.65};
    double now = 0, end = 0, share = 0;
    size_t count = 0;
    for (unsigned window = 0; window < process->windows; window++) {
        now += waiting(seconds / process->windows, state);
        while (now >= end) {
            double kind = shares[next_number(state) % 3], moved = kind / (1 + process->gain);
            end += waiting(process->phase * (moved + 1 - kind), state);
            share = moved / (moved + 1 - kind);
        }
        for (unsigned i = 0; i < process->each; i++, count++)
            samples[count] =
                i && uniform(state) < process->alike ? samples[count - 1] : uniform(state) < share;
    }
    return count;
}

static struct an_live_share estimated(size_t count)
{
    struct an_live_share share;
    assert_true(an_share_estimate(samples, count, &share));
    return share;
}

/* ---- the interval ---- */

/* In how many of a hundred comparisons of two recordings the truth is in the interval. */
static unsigned inside_of_a_hundred(struct process process, double gain, uint64_t seed)
{
    unsigned inside = 0;
    for (unsigned trial = 0; trial < 100; trial++) {
        process.gain = 0;
        struct an_live_share before = estimated(record(&process, 30, &seed));
        process.gain = gain;
        struct an_live_share after = estimated(record(&process, 10, &seed));
        assert_true(before.is_known && after.is_known);
        double off = log(after.odds / before.odds) + log(1 + gain);
        inside += fabs(off) <= hypot(before.half_width, after.half_width);
    }
    return inside;
}

static void holds_the_truth(void **state)
{
    static const struct process processes[] = {
        {.phase = 0.01, .windows = 800, .each = 1},               /* as good as independent */
        {.phase = 0.01, .windows = 200, .each = 8, .alike = 0.9}, /* windows */
        {.phase = 0.5, .windows = 400, .each = 3, .alike = 0.9},  /* and phases */
        {.phase = 1, .windows = 150, .each = 3, .alike = 0.8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++)
        for (int gain = 0; gain < 2; gain++) {
            unsigned inside = inside_of_a_hundred(processes[i], 0.1 * gain, 1 + i);
            check(inside >= 90, "process %zu, gain %d: the truth is inside %u times", i, gain,
                  inside);
        }
}

/* Were samples taken for independent ones, the truth would be outside far more often. */
static void needs_to_know_windows(void **state)
{
    const struct process process = {.phase = 0.01, .windows = 200, .each = 8, .alike = 0.9};
    uint64_t seed = 1;
    (void)state;
    struct an_live_share share = estimated(record(&process, 30, &seed));
    double naive = 1.96 * sqrt(1 / (double)share.inside + 1 / (double)(share.all - share.inside));
    check(share.half_width > 1.7 * naive, "half a width of %g, %g for independent samples",
          share.half_width, naive);
}

/* Caution is no excuse. */
static void is_narrow(void **state)
{
    const struct process process = {.phase = 0.001, .windows = MOST, .each = 1};
    uint64_t seed = 1;
    (void)state;
    struct an_live_share share = estimated(record(&process, 30, &seed));
    double naive = 1.96 * sqrt(1 / (double)share.inside + 1 / (double)(share.all - share.inside));
    check(share.half_width < 1.7 * naive, "half a width of %g, %g for independent samples",
          share.half_width, naive);
}

static void too_few(void **state)
{
    (void)state;
    for (size_t count = 0; count <= 100; count++) {
        for (size_t i = 0; i < count; i++)
            samples[i] = i % 2;
        struct an_live_share share = estimated(count);
        assert_int_equal(share.all, count);
        assert_int_equal(share.inside, count / 2);
        assert_int_equal(share.is_known, count >= 80);
        assert_true(!share.is_known || (share.odds > 0.97 && share.odds < 1.01));
    }
    for (size_t i = 0; i < 1000; i++)
        samples[i] = true;
    assert_false(estimated(1000).is_known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_the_truth),
        cmocka_unit_test(needs_to_know_windows),
        cmocka_unit_test(is_narrow),
        cmocka_unit_test(too_few),
    };
    return RUN_TESTS(tests);
}
