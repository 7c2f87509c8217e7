/* Moments that are chosen from outside; see outside.h. */
#include "record/outside.h"

#include <errno.h>

#include "base/clock.h"
#include "record/affinity.h"
#include "record/calls.h"
#include "record/pace.h"
#include "record/tracee.h"

struct outside {
    struct an_recorder *recorder;
    struct an_pace pace;
    struct an_affinity place;
    int cpu;       /* on which it waits, so that threads are looked at there; -1: on any */
    double chance; /* that it is just this one */
};

/*
 * Whether a thread that has stopped was running at the moment. One that is ready to run may be waiting
 * for a processor, and it is not its turn then: threads are to be recorded as often as they run, and
 * not as often as they would like to. But the recorder may have taken the processor from it just
 * then; for how long it had to wait after that does not matter.
 */
static bool was_running(const struct an_pending_request *request, uint64_t waited)
{
    enum { TO_WAKE = 50000 }; /* the recorder, which takes the processor first and the time then */
    return an_clock_now() - waited + TO_WAKE >= request->moment;
}

static void let_go(struct an_recorder *recorder, int32_t tid, int signal)
{
    (void)recorder;
    an_tracee_release(tid, signal);
}

/* What becomes of a request. Returns for how long the thread has waited for a processor since. */
static uint64_t answer(struct an_recorder *recorder, struct an_perf_thread thread,
                       const struct an_pending_request *request, enum an_tracee_stop stop,
                       const struct user_regs_struct *registers)
{
    struct an_window window = {.thread = thread, .wanted = recorder->window};
    struct an_record_counts *counts = recorder->counts;
    uint64_t waited = an_tasks_waited(recorder->tasks, thread.tid);
    waited -= request->waited < waited ? request->waited : waited;
    counts->stops += stop == AN_TRACEE_STOPPED || stop == AN_TRACEE_IN_KERNEL;
    counts->in_kernel += stop == AN_TRACEE_IN_KERNEL;
    if (stop != AN_TRACEE_STOPPED)
        return waited;
    if (was_running(request, waited)) {
        an_calls_run(recorder, &window, registers);
    } else {
        an_tracee_release(thread.tid, 0);
        counts->queued++;
    }
    return waited;
}

static void note_late(struct an_recorder *recorder, struct an_perf_thread thread,
                      const struct an_pending_request *request)
{
    struct an_window window = {.thread = thread};
    struct an_pending_thread *pending =
        an_pending_add(&recorder->pending, AN_PENDING_LATE, &window);
    if (pending) /* else its event is answered without being known */
        pending->request = *request;
}

/*
 * Stops a thread and takes a window of it, if it runs. If it does not stop soon, it has to wait for a
 * processor; the recorder does not wait for it: moments that follow such a wait would find just this
 * thread running. Returns for how long it has waited.
 */
