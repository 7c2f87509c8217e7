/* Stopping all threads of a process; see threads.h. */
#include "live/threads.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "record/tracee.h"

/* What a hand has found out about its share. */
struct share {
    int refusal;   /* errno */
    bool has_late; /* a thread that we hold already, since it has not stopped when it was told to */
    bool is_overdue; /* not all have stopped in time */
    uint64_t let_go; /* when the last one was */
};

/* A stop, as the hands know it. */
struct stop {
    struct an_threads *threads;
    size_t seized, told; /* so many of the list have been, or were gone */
    bool is_well;
    uint64_t deadline;
    bool queues; /* an_tracee_queues_signals() */
    struct share shares[AN_HANDS_MOST];
};

/* ---- shares of the list ---- */

enum { BLOCK = 64 }; /* threads, one after the other, are one hand's */

bool an_threads_is_of(const struct an_threads *threads, unsigned hand, size_t number)
{
    return threads->hands.count < 2 || number / BLOCK % threads->hands.count == hand;
}

unsigned an_threads_sharing(const struct an_threads *threads)
{
    size_t blocks = (threads->list.count + BLOCK - 1) / BLOCK, hands = threads->hands.count;
    return (unsigned)(blocks < hands ? blocks : hands);
}

static bool is_of(const struct stop *stop, unsigned hand, size_t number)
{
    return an_threads_is_of(stop->threads, hand, number);
}

/* Has hands do something, as many as have a share. */
static void each(struct stop *stop, void (*call)(void *context, unsigned hand))
{
    an_hands_do(&stop->threads->hands, an_threads_sharing(stop->threads), call, stop);
}

/* ---- one thread ---- */

static bool is_awaited(const struct an_thread *thread)
{
    return thread->is_seized && !thread->is_stopped && !thread->is_gone;
}

static void let_go(struct an_thread *thread)
{
    an_tracee_release(thread->tid, 0);
    thread->is_gone = true;
}

/* A thread that is about to get a signal gets it first, and stands still where its handler begins: were it
 * kept until later, it would be lost if this process were killed meanwhile. */
static void arrive(struct an_thread *thread, int status, bool queues)
{
    int signal;
    enum an_tracee_event event = an_tracee_event(thread->tid, status, &signal);
    if (event == AN_EVENT_END) {
        thread->is_gone = true;
        return;
    }
    if (event == AN_EVENT_SIGNAL) {
        an_tracee_deliver(thread->tid, signal);
        return;
    }
    thread->is_stopped = event == AN_EVENT_STOP
                             ? an_tracee_mended(thread->tid, queues, &thread->registers)
                             : an_tracee_registers(thread->tid, &thread->registers);
    thread->is_gone = !thread->is_stopped;
    if (thread->is_stopped && thread->is_strange)
        let_go(thread);
}

/* Asks the kernel for one thread, since asking for any takes as long as there are threads. False: nothing has
 * happened to it. */
static bool ask_for(struct an_thread *thread, bool queues)
{
    int status;
    pid_t got = waitpid(thread->tid, &status, __WALL | __WNOTHREAD | WNOHANG);
    if (got > 0)
        arrive(thread, status, queues);
    else if (got < 0)
        thread->is_gone = true;
    return got != 0;
}

/* Threads that were given up earlier, after all. */
static void let_late_ones_go(void *context, unsigned hand)
{
    int32_t tid;
    int status;
    (void)context, (void)hand;
    while (an_tracee_next(&tid, &status)) {
        struct an_thread late = {.tid = tid};
        arrive(&late, status, false);
        if (late.is_stopped)
            an_tracee_release(late.tid, 0);
    }
}

/* ---- finding and seizing them ---- */

struct listing {
    struct an_threads *threads;
    bool failed; /* no memory */
};

/* Numbers begin anew: where threads come and go by the thousand, one may get the number of one that ended a moment
 * ago. */
static bool is_known(const struct an_threads *threads, int32_t tid, uint64_t number)
{
    int32_t pid = threads->target->pid;
    return !threads->list.items[number].is_gone || !an_proc_lives(pid, tid) ||
           an_proc_is_of_kernel(pid, tid);
}

