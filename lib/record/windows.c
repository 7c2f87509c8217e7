/*
 * Recording windows; see windows.h.
 *
 *          +-> wait ------> choose a thread ---> stop it ---> run the window --> let it go, write
 *          |  (pace.h)       (tasks.h)          (tracee.h)    (emulate.h, |           |
 *          |                                                   step.h)    |           |
 *          +-------------------------------------------------------------------------+
 *                                                                         |           ^
 *                                a system call: the thread makes it       v           |
 *                                itself, and the window goes on behind it +--> parked +
 *
 * A window that ended at a system call would tell less of the code behind system calls than of
 * other code, since only moments just before would see it. So the thread is left to run into the
 * call, and caught when it comes back; how long that takes is nobody's business, so other windows
 * are taken meanwhile. Such a thread is "parked". In the end parked threads are not stopped for
 * being let go: the thread that records ends, and the kernel frees them.
 */
#include "record/windows.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/emulate.h"
#include "record/ends.h"
#include "record/pace.h"
#include "record/parked.h"
#include "record/place.h"
#include "record/random.h"
#include "record/step.h"
#include "record/tasks.h"
#include "record/tracee.h"

enum {
    LOOK_INTERVAL = 250000000, /* at threads and children; nanoseconds */
    LOOK_SHARE = 200,          /* and so many times as long as a look takes */
    WINDOWS_PER_ROUND = 64,
    SYSCALL_LENGTH = 2,
    /* Nanoseconds: what a stop costs a thread that it does not see, since caches and the branch
     * predictor have to be filled anew (MariaDB, docs/reference/record.md). */
    AFTERMATH = 150000,
};

struct recorder {
    const struct an_record_options *options;
    struct an_perf_writer *writer;
    struct an_record_counts *counts;
    struct an_tasks *tasks;
    struct an_emulator *emulator;
    struct an_stepper *stepper;
    struct an_pace pace;
    uint64_t random;
    struct an_place place;
    int cpu;       /* on which it waits, so that threads are looked at there; -1: on any */
    double chance; /* that it is just this one */
    uint64_t started, own_before; /* own_before: CPU time of this thread at the start */
    uint64_t held_own;            /* of it, while a thread was held */
    uint64_t charged;             /* of it, what the pace knows of */
    uint64_t run_of_last_sample;
    uint64_t next_look;
    bool forbidden; /* ptrace refused every thread so far */
    int refusal;
    struct an_parked_table parked;
};

static uint64_t own_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- windows ---- */

/* Mappings that are new since the last look must be known before branches in them. */
static void know_mappings(struct recorder *recorder, const struct an_window *window, uint64_t now)
{
    int32_t pid = window->thread.pid;
    for (size_t i = 0; i < window->count; i++)
        if (!an_tasks_knows(recorder->tasks, pid, window->branches[i].from)) {
            an_tasks_look_at_mappings(recorder->tasks, pid, now);
            return;
        }
}

/* Its period is the run time since the last sample: all periods together are the run time. */
static void write_window(struct recorder *recorder, const struct an_window *window)
{
    struct an_record_counts *counts = recorder->counts;
    uint64_t now = an_tracee_now(), run = an_tasks_run_time(recorder->tasks);
    if (window->count == 0)
        return;
    know_mappings(recorder, window, now);
    an_perf_writer_sample(recorder->writer, now, window->thread, window->ip,
                          run - recorder->run_of_last_sample, window->branches, window->count);
    recorder->run_of_last_sample = run;
    counts->branches += window->count;
    if (++counts->samples % WINDOWS_PER_ROUND == 0)
        an_perf_writer_round(recorder->writer);
}

/* Sends a stopped thread into the system call that it stands before. */
static bool park(struct recorder *recorder, const struct an_window *window)
{
    struct an_parked *parked = an_parked_add(&recorder->parked, AN_PARKED_ENTRY, window);
    if (!parked)
        return false;
    parked->call = window->ip;
    if (an_tracee_to_syscall(window->thread.tid))
        return true;
    an_parked_remove(&recorder->parked, parked);
    return false;
}

/*
 * Whether both windows have the same branches, up to the end of the shorter one. The vdso reads the
 * clock again when the kernel has written it meanwhile, which it does all the time for a thread that is
 * stepped: what comes behind such a difference cannot be compared.
 */
