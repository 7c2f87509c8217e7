/*
 * Making a generation part of a process, before anything leads to it, and taking it away again.
 *
 *     | .text, .text.cold, .eh_frame ... of the file, read and execute | a page, read and write | a table, read |
 *                                                                        what registered.h and    frame_table.h
 *                                                                        debugger.h keep there
 *
 * The page is a private one of the file, so that the kernel shows which layout lies there, in children of
 * the process, too, and where the code is a copy. The table is memory without a file, if there is one.
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

/* Maps the table of frames behind a generation's page, where an_attach_table_address() has it. */
enum an_code an_attach_table(struct an_target *target, const struct an_remote *remote,
                             const struct an_generation *generation, const struct an_buffer *table,
                             struct an_error *error);
uint64_t an_attach_table_address(const struct an_target *target,
                                 const struct an_generation *generation);

/* Bytes of its mapping, as of the last look; 0: there is none. */
uint64_t an_attach_table_size(const struct an_target *target,
                              const struct an_generation *generation);

/* Unmaps a generation that nothing leads or refers to, with its page and its table. Not mapped is no error. */
enum an_code an_attach_undo(struct an_target *target, const struct an_remote *remote,
                            const struct an_generation *generation, struct an_error *error);

/* Whether a generation is mapped, as of the last look. */
bool an_attach_is_mapped(const struct an_target *target, const struct an_generation *generation);

#endif
