/*
 * Threads that are traced but not held: they go their way until something happens, and what is known
 * of them then has to be found again.
 */
#ifndef AN_RECORD_PARKED_H
#define AN_RECORD_PARKED_H

#include "record/window.h"

enum an_parked_phase {
    AN_PARKED_FREE,    /* nobody */
    AN_PARKED_LATE,    /* told to stop, and not there yet */
    AN_PARKED_ENTRY,   /* on its way to a system call */
    AN_PARKED_EXIT,    /* in it */
    AN_PARKED_LEAVING, /* told to stop, to be let go */
};

/* What was asked of a thread that was told to stop. */
struct an_parked_request {
    uint64_t moment; /* at which it was to be looked at */
    uint64_t waited; /* for processors, in all its life before that */
};

struct an_parked {
    enum an_parked_phase phase;
    uint64_t call;                    /* the address of the instruction, at ENTRY */
    struct an_parked_request request; /* when LATE */
    struct an_window window;          /* so far */
};

struct an_parked_table {
    struct an_parked items[256];
    size_t count;
};

/* NULL when the thread is not parked. */
struct an_parked *an_parked_find(struct an_parked_table *table, int32_t tid);

/* NULL when there is no room. Valid until it is removed. */
struct an_parked *an_parked_add(struct an_parked_table *table, enum an_parked_phase phase,
                                const struct an_window *window);

void an_parked_remove(struct an_parked_table *table, struct an_parked *parked);

void an_parked_each(struct an_parked_table *table, enum an_parked_phase phase,
                    void (*call)(struct an_parked *));

/* Whether any is LATE or LEAVING. */
bool an_parked_any_stopping(const struct an_parked_table *table);

#endif
