/*
 * One generation of new code: a binary that llvm-bolt made of the original, of which the new segments
 * are mapped into the process.
 *
 *     original   | f | g | h | ...                      in the process from its start on
 *     file c1    | as original, patched | new segment | names, translation |
 *                                         |
 *                                         +--> mapped:  | .text | .text.cold | .eh_frame | ... | page |
 *
 * Behind the segment lies a page of its own (attach.h). All addresses are as linked; the process has
 * them `bias` higher.
 */
#ifndef AN_LIVE_GENERATION_H
#define AN_LIVE_GENERATION_H

#include <limits.h>

#include "base/foreign.h"
#include "live/moved.h"
#include "live/reach.h"

struct an_generation {
    unsigned number; /* from 1 on */
    char path[PATH_MAX];
    struct an_elf *elf;
    struct an_bat *bat;
    struct an_moved_list moved;  /* functions */
    struct an_moved_list blocks; /* whose first instructions are the same */
    uint64_t *originals;         /* of functions, by their hot fragments in bat; of others 0 */
    uint64_t start, end;         /* of the new segment, whole pages */
    uint64_t code_end;           /* in it, behind the last code */
    uint64_t file_offset;        /* of the segment in the file */
    uint64_t file_size;          /* of the segment, not rounded */
    struct an_reach reach;       /* of the new segment */
    uint64_t frames;             /* address of its .eh_frame */
    uint64_t new_code;           /* bytes of it */
};

enum { AN_GENERATION_EXTRA = 4096 }; /* bytes behind the segment */

/*
 * Reads a binary that llvm-bolt --enable-bat has made of `original`. AN_UNSUPPORTED when it is not of
 * the shape that is expected: one new segment, of code, with translation; AN_USAGE when the path leads to
 * something else than an expected file. The caller closes it, also on failure.
 */
enum an_code an_generation_open(struct an_generation *generation, const char *path, unsigned number,
                                const struct an_foreign *expected, struct an_elf *original,
                                struct an_error *error);
void an_generation_close(struct an_generation *generation);

/* The function that was there in the original, or NULL. */
const struct an_moved *an_generation_find(const struct an_generation *generation,
                                          uint64_t original);

/* The function whose code an address was in, in the original, or NULL. */
const struct an_moved *an_generation_around(const struct an_generation *generation,
                                            uint64_t address);

/* Tells the original's code which of its places begin blocks: what a jump table may lead to. */
void an_generation_lead(const struct an_generation *generation, struct an_reach *original);

#endif
