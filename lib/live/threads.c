/* Stopping all threads of a process; see threads.h. */
#include "live/threads.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/proc.h"
#include "record/tracee.h"

static struct an_thread *find(struct an_threads *threads, int32_t tid)
{
    for (size_t i = 0; i < threads->list.count; i++)
        if (threads->list.items[i].tid == tid)
            return &threads->list.items[i];
    return NULL;
}

struct listing {
    struct an_threads *threads;
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
    if (find(listing->threads, tid))
        return;
    if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0) {
        listing->refusal = errno == ESRCH || is_ours(tid) ? listing->refusal : errno;
        listing->has_late = listing->has_late || is_ours(tid);
        return;
    }
    struct an_thread *thread = an_vector_push(&listing->threads->list);
    if (!thread) {
        listing->failed = true;
        an_tracee_interrupt(tid);
        return; /* when this thread ends, the kernel lets it go */
    }
    *thread = (struct an_thread){.tid = tid};
    an_tracee_interrupt(tid);
    listing->added++;
}

/* A thread that is about to get a signal gets it first, and stands still where its handler begins: were it
 * kept until later, it would be lost if this process were killed meanwhile. */
static void arrive(struct an_threads *threads, int32_t tid, int status)
{
    struct an_thread *thread = find(threads, tid), late = {.tid = tid};
    bool is_late = !thread; /* it was told to stop long ago, and not waited for any more */
    int signal;
    thread = is_late ? &late : thread;
    enum an_tracee_event event = an_tracee_event(tid, status, &signal);
    if (event == AN_EVENT_END) {
        thread->is_gone = true;
        return;
    }
    if (event == AN_EVENT_SIGNAL) {
        an_tracee_deliver(tid, signal);
        return;
    }
    if (event == AN_EVENT_STOP)
        an_tracee_mend(tid);
    if (is_late) {
        an_tracee_release(tid, 0);
        return;
    }
    thread->is_stopped = an_tracee_registers(tid, &thread->registers);
    thread->is_gone = !thread->is_stopped;
    if (!threads->first_stop)
        threads->first_stop = an_tracee_now();
}

static bool all_stand(const struct an_threads *threads)
{
    for (size_t i = 0; i < threads->list.count; i++)
        if (!threads->list.items[i].is_stopped && !threads->list.items[i].is_gone)
            return false;
    return true;
}

static bool wait_for_all(struct an_threads *threads, uint64_t deadline)
{
    enum { A_WHILE = 200000 };
    int32_t tid;
    int status;
    for (;;) {
        while (an_tracee_next(&tid, &status))
            arrive(threads, tid, status);
        if (all_stand(threads))
            return true;
        if (an_tracee_now() >= deadline)
            return false;
        an_tracee_sleep(A_WHILE);
    }
}

static void release_stopped(struct an_threads *threads)
{
    for (size_t i = 0; i < threads->list.count; i++) {
        struct an_thread *thread = &threads->list.items[i];
        if (thread->is_stopped && !thread->is_gone) {
            an_tracee_release(thread->tid, 0);
            thread->is_gone = true;
        }
    }
}

/* Threads that have not stopped yet are waited for, so that what they are in can be mended. */
static void give_up(struct an_threads *threads)
{
    enum { LONG = 2000000000 };
    release_stopped(threads);
    wait_for_all(threads, an_tracee_now() + LONG);
    an_threads_release(threads);
}

enum an_code an_threads_stop(struct an_threads *threads, const struct an_target *target,
                             uint64_t patience, struct an_error *error)
{
    uint64_t deadline = an_tracee_now() + patience;
    struct listing listing = {.threads = threads};
    char folder[64];
    *threads = (struct an_threads){0};
    snprintf(folder, sizeof folder, "/proc/%d/task", target->pid);
    do {
        listing.added = 0;
        if (!an_proc_each(folder, add_thread, &listing))
            listing.refusal = ESRCH;
        if (!wait_for_all(threads, deadline) || listing.has_late) {
            give_up(threads);
            an_fail(error, AN_SYSTEM, "a thread of process %d does not stop", target->pid);
            return an_error_hint(error, "it may be waiting in the kernel; try again");
        }
    } while (listing.added && !listing.failed && !listing.refusal);
    if (!listing.failed && !listing.refusal)
        return AN_OK;
    give_up(threads);
    if (listing.failed)
        return an_fail_memory(error);
    an_fail(error, AN_SYSTEM, "cannot trace a thread of process %d: %s", target->pid,
            strerror(listing.refusal));
    return error->code;
}

void an_threads_release(struct an_threads *threads)
{
    release_stopped(threads);
    if (threads->first_stop)
        threads->pause = an_tracee_now() - threads->first_stop;
}

void an_threads_free(struct an_threads *threads)
{
    an_vector_free(&threads->list);
    *threads = (struct an_threads){0};
}
