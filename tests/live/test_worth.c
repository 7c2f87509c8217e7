/* lib/live/worth: what a layout is worth by made-up numbers, what becomes of it, and what is said about it. */
#include "live/worth.h"

#include <math.h>

#include "support/test.h"

static struct an_worth judged(double before, double after, double noise, bool is_first)
{
    struct an_worth worth = {
        .before = before, .after = after, .noise = noise, .is_first = is_first};
    an_worth_judge(&worth);
    return worth;
}

static void expect(struct an_worth worth, enum an_worth_outcome outcome, bool is_refused)
{
    check(worth.outcome == outcome && worth.is_refused == is_refused, "%g to %g, noise %g: %s, %s",
          worth.before, worth.after, worth.noise, an_worth_name(worth.outcome),
          worth.is_refused ? "refused" : "kept");
}

static void beyond_the_noise(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        expect(judged(100, 60, 0.03, first), AN_WORTH_BETTER, false);
        expect(judged(100, 97, 0.03, first), AN_WORTH_BETTER, false);
        expect(judged(100, 103, 0.03, first), AN_WORTH_WORSE, true);
        expect(judged(100, 300, 0.5, first), AN_WORTH_WORSE, true);
        expect(judged(1e-9, 0.5e-9, 0.03, first), AN_WORTH_BETTER, false);
    }
}

static void within_the_noise(void **state)
{
    (void)state;
    /* The original is preferred to what costs as much; of two layouts the new one stays. */
    expect(judged(100, 98, 0.03, true), AN_WORTH_NOISE, false);
    expect(judged(100, 98, 0.03, false), AN_WORTH_NOISE, false);
    expect(judged(100, 100, 0.03, true), AN_WORTH_NOISE, true);
    expect(judged(100, 100, 0.03, false), AN_WORTH_NOISE, false);
    expect(judged(100, 102, 0.03, true), AN_WORTH_NOISE, true);
    expect(judged(100, 102, 0.03, false), AN_WORTH_NOISE, false);
    /* -3.9 % with a standard error of 24 % */
    expect(judged(1, 0.961, an_worth_noise(0.24), true), AN_WORTH_NOISE, false);
}

/* Without any noise there is none to hide in. */
static void exact_numbers(void **state)
{
    (void)state;
    expect(judged(100, 99.999, 0, true), AN_WORTH_BETTER, false);
    expect(judged(100, 100, 0, true), AN_WORTH_WORSE, true);
    expect(judged(100, 100.001, 0, false), AN_WORTH_WORSE, true);
}

static void two_standard_errors(void **state)
{
    (void)state;
    assert_true(fabs(an_worth_noise(0) - 0) < 1e-12);
    assert_true(fabs(an_worth_noise(log(1.1) / 2) - 0.1) < 1e-12);
    /* A halving is beyond the noise as soon as a doubling is. */
    double noise = an_worth_noise(log(2) / 2);
    expect(judged(100, 200.001, noise, false), AN_WORTH_WORSE, true);
    expect(judged(100, 49.999, noise, false), AN_WORTH_BETTER, false);
    expect(judged(100, 199.999, noise, false), AN_WORTH_NOISE, false);
    expect(judged(100, 50.001, noise, false), AN_WORTH_NOISE, false);
}

static void expect_text(struct an_worth worth, bool is_kept, const char *expected)
{
    char text[300];
    an_worth_explain(&worth, is_kept, text, sizeof text);
    assert_string_equal(text, expected);
}

