/*
 * Functions that stay where they are, with what the profile says of them: how much of the process's work a layout does
 * without.
 */
#ifndef AN_LIVE_UNMOVED_H
#define AN_LIVE_UNMOVED_H

#include <anneal/live.h>

#include "base/bytes.h"
#include "base/vector.h"

struct an_unmoved {
    AN_VECTOR(struct an_live_unmoved);
    struct an_buffer names; /* those that llvm-bolt refused, each with a 0 byte behind it */
};

/*
 * Lists the refused ones, whose names are there, and those of `left_out` that are in the profile, by their shares. The
 * caller frees the list, also on failure.
 */
enum an_code an_unmoved_find(struct an_unmoved *unmoved, const char *path,
                             const char *const *left_out, size_t left_out_count,
                             struct an_error *error);
void an_unmoved_free(struct an_unmoved *unmoved);

#endif
