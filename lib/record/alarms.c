/* Recording by alarms; see alarms.h. */
#include "record/alarms.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "record/calls.h"
#include "record/period.h"
#include "record/traced.h"
#include "record/tracee.h"

struct alarms {
    struct an_recorder *recorder;
    struct an_period period;
    struct an_traced_table traced;
    uint64_t intruded;           /* of what threads were held for, at events that are no windows */
    uint64_t events, intrusions; /* how many of all were such */
    int schedule;    /* an open file: for how long the recorder waited for a processor */
    uint64_t waited; /* so long before */
    size_t asked;    /* up to this one, threads were asked for their signals */
    bool ending;     /* no more alarms, and no more threads */
};

/* ---- what is affordable ---- */

static uint64_t run_time(const struct alarms *alarms)
{
    return an_tasks_run_time(alarms->recorder->tasks);
}

/* Whether being traced costs the threads too much, whatever is recorded of them: events that are no windows take half
 * of the budget, with their part of what the recorder takes for itself. */
static bool intrudes(const struct alarms *alarms)
{
    enum { FREE = 20000000 }; /* for a program that starts, and its threads with it */
    const struct an_recorder *recorder = alarms->recorder;
    double budget = recorder->options->overhead * (double)run_time(alarms) / 2;
    double part = alarms->events ? (double)alarms->intrusions / (double)alarms->events : 0;
    return (double)alarms->intruded + part * (double)recorder->own > budget + FREE;
}

/* ---- threads ---- */

static void set_alarm(struct alarms *alarms, struct an_traced *traced)
{
    if (!traced || alarms->ending)
        return;
    traced->period = an_period_next(&alarms->period, alarms->recorder->spent, run_time(alarms));
    an_alarm_set(&traced->alarm, traced->period);
}

/* A thread that is traced now gets its alarm. False when memory runs out. */
static bool add(struct alarms *alarms, struct an_perf_thread id, uint64_t blocked, uint64_t caught)
{
    struct an_traced *traced = an_traced_add(&alarms->traced, id);
    if (!traced)
        return false;
    traced->caught = caught;
    if (!an_alarm_open(&traced->alarm, id.tid, blocked, caught))
        alarms->recorder->counts->without_alarm++;
    set_alarm(alarms, traced);
    return true;
}

/* What /proc says of a thread: the signals that it blocks, and those that its process has handlers for. */
static bool read_signals(int32_t tid, uint64_t *blocked, uint64_t *caught)
{
    struct an_buffer status;
    if (!an_proc_text(tid, "status", &status))
        return false;
    *blocked = an_proc_status_number((const char *)status.data, "\nSigBlk:", 16);
    *caught = an_proc_status_number((const char *)status.data, "\nSigCgt:", 16);
    an_buffer_free(&status);
    return true;
}

/* The same as add(), by what /proc says of it. */
static bool add_unknown(struct alarms *alarms, struct an_perf_thread id)
{
    uint64_t blocked, caught;
    return read_signals(id.tid, &blocked, &caught) && add(alarms, id, blocked, caught);
}

static void seize(void *context, struct an_perf_thread id)
{
    struct alarms *alarms = context;
    struct an_recorder *recorder = alarms->recorder;
    if (an_traced_find(&alarms->traced, id.tid))
        return;
    struct an_proc_stat stat;
    int refusal = an_tracee_seize(id.tid, recorder->options->children);
    if (refusal == 0) {
        recorder->forbidden = false;
        add_unknown(alarms, id);
    } else if (an_proc_stat(id.pid, id.tid, &stat) && !an_proc_has_ended(&stat)) {
        recorder->refusal = refusal;
    }
}

/* The process of a thread, if another thread of it is traced; else NULL. */
static const struct an_traced *sibling_of(const struct alarms *alarms, int32_t tid)
{
    const struct an_traced *last = NULL;
    for (size_t i = alarms->traced.count; i-- > 0;) {
        const struct an_traced *traced = &alarms->traced.items[i];
        if (last && last->id.pid == traced->id.pid)
            continue;
        last = traced;
        if (syscall(SYS_tgkill, traced->id.pid, tid, 0) == 0)
            return traced;
    }
    return NULL;
}

