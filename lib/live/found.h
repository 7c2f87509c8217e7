/*
 * Which layouts a process has, found where it is certain: in its mappings. Their names tell (folder.h), whoever
 * mapped them: this process, or one that it was forked from, which need not be there any more.
 *
 *     0x40000000 r-xp  .../4026531836-81-2044/c1      a layout, of process 81
 *     0x40020000 rw-p  .../4026531836-81-2044/c1      its page (attach.h)
 *     0x50000000 r-xp  (no name)                      one in huge pages: the page behind it has the name
 *     0x50200000 rw-p  .../4026531836-95-3187/c2
 *
 * Layouts of the process's state are looked for as well, for it may have another name for them.
 */
#ifndef AN_LIVE_FOUND_H
#define AN_LIVE_FOUND_H

#include "live/state.h"

struct an_found {
    unsigned number;
    char path[PATH_MAX]; /* to open it: its name or, if that is gone, a link of the kernel's */
    bool is_link;
    const struct an_target_mapping
        *mapping; /* of the file, as of the last look; NULL: under no name known */
};

struct an_found_list {
    AN_VECTOR(struct an_found); /* by their numbers: oldest first */
};

/* The caller frees the list with an_vector_free(), also on failure: when memory runs out, or there are more than
 * AN_STATE_MOST. */
enum an_code an_found_layouts(const struct an_target *target, const struct an_state *state,
                              struct an_found_list *list, struct an_error *error);

#endif
