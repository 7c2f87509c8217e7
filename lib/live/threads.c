/* Stopping all threads of a process; see threads.h. */
#include "live/threads.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/proc.h"
#include "record/tracee.h"

static struct an_thread *find(const struct an_threads *threads, int32_t tid)
{
    const uint64_t *number = an_map_find(&threads->numbers, (uint64_t)tid);
    return number ? &threads->list.items[*number] : NULL;
}

static struct an_thread *add(struct an_threads *threads, int32_t tid)
{
    bool is_new;
    uint64_t *number = an_map_insert(&threads->numbers, (uint64_t)tid, &is_new);
    struct an_thread *thread = number ? an_vector_push(&threads->list) : NULL;
    if (!thread)
        return NULL;
    *number = threads->list.count - 1;
    *thread = (struct an_thread){.tid = tid};
    return thread;
}

struct listing {
    struct an_threads *threads;
    int32_t pid;
    size_t added;
    int refusal; /* errno */
    bool failed;
    bool has_late; /* a thread that we hold already, since it has not stopped when it was told to */
};

static bool is_ours(int32_t tid)
{
    struct an_buffer text;
    if (!an_proc_text(tid, "status", &text))
        return false;
    bool ours =
        an_proc_status_number((const char *)text.data, "\nTracerPid:", 10) == (uint64_t)getpid();
    an_buffer_free(&text);
    return ours;
}

static void add_thread(void *context, int32_t tid)
{
    struct listing *listing = context;
    if (find(listing->threads, tid) || an_proc_is_of_kernel(listing->pid, tid))
        return;
    if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0) {
        int refusal = errno;
        if (is_ours(tid))
            listing->has_late = true;
        else if (an_proc_lives(listing->pid,
                               tid)) /* the first thread is listed to the end of the last */
            listing->refusal = refusal;
        return;
    }
    if (!add(listing->threads, tid))
        listing->failed = true; /* when this thread ends, the kernel lets it go */
    else
        listing->added++;
}

static void let_go(struct an_threads *threads, struct an_thread *thread)
{
    an_tracee_release(thread->tid, 0);
    thread->is_gone = true;
    threads->pause = an_tracee_now() - threads->began;
}

/* A thread that is about to get a signal gets it first, and stands still where its handler begins: were it
 * kept until later, it would be lost if this process were killed meanwhile. */
static void arrive(struct an_thread *thread, int status)
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
    if (event == AN_EVENT_STOP)
        an_tracee_mend(thread->tid);
    thread->is_stopped = an_tracee_registers(thread->tid, &thread->registers);
    thread->is_gone = !thread->is_stopped;
}

static bool is_awaited(const struct an_thread *thread)
{
    return !thread->is_stopped && !thread->is_gone;
}

/* Asks the kernel for one thread, since asking for any takes as long as there are threads. False: nothing has
 * happened to it. */
static bool ask_for(struct an_thread *thread)
{
    int status;
    pid_t got = waitpid(thread->tid, &status, __WALL | __WNOTHREAD | WNOHANG);
    if (got > 0)
        arrive(thread, status);
    else if (got < 0)
        thread->is_gone = true;
    return got != 0;
}

/* All have been told to stop; one after the other is waited for. */
static bool wait_for_all(struct an_threads *threads, uint64_t deadline)
{
    enum { A_WHILE = 200000 };
    for (size_t i = 0; i < threads->list.count; i++)
        while (is_awaited(&threads->list.items[i])) {
            if (ask_for(&threads->list.items[i]))
                continue;
            if (an_tracee_now() >= deadline)
                return false;
            an_tracee_sleep(A_WHILE);
        }
    return true;
}

static void release_stopped(struct an_threads *threads)
{
    for (size_t i = 0; i < threads->list.count; i++)
        if (threads->list.items[i].is_stopped && !threads->list.items[i].is_gone)
            let_go(threads, &threads->list.items[i]);
}

/* Threads that have not stopped yet are waited for, so that what they are in can be mended. Each is let go as
 * soon as it arrives. */
static void give_up(struct an_threads *threads)
{
    enum { LONG = 2000000000, A_WHILE = 200000 };
    uint64_t deadline = an_tracee_now() + LONG;
    size_t awaited;
    do {
        awaited = 0;
        for (size_t i = 0; i < threads->list.count; i++) {
            struct an_thread *thread = &threads->list.items[i];
            if (is_awaited(thread) && !ask_for(thread))
                awaited++;
        }
        release_stopped(threads);
        if (awaited)
            an_tracee_sleep(A_WHILE);
    } while (awaited && an_tracee_now() < deadline);
}

/* Threads that were given up earlier, after all. */
static void let_late_ones_go(void)
{
    struct an_thread late;
    int status;
    while (an_tracee_next(&late.tid, &status)) {
        late.is_gone = late.is_stopped = false;
        arrive(&late, status);
        if (late.is_stopped)
            an_tracee_release(late.tid, 0);
    }
}

/* Seizes threads that are not seized yet, which they do not notice. True: some were new, and more may be. */
static bool seize_all(struct listing *listing, int32_t pid)
{
    char folder[64];
    listing->added = 0;
    snprintf(folder, sizeof folder, "/proc/%d/task", pid);
    if (!an_proc_each(folder, add_thread, listing))
        listing->refusal = ESRCH;
    return listing->added && !listing->failed && !listing->refusal && !listing->has_late;
}

static enum an_code refuse(struct an_threads *threads, const struct listing *listing,
                           const struct an_target *target, struct an_error *error)
{
    give_up(threads);
    if (listing->failed)
        return an_fail_memory(error);
    if (listing->refusal)
        return an_fail(error, AN_SYSTEM, "cannot trace a thread of process %d: %s", target->pid,
                       strerror(listing->refusal));
    an_fail(error, AN_SYSTEM, "a thread of process %d does not stop", target->pid);
    return an_error_hint(
        error, "it may be waiting in the kernel, or for a processor: try again, or allow a longer "
               "stop (--max-pause)");
}

enum an_code an_threads_stop(struct an_threads *threads, const struct an_target *target,
                             uint64_t patience, struct an_error *error)
{
    enum { BEFORE = 8 }; /* so often, at most, threads are looked for while they run */
    struct listing listing = {.threads = threads, .pid = target->pid};
    *threads = (struct an_threads){0};
    let_late_ones_go();
    for (int i = 0; i < BEFORE && seize_all(&listing, target->pid); i++)
        ;
    threads->began = an_tracee_now();
    size_t told = 0;
    bool all = !listing.failed && !listing.refusal && !listing.has_late;
    do {
        for (; told < threads->list.count; told++)
            an_tracee_interrupt(threads->list.items[told].tid);
        all = all && wait_for_all(threads, threads->began + patience);
    } while (all && seize_all(&listing, target->pid));
    if (all && !listing.failed && !listing.refusal && !listing.has_late)
        return AN_OK;
    return refuse(threads, &listing, target, error);
}

void an_threads_hurry(bool begins)
{
    enum { LOWEST = 1 };
    struct sched_param parameters = {.sched_priority = begins ? LOWEST : 0};
    sched_setscheduler(0, begins ? SCHED_FIFO : SCHED_OTHER, &parameters);
}

void an_threads_release(struct an_threads *threads)
{
    release_stopped(threads);
}

void an_threads_free(struct an_threads *threads)
{
    an_vector_free(&threads->list);
    an_map_free(&threads->numbers);
    *threads = (struct an_threads){0};
}
