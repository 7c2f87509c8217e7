/*
 * What a new layout is worth: it and the original code take turns, as does the layout that was in force before, and work
 * is counted by the process's own functions (anneal/work.h) or by --counter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "counter.h"
#include "live.h"
#include "output.h"
#include "record/tracee.h"
#include "work/crossover.h"
#include "worker.h"

/* Wide enough for a decision, and reached in seconds by steady work. */
static const double narrow = 0.01;

/* The share of CPU time that counting may take: for some seconds, of all layouts alike. A gain looks smaller by that
 * part of it. */
static const double counting = 0.03;

struct contest {
    struct live_request *request;
    struct an_live *live;
    struct an_work *work; /* NULL: the counter counts */
    double first_count;   /* the counter's number at the start */
    struct an_crossover crossover;
    double passed; /* seconds */
    struct an_work_reading last;
};

/* ---- the counter ---- */

enum an_code live_read_counter(const struct live_request *request, double *work,
                               struct an_error *error)
{
    const double patience = 10; /* seconds */
    return counter_read(request->counter, request->mask, patience, &worker_stop, work, error);
}

static bool cpu_time(int32_t pid, uint64_t *nanoseconds)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return false;
    *nanoseconds = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    return true;
}

/* Both times are CPU time: whoever names a counter knows that it counts work, and not time. */
static enum an_code read_counter(const struct contest *contest, struct an_work_reading *reading,
                                 bool *is_over, struct an_error *error)
{
    double work = contest->first_count;
    uint64_t time = 0;
    enum an_code code = live_read_counter(contest->request, &work, error);
    *is_over = code == AN_OK && !cpu_time(contest->request->options.pid, &time);
    work -= contest->first_count;
    *reading = (struct an_work_reading){
        .cpu = time, .wall = time, .entries = {work > 0 ? (uint64_t)work : 0}};
    return code;
}

/* ---- the driver ---- */

static enum an_code put(void *context, unsigned layout, struct an_error *error)
{
    struct contest *contest = context;
    struct an_live_round round;
    return an_live_switch(contest->live, layout, &round, error);
}

/* A function that was quiet may be entered all the time by now. */
static enum an_code check_cost(struct contest *contest, const struct an_work_reading *reading,
                               struct an_error *error)
{
    const double much = 0.2, least = 1e7; /* nanoseconds */
    struct an_work_reading slice;
    double entries = 0;
    bool is_good = an_work_slice(&contest->last, reading, &slice);
    contest->last = *reading;
    for (size_t i = 0; i < AN_WORK_MOST; i++)
        entries += (double)slice.entries[i];
    double cost = entries * an_work_cost(contest->work) * 1e9;
    if (!is_good || cost < least || cost < much * (double)slice.cpu)
        return AN_OK;
    return an_fail(
        error, AN_UNSUPPORTED,
        "counting took %.0f%% of its CPU time: its functions are entered too often by now",
        100 * cost / (double)slice.cpu);
}

static enum an_code read_work(void *context, struct an_work_reading *reading, bool *is_over,
                              struct an_error *error)
{
    struct contest *contest = context;
    if (!contest->work)
        return read_counter(contest, reading, is_over, error);
    enum an_code code = an_work_read(contest->work, reading, is_over, error);
    return code == AN_OK ? check_cost(contest, reading, error) : code;
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
    return !worker_stop;
}

/* ---- opening it ---- */

static void on_choosing(void *context, enum an_work_step step)
{
    (void)context;
    progress_step(step == AN_WORK_SAMPLE ? "looking for functions that count work"
                                         : "trying functions that count work");
}

static enum an_code open_clock(struct contest *contest, struct live_verdict *verdict,
                               struct an_error *error)
{
    const struct an_crossover *crossover = &contest->crossover;
    const struct an_work_options options = {
        .pid = contest->request->options.pid,
        .functions = contest->request->functions,
        .function_count = contest->request->function_count,
        .layouts = crossover->layouts + 1, /* the first is the original */
        .layout_count = crossover->count - 1,
        .budget = contest->request->counting > 0 ? contest->request->counting : counting,
        .stop = &worker_stop,
        .progress = contest->request->quiet ? NULL : on_choosing,
    };
    enum an_code code = an_work_open(&options, &contest->work, error);
    if (code != AN_OK)
        return code;
    const struct an_work_function *functions =
        an_work_functions(contest->work, &contest->crossover.functions);
    for (size_t i = 0; i < contest->crossover.functions; i++)
        snprintf(verdict->functions[i], sizeof verdict->functions[i], "%s", functions[i].name);
    verdict->function_count = contest->crossover.functions;
    return AN_OK;
}

static enum an_code open_contest(struct contest *contest, struct live_verdict *verdict,
                                 struct an_error *error)
{
    if (!contest->request->counter)
        return open_clock(contest, verdict, error);
    contest->crossover.functions = 1;
    return live_read_counter(contest->request, &contest->first_count, error);
}

/* ---- the whole ---- */

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
                      .random = an_tracee_now(),
                      .in_force = number},
    };
    struct an_crossover *crossover = &contest.crossover;
    if (judge->before == 0) { /* that is the original */
        crossover->layouts[1] = number;
        crossover->count = 2;
    }
    verdict->unit = judge->request->counter ? "counter" : "work";
    enum an_code code = open_contest(&contest, verdict, error);
    if (code == AN_OK) {
        const struct an_crossover_driver driver = {put, read_work, pass, &contest};
        judge->request->takes_turns = true;
        code = an_crossover_take(crossover, &driver, error);
        judge->request->takes_turns = false;
        conclude(&contest, verdict);
    }
    verdict->in_force = crossover->in_force;
    an_work_close(contest.work);
    an_crossover_free(crossover);
    progress_clear();
    return code;
}