static void add_thread(void *context, int32_t tid)
{
    struct listing *listing = context;
    struct an_threads *threads = listing->threads;
    bool is_new;
    uint64_t *number = an_map_insert(&threads->numbers, (uint64_t)tid, &is_new);
    if (number && !is_new && is_known(threads, tid, *number))
        return;
    struct an_thread *thread = number ? an_vector_push(&threads->list) : NULL;
    listing->failed = listing->failed || !thread;
    if (!thread)
        return;
    *number = threads->list.count - 1;
    *thread = (struct an_thread){.tid = tid};
}

/* Whether one of our threads has seized it. */
static bool is_ours(int32_t tid)
{
    struct an_buffer text;
    char name[64];
    if (!an_proc_text(tid, "status", &text))
        return false;
    uint64_t tracer = an_proc_status_number((const char *)text.data, "\nTracerPid:", 10);
    an_buffer_free(&text);
    snprintf(name, sizeof name, "/proc/self/task/%llu", (unsigned long long)tracer);
    return tracer && access(name, F_OK) == 0;
}

static bool is_of_process(int32_t pid, int32_t tid)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/task/%d", pid, tid);
    return access(name, F_OK) == 0;
}

/* Returns 0 or an errno. A thread may end meanwhile, and another one have its number at once, even one of another
 * process. */
static int try_to_seize(int32_t pid, struct an_thread *thread)
{
    enum { ATTEMPTS = 4 };
    int refusal = 0;
    for (int i = 0; i < ATTEMPTS && !thread->is_seized; i++) {
        thread->is_seized =
            ptrace(PTRACE_SEIZE, thread->tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) == 0;
        refusal = errno;
        if (!thread->is_seized && !an_proc_lives(pid, thread->tid))
            return 0; /* the first thread is listed to the end of the last */
    }
    thread->is_strange = thread->is_seized && !is_of_process(pid, thread->tid);
    return thread->is_seized ? 0 : refusal;
}

static void seize_one(struct stop *stop, struct share *share, struct an_thread *thread)
{
    int32_t pid = stop->threads->target->pid;
    thread->is_of_kernel = an_proc_is_of_kernel(pid, thread->tid);
    int refusal = thread->is_of_kernel ? 0 : try_to_seize(pid, thread);
    thread->is_gone = !thread->is_seized;
    if (refusal && is_ours(thread->tid))
        share->has_late = true;
    else if (refusal)
        share->refusal = refusal;
}

/* Which the threads do not notice. */
static void seize(void *context, unsigned hand)
{
    struct stop *stop = context;
    struct an_threads *threads = stop->threads;
    for (size_t i = stop->seized; i < threads->list.count; i++)
        if (is_of(stop, hand, i))
            seize_one(stop, &stop->shares[hand], &threads->list.items[i]);
}

static enum an_code judge(struct stop *stop, struct an_error *error)
{
    int32_t pid = stop->threads->target->pid;
    enum an_code code = AN_OK;
    for (unsigned i = 0; i < AN_HANDS_MOST && code == AN_OK; i++) {
        const struct share *share = &stop->shares[i];
        if (share->refusal)
            code = an_fail(error, AN_SYSTEM, "cannot trace a thread of process %d: %s", pid,
                           strerror(share->refusal));
        else if (share->has_late || share->is_overdue) {
            an_fail(error, AN_SYSTEM, "a thread of process %d does not stop", pid);
            code = an_error_hint(
                error, "it may be waiting in the kernel, or for a processor: try again, or allow a "
                       "longer stop (--max-pause)");
        }
    }
    return code;
}

/* Seizes threads that are not known yet. */
static enum an_code seize_new(struct stop *stop, struct an_error *error)
{
    struct an_threads *threads = stop->threads;
    struct listing listing = {.threads = threads};
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/task", threads->target->pid);
    if (!an_proc_each(folder, add_thread, &listing))
        stop->shares[0].refusal = ESRCH;
    if (threads->list.count > stop->seized)
        each(stop, seize);
    stop->seized = threads->list.count;
    return listing.failed ? an_fail_memory(error) : judge(stop, error);
}

