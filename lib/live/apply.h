/*
 * Carrying out a plan: one short stop of all threads, in which memory comes to hold what it shall.
 *
 *     touch the pages ─► read ─► compare ─► stop ─► where are the threads? ─► write ─► let go
 *
 * Every prefix of the writes is a correct program, since old and new code do the same: places of the
 * original come first, then those of the generations; what unwinders have to know comes before all. No write is torn: the kernel writes page by
 * page, and no place lies across two pages but words of data, which are aligned.
 */
#ifndef AN_LIVE_APPLY_H
#define AN_LIVE_APPLY_H

#include "live/plan.h"
#include "live/target.h"

struct an_applied {
    size_t pages, places; /* written */
    size_t foreign;       /* places that somebody else has changed: left alone */
    size_t occupied;      /* entries that a thread would not leave: left alone */
    size_t referred;      /* entries that something in memory refers to the middle of: left alone */
    bool is_torn;         /* writing failed, and so did putting back: some places are as planned */
    unsigned attempts;    /* stops */
    double pause;         /* seconds: of the longest of them, from the first thread stopped to the
                             last one let go */
    size_t threads;
};

/*
 * Brings a process to the planned state. On failure everything is as it was before. A stop that is not over in
 * `most` nanoseconds is given up before anything is written, and tried again later, for some seconds.
 * AN_SYSTEM: its threads could not be stopped for so short a time, or its memory not be written.
 * AN_UNSUPPORTED: it has too many threads for that.
 */
enum an_code an_apply(struct an_target *target, struct an_plan *plan, uint64_t most,
                      struct an_applied *applied, struct an_error *error);

#endif