static bool same_branches(const struct recorder *recorder, const struct an_window *one,
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
static bool predict(struct recorder *recorder, const struct user_regs_struct *registers,
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

static void compare(struct recorder *recorder, const struct an_window *predicted,
                    const struct an_window *window)
{
    recorder->counts->compared++;
    recorder->counts->agreed += same_branches(recorder, predicted, window);
}

static enum an_window_end run_window(struct recorder *recorder, struct an_window *window,
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
    an_place_off(&recorder->place, recorder->cpu); /* both are to run, in turn */
    recorder->cpu = -1;
    enum an_window_end result =
        an_stepper_run(recorder->stepper, window, registers->rip, signal, &status);
    if (compared && result != AN_WINDOW_GONE)
        compare(recorder, &predicted, window);
    return result;
}

/* Runs a window of a stopped thread as far as it goes, and lets the thread go. True when it is
 * parked; then the window is not over. */
static bool go_on(struct recorder *recorder, struct an_window *window,
                  const struct user_regs_struct *registers)
{
    int signal;
    enum an_window_end end = run_window(recorder, window, registers, &signal);
    if (end == AN_WINDOW_SYSCALL && !recorder->options->verify && park(recorder, window))
        return true;
    if (signal >= 0)
        an_tracee_release(window->thread.tid, signal);
    if (end == AN_WINDOW_STUCK || end == AN_WINDOW_SYSCALL) {
        recorder->counts->short_ones++;
        if (!recorder->options->verify) /* there, they are those of emulation */
            an_ends_count(recorder->counts, end == AN_WINDOW_STUCK ? window->why : "syscall");
    }
    if (end != AN_WINDOW_GONE)
        write_window(recorder, window);
    return false;
}

/* ---- the budget ---- */

struct hold {
    uint64_t time, own;
};

static struct hold begin_hold(void)
{
    return (struct hold){an_tracee_now(), own_time()};
}

/* Returns what it costs. A thread that waits for a processor is not held: `waited` is for how long. */
static uint64_t end_hold(struct recorder *recorder, struct hold hold, uint64_t waited)
{
    uint64_t own = own_time() - hold.own, held = an_tracee_now() - hold.time;
    held = held > waited && held - waited > own ? held - waited : own;
    recorder->held_own += own;
    recorder->counts->stopped_seconds += (double)held * 1e-9;
    if ((double)held * 1e-9 > recorder->counts->longest_stop)
        recorder->counts->longest_stop = (double)held * 1e-9;
    return held;
}

/* What the recorder computed while no thread was held has to be paid for, too. */
static void charge_own_time(struct recorder *recorder)
{
    uint64_t own = own_time() - recorder->own_before - recorder->held_own;
    if (own > recorder->charged)
        an_pace_charge(&recorder->pace, own - recorder->charged);
    recorder->charged = own;
    recorder->counts->own_seconds = (double)own * 1e-9;
}

/* ---- system calls of parked threads ---- */

/*
 * A thread that is let go where a system call begins finds itself interrupted there: letting go wakes
 * it, and nothing takes that back. So it is told to stop, and goes on until it does, which is behind
 * the call or before it.
 */
static void tell_to_leave(struct an_parked *parked)
{
    an_tracee_interrupt(parked->window.thread.tid);
    parked->phase = AN_PARKED_LEAVING;
}

/* A system call is about to be made. If it is not the one that emulation came to, the thread went
 * another way than was foreseen: memory that it shares has changed. */
static void enter_call(struct recorder *recorder, struct an_parked *parked)
{
    struct user_regs_struct registers;
    int32_t tid = parked->window.thread.tid;
    bool expected =
        an_tracee_registers(tid, &registers) && registers.rip == parked->call + SYSCALL_LENGTH;
    if (expected && an_tracee_to_syscall(tid)) {
        parked->phase = AN_PARKED_EXIT;
        return;
    }
    an_ends_count(recorder->counts, "diverged");
    recorder->counts->short_ones++;
    tell_to_leave(parked);
    an_tracee_continue(tid);
}

/* Whether the thread goes on behind the call: not where that will be made again, behind a signal, and
 * not where it leads to another program, or back from the handler of a signal. */
static bool goes_on(const struct user_regs_struct *registers)
{
    enum { RESTART_FIRST = 512, RESTART_LAST = 516 };
    uint64_t call = registers->orig_rax;
    int64_t result = (int64_t)registers->rax;
    bool returns = (int64_t)call >= 0; /* behind rt_sigreturn, there is no call any more */
    return returns && call != SYS_execve && call != SYS_execveat && result != -EINTR &&
           !(result <= -RESTART_FIRST && result >= -RESTART_LAST);
}

static void leave_call(struct recorder *recorder, struct an_parked *parked)
{
    struct user_regs_struct registers;
    struct an_window window = parked->window;
    int32_t tid = window.thread.tid;
    an_parked_remove(&recorder->parked, parked);
    if (!an_tracee_registers(tid, &registers) || !goes_on(&registers)) {
        an_tracee_release(tid, 0);
        write_window(recorder, &window);
        return;
    }
    window.ip = registers.rip;
    go_on(recorder, &window, &registers);
}

/* ---- new windows ---- */

/*
 * Whether a thread that has stopped was running at the moment. One that is ready to run may be waiting
 * for a processor, and it is not its turn then: threads are to be recorded as often as they run, and
 * not as often as they would like to. But the recorder may have taken the processor from it just
 * then; for how long it had to wait after that does not matter.
 */
static bool was_running(const struct an_parked_request *request, uint64_t waited)
{
    enum { TO_WAKE = 50000 }; /* the recorder, which takes the processor first and the time then */
    return an_tracee_now() - waited + TO_WAKE >= request->moment;
}

/* What becomes of a request. Returns for how long the thread has waited for a processor since. */
static uint64_t answer(struct recorder *recorder, struct an_perf_thread thread,
                       const struct an_parked_request *request, enum an_tracee_stop stop,
                       const struct user_regs_struct *registers)
{
    struct an_window window = {.thread = thread, .wanted = recorder->options->window};
    struct an_record_counts *counts = recorder->counts;
    uint64_t waited = an_tasks_waited(recorder->tasks, thread.tid);
    waited -= request->waited < waited ? request->waited : waited;
    counts->stops += stop == AN_TRACEE_STOPPED || stop == AN_TRACEE_IN_KERNEL;
    counts->in_kernel += stop == AN_TRACEE_IN_KERNEL;
    if (stop != AN_TRACEE_STOPPED)
        return waited;
    if (was_running(request, waited)) {
        go_on(recorder, &window, registers);
    } else {
        an_tracee_release(thread.tid, 0);
        counts->queued++;
    }
    return waited;
}

static void note_late(struct recorder *recorder, struct an_perf_thread thread,
                      const struct an_parked_request *request)
{
    struct an_window window = {.thread = thread};
    struct an_parked *parked = an_parked_add(&recorder->parked, AN_PARKED_LATE, &window);
    if (parked) /* else its event is answered without being known */
        parked->request = *request;
}

/*
 * Stops a thread and takes a window of it, if it runs. If it does not stop soon, it has to wait for a
 * processor; the recorder does not wait for it: moments that follow such a wait would find just this
 * thread running. Returns for how long it has waited.
 */
static uint64_t take_window(struct recorder *recorder, struct an_perf_thread thread,
                            uint64_t moment)
{
    struct user_regs_struct registers;
    struct an_parked_request request = {moment, an_tasks_waited(recorder->tasks, thread.tid)};
    enum an_tracee_stop stop = an_tracee_stop(thread.tid, &registers);
    if (stop == AN_TRACEE_FORBIDDEN)
        recorder->refusal = errno;
    else if (stop != AN_TRACEE_GONE)
        recorder->forbidden = false;
    if (stop != AN_TRACEE_LATE)
        return answer(recorder, thread, &request, stop, &registers);
    note_late(recorder, thread, &request);
    return UINT64_MAX; /* it is not held yet */
}

/* Those that are parked have been chosen in vain: were others chosen in their place, these would be
 * recorded more often. */
static void look_at_thread(struct recorder *recorder, struct an_perf_thread thread, uint64_t moment)
{
    if (thread.tid == 0 || an_parked_find(&recorder->parked, thread.tid))
        return;
    struct hold hold = begin_hold();
    uint64_t waited = take_window(recorder, thread, moment);
    an_pace_charge(&recorder->pace, end_hold(recorder, hold, waited) + AFTERMATH);
}

/* ---- events ---- */

static void arrive_late(struct recorder *recorder, struct an_parked *parked, int status)
{
    struct user_regs_struct registers;
    struct an_parked_request request = parked->request;
    struct an_perf_thread thread = parked->window.thread;
    an_parked_remove(&recorder->parked, parked);
    answer(recorder, thread, &request, an_tracee_look(thread.tid, status, &registers), &registers);
}

static void handle_event(struct recorder *recorder, int32_t tid, int status)
{
    int signal;
    enum an_tracee_event event = an_tracee_event(tid, status, &signal);
    struct an_parked *parked = an_parked_find(&recorder->parked, tid);
    if (event == AN_EVENT_SYSCALL && parked && parked->phase == AN_PARKED_ENTRY) {
        enter_call(recorder, parked);
        return;
    }
    if (event == AN_EVENT_SYSCALL && parked && parked->phase == AN_PARKED_EXIT) {
        leave_call(recorder, parked);
        return;
    }
    if (event == AN_EVENT_SYSCALL && parked && parked->phase == AN_PARKED_LEAVING) {
        an_tracee_continue(tid);
        return;
    }
    if (event == AN_EVENT_STOP && parked && parked->phase == AN_PARKED_LATE) {
        arrive_late(recorder, parked, status);
        return;
    }
    if (event == AN_EVENT_STOP)
        an_tracee_mend(tid);
    if (event != AN_EVENT_END)
        an_tracee_release(tid, signal);
    if (parked && parked->phase == AN_PARKED_EXIT) /* up to the call it is as it was */
        write_window(recorder, &parked->window);
    if (parked)
        an_parked_remove(&recorder->parked, parked);
}

static void handle_events(struct recorder *recorder)
{
    int32_t tid;
    int status;
    while (an_tracee_next(&tid, &status)) {
        struct hold hold = begin_hold();
        handle_event(recorder, tid, status);
        an_pace_charge(&recorder->pace, end_hold(recorder, hold, 0));
    }
}

/* ---- the loop ---- */

static void fill_counts(struct recorder *recorder, uint64_t now)
{
    struct an_record_counts *counts = recorder->counts;
    counts->threads = an_tasks_threads(recorder->tasks);
    counts->processes = an_tasks_processes(recorder->tasks);
    counts->seconds = (double)(now - recorder->started) * 1e-9;
    counts->run_seconds = (double)an_tasks_run_time(recorder->tasks) * 1e-9;
}

/* Now and then: new threads, and a word to whoever waits. False when no process is left. */
static bool look(struct recorder *recorder, uint64_t now)
{
    if (now < recorder->next_look)
        return true;
    bool any = an_tasks_look(recorder->tasks, now);
    uint64_t rest = LOOK_SHARE * (an_tracee_now() - now);
    recorder->next_look = now + (rest > LOOK_INTERVAL ? rest : LOOK_INTERVAL);
    charge_own_time(recorder);
    fill_counts(recorder, now);
    if (recorder->options->progress)
        recorder->options->progress(recorder->options->context, recorder->counts);
    return any;
}

static bool is_enough(const struct recorder *recorder, uint64_t now)
{
    const struct an_record_options *options = recorder->options;
    return (options->stop && *options->stop) ||
           (options->duration > 0 &&
            (double)(now - recorder->started) >= options->duration * 1e9) ||
           (options->branches && recorder->counts->branches >= options->branches) ||
           (recorder->forbidden && recorder->refusal) || an_perf_writer_failed(recorder->writer);
}

/*
 * Waits for the next moment on one of the processors where the threads run, so that whoever runs
 * there then is interrupted by this thread, wherever it is. If it were told from another processor to
 * stop, it would do so at the end of the system call that it makes while it is being told, which
 * takes microseconds: code between two calls would hardly ever be seen.
 */
static void move(struct recorder *recorder)
{
    size_t number;
    int cpu = an_tasks_cpu(recorder->tasks, &recorder->random, &number);
    recorder->chance = 1 / (double)number;
    if (cpu == recorder->cpu)
        return;
    recorder->cpu = cpu;
    if (an_place_on(&recorder->place, cpu))
        return;
    recorder->cpu = -1; /* it may not be there: any will do */
    recorder->chance = 1;
}

/* A moment of the pace. */
static void look_at_threads(struct recorder *recorder)
{
    uint64_t now = an_tracee_now();
    an_tasks_refresh(recorder->tasks, now);
    size_t active = an_tasks_active(recorder->tasks);
    size_t number = active < AN_TASKS_MOST ? active : AN_TASKS_MOST;
    if (recorder->cpu >= 0)
        look_at_thread(
            recorder,
            an_tasks_interrupted(recorder->tasks, recorder->cpu, number, now, &recorder->random),
            now);
    else
        for (size_t i = 0; i < number && !is_enough(recorder, now); i++)
            look_at_thread(recorder, an_tasks_pick(recorder->tasks, i, now, &recorder->random),
                           now);
    double chance = active ? recorder->chance * (double)number / (double)active : 1;
    move(recorder);
    charge_own_time(recorder);
    an_pace_next(&recorder->pace, an_tracee_now(), chance);
}

/* Threads that were told to stop, or are on their way to a system call, are waited for: were they let
 * go before, what they are about to wait for would return EINTR, and nobody would mend that. Those that
 * arrive may be sent to another call. */
static void settle(struct recorder *recorder)
{
    enum { PATIENCE = 2000000000, A_WHILE = 1000000 };
    uint64_t start = an_tracee_now();
    for (;;) {
        an_parked_each(&recorder->parked, AN_PARKED_ENTRY, tell_to_leave);
        if (!an_parked_any_stopping(&recorder->parked) || an_tracee_now() - start >= PATIENCE)
            return;
        an_tracee_sleep(A_WHILE);
        handle_events(recorder);
    }
}

static void record(struct recorder *recorder)
{
    for (;;) {
        handle_events(recorder);
        uint64_t now = an_tracee_now();
        if (is_enough(recorder, now) || !look(recorder, now))
            return;
        uint64_t run = an_tasks_run_time(recorder->tasks);
        uint64_t wait = an_pace_wait(&recorder->pace, now, run);
        if (wait)
            an_tracee_sleep(wait);
        else
            look_at_threads(recorder);
    }
}

/* ---- the whole ---- */

static bool open_methods(struct recorder *recorder)
{
    const struct an_record_options *options = recorder->options;
    bool steps = options->method == AN_RECORD_STEP;
    if (!steps || options->verify)
        recorder->emulator = an_emulator_new();
    if (steps)
        recorder->stepper = an_stepper_new();
    return (!steps || recorder->stepper) && (recorder->emulator || (steps && !options->verify));
}

static enum an_code check(const struct recorder *recorder, struct an_error *error)
{
    if (!recorder->forbidden || !recorder->refusal)
        return AN_OK;
    an_fail(error, AN_SYSTEM, "cannot trace process %d: %s", recorder->options->pid,
            strerror(recorder->refusal));
    return an_error_hint(error,
                         "another debugger may be attached, or it belongs to another user; "
                         "'anneal doctor -p %d' shows more",
                         recorder->options->pid);
}

static enum an_code record_with(struct recorder *recorder, struct an_error *error)
{
    enum { EMULATION_COST = 200000, STEP_COST = 600000 };
    const struct an_record_options *options = recorder->options;
    enum an_code code =
        an_tasks_open(options->pid, options->children, recorder->writer, &recorder->tasks, error);
    if (code != AN_OK)
        return code;
    recorder->started = an_tracee_now();
    recorder->own_before = own_time();
    recorder->next_look = recorder->started + LOOK_INTERVAL;
    if (options->started)
        options->started(options->context);
    double cost = recorder->stepper ? (double)STEP_COST * options->window : EMULATION_COST;
    an_pace_start(&recorder->pace, options->overhead, options->frequency, cost, recorder->started,
                  &recorder->random);
    an_place_open(&recorder->place);
    an_place_first();
    move(recorder);
    record(recorder);
    settle(recorder);
    charge_own_time(recorder);
    fill_counts(recorder, an_tracee_now());
    an_ends_sort(recorder->counts);
    return check(recorder, error);
}

enum an_code an_windows_record(const struct an_record_options *options,
                               struct an_perf_writer *writer, struct an_record_counts *counts,
                               struct an_error *error)
{
    struct recorder *recorder = an_alloc_zero(1, sizeof *recorder);
    if (!recorder)
        return an_fail_memory(error);
    recorder->options = options;
    recorder->writer = writer;
    recorder->counts = counts;
    recorder->random = options->seed;
    recorder->forbidden = true;
    recorder->cpu = -1;
    enum an_code code =
        open_methods(recorder) ? record_with(recorder, error) : an_fail_memory(error);
    an_tasks_free(recorder->tasks);
    an_emulator_free(recorder->emulator);
    an_stepper_free(recorder->stepper);
    free(recorder);
    return code;
}

bool an_windows_can_emulate(void)
{
    struct an_emulator *emulator = an_emulator_new();
    bool can = emulator != NULL;
    an_emulator_free(emulator);
    return can;
}

struct perf_event_attr an_windows_attr(void)
{
    enum { NOMINAL_PERIOD = 1000000 };
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = PERF_ATTR_SIZE_VER7,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = NOMINAL_PERIOD,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                       PERF_SAMPLE_BRANCH_STACK,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .sample_id_all = 1,
        .branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
    };
}
