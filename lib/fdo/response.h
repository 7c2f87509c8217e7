/* Response files: a word @FILE of a command line stands for the words in FILE. */
#ifndef AN_FDO_RESPONSE_H
#define AN_FDO_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/vector.h"

struct an_fdo_words {
    AN_VECTOR(const char *);
};

/*
 * The words, with those of response files in their places; these live in the arena. A file that cannot be read,
 * and one that files stand in too deeply, stays a word. False: no memory. The caller frees the vector.
 */
bool an_fdo_expand(struct an_fdo_words *to, struct an_arena *arena, size_t count,
                   char *const *words);

#endif
