/*
 * Whether some thread is at a place that is about to change, or will come back to one: its next
 * instruction, or that of a function that a signal has interrupted.
 */
#ifndef AN_LIVE_OCCUPIED_H
#define AN_LIVE_OCCUPIED_H

#include "live/plan.h"
#include "live/threads.h"

/* How many entries that change are occupied. With `withhold` these are marked as withheld. All threads
 * are stopped. *unknown: a stack cannot be read, so that there may be more. */
size_t an_occupied(struct an_threads *threads, struct an_plan *plan, bool withhold, bool *unknown);

#endif
