/* The clock of anneal live; see clock.h. */
#include "clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "cli/core/counter.h"
#include "cli/core/output.h"
#include "cli/core/tracer.h"
#include "live.h"

/* ---- the counter ---- */

enum an_code live_read_counter(const struct live_request *request, double *work,
                               struct an_error *error)
{
    /* In seconds. On a busy machine, a script of some commands may take ten; and while the kernel places probes (perf,
     * bpftrace), no process of the machine can fork. */
    const double patience = 60;
    return counter_read(request->counter, request->options.pid, request->mask, patience,
                        &tracer_stop, work, error);
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
static enum an_code read_counter(const struct live_clock *clock, struct an_work_reading *reading,
                                 bool *is_over, struct an_error *error)
{
    double work = clock->first_count;
    uint64_t time = 0;
    enum an_code code = live_read_counter(clock->request, &work, error);
    *is_over = code == AN_OK && !cpu_time(clock->request->options.pid, &time);
    work -= clock->first_count;
    *reading = (struct an_work_reading){
        .cpu = time, .wall = time, .entries = {work > 0 ? (uint64_t)work : 0}};
    return code;
}

/* ---- functions ---- */

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
        return live_read_counter(request, &clock->first_count, error);
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
