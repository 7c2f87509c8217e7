/* lib/live/worth: what a layout is worth by made-up numbers, what becomes of it, and what is said about it. */
#include "live/worth.h"

#include "support/test.h"

static struct an_work_estimate ratio(double low, double value, double high)
{
    return (struct an_work_estimate){.is_known = true, .low = low, .value = value, .high = high};
}

static void expect(double low, double value, double high, enum an_worth_outcome outcome)
{
    struct an_worth worth = {.cost = ratio(low, value, high)};
    an_worth_judge(&worth);
    check(worth.outcome == outcome && worth.is_refused == (outcome != AN_WORTH_BETTER),
          "%g (%g to %g): %s, %s", value, low, high, an_worth_name(worth.outcome),
          worth.is_refused ? "refused" : "kept");
}

/* Only what is better beyond chance stays. */
static void by_samples(void **state)
{
    (void)state;
    expect(0.5, 0.6, 0.7, AN_WORTH_BETTER);
    expect(0.9, 0.97, 0.999, AN_WORTH_BETTER);
    expect(1.001, 1.03, 1.06, AN_WORTH_WORSE);
    expect(2, 3, 4, AN_WORTH_WORSE);
    expect(0.9, 0.98, 1.1, AN_WORTH_NOISE);
    expect(0.9, 1, 1.1, AN_WORTH_NOISE);
    expect(0.9, 1.02, 1.1, AN_WORTH_NOISE);
    /* an interval of no width leaves nothing to chance */
    expect(0.99999, 0.99999, 0.99999, AN_WORTH_BETTER);
    expect(1.00001, 1.00001, 1.00001, AN_WORTH_WORSE);
    expect(1, 1, 1, AN_WORTH_NOISE);
}

static void expect_text(struct an_worth_decision decision, const char *rule, const char *expected)
{
    char text[400];
    an_worth_explain(&decision, text, sizeof text);
    assert_string_equal(text, expected);
    assert_string_equal(an_worth_rule_name(an_worth_rule_of(&decision)), rule);
}

static struct an_worth_decision decided(double low, double value, double high)
{
    struct an_worth_crossover found = {.gain = ratio(low, value, high)};
    struct an_worth_decision decision = {.is_measured = true, .is_known = true, .gain = found.gain};
    decision.is_refused = an_worth_choose(&found, &decision.outcome) != AN_WORTH_NEW;
    decision.is_taken_back = decision.is_refused;
    return decision;
}

static void sentences(void **state)
{
    (void)state;
    struct an_worth_decision decision = decided(1.02, 1.03, 1.04);
    expect_text(decision, "gain",
                "kept: +3.0% work per CPU second (95%: +2.0% to +4.0%) is a gain beyond chance");
    decision.is_refused = decision.is_taken_back = true;
    decision.step = ratio(0.96, 0.97, 0.98);
    decision.instead = 1;
    expect_text(decision, "worse than before",
                "taken back: -3.0% work per CPU second (95%: -4.0% to -2.0%) beside the layout "
                "before is a loss beyond chance, so layout 1 runs again (--keep-anyway keeps a "
                "layout)");
    decision = decided(0.99, 1.003, 1.02);
    expect_text(decision, "no difference",
                "taken back: no difference seen, +0.3% work per CPU second (95%: -1.0% to +2.0%), "
                "so the original code runs again (--keep-anyway keeps a layout)");
    decision.is_taken_back = false;
    decision.is_asked = true;
    expect_text(decision, "no difference",
                "kept, as --keep-anyway asks: no difference seen, +0.3% work per CPU second (95%: "
                "-1.0% to +2.0%)");
    expect_text(decided(0.9, 0.95, 0.99), "loss",
                "taken back: -5.0% work per CPU second (95%: -10.0% to -1.0%) is a loss beyond "
                "chance, so the original code runs again (--keep-anyway keeps a layout)");
    expect_text((struct an_worth_decision){.is_measured = true, .is_taken_back = true}, "not known",
                "taken back: its gain is not known, so the original code runs again (--keep-anyway "
                "keeps a layout)");
    expect_text((struct an_worth_decision){.is_asked = true}, "not known",
                "kept, as --keep-anyway asks: nothing was measured");
    expect_text((struct an_worth_decision){.is_measured = true,
                                           .is_known = true,
                                           .by_samples = true,
                                           .gain = ratio(0.8, 0.9, 0.95)},
                "gain",
                "kept: -10.0% time in the moved functions (95%: -20.0% to -5.0%) is a gain beyond "
                "chance");
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
    choose((struct an_worth_crossover){.gain = ratio(0.99, 1.003, 1.02)}, AN_WORTH_ORIGINAL,
           AN_WORTH_NOISE);
    choose((struct an_worth_crossover){.gain = ratio(1, 1.003, 1.02)}, AN_WORTH_ORIGINAL,
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
    /* no difference seen: neither stays, whatever the estimates say */
    choose(beside(1.005, 0.99, 1.01, 1.005), AN_WORTH_ORIGINAL, AN_WORTH_NOISE);
    choose(beside(1.05, 0.9, 1.01, 1.005), AN_WORTH_BEFORE, AN_WORTH_NOISE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_by_turns), cmocka_unit_test(later_by_turns),
        cmocka_unit_test(by_samples),     cmocka_unit_test(sentences),
        cmocka_unit_test(names),
    };
    return RUN_TESTS(tests);
}