/* ---- stopping them ---- */

/*
 * Waits a while for one of the threads before which `before` others are awaited, as likely as not. What happens to
 * any of them would wake: of many, each would have to wait for a processor behind this one.
 */
static void wait_a_while(size_t before)
{
    enum { FEW = 16, A_WHILE = 200000 };
    const struct timespec a_while = {0, A_WHILE};
    if (before < FEW)
        an_tracee_sleep(A_WHILE);
    else
        nanosleep(&a_while, NULL);
}

/* One after the other is waited for, the one that was told last first. */
static bool wait_for(struct stop *stop, unsigned hand)
{
    struct an_threads *threads = stop->threads;
    for (size_t i = threads->list.count; i-- > stop->told;)
        while (is_of(stop, hand, i) && is_awaited(&threads->list.items[i])) {
            if (an_clock_now() >= stop->deadline)
                return false;
            if (ask_for(&threads->list.items[i], stop->queues))
                continue;
            wait_a_while((i - stop->told) / threads->hands.count);
        }
    return true;
}

static void halt(void *context, unsigned hand)
{
    struct stop *stop = context;
    struct an_threads *threads = stop->threads;
    for (size_t i = stop->told; i < threads->list.count; i++)
        if (is_of(stop, hand, i) && threads->list.items[i].is_seized)
            an_tracee_interrupt(threads->list.items[i].tid);
    if (stop->is_well && !wait_for(stop, hand))
        stop->shares[hand].is_overdue = true;
}

static void halt_new(struct stop *stop)
{
    struct an_threads *threads = stop->threads;
    each(stop, halt);
    stop->told = threads->list.count;
    threads->held = 0;
    for (size_t i = 0; i < threads->list.count; i++)
        threads->held += threads->list.items[i].is_stopped && !threads->list.items[i].is_gone;
}

/* Whether a thread is listed for good, and never runs the program's code: the first one after its end, or one of the
 * kernel's own. Of any other that is gone, the number may be another thread's by now. */
static bool is_idle(int32_t pid, const struct an_thread *thread)
{
    if (thread->is_of_kernel)
        return an_proc_is_of_kernel(pid, thread->tid);
    return thread->is_gone && thread->tid == pid && !an_proc_lives(pid, pid);
}

/*
 * When the process has no more threads than are known, none is left that could start another one. (A list is no proof:
 * when a thread ends just as it is listed, the kernel leaves out those behind it.) Known are those that stand still,
 * and some that never will.
 */
static bool has_all(const struct an_threads *threads)
{
    int32_t pid = threads->target->pid;
    struct an_proc_stat stat;
    if (!an_proc_stat(pid, 0, &stat))
        return false;
    size_t known = threads->held;
    for (size_t i = 0; i < threads->list.count && known != stat.threads; i++)
        known += is_idle(pid, &threads->list.items[i]);
    return known == stat.threads;
}

/* ---- letting them go ---- */

static void release(void *context, unsigned hand)
{
    struct stop *stop = context;
    struct an_threads *threads = stop->threads;
    bool any = false;
    for (size_t i = 0; i < threads->list.count; i++) {
        struct an_thread *thread = &threads->list.items[i];
        if (!is_of(stop, hand, i) || !thread->is_stopped || thread->is_gone)
            continue;
        let_go(thread);
        any = true;
    }
    if (any)
        stop->shares[hand].let_go = an_clock_now();
}

/* How many of a hand's threads are still awaited. Those that have arrived are let go. */
static size_t let_arrivals_go(struct stop *stop, unsigned hand)
{
    struct an_threads *threads = stop->threads;
    size_t awaited = 0;
    for (size_t i = 0; i < threads->list.count; i++) {
        struct an_thread *thread = &threads->list.items[i];
        if (is_of(stop, hand, i) && is_awaited(thread) && !ask_for(thread, stop->queues))
            awaited++;
    }
    release(stop, hand);
    return awaited;
}

