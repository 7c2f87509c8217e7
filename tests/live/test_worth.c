/* lib/live/worth: what a layout is worth by made-up numbers, what becomes of it, and what is said about it. */
#include "live/worth.h"

#include "support/test.h"

static struct an_work_estimate ratio(double low, double value, double high)
{
    return (struct an_work_estimate){.is_known = true, .low = low, .value = value, .high = high};
}

static struct an_worth judged(double low, double value, double high, bool is_first)
{
    struct an_worth worth = {.cost = ratio(low, value, high), .is_first = is_first};
    an_worth_judge(&worth);
    return worth;
}

static void expect(struct an_worth worth, enum an_worth_outcome outcome, bool is_refused)
{
    check(worth.outcome == outcome && worth.is_refused == is_refused, "%g (%g to %g): %s, %s",
          worth.cost.value, worth.cost.low, worth.cost.high, an_worth_name(worth.outcome),
          worth.is_refused ? "refused" : "kept");
}

static void beyond_chance(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        expect(judged(0.5, 0.6, 0.7, first), AN_WORTH_BETTER, false);
        expect(judged(0.9, 0.97, 0.999, first), AN_WORTH_BETTER, false);
        expect(judged(1.001, 1.03, 1.06, first), AN_WORTH_WORSE, true);
        expect(judged(2, 3, 4, first), AN_WORTH_WORSE, true);
    }
}

static void within_chance(void **state)
{
    (void)state;
    /* The original is preferred to what costs as much; of two layouts the new one stays. */
    expect(judged(0.9, 0.98, 1.1, true), AN_WORTH_NOISE, false);
    expect(judged(0.9, 0.98, 1.1, false), AN_WORTH_NOISE, false);
    expect(judged(0.9, 1, 1.1, true), AN_WORTH_NOISE, true);
    expect(judged(0.9, 1, 1.1, false), AN_WORTH_NOISE, false);
    expect(judged(0.9, 1.02, 1.1, true), AN_WORTH_NOISE, true);
    expect(judged(0.9, 1.02, 1.1, false), AN_WORTH_NOISE, false);
    expect(judged(1, 1.02, 1.1, false), AN_WORTH_NOISE, false);
}

/* An interval of no width leaves nothing to chance. */
static void exact_numbers(void **state)
{
    (void)state;
    expect(judged(0.99999, 0.99999, 0.99999, true), AN_WORTH_BETTER, false);
    expect(judged(1.00001, 1.00001, 1.00001, false), AN_WORTH_WORSE, true);
    expect(judged(1, 1, 1, true), AN_WORTH_NOISE, true);
    expect(judged(1, 1, 1, false), AN_WORTH_NOISE, false);
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
    expect_text(judged(0.4, 0.5, 0.6, true), true, "");
    expect_text(judged(1.4, 1.5, 1.6, true), false, "");
    expect_text(judged(0.6, 0.96, 1.5, true), true,
                "chance may explain it: the layout is kept, because the estimate is a gain; "
                "a longer --duration measures more precisely");
    expect_text(judged(0.9, 1.02, 1.1, true), false,
                "chance may explain it: the original code runs again, because it is the safer "
                "choice in doubt; a longer --duration measures more precisely");
    expect_text(judged(0.9, 1.02, 1.1, true), true,
                "chance may explain it: the layout is kept, as --keep-anyway asks; a longer "
                "--duration measures more precisely");
    expect_text(judged(0.9, 1.02, 1.1, false), true,
                "chance may explain it: the layout is kept, because only a loss beyond chance is "
                "worth another switch; a longer --duration measures more precisely");
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(an_worth_name(AN_WORTH_BETTER), "better");
    assert_string_equal(an_worth_name(AN_WORTH_NOISE), "noise");
    assert_string_equal(an_worth_name(AN_WORTH_WORSE), "worse");
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
        cmocka_unit_test(first_by_turns), cmocka_unit_test(later_by_turns),
        cmocka_unit_test(beyond_chance),  cmocka_unit_test(within_chance),
        cmocka_unit_test(exact_numbers),  cmocka_unit_test(sentences),
        cmocka_unit_test(names),
    };
    return RUN_TESTS(tests);
}
