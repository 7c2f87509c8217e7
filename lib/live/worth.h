/*
 * What a measurement before and after a switch says about the new layout: pure arithmetic, so that it can be tested
 * with made-up numbers.
 *
 *     the interval of cost after / cost before:   ├─better─┤  │   ├─worse─┤
 *                                                          ├──noise──┤
 *                                                             1
 *
 * A first layout has the original code as its alternative, which nobody has to trust: when the estimate says that it
 * costs as much, the original is preferred. Of two layouts, the new one stays unless it is worse beyond the noise.
 */
#ifndef AN_LIVE_WORTH_H
#define AN_LIVE_WORTH_H

#include <anneal/work.h>
#include <stdbool.h>
#include <stddef.h>

enum an_worth_outcome { AN_WORTH_BETTER, AN_WORTH_NOISE, AN_WORTH_WORSE };

struct an_worth {
    struct an_work_estimate cost; /* after the switch, divided by that before */
    bool is_first;                /* the original ran before */
    enum an_worth_outcome outcome;
    bool is_refused; /* what ran before is to run again */
};

/* The cost, which is known, and is_first are given; sets the rest. */
void an_worth_judge(struct an_worth *worth);

/* ---- by turns ---- */

enum an_worth_choice { AN_WORTH_NEW, AN_WORTH_BEFORE, AN_WORTH_ORIGINAL };

/* What was found by turns (work/crossover.h): ratios of the work in a second of CPU time. */
struct an_worth_crossover {
    struct an_work_estimate gain;        /* of the new layout over the original code */
    bool has_before;                     /* another layout was in force: */
    struct an_work_estimate before_gain; /* of it over the original code */
    struct an_work_estimate step;        /* of the new layout over it */
};

/*
 * What is to run from now on: the new layout, unless it is worse than the one before beyond chance; and neither when not
 * even the estimate is a gain over the original code. gain.is_known; *outcome is that of the new layout beside the
 * original code.
 */
enum an_worth_choice an_worth_choose(const struct an_worth_crossover *found,
                                     enum an_worth_outcome *outcome);

/* "better", "noise" or "worse". */
const char *an_worth_name(enum an_worth_outcome outcome);

/* A sentence on an outcome that is noise: that it is, what is done with the layout, and why. The text is empty for
 * the other outcomes. `is_kept`: it stays although it is refused. */
void an_worth_explain(const struct an_worth *worth, bool is_kept, char *text, size_t size);

#endif
