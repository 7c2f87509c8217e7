/*
 * Measuring processes slice by slice, by their traffic or functions; count.c has what a counter makes different.
 *
 * Two processes are read right after one another at the end of each slice, so that what disturbs the machine
 * disturbs both in the same slices.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/proc.h"
#include "cli/core/output.h"
#include "cli/core/stopping.h"
#include "worth.h"

static void on_choosing(void *context, enum an_work_step step)
{
    (void)context;
    progress_step(step == AN_WORK_SAMPLE ? "looking at stacks" : "trying functions");
}

static enum an_code open_process(const struct worth_request *request, struct worth_result *result,
                                 int32_t pid, struct an_error *error)
{
    struct worth_process *process = &result->processes[result->count];
    struct an_work_options options = {.size = sizeof options,
                                      .pid = pid,
                                      .functions = request->functions,
                                      .function_count = request->function_count,
                                      .budget = request->overhead,
                                      .by = request->clock,
                                      .stop = &stopping,
                                      .progress = on_choosing};
    const char *names[AN_WORK_MOST];
    struct an_proc_stat stat;
    if (result->count && !request->counter_count &&
        !request->function_count) { /* what was chosen for the first one */
        size_t count;
        const struct an_work_function *functions =
            an_work_functions(result->processes[0].work, &count);
        for (size_t i = 0; i < count; i++)
            names[i] = functions[i].name;
        options.by = an_work_counts_by(result->processes[0].work);
        options.functions = names;
        options.function_count = options.by == AN_WORK_BY_FUNCTIONS ? count : 0;
    }
    if (an_proc_stat(pid, 0, &stat))
        snprintf(process->name, sizeof process->name, "%s", stat.name);
    process->pid = pid;
    process->functions = 1;
    if (request->counter_count)
        return worth_count_open(request, result, process, error);
    process->last.wall = an_clock_now();
    enum an_code code = an_work_open(&options, &process->work, error);
    if (code != AN_OK)
        return code;
    an_work_functions(process->work, &process->functions);
    result->count++;
    return AN_OK;
}

static double budget_of(const struct worth_request *request)
{
    return request->overhead > 0 ? request->overhead : AN_WORK_BUDGET;
}

/* Of what was counted, the share of CPU time that counting has cost. */
static double cost_of(const struct worth_process *process, const struct an_work_reading *counted)
{
    return an_work_cost_share(counted, an_work_cost(process->work));
}

/* A function that was quiet is entered all the time: nearly all that is counted is counting. */
static enum an_code check_cost(const struct worth_request *request,
                               const struct worth_process *process,
                               const struct an_work_reading *slice, struct an_error *error)
{
    const double much = 0.85, least = 0.01; /* seconds */
    double cost = cost_of(process, slice);
    if (cost * (double)slice->cpu * 1e-9 < least || cost < fmax(much, budget_of(request)))
        return AN_OK;
    an_fail(error, AN_UNSUPPORTED,
            "counting leaves process %d no time of its own: its functions are entered too often by "
            "now",
            process->pid);
    return an_error_hint(error,
                         "name functions that are entered less often (--function), or count by the "
                         "program's own counter (--counter)");
}

/* *is_good: the counters are those of the reading before. They are not when the program is gone, or when there was traffic of
 * a child's. */
static enum an_code read_slice(const struct worth_request *request, struct worth_process *process,
                               struct an_work_reading *slice, bool *is_good, struct an_error *error)
{
    struct an_work_reading reading;
    enum an_code code = an_work_read(process->work, &reading, &process->is_over, error);
    if (code != AN_OK)
        return code;
    *is_good = an_work_slice(&process->last, &reading, slice);
    process->last = reading;
    if (!*is_good)
        return AN_OK;
    an_work_add(&process->total, slice);
    return check_cost(request, process, slice, error);
}

static enum an_code keep_slice(struct worth_process *process, const struct an_work_reading *slice,
                               struct an_error *error)
{
    struct an_work_reading *kept = an_vector_push(&process->slices);
    if (!kept)
        return an_fail_memory(error);
    *kept = *slice;
    an_work_correct(kept, an_work_cost(process->work));
    return AN_OK;
}

/* Slices of two processes belong together: where one of them is not good, neither counts. */
static enum an_code read_all(const struct worth_request *request, struct worth_result *result,
                             bool is_whole, struct an_error *error)
{
    struct an_work_reading slices[WORTH_PROCESSES];
    enum an_code code = AN_OK;
    bool keeps = is_whole;
    for (size_t i = 0; code == AN_OK && i < result->count; i++) {
        bool is_good = false;
        code = read_slice(request, &result->processes[i], &slices[i], &is_good, error);
        keeps = keeps && is_good && !result->processes[i].is_over;
    }
    for (size_t i = 0; keeps && code == AN_OK && i < result->count; i++)
        code = keep_slice(&result->processes[i], &slices[i], error);
    return code;
}

static bool is_over(const struct worth_result *result)
{
    bool over = false;
    for (size_t i = 0; i < result->count; i++)
        over = over || result->processes[i].is_over;
    return over;
}

static void add_time(struct timespec *time, double seconds)
{
    const long second = 1000000000;
    long nanoseconds = time->tv_nsec + (long)(seconds * (double)second);
    time->tv_sec += nanoseconds / second;
    time->tv_nsec = nanoseconds % second;
}

static double duty_of(const struct worth_result *result)
{
    double duty = 1;
    for (size_t i = 0; i < result->count; i++)
        duty = fmin(duty, an_work_duty(result->processes[i].work));
    return duty;
}

