/*
 * Frames of new code that are registered with the unwinders of a process, where these have no other way to find them.
 *
 * GCC's unwinder keeps a list of frames that were registered (__register_frame_info). A process may have more than one
 * unwinder: libgcc_s, and one that was linked into the program. Each keeps an object in the generation's page
 * (attach.h).
 *
 * Once anything is registered, libgcc before GCC 13 takes a lock at every exception, for as long as the process runs.
 */
#ifndef AN_LIVE_REGISTERED_H
#define AN_LIVE_REGISTERED_H

#include "live/generation.h"
#include "live/remote.h"

enum { AN_UNWINDERS_MOST = 4 };

struct an_unwinder {
    uint64_t add, remove; /* addresses of its functions; 0: it has none, or they are not known */
    bool asks_linker;     /* it asks the dynamic linker (find_object.h) */
};

/* The unwinders that a process has; how many. */
unsigned an_unwinders_find(const struct an_target *target,
                           struct an_unwinder unwinders[AN_UNWINDERS_MOST]);

/* Registers a generation's frames with an unwinder that does not know them yet. */
enum an_code an_registered_add(const struct an_target *target, const struct an_remote *remote,
                               const struct an_generation *generation,
                               const struct an_unwinder *unwinder, struct an_error *error);

/* Takes back what was registered for a generation. AN_SYSTEM when it is not known whether that was done. */
enum an_code an_registered_remove(const struct an_target *target, const struct an_remote *remote,
                                  const struct an_generation *generation, struct an_error *error);

#endif
