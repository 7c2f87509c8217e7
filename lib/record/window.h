/* A window: the branches that a thread takes one after the other from some moment on. */
#ifndef AN_RECORD_WINDOW_H
#define AN_RECORD_WINDOW_H

#include "record/perf_writer.h"

enum { AN_WINDOW_MOST = 1024 };

enum an_window_end {
    AN_WINDOW_FULL,    /* it has as many branches as were wanted */
    AN_WINDOW_SYSCALL, /* before a system call: goes on behind it */
    AN_WINDOW_STUCK,   /* before an instruction that cannot be followed; `why` names it */
    AN_WINDOW_GONE, /* the thread has ended, or is about to take a signal; nothing of it counts */
};

struct an_window {
    struct an_perf_thread thread;
    size_t wanted, count;
    struct an_perf_branch branches[AN_WINDOW_MOST]; /* oldest first */
    uint64_t ip;                                    /* where it ends */
    const char *why;
};

#endif
