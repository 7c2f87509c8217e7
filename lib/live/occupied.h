/*
 * Whether some thread is at a place that is about to change, or will come back to one: its next
 * instruction, or that of a function that a signal has interrupted.
 */
#ifndef AN_LIVE_OCCUPIED_H
#define AN_LIVE_OCCUPIED_H

#include "live/plan.h"
#include "live/threads.h"

enum an_patience {
    AN_WAIT_FOR_ALL,
    AN_WAIT_FOR_ENTRIES, /* places that may stay as they are (an_patch_site_may_stay()) are withheld */
    AN_WAIT_FOR_NONE,    /* all that are occupied are */
};

struct an_occupation { /* of places that change */
    size_t waited_for; /* occupied, and not withheld: the threads are to be let go, for a while */
    size_t withheld;   /* marked as that now */
    bool unknown;      /* a stack cannot be read, so that there may be more */
};

/* Looks where the threads are, all of which are stopped. */
struct an_occupation an_occupied(struct an_threads *threads, struct an_plan *plan,
                                 enum an_patience patience);

#endif
