/*
 * Threads that are traced but not held: they go their way until something happens, and what is known
 * of them then has to be found again.
 */
#ifndef AN_RECORD_PENDING_THREADS_H
#define AN_RECORD_PENDING_THREADS_H

#include "record/window.h"

enum an_pending_phase {
    AN_PENDING_FREE,    /* nobody */
    AN_PENDING_LATE,    /* told to stop, and not there yet */
    AN_PENDING_ENTRY,   /* on its way to a system call */
    AN_PENDING_EXIT,    /* in it */
    AN_PENDING_LEAVING, /* told to stop, to be let go */
};

/* What was asked of a thread that was told to stop. */
struct an_pending_request {
    uint64_t moment; /* at which it was to be looked at */
    uint64_t waited; /* for processors, in all its life before that */
};

struct an_pending_thread {
    enum an_pending_phase phase;
    uint64_t call;                     /* the address of the instruction, at ENTRY */
    struct an_pending_request request; /* when LATE */
    struct an_window window;           /* so far */
};

struct an_pending_threads {
    struct an_pending_thread items[256];
    size_t count;
};

/* NULL when the thread is not pending. */
struct an_pending_thread *an_pending_find(struct an_pending_threads *table, int32_t tid);

/* NULL when there is no room. Valid until it is removed. */
struct an_pending_thread *an_pending_add(struct an_pending_threads *table,
                                         enum an_pending_phase phase,
                                         const struct an_window *window);

void an_pending_remove(struct an_pending_threads *table, struct an_pending_thread *pending);

void an_pending_each(struct an_pending_threads *table, enum an_pending_phase phase,
                     void (*call)(struct an_pending_thread *));

/* Whether any is LATE or LEAVING. */
bool an_pending_any_stopping(const struct an_pending_threads *table);

#endif
