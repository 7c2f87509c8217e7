/*
 * Which files of layouts some process has mapped. A process that forks gives its child its layouts: these
 * outlive the process, and what leads to them can be taken back only with the help of their files.
 *
 * All processes that can be seen are looked at, once. Those that cannot be looked into count if they might be
 * children: if they are the caller's own, and began after the process that the layout was made for.
 */
#ifndef AN_LIVE_IN_USE_H
#define AN_LIVE_IN_USE_H

#include "base/memory.h"
#include "base/vector.h"

struct an_in_use { /* all 0 to begin with */
    bool is_known, failed;
    uint64_t hidden; /* when the last process began that could not be looked into */
    struct an_arena names;
    struct {
        AN_VECTOR(const char *);
    } tails; /* of paths (folder.h) */
};

/* Whether the file of a layout is, or might be, mapped somewhere; looks at the first call. */
bool an_in_use_has(struct an_in_use *in_use, const char *path);
void an_in_use_free(struct an_in_use *in_use);

#endif
