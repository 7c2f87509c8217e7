/* Judging a new layout by numbers; see worth.h. */
#include "live/worth.h"

#include <math.h>
#include <stdio.h>

double an_worth_noise(double standard_error)
{
    return exp(2 * standard_error) - 1;
}

void an_worth_judge(struct an_worth *worth)
{
    if (worth->after >= worth->before * (1 + worth->noise))
        worth->outcome = AN_WORTH_WORSE;
    else if (worth->after * (1 + worth->noise) <= worth->before)
        worth->outcome = AN_WORTH_BETTER;
    else
        worth->outcome = AN_WORTH_NOISE;
    worth->is_refused =
        worth->outcome == AN_WORTH_WORSE || (worth->is_first && worth->after >= worth->before);
}

enum an_worth_choice an_worth_choose(const struct an_worth_crossover *found,
                                     enum an_worth_outcome *outcome)
{
    const struct an_work_estimate *gain = &found->gain;
    bool knows_before = found->has_before && found->before_gain.is_known;
    *outcome = gain->low > 1 ? AN_WORTH_BETTER : gain->high < 1 ? AN_WORTH_WORSE : AN_WORTH_NOISE;
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
    if (worth->after < worth->before)
        return "the layout is kept, because the estimate is a gain";
    return "the layout is kept, because only a loss beyond the noise is worth another switch";
}

void an_worth_explain(const struct an_worth *worth, bool is_kept, char *text, size_t size)
{
    *text = '\0';
    if (worth->outcome == AN_WORTH_NOISE)
        snprintf(text, size,
                 "within the noise, because less than %.0f%% may be chance: %s; a longer --record "
                 "measures more precisely",
                 ceil(100 * worth->noise - 1e-9), what_is_done(worth, is_kept));
}
