/* What all ways to record windows share; see recorder.h. */
#include "record/recorder.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "record/ends.h"
#include "record/tracee.h"

enum {
    PROGRESS_INTERVAL = 250000000, /* nanoseconds */
    QUIET_INTERVAL =
        1000000000, /* without progress: how late it may be noticed that `stop` is set */
    WINDOWS_PER_ROUND = 64,
};

static uint64_t own_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- windows ---- */

/* Mappings that are new since the last look must be known before branches in them. */
static void know_mappings(struct an_recorder *recorder, const struct an_window *window,
                          uint64_t now)
{
    int32_t pid = window->thread.pid;
    for (size_t i = 0; i < window->count; i++)
        if (!an_tasks_knows(recorder->tasks, pid, window->branches[i].from)) {
            an_tasks_look_at_mappings(recorder->tasks, pid, now);
            return;
        }
}

/*
 * perf's tools take 127 branches for the most that a sample can have (PERF_MAX_BRANCH_DEPTH in its machine.c): longer
 * windows become several samples of about the same length. Each ends where the next one's first branch is taken.
 */
static void write_samples(struct an_recorder *recorder, const struct an_window *window,
                          uint64_t time, uint64_t period)
{
    enum { MOST = 127 };
    size_t pieces = (window->count + MOST - 1) / MOST;
    for (size_t i = 0, done = 0; i < pieces; i++) {
        size_t count = (window->count - done) / (pieces - i);
        uint64_t share = period / (pieces - i);
        uint64_t ip = i + 1 < pieces ? window->branches[done + count].from : window->ip;
        an_perf_writer_sample(recorder->writer, time, window->thread, ip, share,
                              window->branches + done, count);
        done += count;
        period -= share;
    }
    recorder->counts->samples += pieces;
}

/*
 * To stop a thread costs more than the branches behind it, and a system call that a window has to cross as much again: where
 * windows cross many, they are made longer. That is decided once, by the first windows, for all threads and code alike: else
 * code behind system calls would be recorded more often than other code.
 */
static void decide_length(struct an_recorder *recorder)
{
    enum { ENOUGH = 4, TIMES = 2 };
    if (!recorder->may_lengthen || recorder->counts->windows < ENOUGH)
        return;
    recorder->may_lengthen = false;
    if (recorder->crossed >= ENOUGH)
        recorder->window *= TIMES;
}

void an_recorder_write(struct an_recorder *recorder, const struct an_window *window)
{
    struct an_record_counts *counts = recorder->counts;
    uint64_t now = an_clock_now(), run = an_tasks_run_time(recorder->tasks);
    if (window->count == 0)
        return;
    know_mappings(recorder, window, now);
    write_samples(recorder, window, now, run - recorder->run_of_last_sample);
    recorder->run_of_last_sample = run;
    counts->branches += window->count;
    an_density_add(&recorder->density, window->branches, window->count);
    if (++counts->windows % WINDOWS_PER_ROUND == 0)
        an_perf_writer_round(recorder->writer);
    decide_length(recorder);
}

/*
 * Whether both windows have the same branches, up to the end of the shorter one. The vdso reads the
 * clock again when the kernel has written it meanwhile, which it does all the time for a thread that is
 * stepped: what comes behind such a difference cannot be compared.
 */
static bool same_branches(const struct an_recorder *recorder, const struct an_window *one,
                          const struct an_window *other)
{
    size_t count = one->count < other->count ? one->count : other->count;
    for (size_t i = 0; i < count; i++)
        if (memcmp(&one->branches[i], &other->branches[i], sizeof *one->branches) != 0)
            return an_tasks_in_vdso(recorder->tasks, one->thread.pid, one->branches[i].from) &&
                   an_tasks_in_vdso(recorder->tasks, one->thread.pid, other->branches[i].from);
    return true;
}

/* What emulation says about the window that is about to be stepped. */
static bool predict(struct an_recorder *recorder, const struct user_regs_struct *registers,
                    const struct an_window *window, struct an_window *predicted)
{
    *predicted = *window;
    if (!recorder->emulator || !recorder->stepper ||
        !an_emulator_take(recorder->emulator, window->thread.tid, registers))
        return false;
    if (an_emulator_run(recorder->emulator, predicted) == AN_WINDOW_STUCK)
        an_ends_count(recorder->counts, predicted->why);
    return true;
}

static void compare(struct an_recorder *recorder, const struct an_window *predicted,
                    const struct an_window *window)
{
    recorder->counts->compared++;
    recorder->counts->agreed += same_branches(recorder, predicted, window);
}

