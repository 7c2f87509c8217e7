/*
 * Contexts that are on no thread's stack, and may go on at a place that is about to change: a handler of a signal has
 * put the interrupted function to sleep (swapcontext), or copied where it was.
 *
 *     memory        | ... | ... rip: entry + 4 ... | ...        any word may be that
 *
 * All memory that the process can write is searched while it runs, for words that are addresses strictly inside of
 * such places; during the stop, those that are still there count. What falls asleep in between is not seen. On the
 * stacks of threads frames that are no longer used lie for ever, and those that are used are known otherwise
 * (occupied.h): words there do not count.
 */
#ifndef AN_LIVE_INSIDE_H
#define AN_LIVE_INSIDE_H

#include "live/plan.h"
#include "live/threads.h"

struct an_inside_word {
    uint64_t address, value;
};

struct an_inside {
    AN_VECTOR(struct an_inside_word);
};

/*
 * More words than any program has that was not made to have them: frames of signals that are no longer used on a few
 * thousand stacks. That many are read again in a few milliseconds.
 */
enum { AN_INSIDE_MOST = 16384 };

/* Searches, with the plan's marks of what changes. AN_SYSTEM when memory is not known, AN_UNSUPPORTED when there are
 * more than AN_INSIDE_MOST such words. The caller frees the list, also on failure. */
enum an_code an_inside_find(const struct an_target *target, struct an_plan *plan,
                            struct an_inside *inside, struct an_error *error);
void an_inside_free(struct an_inside *inside);

/* All threads are stopped: marks places as withheld. *count: how many were not marked before, but for those that may stay
 * as they are (an_patch_site_may_stay()). Whether any was. */
bool an_inside_withhold(const struct an_inside *inside, const struct an_threads *threads,
                        struct an_plan *plan, size_t *count);

#endif
