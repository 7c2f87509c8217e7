/* Judging a new layout by numbers; see worth.h. */
#include "live/worth.h"

#include <stdio.h>

/* Of a ratio that is the better the larger it is. */
static enum an_worth_outcome outcome_of(double low, double high)
{
    return low > 1 ? AN_WORTH_BETTER : high < 1 ? AN_WORTH_WORSE : AN_WORTH_NOISE;
}

void an_worth_judge(struct an_worth *worth)
{
    worth->outcome = outcome_of(1 / worth->cost.high, 1 / worth->cost.low);
    worth->is_refused = worth->outcome != AN_WORTH_BETTER;
}

enum an_worth_choice an_worth_choose(const struct an_worth_crossover *found,
                                     enum an_worth_outcome *outcome)
{
    const struct an_work_estimate *gain = &found->gain;
    bool knows_before = found->has_before && found->before_gain.is_known;
    *outcome = outcome_of(gain->low, gain->high);
    bool is_step_back = knows_before && found->step.is_known && found->step.high < 1;
    if (*outcome == AN_WORTH_BETTER && !is_step_back)
        return AN_WORTH_NEW;
    return knows_before && found->before_gain.low > 1 ? AN_WORTH_BEFORE : AN_WORTH_ORIGINAL;
}

const char *an_worth_name(enum an_worth_outcome outcome)
{
    static const char *const names[] = {"better", "noise", "worse"};
    return names[outcome];
}

/* ---- the decision in words ---- */

enum an_worth_rule an_worth_rule_of(const struct an_worth_decision *decision)
{
    static const enum an_worth_rule rules[] = {
        [AN_WORTH_BETTER] = AN_RULE_GAIN,
        [AN_WORTH_NOISE] = AN_RULE_NO_DIFFERENCE,
        [AN_WORTH_WORSE] = AN_RULE_LOSS,
    };
    if (!decision->is_known)
        return AN_RULE_NOT_KNOWN;
    if (decision->outcome == AN_WORTH_BETTER && decision->is_refused)
        return AN_RULE_WORSE_THAN_BEFORE;
    return rules[decision->outcome];
}

const char *an_worth_rule_name(enum an_worth_rule rule)
{
    static const char *const names[] = {
        [AN_RULE_GAIN] = "gain",           [AN_RULE_NO_DIFFERENCE] = "no difference",
        [AN_RULE_LOSS] = "loss",           [AN_RULE_WORSE_THAN_BEFORE] = "worse than before",
        [AN_RULE_NOT_KNOWN] = "not known",
    };
    return names[rule];
}

const struct an_work_estimate *an_worth_deciding(const struct an_worth_decision *decision)
{
    return an_worth_rule_of(decision) == AN_RULE_WORSE_THAN_BEFORE ? &decision->step
                                                                   : &decision->gain;
}

/* "+6.0% work per CPU second (95%: +5.6% to +6.4%)" */
static void word_estimate(const struct an_worth_decision *decision, char *text, size_t size)
{
    const struct an_work_estimate *ratio = an_worth_deciding(decision);
    snprintf(text, size, "%+.1f%% %s (95%%: %+.1f%% to %+.1f%%)", 100 * (ratio->value - 1),
             decision->by_samples ? "time in the moved functions" : "work per CPU second",
             100 * (ratio->low - 1), 100 * (ratio->high - 1));
}

static void word_reason(const struct an_worth_decision *decision, char *text, size_t size)
{
    char estimate[120];
    word_estimate(decision, estimate, sizeof estimate);
    switch (an_worth_rule_of(decision)) {
    case AN_RULE_GAIN:
        snprintf(text, size, "%s is a gain beyond chance", estimate);
        break;
    case AN_RULE_NO_DIFFERENCE:
        snprintf(text, size, "no difference seen, %s", estimate);
        break;
    case AN_RULE_LOSS:
        snprintf(text, size, "%s is a loss beyond chance", estimate);
        break;
    case AN_RULE_WORSE_THAN_BEFORE:
        snprintf(text, size, "%s beside the layout before is a loss beyond chance", estimate);
        break;
    default:
        snprintf(text, size, "%s",
                 decision->is_measured ? "its gain is not known" : "nothing was measured");
    }
}

void an_worth_explain(const struct an_worth_decision *decision, char *text, size_t size)
{
    char reason[240];
    word_reason(decision, reason, sizeof reason);
    if (decision->is_taken_back && decision->instead)
        snprintf(text, size,
                 "taken back: %s, so layout %u runs again (--keep-anyway keeps a layout)", reason,
                 decision->instead);
    else if (decision->is_taken_back)
        snprintf(text, size,
                 "taken back: %s, so the original code runs again (--keep-anyway keeps a layout)",
                 reason);
    else
        snprintf(text, size, "kept%s: %s", decision->is_asked ? ", as --keep-anyway asks" : "",
                 reason);
}