enum an_window_end an_recorder_run(struct an_recorder *recorder, struct an_window *window,
                                   const struct user_regs_struct *registers, int *signal)
{
    struct an_window predicted;
    uint64_t start, end;
    int status;
    *signal = 0;
    if (recorder->emulator) {
        an_tasks_vvar(recorder->tasks, window->thread.pid, &start, &end);
        an_emulator_set_vvar(recorder->emulator, start, end);
    }
    if (!recorder->stepper) {
        window->ip = registers->rip;
        return an_emulator_take(recorder->emulator, window->thread.tid, registers)
                   ? an_emulator_run(recorder->emulator, window)
                   : AN_WINDOW_GONE;
    }
    bool compared = predict(recorder, registers, window, &predicted);
    enum an_window_end result =
        an_stepper_run(recorder->stepper, window, registers->rip, signal, &status);
    if (compared && result != AN_WINDOW_GONE)
        compare(recorder, &predicted, window);
    return result;
}

/* The thread's memory changes meanwhile; emulation can stand anything. */
void an_recorder_look_ahead(struct an_recorder *recorder)
{
    enum { FIRST_WINDOWS = 64, FURTHER = 512 };
    bool is_known = recorder->is_ahead_known;
    recorder->is_ahead_known = false;
    if (!is_known || recorder->stepper || recorder->counts->windows > FIRST_WINDOWS)
        return;
    struct an_window window = {.wanted = FURTHER};
    an_emulator_run(recorder->emulator, &window);
}

/* ---- the budget ---- */

struct an_hold an_recorder_hold(void)
{
    return (struct an_hold){an_clock_now(), own_time()};
}

void an_recorder_held(struct an_recorder *recorder, struct an_hold hold, uint64_t waited)
{
    uint64_t own = own_time() - hold.own, held = an_clock_now() - hold.time;
    held = held > waited && held - waited > own ? held - waited : own;
    recorder->held_own += own;
    recorder->counts->stopped_seconds += (double)held * 1e-9;
    if ((double)held * 1e-9 > recorder->counts->longest_stop)
        recorder->counts->longest_stop = (double)held * 1e-9;
    recorder->spent += held;
}

void an_recorder_count_own(struct an_recorder *recorder)
{
    recorder->own = own_time() - recorder->own_before - recorder->held_own;
    recorder->counts->own_seconds = (double)recorder->own * 1e-9;
}

/* ---- the loop ---- */

static void fill_counts(struct an_recorder *recorder, uint64_t now)
{
    struct an_record_counts *counts = recorder->counts;
    counts->threads = an_tasks_threads(recorder->tasks);
    counts->processes = an_tasks_processes(recorder->tasks);
    counts->seconds = (double)(now - recorder->started) * 1e-9;
    counts->run_seconds = (double)an_tasks_run_time(recorder->tasks) * 1e-9;
}

/* To wake takes a tenth of a millisecond of the budget each time. */
static uint64_t progress_interval(const struct an_recorder *recorder)
{
    return recorder->options->progress ? PROGRESS_INTERVAL : QUIET_INTERVAL;
}

static void report_progress(struct an_recorder *recorder, uint64_t now)
{
    recorder->next_progress = now + progress_interval(recorder);
    an_recorder_count_own(recorder);
    fill_counts(recorder, now);
    if (recorder->options->progress)
        recorder->options->progress(recorder->options->context, recorder->counts);
}

bool an_recorder_look(struct an_recorder *recorder, uint64_t now)
{
    bool any = true;
    if (now >= recorder->next_look) {
        uint64_t before = own_time();
        any = an_tasks_look(recorder->tasks, now);
        recorder->next_look = now + an_looks_wait(&recorder->looks, own_time() - before, now,
                                                  an_tasks_run_time(recorder->tasks));
    }
    if (now >= recorder->next_progress || !any)
        report_progress(recorder, now);
    return any;
}

bool an_recorder_has_enough(struct an_recorder *recorder, uint64_t now)
{
    const struct an_record_options *options = recorder->options;
    return (options->stop && *options->stop) ||
           (options->duration > 0 &&
            (double)(now - recorder->started) >= options->duration * 1e9) ||
           (options->branches && recorder->counts->branches >= options->branches) ||
           (options->until_dense && an_density_is_enough(&recorder->density)) ||
           (recorder->forbidden && recorder->refusal) || an_perf_writer_failed(recorder->writer);
}

void an_recorder_start(struct an_recorder *recorder)
{
    uint64_t now = an_clock_now();
    if (recorder->started == 0)
        recorder->started = now;
    recorder->own_before = own_time() - recorder->held_own - recorder->own;
    an_looks_start(&recorder->looks, recorder->options->overhead, now,
                   an_tasks_run_time(recorder->tasks));
    recorder->next_look = now + PROGRESS_INTERVAL;
    recorder->next_progress = now + progress_interval(recorder);
}

void an_recorder_finish(struct an_recorder *recorder)
{
    an_recorder_count_own(recorder);
    fill_counts(recorder, an_clock_now());
    an_ends_sort(recorder->counts);
    an_density_finish(&recorder->density, recorder->counts);
}
