/*
 * All threads of a process that execute its program, stopped for a moment.
 *
 *     list, seize, until there is none that is new ──► interrupt ──► wait ──► count
 *     (they run)                                       (again, until no more are there than are known)
 *
 * Several hands (hands.h) share the threads, in blocks of their list, since a stop takes as long as the calls for
 * all of them do. What is promised to each thread is what lib/record/tracee.h promises. A call that the stop has
 * interrupted is mended as soon as the thread stands still: should this process be killed then, the kernel lets
 * the threads go as they are.
 */
#ifndef AN_LIVE_THREADS_H
#define AN_LIVE_THREADS_H

#include <sys/user.h>

#include "base/map.h"
#include "base/vector.h"
#include "live/hands.h"
#include "live/target.h"

struct an_thread {
    int32_t tid;
    bool is_seized, is_stopped, is_gone;
    bool is_of_kernel; /* and never touched: gone */
    bool is_strange;   /* of another process, by mistake: let go as soon as it stands still */
    struct user_regs_struct registers;
};

struct an_threads {
    const struct an_target *target;
    struct {
        AN_VECTOR(struct an_thread);
    } list;
    struct an_map numbers; /* of them, by tid */
    size_t held;           /* of them, the ones that stand still */
    uint64_t began;        /* when the first one was told to stop; an_clock_now() */
    uint64_t most;         /* nanoseconds that a stop is meant to take from then, at most */
    uint64_t pause;        /* that it took until the last one was let go */
    uint64_t all_stood;    /* when all stood still */
    double meanwhile;      /* nanoseconds that they did so for, at the last stop */
    double letting_go;     /* nanoseconds that letting one of many go took then; 0: not known */
    struct an_hands hands;
};

/* Prepares for stops of one process. The structure must not be moved until it is closed; that ends the hands, and
 * lets all go that they hold. */
void an_threads_open(struct an_threads *threads, const struct an_target *target);
void an_threads_close(struct an_threads *threads);

/*
 * Stops all threads. AN_SYSTEM when that is not done soon enough to let them all go within `most` nanoseconds (a
 * thread that waits for a vfork, or in the kernel), or when they may not be traced: then all are let go again.
 * SIGCHLD must be blocked. The calling thread has precedence over others, if it may, until they are let go.
 */
enum an_code an_threads_stop(struct an_threads *threads, uint64_t most, struct an_error *error);

/* Whether the stop will have been short enough, if all are let go now. */
bool an_threads_in_time(const struct an_threads *threads);

/* The error of one that will not: AN_SYSTEM. */
enum an_code an_threads_late(const struct an_threads *threads, struct an_error *error);

/* Lets all go that are held. */
void an_threads_release(struct an_threads *threads);

/* So many of the hands have threads, the first ones; and whether a thread, by its place in the list, is one's. */
unsigned an_threads_sharing(const struct an_threads *threads);
bool an_threads_is_of(const struct an_threads *threads, unsigned hand, size_t number);

#endif
