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
    worth->is_refused =
        worth->outcome == AN_WORTH_WORSE || (worth->is_first && worth->cost.value >= 1);
}

enum an_worth_choice an_worth_choose(const struct an_worth_crossover *found,
                                     enum an_worth_outcome *outcome)
{
    const struct an_work_estimate *gain = &found->gain;
    bool knows_before = found->has_before && found->before_gain.is_known;
    *outcome = outcome_of(gain->low, gain->high);
    bool is_step_back = knows_before && found->step.is_known && found->step.high < 1;
    if (gain->value > 1 && !is_step_back)
        return AN_WORTH_NEW;
    return knows_before && found->before_gain.value > 1 ? AN_WORTH_BEFORE : AN_WORTH_ORIGINAL;
}

const char *an_worth_name(enum an_worth_outcome outcome)
{
    static const char *const names[] = {"better", "noise", "worse"};
    return names[outcome];
}

static const char *what_is_done(const struct an_worth *worth, bool is_kept)
{
    if (worth->is_refused)
        return is_kept ? "the layout is kept, as --keep-anyway asks"
                       : "the original code runs again, because it is the safer choice in doubt";
    if (worth->cost.value < 1)
        return "the layout is kept, because the estimate is a gain";
    return "the layout is kept, because only a loss beyond chance is worth another switch";
}

void an_worth_explain(const struct an_worth *worth, bool is_kept, char *text, size_t size)
{
    *text = '\0';
    if (worth->outcome == AN_WORTH_NOISE)
        snprintf(text, size,
                 "chance may explain it: %s; a longer --duration measures more precisely",
                 what_is_done(worth, is_kept));
}