/*
 * The first stop of a thread that a traced one has begun. False: it is not to be traced. A thread is born
 * quickly, and may live for milliseconds only: /proc, which takes its time, is asked of new processes, and of
 * threads when there is a window to write.
 */
static bool adopt(struct alarms *alarms, int32_t tid)
{
    uint64_t blocked;
    if (alarms->ending)
        return false;
    const struct an_traced *sibling = sibling_of(alarms, tid);
    if (sibling && an_tracee_blocked(tid, &blocked))
        return add(alarms, (struct an_perf_thread){sibling->id.pid, tid}, blocked, sibling->caught);
    struct an_perf_thread id = {tid, tid};
    return an_tasks_born(alarms->recorder->tasks, id, an_clock_now()) && add_unknown(alarms, id);
}

/* A thread that has come to block the signal of its alarm, or to have a handler for it, gets another one. */
static void ask_for_signals(struct alarms *alarms, struct an_traced *traced)
{
    uint64_t blocked, caught;
    if (!read_signals(traced->id.tid, &blocked, &caught))
        return;
    traced->caught = caught;
    if (an_alarm_fits(&traced->alarm, blocked, caught))
        return;
    an_alarm_close(&traced->alarm);
    an_alarm_open(&traced->alarm, traced->id.tid, blocked, caught);
    set_alarm(alarms, traced);
}

/* A few threads at each look: it takes a while for each. */
static void ask_some(struct alarms *alarms)
{
    enum { SOME = 4 };
    size_t count = alarms->traced.count;
    for (size_t i = 0; i < SOME && i < count; i++)
        ask_for_signals(alarms, &alarms->traced.items[alarms->asked++ % count]);
}

/* ---- windows ---- */

/* A window is over, or there was none: the thread runs on, and its alarm is set anew. */
static void let_go(struct an_recorder *recorder, int32_t tid, int signal)
{
    struct alarms *alarms = recorder->moments;
    set_alarm(alarms, an_traced_find(&alarms->traced, tid));
    an_tracee_go_on(tid, signal);
}

/* The alarm of a thread has rung, and it stands where it was interrupted. True when it had a window. */
static bool take_window(struct alarms *alarms, const struct an_traced *traced)
{
    struct an_recorder *recorder = alarms->recorder;
    struct an_window window = {.thread = traced->id, .wanted = recorder->window};
    int32_t tid = traced->id.tid;
    struct user_regs_struct registers;
    bool affordable =
        an_period_rings(&alarms->period, traced->period, recorder->spent, run_time(alarms));
    bool known = an_tracee_registers(tid, &registers);
    bool in_kernel = known && (int64_t)registers.orig_rax >= 0; /* it has come late */
    recorder->counts->stops++;
    recorder->counts->in_kernel += in_kernel;
    if (in_kernel)
        an_tracee_mend(tid);
    if (!known || in_kernel || !affordable || alarms->ending) {
        let_go(recorder, tid, 0);
        return false;
    }
    an_tasks_born(recorder->tasks, traced->id, an_clock_now());
    an_calls_run(recorder, &window, &registers);
    return true;
}

/* ---- events ---- */

/* What an event was, for the budget. */
enum occasion {
    WINDOW,    /* one was taken */
    PART,      /* of one, or of none */
    INTRUSION, /* it has nothing to do with windows */
};

static struct an_pending_thread *pending_of(const struct alarms *alarms, int32_t tid)
{
    return an_pending_find(&alarms->recorder->pending, tid);
}

static void abandon(struct alarms *alarms, int32_t tid)
{
    struct an_pending_thread *pending = pending_of(alarms, tid);
    if (pending)
        an_calls_abandon(alarms->recorder, pending);
}

static void end(struct alarms *alarms, int32_t tid)
{
    struct an_traced *traced = an_traced_find(&alarms->traced, tid);
    abandon(alarms, tid);
    if (traced) {
        an_tasks_ended(alarms->recorder->tasks, traced->id);
        an_traced_remove(&alarms->traced, traced);
    }
    if (alarms->traced.count == 0)
        alarms->recorder->next_look = 0; /* that may have been all */
}

