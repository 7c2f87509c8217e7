/*
 * Adding to a file that many processes add to at once, so that at any moment it holds all that was added
 * to it so far, whole: a process may be killed between any two instructions, the disk may be full.
 *
 *     open ─► lock ─► is it still the file of that name? ─► read ─► judge
 *                                                                    ├─ fits: write NAME.new with the
 *                                                                    │  sum, rename it to NAME; or
 *                                                                    │  write over it (below)
 *                                                                    ├─ other: take NAME.OWNER, or
 *                                                                    │  give it that name
 *                                                                    ╰─ damaged: rename it to
 *                                                                       NAME.damaged, begin anew
 *     there is none: write a nameless file, give it the name if nobody else has done so
 *
 * The rename is the commit point: readers see the old file or the new one. Locks go with the process that holds
 * them; who waited for the lock of a file that was replaced opens the new one.
 *
 * File systems take their time for a new file that replaces another one (ext4: 150 us, for it is sent to the disk
 * then), and a GCC program has a file for each object. So a file whose size stays the same is written over:
 * one of a page at most at once, and a larger one, if its format has detours, in steps after each of which a
 * process may be killed and the file has the old sum or the new one:
 *
 *     │ head │ first record │ ... │                                    the old sum
 *     │ head │ first record │ ... │ first record │ ... new │           what is appended is not read
 *     │ head │ detour ───────────►│ first record │ ... new │           the new sum: the commit point
 *     │ head │ detour ───────────►│ first record │ ... new │           the front is written over
 *     │ head │ first record │ ... new │ ...                │           the new sum, in its place
 *     │ head │ first record │ ... new │                                what was appended is cut off
 *
 * Each step but the long ones, whose bytes nobody reads, is one write within a page, which the kernel does not
 * break off.
 *
 * What is former (former.h) is not added to, but replaced in the same way.
 *
 * Links are followed, so that it is the file they lead to that is replaced. What is no regular file is left alone: a
 * pipe may never be read. What is far larger than any profile, or does not begin like one, is damaged, and not read.
 *
 * When another build's profile stands there, the newer one of both has the name: a profile that was written
 * last before this program was built becomes NAME.OWNER, with its build's number; otherwise this program adds
 * to NAME.OWNER, with its own number. Where a profile stands there that this user may not add to, as another one's, the name is
 * NAME.userNUMBER. When others hold the lock for too long, for one of them is stopped, it is
 * NAME.1 and so on. Tags stand before what is behind the last dot of NAME.
 */
#ifndef AN_RT_COMMIT_H
#define AN_RT_COMMIT_H

#include "core/port.h"
#include "hosted/former.h"
#include "hosted/name.h"

enum { AN_RT_FIRST = 8 };

struct an_rt_contents {
    /* What an existing file is; if another build's, *owner is the number of that. */
    enum an_rt_fit (*judge)(void *context, const uint8_t *old, size_t size, uint64_t *owner);
    /* Writes the new file; old is NULL when there is none. */
    bool (*write)(void *context, const uint8_t *old, size_t size, struct an_rt_sink *sink);
    void *context;
    /*
     * Eight bytes that, at the place returned, within the first page, make readers go on behind the end of a file
     * of that size; NULL: there is no such thing.
     */
    size_t (*detour)(void *context, size_t size, uint8_t detour[8]);
    /* Whether a file may be a profile, of any program, by its first bytes: one that cannot be is not read. */
    bool (*may_be)(const uint8_t first[AN_RT_FIRST]);
    const struct an_rt_former *former; /* what is replaced instead of added to; NULL: nothing is */
    size_t own_size;                   /* what the program's profile has at least, about */
    bool goes_together; /* may wait for the files of the process's other modules (together.h) */
};

/*
 * Adds to the file of that name, of at most AN_RT_PATH bytes with its 0, or to one beside it, if the program may
 * (environment.h). owner: the number of this build. False after a message.
 */
bool an_rt_commit(const char *path, const struct an_rt_contents *contents, uint64_t owner);

/*
 * Makes a file of that name, whole or not at all. 0, EEXIST when there is one already, or another errno.
 * Only contents->write is used.
 */
int an_rt_create(const char *path, const struct an_rt_contents *contents);

/*
 * Adds to a file that the program holds open, where it stands: there is no name to give to another one, so that
 * a kill in between leaves neither the old nor the new sum. False after a message, which calls the file `what`.
 */
bool an_rt_commit_open(int file, const char *what, const struct an_rt_contents *contents);

#endif
