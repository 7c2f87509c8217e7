/*
 * What a new layout is worth: it and the original code take turns, as does the layout that was in force before, and work
 * is counted (clock.h).
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "cli/core/output.h"
#include "cli/core/tracer.h"
#include "live.h"
#include "work/crossover.h"

/* Wide enough for a decision, and reached in seconds by steady work. */
static const double narrow = 0.01;

struct contest {
    struct live_request *request;
    struct an_live *live;
    struct live_clock clock;
    struct an_crossover crossover;
    double passed; /* seconds */
};

/* ---- the driver ---- */

static enum an_code put(void *context, unsigned layout, struct an_error *error)
{
    struct contest *contest = context;
    struct an_live_round round;
    enum an_code code = an_live_switch(contest->live, layout, &round, error);
    live_add_round(&contest->request->stops, &contest->request->stops.turns, &round);
    return code;
}

static enum an_code read_work(void *context, struct an_work_reading *reading, bool *is_over,
                              struct an_error *error)
{
    struct contest *contest = context;
    return live_clock_read(&contest->clock, reading, is_over, error);
}

static void pause_counting(void *context, bool pauses)
{
    struct contest *contest = context;
    live_clock_pause(&contest->clock, pauses);
}

static void show_progress(const struct contest *contest)
{
    const struct an_crossover *crossover = &contest->crossover;
    struct an_work_estimate gain;
    char words[100] = "measuring what it is worth";
    if (contest->request->quiet)
        return;
    an_crossover_compare(crossover, 0, crossover->count - 1, &gain);
    if (gain.is_known)
        snprintf(words, sizeof words, "worth %+.2f%%, from %+.2f%% to %+.2f%%",
                 100 * (gain.value - 1), 100 * (gain.low - 1), 100 * (gain.high - 1));
    progress_tell(contest->passed / crossover->longest, words);
}

static bool pass(void *context, double seconds)
{
    struct contest *contest = context;
    const double second = 1e9;
    const struct timespec time = {(time_t)seconds,
                                  (long)((seconds - (double)(time_t)seconds) * second)};
    show_progress(contest);
    nanosleep(&time, NULL);
    contest->passed += seconds;
    return !tracer_stop;
}

/* ---- the whole ---- */

/* Turns end where the counter moves: on average, half a step later, as they begin half a step later. */
static void tell_steps(const struct contest *contest)
{
    const double worth_telling = 0.1;
    const struct an_crossover *crossover = &contest->crossover;
    double step = live_clock_step(&contest->clock), length = an_crossover_length(crossover);
    if (step > worth_telling && !contest->request->quiet)
        say("the counter moves in steps, %.2g s apart, and turns end where it moves: they take up "
            "to %.0f s",
            step, crossover->longest * (length + step) / length);
}

/* Where counting costs nothing, turns may be as short as makes the stops between them cost next to nothing: neighbouring moments
 * resemble each other most. */
static double short_turn(const struct live_judge *judge)
{
    const double least = 0.1, most_stopped = 0.01, unknown = 0.002;
    const struct an_live_stops *change = &judge->request->stops.change;
    double stop = change->count ? change->sum / (double)change->count : unknown;
    return fmax(least, stop / most_stopped);
}

static enum an_code open_clock(const struct live_judge *judge, struct contest *contest,
                               struct live_verdict *verdict, struct an_error *error)
{
    struct an_crossover *crossover = &contest->crossover;
    const struct an_work_options options = {
        .size = sizeof options,
        .functions = judge->functions,
        .function_count = judge->function_count,
        .layouts = crossover->layouts + 1, /* the first is the original */
        .layout_count = crossover->count - 1,
        .budget = judge->counting,
        .by = judge->request->clock,
    };
    enum an_code code = live_clock_open(&contest->clock, judge->request, &options, error);
    if (code == AN_OK)
        code = live_clock_names(&contest->clock, &verdict->functions, error);
    crossover->functions = contest->clock.functions;
    crossover->duty = live_clock_duty(&contest->clock);
    crossover->turn = live_clock_is_free(&contest->clock) ? short_turn(judge) : 0;
    if (code == AN_OK)
        tell_steps(contest);
    return code;
}

static void conclude(const struct contest *contest, struct live_verdict *verdict)
{
    const struct an_crossover *crossover = &contest->crossover;
    struct an_worth_crossover *found = &verdict->found;
    unsigned newest = crossover->count - 1;
    verdict->turns = crossover->switches;
    verdict->seconds = contest->passed;
    an_crossover_compare(crossover, 0, newest, &found->gain);
    found->has_before = newest > 1;
    if (found->has_before) {
        an_crossover_compare(crossover, 0, 1, &found->before_gain);
        an_crossover_compare(crossover, 1, newest, &found->step);
    }
    verdict->is_known = found->gain.is_known;
    if (verdict->is_known)
        verdict->choice = an_worth_choose(found, &verdict->outcome);
}

enum an_code live_take_turns(const struct live_judge *judge, unsigned number,
                             struct live_verdict *verdict, struct an_error *error)
{
    struct contest contest = {
        .request = judge->request,
        .live = judge->live,
        .crossover = {.layouts = {0, judge->before, number},
                      .count = 3,
                      .longest = judge->request->worth_time,
                      .narrow = narrow,
                      .random = an_clock_now(),
                      .in_force = number},
    };
    struct an_crossover *crossover = &contest.crossover;
    if (judge->before == 0) { /* that is the original */
        crossover->layouts[1] = number;
        crossover->count = 2;
    }
    verdict->unit = judge->request->counter ? "counter" : "work";
    enum an_code code = open_clock(judge, &contest, verdict, error);
    verdict->by_traffic = live_clock_is_free(&contest.clock);
    if (code == AN_OK) {
        const struct an_crossover_driver driver = {put, read_work, pass, pause_counting, &contest};
        judge->request->takes_turns = true;
        code = an_crossover_take(crossover, &driver, error);
        judge->request->takes_turns = false;
        conclude(&contest, verdict);
    }
    verdict->in_force = crossover->in_force;
    live_clock_close(&contest.clock);
    an_crossover_free(crossover);
    progress_clear();
    return code;
}