static void sentences(void **state)
{
    (void)state;
    expect_text(judged(100, 50, 0.03, true), true, "");
    expect_text(judged(100, 150, 0.03, true), false, "");
    expect_text(judged(1, 0.961, an_worth_noise(0.24), true), true,
                "within the noise, because less than 62% may be chance: the layout is kept, "
                "because the estimate is a gain; "
                "a longer --record measures more precisely");
    expect_text(judged(100, 102, 0.03, true), false,
                "within the noise, because less than 3% may be chance: the original code runs "
                "again, because it is the safer "
                "choice in doubt; a longer --record measures more precisely");
    expect_text(judged(100, 102, 0.03, true), true,
                "within the noise, because less than 3% may be chance: the layout is kept, as "
                "--keep-anyway asks; a longer "
                "--record measures more precisely");
    expect_text(judged(100, 102, 0.03, false), true,
                "within the noise, because less than 3% may be chance: the layout is kept, because "
                "only a loss beyond the "
                "noise is worth another switch; a longer --record measures more precisely");
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(an_worth_name(AN_WORTH_BETTER), "better");
    assert_string_equal(an_worth_name(AN_WORTH_NOISE), "noise");
    assert_string_equal(an_worth_name(AN_WORTH_WORSE), "worse");
}

static struct an_work_estimate ratio(double low, double value, double high)
{
    return (struct an_work_estimate){.is_known = true, .low = low, .value = value, .high = high};
}

static void choose(struct an_worth_crossover found, enum an_worth_choice choice,
                   enum an_worth_outcome outcome)
{
    enum an_worth_outcome got;
    enum an_worth_choice chosen = an_worth_choose(&found, &got);
    check(chosen == choice && got == outcome, "%g: choice %d, %s", found.gain.value, (int)chosen,
          an_worth_name(got));
}

/* Beside the original code alone. */
static void first_by_turns(void **state)
{
    (void)state;
    choose((struct an_worth_crossover){.gain = ratio(1.02, 1.03, 1.04)}, AN_WORTH_NEW,
           AN_WORTH_BETTER);
    choose((struct an_worth_crossover){.gain = ratio(0.99, 1.003, 1.02)}, AN_WORTH_NEW,
           AN_WORTH_NOISE);
    choose((struct an_worth_crossover){.gain = ratio(0.99, 0.998, 1.02)}, AN_WORTH_ORIGINAL,
           AN_WORTH_NOISE);
    choose((struct an_worth_crossover){.gain = ratio(0.9, 0.95, 0.99)}, AN_WORTH_ORIGINAL,
           AN_WORTH_WORSE);
}

static struct an_worth_crossover beside(double before, double step_low, double step_high,
                                        double gain)
{
    return (struct an_worth_crossover){
        .gain = ratio(gain - 0.01, gain, gain + 0.01),
        .has_before = true,
        .before_gain = ratio(before - 0.01, before, before + 0.01),
        .step = ratio(step_low, (step_low + step_high) / 2, step_high),
    };
}

static void later_by_turns(void **state)
{
    (void)state;
    choose(beside(1.05, 0.99, 1.03, 1.06), AN_WORTH_NEW, AN_WORTH_BETTER);
    choose(beside(1.05, 0.97, 1.01, 1.04), AN_WORTH_NEW, AN_WORTH_BETTER); /* by chance, maybe */
    choose(beside(1.05, 0.96, 0.99, 1.03), AN_WORTH_BEFORE, AN_WORTH_BETTER);
    /* Two small losses, each of which might be chance, are one in comparison with the original. */
    choose(beside(0.97, 0.98, 1.01, 0.95), AN_WORTH_ORIGINAL, AN_WORTH_WORSE);
    choose(beside(0.98, 0.95, 0.99, 0.95), AN_WORTH_ORIGINAL, AN_WORTH_WORSE);
    choose(beside(1.02, 0.95, 0.99, 0.99), AN_WORTH_BEFORE, AN_WORTH_NOISE);
    struct an_worth_crossover unknown = beside(1.05, 0.96, 0.99, 1.03);
    unknown.before_gain.is_known = unknown.step.is_known = false;
    choose(unknown, AN_WORTH_NEW, AN_WORTH_BETTER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_by_turns),   cmocka_unit_test(later_by_turns),
        cmocka_unit_test(beyond_the_noise), cmocka_unit_test(within_the_noise),
        cmocka_unit_test(exact_numbers),    cmocka_unit_test(two_standard_errors),
        cmocka_unit_test(sentences),        cmocka_unit_test(names),
    };
    return RUN_TESTS(tests);
}