/* Whether one of a hand's threads that are awaited only waits for a processor: it will stop, and has a call to be
 * mended, unlike one that waits in the kernel. */
static bool has_runner(const struct stop *stop, unsigned hand)
{
    const struct an_threads *threads = stop->threads;
    for (size_t i = 0; i < threads->list.count; i++) {
        const struct an_thread *thread = &threads->list.items[i];
        struct an_proc_stat stat;
        if (is_of(stop, hand, i) && is_awaited(thread) &&
            an_proc_stat(threads->target->pid, thread->tid, &stat) && stat.state == 'R')
            return true;
    }
    return false;
}

/* Threads that have not stopped yet are waited for, so that what they are in can be mended. Each is let go as
 * soon as it arrives: the pause of the others was over before. They need a processor to get there, and this one has
 * precedence: it sleeps for as long as it takes to look at them. */
static void give_up(void *context, unsigned hand)
{
    enum { LONG = 2000000000, TIMES = 60, A_WHILE = 200000, LONGEST = 100000000 };
    struct stop *stop = context;
    release(stop, hand);
    uint64_t over = stop->shares[hand].let_go, deadline = an_clock_now() + LONG;
    unsigned times = 0;
    for (;;) {
        uint64_t begin = an_clock_now();
        if (let_arrivals_go(stop, hand) == 0)
            break;
        uint64_t took = an_clock_now() - begin;
        const struct timespec as_long = {0, (long)(took < LONGEST ? took : LONGEST)};
        if (took > A_WHILE)
            nanosleep(&as_long, NULL);
        else
            an_tracee_sleep(A_WHILE);
        if (an_clock_now() < deadline)
            continue;
        if (++times == TIMES || !has_runner(stop, hand))
            break;
        deadline = an_clock_now() + LONG;
    }
    stop->shares[hand].let_go = over;
}

/* What is expected to take as long as at the last stop may take a quarter more. */
static const double margin = 1.25;

/* Nanoseconds: letting one of 2,000 threads go took 2.5 to 6 us, on an idle machine and on a busy one. */
static const double usual_letting_go = 6000;

/* What letting so many go may take; nanoseconds. */
static uint64_t to_let_go(const struct an_threads *threads, size_t count)
{
    double each = threads->letting_go * margin;
    return (uint64_t)((each > usual_letting_go ? each : usual_letting_go) * (double)count);
}

/* By when all have to stand still. */
static uint64_t deadline_of(const struct an_threads *threads)
{
    uint64_t least = threads->most / 4, tenth = threads->most / 10;
    uint64_t meanwhile = (uint64_t)(threads->meanwhile * margin);
    uint64_t after =
        to_let_go(threads, threads->list.count) + (meanwhile > tenth ? meanwhile : tenth);
    return threads->began + (after + least < threads->most ? threads->most - after : least);
}

/* When `count` were held, and the first one was let go at `first`. Of few, waking the hands would take the most. */
static void note_pause(struct stop *stop, size_t count, uint64_t first)
{
    struct an_threads *threads = stop->threads;
    uint64_t last = 0;
    for (unsigned i = 0; i < AN_HANDS_MOST; i++)
        last = stop->shares[i].let_go > last ? stop->shares[i].let_go : last;
    if (last) {
        threads->pause = last - threads->began;
        an_target_add_stop(threads->target->stops, threads->pause);
    }
    if (last > first && count >= BLOCK)
        threads->letting_go = (double)(last - first) / (double)count;
}

/* ---- precedence ---- */

/* While the process stands still, everybody who waits for it waits for this one: it goes first, if it may. */
static void set_precedence(bool is_first)
{
    enum { LOWEST = 1 };
    struct sched_param parameters = {.sched_priority = is_first ? LOWEST : 0};
    sched_setscheduler(0, is_first ? SCHED_FIFO : SCHED_OTHER, &parameters);
}

