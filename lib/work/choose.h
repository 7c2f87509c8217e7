/*
 * Which functions count a process's work: those that are entered often enough to count, and seldom enough not to cost.
 *
 *     entries a second    0 ... 15 | all the time | budget / cost ... | a part of it | most / cost ... 10,000,000
 *                         main     | serve        |                   | read_line    |                 next_byte
 *
 * A function that costs more than the budget is counted for a part of the time, in which it is slowed down; what counting
 * takes is known, and is not counted as time of the process. That goes well up to the point where little else is left
 * (an_work_options.most).
 *
 * Functions that are under way (stacks.h), the longest first, are tried, three at a time, by breakpoints that give up after
 * a few entries, so that a function that is entered all the time does no harm: first in the newest layout, where most turn out
 * to be entered too often at once, and what is left at its other places. When a dozen fit, no more are tried. The six that
 * say most are counted for a second in slices, and the steadiest ones are chosen. A function says the more the more often
 * it is entered, up to what the budget allows; beyond that the less, as it is counted for a part of the time only.
 */
#ifndef AN_WORK_CHOOSE_H
#define AN_WORK_CHOOSE_H

#include <anneal/work.h>

#include "work/program.h"

struct an_chosen {
    uint64_t entry;                /* of the function */
    uint64_t places[AN_WORK_MOST]; /* where it is really entered, or may be in another layout */
    size_t place_count;
};

struct an_choice {
    struct an_work_program *program;
    const struct an_work_options *options; /* budget and most are set */
    double cost;                           /* seconds of an entry */
    struct an_chosen chosen[AN_WORK_MOST];
    size_t count;
    double rate; /* entries in a second of CPU time while they are counted, all together */
};

/* Whether entries are to be counted at a place where nothing enters now: it is in the original code or in a layout, either
 * of which may be put in force. */
bool an_choose_may_be_entered(const struct an_choice *choice, uint64_t place);

/* The first members are given. AN_UNSUPPORTED when no function fits, with the reason. */
enum an_code an_choose(struct an_choice *choice, struct an_error *error);

#endif
