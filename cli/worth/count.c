/*
 * Measuring processes by counters of their own.
 *
 *     counter 1    |      _|       _|       _|
 *     counter 2    |   _|       _|       _|
 *     slices           begin    end, begin ...
 *
 * A slice ends, for each process, at the first movement of its counter after the interval; so slices of two processes
 * lie at about the same time, and none is cut where its counter stands still.
 */
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/core/counter.h"
#include "cli/core/output.h"
#include "cli/core/stopping.h"
#include "worth.h"

static const double second = 1e9;

enum an_code worth_count_open(const struct worth_request *request, struct worth_result *result,
                              struct worth_process *process, struct an_error *error)
{
    struct moves *moves = &process->moves;
    mode_t mask = umask(0);
    umask(mask);
    *moves =
        (struct moves){.source = request->counters[request->counter_count > 1 ? result->count : 0],
                       .pid = process->pid,
                       .mask = mask,
                       .patience = COUNTER_PATIENCE,
                       .stop = &stopping};
    enum an_code code = moves_begin(moves, error);
    if (code == AN_OK && moves->is_over)
        code = an_fail(error, AN_USAGE, "process %d: no such process", process->pid);
    result->count += code == AN_OK;
    return code;
}

/* All counters move, one after the other. False: not before the time is over, or a process is. */
static bool await_all(struct worth_result *result, uint64_t until, bool is_slice,
                      enum an_code *code, struct an_error *error)
{
    for (size_t i = 0; *code == AN_OK && i < result->count; i++) {
        struct worth_process *process = &result->processes[i];
        struct an_work_reading reading, slice;
        bool has_moved;
        *code = moves_await(&process->moves, until, &reading, &has_moved, error);
        process->is_over = process->moves.is_over;
        if (*code != AN_OK || !has_moved)
            return false;
        bool is_good = is_slice && an_work_slice(&process->last, &reading, &slice);
        process->last = reading;
        if (!is_good) /* a counter may begin anew */
            continue;
        an_work_add(&process->total, &slice);
        struct an_work_reading *kept = an_vector_push(&process->slices);
        if (!kept) {
            *code = an_fail_memory(error);
            return false;
        }
        *kept = slice;
    }
    return *code == AN_OK;
}

/* The interval, and longer where no counter can have moved by then. */
static void pass_interval(const struct worth_request *request, const struct worth_result *result,
                          uint64_t began)
{
    uint64_t end = began + (uint64_t)(request->interval * second), next = UINT64_MAX;
    for (size_t i = 0; i < result->count; i++) {
        uint64_t moves = moves_next(&result->processes[i].moves);
        next = moves < next ? moves : next;
    }
    uint64_t now = an_clock_now();
    end = next > end ? next : end;
    if (end <= now)
        return;
    const struct timespec time = {(time_t)((end - now) / 1000000000),
                                  (long)((end - now) % 1000000000)};
    nanosleep(&time, NULL);
}

enum an_code worth_count(const struct worth_request *request, struct worth_result *result,
                         struct an_error *error)
{
    enum an_code code = AN_OK;
    uint64_t start = an_clock_now(), end = start + (uint64_t)(request->duration * second);
    bool goes_on = await_all(result, end, false, &code, error);
    result->duty = 1;
    while (goes_on && !stopping && an_clock_now() < end) {
        pass_interval(request, result, an_clock_now());
        goes_on = await_all(result, end, true, &code, error);
        worth_show_progress(result, (double)(an_clock_now() - start) / second / request->duration);
    }
    for (size_t i = 0; i < result->count; i++)
        result->processes[i].total.wall = an_clock_now() - start;
    result->is_interrupted = stopping != 0;
    return code;
}
