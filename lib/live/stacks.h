/*
 * What threads that stand still have on their stacks, read for many of them at a time: while a process is stopped, a
 * call for each thread is a call too many.
 *
 *     mapping     | ........... |  ######################## |
 *                 start         rsp - below                 end
 *
 * Longer parts are left to the caller, since a part that was never touched would come into being when it is read
 * (pages.h): between the stack pointer and an end that is a few pages away, there is hardly any.
 */
#ifndef AN_LIVE_STACKS_H
#define AN_LIVE_STACKS_H

#include "live/threads.h"

struct an_stack {
    const struct an_thread *thread;
    const struct an_target_mapping *mapping; /* NULL: it is not known */
    uint64_t start;                          /* a multiple of 8 */
    const uint64_t *words;                   /* NULL: they are many, or cannot be read so */
    size_t count;                            /* of them, to the end of the mapping */
};

/*
 * Calls a function for each thread that is stopped, with what is from `below` bytes below its stack pointer on. The
 * hands of `threads` make the calls, several at a time. False when memory runs out, or the time of the stop: then not
 * all have been looked at.
 */
bool an_stacks_each(struct an_threads *threads, uint64_t below,
                    void (*call)(void *context, const struct an_stack *stack), void *context);

#endif