static void pause_all(const struct worth_result *result, bool pauses)
{
    for (size_t i = 0; i < result->count; i++)
        an_work_pause(result->processes[i].work, pauses);
}

/* Until then: false when a signal came. */
static bool sleep_until(const struct timespec *time)
{
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, time, NULL) == 0;
}

/* Into how many pieces the counting of a slice is divided: what a process does at one moment says little of the others, and
 * moments that are too short say nothing. */
static unsigned pieces_of(double interval, double part)
{
    const double shortest = 0.004, most = 5;
    return part < 1 ? (unsigned)fmin(most, fmax(1, interval * part / shortest)) : 1;
}

/* A piece, which ends at `next`; counting goes on for a part of it. */
static bool pass_piece(struct worth_result *result, double length, double part,
                       struct timespec *next)
{
    struct timespec middle = *next;
    uint64_t began = an_clock_now();
    add_time(next, length);
    add_time(&middle, length * part);
    pause_all(result, false);
    bool is_whole = sleep_until(&middle);
    if (part < 1)
        pause_all(result, true);
    uint64_t counted = an_clock_now() - began;
    is_whole = is_whole && (part >= 1 || sleep_until(next));
    result->counted += (double)counted * 1e-9;
    result->passed += (double)(part < 1 ? an_clock_now() - began : counted) * 1e-9;
    result->duty = fmin(1, result->counted / result->passed);
    return is_whole;
}

/* A slice, which ends at `next`. */
static bool pass_slice(struct worth_result *result, double interval, double part,
                       struct timespec *next)
{
    unsigned pieces = pieces_of(interval, part);
    bool is_whole = true;
    for (unsigned i = 0; is_whole && i < pieces; i++)
        is_whole = pass_piece(result, interval / pieces, part, next);
    return is_whole;
}

/* The part of the next slice in which counting goes on: what the budget allows by what counting has cost, which becomes known
 * better and better; less when counting went on for longer than it should have. */
static double next_part(const struct worth_request *request, const struct worth_result *result,
                        double usual)
{
    double part = usual, budget = budget_of(request);
    for (size_t i = 0; i < result->count; i++) {
        const struct worth_process *process = &result->processes[i];
        double cost = cost_of(process, &process->total);
        if (cost > 0)
            part = fmin(i ? part : 1, an_work_part(budget, cost));
    }
    return result->duty > part ? part * part / result->duty : part;
}

/* Which functions count, before they have anything to tell. */
static void tell_start(const struct worth_request *request, const struct worth_result *result)
{
    char text[600] = "";
    if (request->counter_count) {
        if (!request->quiet)
            say("reading the counter");
        return;
    }
    size_t count;
    const struct an_work_function *functions = an_work_functions(result->processes[0].work, &count);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", i ? ", " : "",
                 as_plain(functions[i].name));
    }
    if (!request->quiet)
        say("counting %s%s", worth_by_traffic(&result->processes[0]) ? "" : "entries of ", text);
}

/* Until the time is over, a process is, or somebody wants it. What is counted behind the last whole slice counts for
 * the totals. */
static enum an_code measure(const struct worth_request *request, struct worth_result *result,
                            struct an_error *error)
{
    size_t slices = (size_t)(request->duration / request->interval + 0.5);
    struct timespec next;
    enum an_code code = read_all(request, result, false, error); /* slices begin together */
    clock_gettime(CLOCK_MONOTONIC, &next);
    double usual = duty_of(result);
    result->duty = 1;
    for (size_t k = 0; code == AN_OK && k < slices && !stopping && !is_over(result); k++) {
        double part = next_part(request, result, usual);
        bool is_whole = pass_slice(result, request->interval, part, &next);
        code = read_all(request, result, is_whole && !stopping, error);
        if (code == AN_OK && slices < 10000)
            worth_show_progress(result, (double)(k + 1) / (double)slices);
    }
    result->is_interrupted = stopping != 0;
    return code;
}

static int finish(const struct worth_request *request, struct worth_result *result)
{
    int status = EXIT_DONE;
    worth_estimate(result);
    (request->json ? worth_tell_json : worth_tell)(request, result);
    for (size_t i = 0; i < result->count; i++)
        if (worth_lack(&result->processes[i])) {
            say_error("process %d: %s", result->processes[i].pid,
                      worth_lack(&result->processes[i]));
            status = EXIT_FAILED;
        }
    if (status == EXIT_DONE && result->count == WORTH_PROCESSES && !result->difference.is_known) {
        say_error("no function counts the work of both processes");
        status = EXIT_FAILED;
    }
    return fflush(stdout) == 0 ? status : EXIT_FAILED;
}

int worth_run(const struct worth_request *request)
{
    struct worth_result result = {.count = 0};
    struct an_error error;
    enum an_code code = AN_OK;
    stopping_begin();
    for (size_t i = 0; code == AN_OK && i < request->process_count; i++)
        code = open_process(request, &result, request->pids[i], &error);
    progress_clear();
    if (code == AN_OK) {
        tell_start(request, &result);
        code = (request->counter_count ? worth_count : measure)(request, &result, &error);
    }
    progress_clear();
    if (code != AN_OK)
        report_error(&error);
    int status = code == AN_OK ? finish(request, &result) : EXIT_FAILED;
    for (size_t i = 0; i < result.count; i++) {
        an_work_close(result.processes[i].work);
        an_vector_free(&result.processes[i].slices);
    }
    return status;
}
