/*
 * Processes that have so many threads that they cannot all be stopped in the time that a stop may take. Trying again
 * is of no use then, and it is better known before the process is recorded than after that.
 */
#ifndef AN_LIVE_CROWDED_H
#define AN_LIVE_CROWDED_H

#include "live/threads.h"

struct an_crowded {
    unsigned times; /* that a stop took far longer than it may, one after the other */
};

/* Takes note of a stop that has just failed, and whose threads are let go. AN_UNSUPPORTED: it is no use to try again. */
enum an_code an_crowded_note(struct an_crowded *crowded, const struct an_threads *threads,
                             struct an_error *error);

/* Finds it out: stops a process of so many threads that it is in doubt, for `most` nanoseconds, up to twice. AN_OK
 * says that it was possible, or that it may be. SIGCHLD must be blocked. */
enum an_code an_crowded_try(const struct an_target *target, uint64_t most, struct an_error *error);

#endif
