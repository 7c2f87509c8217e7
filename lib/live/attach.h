/*
 * Making a generation part of a process, before anything leads to it: its file is mapped, and the
 * unwinder learns about its frames, so that exceptions can pass through it.
 *
 *     | headers, .text, .text.cold, .eh_frame ... of the file, read and execute | a page, read and write |
 *                                                                                 objects of libgcc
 *
 * The page is a private one of the file, so that the kernel shows which layout lies there, in children of
 * the process, too, and where the code is a copy.
 *
 * The unwinder of GCC keeps a list of frames that were registered (__register_frame_info). A process
 * may have more than one unwinder: libgcc_s, and one that was linked into the program.
 */
#ifndef AN_LIVE_ATTACH_H
#define AN_LIVE_ATTACH_H

#include "live/generation.h"
#include "live/remote.h"

/*
 * Maps a generation at the address that it was linked to. `path` is the file as the process can open
 * it. With `huge_pages` its code is a copy in memory, in pages of 2 MiB if the kernel has some, which
 * tools cannot see the names of. AN_SYSTEM when the process cannot map it, which is then as before.
 */
enum an_code an_attach_map(struct an_target *target, const struct an_remote *remote,
                           const struct an_generation *generation, const char *path,
                           bool huge_pages, struct an_error *error);

/* Registers its frames with every unwinder of the process; *unwinders: how many there are. */
enum an_code an_attach_frames(struct an_target *target, const struct an_remote *remote,
                              const struct an_generation *generation, unsigned *unwinders,
                              struct an_error *error);

/* Takes the frames back and unmaps a generation that nothing leads to. */
enum an_code an_attach_undo(struct an_target *target, const struct an_remote *remote,
                            const struct an_generation *generation, struct an_error *error);

/* Whether a generation is mapped, as of the last look. */
bool an_attach_is_mapped(const struct an_target *target, const struct an_generation *generation);

#endif
