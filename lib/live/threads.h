/*
 * All threads of a process that execute its program, stopped for a moment.
 *
 *     list, seize, until there is none that is new ──► interrupt ──► wait ──► list again
 *     (they run)                                                              (until none is new)
 *
 * What is promised to each thread is what lib/record/tracee.h promises. A call that the stop has
 * interrupted is mended as soon as the thread stands still: should this process be killed then, the
 * kernel lets the threads go as they are.
 */
#ifndef AN_LIVE_THREADS_H
#define AN_LIVE_THREADS_H

#include <sys/user.h>

#include "base/map.h"
#include "base/vector.h"
#include "live/target.h"

struct an_thread {
    int32_t tid;
    bool is_stopped, is_gone;
    struct user_regs_struct registers;
};

struct an_threads {
    struct {
        AN_VECTOR(struct an_thread);
    } list;
    struct an_map numbers; /* of them, by tid */
    uint64_t began;        /* when the first one was told to stop; an_tracee_now() */
    uint64_t pause;        /* nanoseconds from then until the last one was let go */
};

/*
 * Stops all threads. AN_SYSTEM when that is not done within `patience` nanoseconds (a thread that waits
 * for a vfork, or in the kernel), or when they may not be traced: then all are let go again. SIGCHLD
 * must be blocked.
 */
enum an_code an_threads_stop(struct an_threads *threads, const struct an_target *target,
                             uint64_t patience, struct an_error *error);

/* While the process stands still, everybody who waits for it waits for this one: it goes first, if it may. From before
 * a stop until after it. */
void an_threads_hurry(bool begins);

/* Lets all go that are held. */
void an_threads_release(struct an_threads *threads);
void an_threads_free(struct an_threads *threads);

#endif
