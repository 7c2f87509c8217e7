/*
 * Letting the unwinders of a process know the frames of new code, so that exceptions pass through it, and backtraces.
 *
 *     glibc from 2.35 on, and unwinders that ask it         otherwise
 *     a table of all frames behind the generation's page    each unwinder is told (registered.h)
 *     (frame_table.h), named in the dynamic linker's
 *     record of the program (find_object.h)
 *
 * A table costs nothing: unwinders search in it as they did in the program's own. The newest generation's has the frames
 * of all that were there when it was made, and is the one in use. It comes into use in the stop in which the generation
 * comes into force. Threads may be searching in it at any time, so that it goes in two steps: first the record names
 * another one, and later, when nothing refers to it, it is unmapped.
 */
#ifndef AN_LIVE_FRAMES_H
#define AN_LIVE_FRAMES_H

#include "live/find_object.h"
#include "live/generation.h"
#include "live/remote.h"

struct an_frames {
    struct an_target *target;
    const struct an_remote *remote;
    const struct an_generation *const *generations; /* all that are mapped, oldest first */
    size_t count;
    uint64_t most;    /* nanoseconds that a stop may take */
    bool may_be_slow; /* frames may be registered with unwinders that are slower from then on */
    /* what has been done */
    double pause;       /* seconds: the longest stop */
    unsigned unwinders; /* that know the newest generation */
    bool is_registered; /* they were told of it */
    struct an_find_object_change
        change; /* to be made before anything leads to it; of no record if there is none */
};

/*
 * Lets them know the newest generation, and older ones that one of them does not know, or maps a table and says what is
 * to be changed for it. AN_UNSUPPORTED: the program uses exceptions, but has no unwinder that can be told, or (unless
 * may_be_slow) one that would be slower from then on. What a failure leaves goes with an_attach_undo().
 */
enum an_code an_frames_add(struct an_frames *frames, struct an_error *error);

/* Of a generation whose code nothing refers to: if its table is in use, another one is from now on, if there is one
 * that can be. True: it is not in use, and was not before. What cannot be done stays as it is, and can be later. */
bool an_frames_yield(struct an_frames *frames, size_t which);

/* Of a generation that is about to be unmapped, to whose table nothing refers either: nobody looks for its frames from
 * now on. */
enum an_code an_frames_remove(struct an_frames *frames, size_t which, struct an_error *error);

#endif