static uint64_t take_window(struct an_recorder *recorder, struct an_perf_thread thread,
                            uint64_t moment)
{
    struct user_regs_struct registers;
    struct an_pending_request request = {moment, an_tasks_waited(recorder->tasks, thread.tid)};
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

/* Those that are pending have been chosen in vain: were others chosen in their place, these would be
 * recorded more often. */
static void look_at_thread(struct an_recorder *recorder, struct an_perf_thread thread,
                           uint64_t moment)
{
    if (thread.tid == 0 || an_pending_find(&recorder->pending, thread.tid))
        return;
    struct an_hold hold = an_recorder_hold();
    uint64_t waited = take_window(recorder, thread, moment);
    an_recorder_held(recorder, hold, waited);
    recorder->spent += AN_RECORD_AFTERMATH;
}

/* ---- events ---- */

static void arrive_late(struct an_recorder *recorder, struct an_pending_thread *pending, int status)
{
    struct user_regs_struct registers;
    struct an_pending_request request = pending->request;
    struct an_perf_thread thread = pending->window.thread;
    an_pending_remove(&recorder->pending, pending);
    answer(recorder, thread, &request, an_tracee_look(thread.tid, status, &registers), &registers);
}

static void handle_event(struct an_recorder *recorder, int32_t tid, int status)
{
    int signal;
    bool is_over;
    enum an_tracee_event event = an_tracee_event(tid, status, &signal);
    struct an_pending_thread *pending = an_pending_find(&recorder->pending, tid);
    if (event == AN_EVENT_SYSCALL && pending && an_calls_event(recorder, pending, &is_over))
        return;
    if (event == AN_EVENT_STOP && pending && pending->phase == AN_PENDING_LATE) {
        arrive_late(recorder, pending, status);
        return;
    }
    if (event == AN_EVENT_STOP)
        an_tracee_mend(tid);
    if (event != AN_EVENT_END)
        an_tracee_release(tid, signal);
    if (pending)
        an_calls_abandon(recorder, pending);
}

static void handle_events(struct an_recorder *recorder)
{
    int32_t tid;
    int status;
    while (an_tracee_next(&tid, &status)) {
        struct an_hold hold = an_recorder_hold();
        handle_event(recorder, tid, status);
        an_recorder_held(recorder, hold, 0);
    }
}

/* ---- the loop ---- */

/*
 * Waits for the next moment on one of the processors where the threads run, so that whoever runs
 * there then is interrupted by this thread, wherever it is. If it were told from another processor to
 * stop, it would do so at the end of the system call that it makes while it is being told, which
 * takes microseconds: code between two calls would hardly ever be seen.
 */
static void move(struct outside *outside)
{
    struct an_recorder *recorder = outside->recorder;
    size_t number;
    int cpu = an_tasks_cpu(recorder->tasks, &recorder->random, &number);
    outside->chance = 1 / (double)number;
    if (cpu == outside->cpu)
        return;
    outside->cpu = cpu;
    if (!recorder->stepper && an_affinity_on(&outside->place, cpu))
        return;
    outside->cpu = -1; /* it may not be there, or steps, and both are to run in turn: any will do */
    outside->chance = 1;
}

/* A moment of the pace. */
static void look_at_threads(struct outside *outside)
{
    struct an_recorder *recorder = outside->recorder;
    struct an_tasks *tasks = recorder->tasks;
    uint64_t now = an_clock_now(), *random = &recorder->random;
    an_tasks_refresh(tasks, now);
    size_t active = an_tasks_active(tasks);
    size_t number = active < AN_TASKS_MOST ? active : AN_TASKS_MOST;
    if (outside->cpu >= 0)
        look_at_thread(recorder, an_tasks_interrupted(tasks, outside->cpu, number, now, random),
                       now);
    else
        for (size_t i = 0; i < number && !an_recorder_has_enough(recorder, now); i++)
            look_at_thread(recorder, an_tasks_pick(tasks, i, now, random), now);
    double chance = active ? outside->chance * (double)number / (double)active : 1;
    move(outside);
    an_recorder_count_own(recorder);
    an_pace_charge(&outside->pace, recorder->spent - outside->pace.spent);
    an_pace_next(&outside->pace, an_clock_now(), chance);
}

void an_outside_record(struct an_recorder *recorder, double cost)
{
    struct outside outside = {.recorder = recorder, .cpu = -1};
    struct an_pace *pace = &outside.pace;
    recorder->let_go = let_go;
    an_pace_start(pace, recorder->options->overhead, recorder->options->frequency, cost,
                  an_clock_now(), &recorder->random);
    an_pace_carry(pace, an_tasks_run_time(recorder->tasks), recorder->spent);
    an_affinity_open(&outside.place);
    move(&outside);
    for (;;) {
        handle_events(recorder);
        uint64_t now = an_clock_now();
        if (an_recorder_has_enough(recorder, now) || !an_recorder_look(recorder, now))
            break;
        an_pace_charge(pace, recorder->spent - pace->spent);
        uint64_t wait = an_pace_wait(pace, now, an_tasks_run_time(recorder->tasks));
        if (wait)
            an_tracee_sleep(wait);
        else
            look_at_threads(&outside);
    }
    an_calls_settle(recorder, handle_events);
}
