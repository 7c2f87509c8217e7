/*
 * A window of a thread's execution, made with ptrace: the thread is stopped wherever it is and
 * single-stepped until it has taken so many branches. x86-64 only.
 *
 * A thread that blocks in a system call while it is stepped is left alone ("parked"), since to
 * interrupt it could end the call with EINTR; it is let go when the call is over.
 */
#ifndef AN_TEST_STEP_WINDOW_H
#define AN_TEST_STEP_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "support/perf_write.h"

enum { MOST_WINDOW_BRANCHES = 512 };

enum window_end {
    WINDOW_FULL,    /* the thread is stopped: let_go() it */
    WINDOW_DROPPED, /* a signal, something that cannot be followed, or too many steps: likewise */
    WINDOW_PARKED,  /* the thread blocks; it is let go on its own when that is over */
    WINDOW_GONE,    /* the thread has ended, or may not be traced */
};

struct window {
    pid_t tid;
    int signal; /* waits to be delivered */
    size_t count, steps;
    struct perf_branch branches[MOST_WINDOW_BRANCHES]; /* oldest first; without mispredictions */
    bool conditional[MOST_WINDOW_BRANCHES];
};

/*
 * Stops the thread and steps it until it has taken `branches` of them. While it lasts, signals
 * (an alarm, an interrupt from the keyboard) must not be set to restart system calls: the handler
 * sets *give_up, which ends the window.
 */
enum window_end window_step(struct window *window, pid_t tid, size_t branches,
                            const volatile bool *give_up);

/* Lets a stopped thread run on, with the signal that it was about to get. */
void window_let_go(const struct window *window);

/* Lets those parked threads go whose system calls are over, or, at the end, all of them. */
void parked_let_go(bool all);

/* Whether the thread is traced because it is parked. */
bool is_parked(pid_t tid);

/* Tells and forgets whether a process that is waited for, pid, was seen to end; its status. */
bool seen_to_end(pid_t pid, int *status);

#endif
