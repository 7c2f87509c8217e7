/*
 * Some processes at a time, each with its group and its time limit.
 *
 *     start ─► running ──its end──► the group is empty ─────────────────────► ended
 *                 │                 │ after a second   │ after the grace
 *                 └─time-out, end──►└────► SIGTERM ────┴──► SIGKILL ───────► ended
 *
 * A child has ended when nothing is left of its group, for then its files do not change any more. What comes from
 * the keyboard does not reach it. (A session of its own would have it quite without a terminal; but sessions have
 * their own shares of the processors, and to begin one takes two milliseconds on a machine that has other work.)
 */
#ifndef AN_TRAIN_CHILDREN_H
#define AN_TRAIN_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct an_children;

/* How a child is started. */
struct an_child_start {
    char *const *arguments;      /* the first is looked up in PATH */
    char *const *environment;    /* both ended by NULL */
    const char *output, *errors; /* files that take what it prints; they are made */
    size_t id;
    double timeout; /* seconds; 0: any */
};

struct an_child_end {
    size_t id;
    int status; /* as waitpid() has it */
    double seconds;
    bool timed_out, was_told; /* told: by an_children_end() or an_children_kill() */
    bool left_running;        /* others of its group still ran, and were ended */
};

/* Room for `most` at a time; `grace`: seconds from SIGTERM to SIGKILL. NULL: no memory. */
struct an_children *an_children_new(size_t most, double grace);

size_t an_children_running(const struct an_children *children);

/* 0, or the errno with which it could not be started. There must be room. */
int an_children_start(struct an_children *children, const struct an_child_start *start);

/* The next one that ended; false when none did within some tenths of a second, or a signal came. */
bool an_children_wait(struct an_children *children, struct an_child_end *end);

/* Tells all to end; they are given the grace. */
void an_children_end(struct an_children *children);

/* Kills all. They still have to be waited for. */
void an_children_kill(struct an_children *children);

/* None may be running. */
void an_children_free(struct an_children *children);

#endif
