/*
 * What a measurement before and after a switch says about the new layout: pure arithmetic, so that it can be tested
 * with made-up numbers.
 *
 *     the interval of cost after / cost before:   ├─better─┤  │   ├─worse─┤
 *                                                          ├──noise──┤
 *                                                             1
 *
 * A layout stays if it is a gain beyond the noise, and not otherwise: where no difference is seen, the code that nobody
 * has to trust is preferred.
 */
#ifndef AN_LIVE_WORTH_H
#define AN_LIVE_WORTH_H

#include <anneal/work.h>
#include <stdbool.h>
#include <stddef.h>

enum an_worth_outcome { AN_WORTH_BETTER, AN_WORTH_NOISE, AN_WORTH_WORSE };

struct an_worth {
    struct an_work_estimate cost; /* after the switch, divided by that before */
    enum an_worth_outcome outcome;
    bool is_refused; /* what ran before is to run again */
};

/* The cost, which is known, is given; sets the rest. */
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
 * What is to run from now on: the new layout, if it is a gain over the original code beyond chance, and not worse than the
 * one before beyond chance; else the one before, if that is such a gain; else the original code. gain.is_known; *outcome is
 * that of the new layout beside the original code.
 */
enum an_worth_choice an_worth_choose(const struct an_worth_crossover *found,
                                     enum an_worth_outcome *outcome);

/* "better", "noise" or "worse". */
const char *an_worth_name(enum an_worth_outcome outcome);

/* ---- the decision in words ---- */

enum an_worth_rule {
    AN_RULE_GAIN,
    AN_RULE_NO_DIFFERENCE,
    AN_RULE_LOSS,
    AN_RULE_WORSE_THAN_BEFORE, /* a gain over the original code, but a loss beside the layout before */
    AN_RULE_NOT_KNOWN,
};

struct an_worth_decision {
    bool is_measured, is_known;
    bool by_samples; /* the ratio is of time, else of work */
    struct an_work_estimate
        gain; /* the ratio beside the original code; by samples, beside what ran before */
    struct an_work_estimate step; /* beside the layout before */
    enum an_worth_outcome outcome;
    bool is_refused;    /* something else was to run */
    bool is_taken_back; /* something else runs */
    bool is_asked;      /* to be kept anyway */
    unsigned instead;   /* taken back: the layout that runs; 0: the original code */
};

enum an_worth_rule an_worth_rule_of(const struct an_worth_decision *decision);

/* "gain", "no difference", "loss", "worse than before", "not known" */
const char *an_worth_rule_name(enum an_worth_rule rule);

/* The ratio that has decided, if one is known. */
const struct an_work_estimate *an_worth_deciding(const struct an_worth_decision *decision);

/* One sentence: what became of the layout, and by what. */
void an_worth_explain(const struct an_worth_decision *decision, char *text, size_t size);

#endif