static void go_first(void *context, unsigned hand)
{
    (void)context, (void)hand;
    set_precedence(true);
}

static void go_as_usual(void *context, unsigned hand)
{
    (void)context, (void)hand;
    set_precedence(false);
}

/* The end of a stop. */
static void let_all_go(struct stop *stop, void (*call)(void *context, unsigned hand))
{
    uint64_t first = an_clock_now();
    each(stop, call);
    note_pause(stop, stop->threads->held, first);
    each(stop, go_as_usual);
    set_precedence(false);
}

/* ---- the whole ---- */

void an_threads_open(struct an_threads *threads, const struct an_target *target)
{
    *threads = (struct an_threads){.target = target};
    an_hands_open(&threads->hands);
}

void an_threads_close(struct an_threads *threads)
{
    an_hands_do(&threads->hands, threads->hands.count, let_late_ones_go, NULL);
    an_hands_close(&threads->hands);
    an_vector_free(&threads->list);
    an_map_free(&threads->numbers);
}

static void start_anew(struct an_threads *threads)
{
    let_late_ones_go(NULL, 0); /* of remote.c */
    an_hands_do(&threads->hands, threads->hands.count, let_late_ones_go, NULL);
    threads->list.count = 0;
    an_map_free(&threads->numbers);
    threads->numbers = (struct an_map){0};
    threads->held = 0;
    threads->pause = 0;
}

/* While they run: most threads are seized then, so that the stop does not take the time of that. */
static enum an_code seize_before(struct stop *stop, struct an_error *error)
{
    enum { MOST = 8 }; /* so often they are looked for */
    unsigned times = 0;
    size_t before;
    enum an_code code;
    do {
        before = stop->seized;
        code = seize_new(stop, error);
    } while (code == AN_OK && stop->seized > before && ++times < MOST);
    return code;
}

/* All that were seized are told to stop, also when that has failed: one that runs cannot be let go. */
static enum an_code halt_all(struct stop *stop, enum an_code code, struct an_error *error)
{
    stop->is_well = code == AN_OK;
    halt_new(stop);
    return code == AN_OK ? judge(stop, error) : code;
}

static enum an_code stop_all(struct stop *stop, enum an_code code, struct an_error *error)
{
    code = halt_all(stop, code, error);
    while (code == AN_OK && !has_all(stop->threads)) {
        stop->shares[0].is_overdue = an_clock_now() >= stop->deadline;
        code = halt_all(stop, seize_new(stop, error), error);
    }
    return code;
}

enum an_code an_threads_stop(struct an_threads *threads, uint64_t most, struct an_error *error)
{
    struct stop stop = {.threads = threads};
    start_anew(threads);
    stop.queues = an_tracee_queues_signals(threads->target->living);
    enum an_code code = seize_before(&stop, error);
    each(&stop, go_first);
    set_precedence(true);
    threads->began = an_clock_now();
    threads->most = most - most / 20; /* others may take a processor away, or the hypervisor */
    stop.deadline = deadline_of(threads);
    code = stop_all(&stop, code, error);
    threads->all_stood = an_clock_now();
    if (code == AN_OK && threads->all_stood > stop.deadline)
        code = an_threads_late(threads, error);
    if (code != AN_OK)
        let_all_go(&stop, give_up);
    return code;
}

bool an_threads_in_time(const struct an_threads *threads)
{
    uint64_t spent = an_clock_now() - threads->began;
    return spent + to_let_go(threads, threads->held) <= threads->most;
}

enum an_code an_threads_late(const struct an_threads *threads, struct an_error *error)
{
    an_fail(error, AN_SYSTEM, "process %d cannot be stopped for less than %.0f ms",
            threads->target->pid, (double)threads->most * 20 / 19 * 1e-6);
    return an_error_hint(error, "allow a longer stop (--max-pause), or try again when the machine "
                                "is less busy");
}

void an_threads_release(struct an_threads *threads)
{
    struct stop stop = {.threads = threads};
    threads->meanwhile = (double)(an_clock_now() - threads->all_stood);
    let_all_go(&stop, release);
}
