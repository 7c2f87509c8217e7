/* The clock of anneal live; see clock.h. */
#include "clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/core/counter.h"
#include "cli/core/output.h"
#include "cli/core/tracer.h"
#include "live.h"

/* ---- the counter ---- */

enum an_code live_read_counter(const struct live_request *request, double *work,
                               struct an_error *error)
{
    return counter_read(request->counter, request->options.pid, request->mask, COUNTER_PATIENCE,
                        &tracer_stop, work, error);
}

/* How long a reading waits for the counter to move: one that stands for longer tells nothing in the time that there is. */
static const uint64_t longest_step = 3000000000; /* nanoseconds */

static enum an_code begin_counter(struct live_clock *clock, struct an_error *error)
{
    const struct live_request *request = clock->request;
    clock->moves = (struct moves){.source = request->counter,
                                  .pid = request->options.pid,
                                  .mask = request->mask,
                                  .patience = COUNTER_PATIENCE,
                                  .stop = &tracer_stop};
    enum an_code code = moves_begin(&clock->moves, error);
    for (int i = 0; code == AN_OK && i < 2; i++) { /* how far apart its movements are */
        struct an_work_reading ignored;
        bool has_moved;
        code =
            moves_await(&clock->moves, an_clock_now() + longest_step, &ignored, &has_moved, error);
    }
    return code;
}

double live_clock_step(const struct live_clock *clock)
{
    return clock->work || !moves_in_steps(&clock->moves) ? 0 : clock->moves.shortest;
}

/* Where it moves; where it is, when it does not. */
static enum an_code read_counter(struct live_clock *clock, struct an_work_reading *reading,
                                 bool *is_over, struct an_error *error)
{
    bool has_moved;
    enum an_code code =
        moves_await(&clock->moves, an_clock_now() + longest_step, reading, &has_moved, error);
    *is_over = code == AN_OK && clock->moves.is_over;
    if (code == AN_OK && !has_moved)
        *reading = moves_now(&clock->moves);
    return code;
}

/* ---- traffic and functions ---- */

static void on_choosing(void *context, enum an_work_step step)
{
    (void)context;
    progress_step(step == AN_WORK_SAMPLE ? "looking for functions that count work"
                                         : "trying functions that count work");
}

/* A function that was quiet may be entered all the time by now. */
static enum an_code check_cost(struct live_clock *clock, const struct an_work_reading *reading,
                               struct an_error *error)
{
    const double much = 0.85, least = 1e7; /* nanoseconds */
    struct an_work_reading slice;
    bool is_good = an_work_slice(&clock->last, reading, &slice);
    clock->last = *reading;
    double cost = an_work_cost_share(&slice, an_work_cost(clock->work));
    if (!is_good || cost * (double)slice.cpu < least || cost < much)
        return AN_OK;
    return an_fail(
        error, AN_UNSUPPORTED,
        "counting leaves it no time of its own: its functions are entered too often by now");
}

/* ---- either ---- */

enum an_code live_clock_open(struct live_clock *clock, const struct live_request *request,
                             const struct an_work_options *options, struct an_error *error)
{
    struct an_work_options all = *options;
    *clock = (struct live_clock){.request = request, .functions = 1};
    if (request->counter)
        return begin_counter(clock, error);
    all.pid = request->options.pid;
    all.stop = &tracer_stop;
    all.progress = request->quiet ? NULL : on_choosing;
    enum an_code code = an_work_open(&all, &clock->work, error);
    if (code == AN_OK)
        an_work_functions(clock->work, &clock->functions);
    return code;
}

void live_clock_close(struct live_clock *clock)
{
    an_work_close(clock->work);
    clock->work = NULL;
}

enum an_code live_clock_read(struct live_clock *clock, struct an_work_reading *reading,
                             bool *is_over, struct an_error *error)
{
    if (!clock->work)
        return read_counter(clock, reading, is_over, error);
    enum an_code code = an_work_read(clock->work, reading, is_over, error);
    if (code != AN_OK)
        return code;
    code = check_cost(clock, reading, error);
    /* Else a gain would look smaller, by as much of it as counting takes of the time. */
    an_work_correct(reading, an_work_cost(clock->work));
    return code;
}

double live_clock_duty(const struct live_clock *clock)
{
    return clock->work ? an_work_duty(clock->work) : 1;
}

bool live_clock_is_free(const struct live_clock *clock)
{
    return clock->work && an_work_counts_by(clock->work) == AN_WORK_BY_TRAFFIC;
}

void live_clock_pause(struct live_clock *clock, bool pauses)
{
    if (clock->work && live_clock_duty(clock) < 1)
        an_work_pause(clock->work, pauses);
}

enum an_code live_clock_names(const struct live_clock *clock, struct live_names *names,
                              struct an_error *error)
{
    size_t count = 0;
    const struct an_work_function *functions =
        clock->work ? an_work_functions(clock->work, &count) : NULL;
    live_names_free(names);
    for (size_t i = 0; i < count; i++) {
        char *copy = strdup(functions[i].name);
        if (!copy)
            return an_fail_memory(error);
        names->items[names->count++] = copy;
    }
    return AN_OK;
}

void live_names_free(struct live_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    *names = (struct live_names){.count = 0};
}
