/*
 * How densely a recording covers the code that runs: branches for each byte of hot code. llvm-bolt lays out blocks by
 * their counts, and one branch for each byte is what people take for enough.
 *
 *     branch ─► to ──────────── from ─► next branch
 *               ████████████████           the code between them was executed; it counts in pieces of 32 bytes
 *
 * Hot is the code that most of this falls on: the pieces, most frequent first, until they make up 95 %. Addresses are
 * the processes' own: where processes have the same program at other addresses, code counts more than once, and the
 * density is said too low rather than too high.
 */
#ifndef AN_RECORD_DENSITY_H
#define AN_RECORD_DENSITY_H

#include <anneal/record.h>

#include "base/map.h"
#include "record/perf_writer.h"

struct an_density { /* all 0 to begin with */
    struct an_map pieces;
    uint64_t branches;
    uint64_t next; /* with so many of them it may be enough */
    bool failed;   /* no memory, or far too much code: it is not known */
    bool is_enough;
};

/* Branches that a thread has taken one after the other, oldest first. */
void an_density_add(struct an_density *density, const struct an_perf_branch *branches,
                    size_t count);

/* A stack of `count` branches as the kernel writes it: AN_BRANCH_SIZE bytes each, newest first. One that is longer than
 * its `size` bytes does not count. */
void an_density_add_stack(struct an_density *density, const uint8_t *stack, size_t size,
                          uint64_t count);

/* Fills in hot_bytes and density, which stay 0 when they are not known. */
void an_density_finish(const struct an_density *density, struct an_record_counts *counts);

/* Whether a recording may end: the density is a quarter above AN_RECORD_DENSE, so that the last windows cannot make it less
 * than that, of some thousand branches at least. Cheap to be asked often, and once it is so, it stays so. */
bool an_density_is_enough(struct an_density *density);
void an_density_free(struct an_density *density);

#endif
