/*
 * Adding to a file that many processes add to at once, so that at any moment it holds all that was added
 * to it so far, whole: a process may be killed between any two instructions, the disk may be full.
 *
 *     open ─► lock ─► is it still the file of that name? ─► read ─► judge
 *                                                                    ├─ fits: write NAME.new with the
 *                                                                    │  sum, rename it to NAME
 *                                                                    ├─ other: the caller takes
 *                                                                    │  another name
 *                                                                    ╰─ damaged: rename it to
 *                                                                       NAME.damaged, begin anew
 *     there is none: write a nameless file, give it the name if nobody else has done so
 *
 * The rename is the commit point: readers see the old file or the new one. (Files of a page at most are
 * written in place, at once.) Locks go with the process
 * that holds them; who waited for the lock of a file that was replaced opens the new one.
 */
#ifndef AN_RT_COMMIT_H
#define AN_RT_COMMIT_H

#include "core/port.h"

struct an_rt_contents {
    /* What an existing file is. Bytes behind `size` may not be read. */
    enum an_rt_fit (*judge)(void *context, const uint8_t *old, size_t size);
    /* Writes the new file; old is NULL when there is none. */
    bool (*write)(void *context, const uint8_t *old, size_t size, struct an_rt_sink *sink);
    void *context;
};

enum an_rt_outcome {
    AN_RT_ADDED,
    AN_RT_TAKEN,  /* the file is another build's: it was left alone */
    AN_RT_BUSY,   /* others held the lock for too long */
    AN_RT_FAILED, /* there was a message */
};

/* Adds to the file of that name, of at most AN_RT_PATH bytes with its 0. */
enum an_rt_outcome an_rt_commit(const char *path, const struct an_rt_contents *contents);

enum { AN_RT_PATH = 4096 };

#endif