/* The thread that executes another program is the only one left of its process, and has its number. */
static void execute(struct alarms *alarms, int32_t pid)
{
    for (size_t i = 0; i < alarms->traced.count;) {
        struct an_traced *traced = &alarms->traced.items[i];
        if (traced->id.pid == pid)
            end(alarms, traced->id.tid);
        else
            i++;
    }
    an_tasks_executed(alarms->recorder->tasks, pid, an_clock_now());
    if (!alarms->ending)
        add_unknown(alarms, (struct an_perf_thread){pid, pid});
    an_tracee_go_on(pid, 0);
}

/* A stop that is no signal's. */
static enum occasion stop(struct alarms *alarms, int32_t tid, int status)
{
    struct an_traced *traced = an_traced_find(&alarms->traced, tid);
    const struct an_pending_thread *pending = pending_of(alarms, tid);
    if (WSTOPSIG(status) != SIGTRAP) {
        an_tracee_leave_stopped(tid);
        return INTRUSION;
    }
    if (!traced && !adopt(alarms, tid)) {
        an_tracee_release(tid, 0);
        return INTRUSION;
    }
    if (traced && pending && pending->phase == AN_PENDING_LATE) {
        abandon(alarms, tid);
        return take_window(alarms, traced) ? WINDOW : PART;
    }
    an_tracee_mend(tid);
    if (pending && pending->phase == AN_PENDING_LEAVING) {
        abandon(alarms, tid);
        let_go(alarms->recorder, tid, 0);
        return PART;
    }
    an_tracee_go_on(tid, 0);
    return INTRUSION;
}

/* A signal that the thread is about to get. */
static enum occasion hand_on(struct alarms *alarms, int32_t tid, int signal)
{
    const struct an_pending_thread *pending = pending_of(alarms, tid);
    if (pending && pending->phase != AN_PENDING_LATE) {
        abandon(alarms, tid);
        let_go(alarms->recorder, tid, signal);
    } else {
        an_tracee_go_on(tid, signal);
    }
    return INTRUSION;
}

static enum occasion system_call(struct alarms *alarms, int32_t tid)
{
    struct an_pending_thread *pending = pending_of(alarms, tid);
    bool is_over;
    if (!pending || !an_calls_event(alarms->recorder, pending, &is_over))
        an_tracee_continue(tid);
    return PART;
}

static enum occasion give_birth(const struct alarms *alarms, int32_t tid)
{
    const struct an_pending_thread *pending = pending_of(alarms, tid);
    if (!pending || pending->phase != AN_PENDING_EXIT || !an_tracee_to_syscall(tid))
        an_tracee_continue(tid);
    return INTRUSION;
}

static enum occasion handle_event(struct alarms *alarms, int32_t tid, int status)
{
    int signal;
    enum an_tracee_event event = an_tracee_event(tid, status, &signal);
    const struct an_traced *traced = an_traced_find(&alarms->traced, tid);
    switch (event) {
    case AN_EVENT_SYSCALL:
        return system_call(alarms, tid);
    case AN_EVENT_STOP:
        return stop(alarms, tid, status);
    case AN_EVENT_BIRTH:
        return give_birth(alarms, tid);
    case AN_EVENT_EXEC:
        execute(alarms, tid);
        return INTRUSION;
    case AN_EVENT_END:
        end(alarms, tid);
        return INTRUSION;
    default:
        break;
    }
    if (!traced || !an_alarm_rings(&traced->alarm, tid, signal))
        return hand_on(alarms, tid, signal);
    abandon(alarms, tid);
    return take_window(alarms, traced) ? WINDOW : PART;
}

/* For how long the recorder has waited for a processor since this was asked last: while it did, a thread
 * may have been held. */
static uint64_t lateness(struct alarms *alarms)
{
    uint64_t ran, waited, before = alarms->waited;
    if (!an_proc_schedule(alarms->schedule, &ran, &waited))
        return 0;
    alarms->waited = waited;
    return waited - before;
}

/* The first window takes several times as long as others, until the recorder has its memory and its code: that is what
 * it takes to start, and a process that has little CPU time would have to pay for it with all other windows. */
static void forgive_start(struct alarms *alarms, uint64_t cost)
{
    struct an_recorder *recorder = alarms->recorder;
    uint64_t usual = (uint64_t)alarms->period.cost;
    if (recorder->counts->stops == 1 && cost > usual && recorder->spent > cost - usual)
        recorder->spent -= cost - usual;
}

static void account(struct alarms *alarms, enum occasion occasion, uint64_t cost)
{
    struct an_recorder *recorder = alarms->recorder;
    alarms->events++;
    if (occasion == INTRUSION) {
        alarms->intrusions++;
        alarms->intruded += cost;
    }
    if (occasion != WINDOW)
        return;
    recorder->spent += AN_RECORD_AFTERMATH;
    an_recorder_count_own(recorder);
    forgive_start(alarms, cost);
    an_period_taken(&alarms->period, recorder->spent, run_time(alarms));
}

static void handle_events(struct an_recorder *recorder)
{
    struct alarms *alarms = recorder->moments;
    uint64_t late = lateness(alarms);
    int32_t tid;
    int status;
    while (an_tracee_next(&tid, &status)) {
        struct an_hold hold = an_recorder_hold();
        uint64_t before = recorder->spent;
        hold.time -= late;
        late = 0;
        enum occasion occasion = handle_event(alarms, tid, status);
        an_recorder_held(recorder, hold, 0);
        account(alarms, occasion, recorder->spent - before);
        an_recorder_look_ahead(recorder);
        if (!alarms->ending && an_recorder_has_enough(recorder, an_clock_now()))
            return;
    }
}

/* ---- the whole ---- */

/* Until something happens, or it is time for a look, or to report progress. A thread whose alarm cannot stop it is told to. */
static void wait_for_event(struct alarms *alarms)
{
    const struct an_recorder *recorder = alarms->recorder;
    uint64_t now = an_clock_now();
    uint64_t next = recorder->next_look < recorder->next_progress ? recorder->next_look
                                                                  : recorder->next_progress;
    uint64_t wait = next > now ? next - now : 0;
    double left = recorder->options->duration * 1e9 - (double)(now - recorder->started);
    if (recorder->options->duration > 0 && left < (double)wait)
        wait = left > 0 ? (uint64_t)left : 0;
    int file = an_alarm_sleep(wait);
    struct an_traced *traced = file >= 0 ? an_traced_by_alarm(&alarms->traced, file) : NULL;
    if (!traced || pending_of(alarms, traced->id.tid))
        return;
    struct an_window window = {.thread = traced->id};
    if (an_pending_add(&alarms->recorder->pending, AN_PENDING_LATE, &window))
        an_tracee_interrupt(traced->id.tid);
    else
        set_alarm(alarms, traced);
}

/* At a look, threads are found that another tracer had. */
static bool is_over(struct alarms *alarms)
{
    struct an_recorder *recorder = alarms->recorder;
    uint64_t now = an_clock_now();
    bool looks = now >= recorder->next_look;
    if (an_recorder_has_enough(recorder, now) || !an_recorder_look(recorder, now))
        return true;
    if (looks) {
        an_tasks_each(recorder->tasks, seize, alarms);
        ask_some(alarms);
    }
    return false;
}

static void finish(struct alarms *alarms)
{
    alarms->ending = true;
    for (size_t i = 0; i < alarms->traced.count; i++)
        an_alarm_close(&alarms->traced.items[i].alarm);
    handle_events(alarms->recorder); /* of alarms that have just rung */
    an_calls_settle(alarms->recorder, handle_events);
    an_traced_free(&alarms->traced);
    if (alarms->schedule >= 0)
        close(alarms->schedule);
}

bool an_alarms_record(struct an_recorder *recorder, double cost)
{
    const struct an_record_options *options = recorder->options;
    struct alarms alarms = {.recorder = recorder};
    recorder->moments = &alarms;
    recorder->let_go = let_go;
    alarms.schedule = an_proc_open(getpid(), (int32_t)syscall(SYS_gettid), "schedstat");
    an_period_start(&alarms.period, options->overhead, options->frequency, cost, &recorder->random);
    an_tasks_each(recorder->tasks, seize, &alarms);
    an_recorder_start(recorder);
    lateness(&alarms);
    while (!is_over(&alarms) && !intrudes(&alarms)) {
        wait_for_event(&alarms);
        handle_events(recorder);
    }
    bool intruded = !is_over(&alarms);
    finish(&alarms);
    if (intruded)
        an_tasks_will_pick(recorder->tasks);
    return intruded;
}
