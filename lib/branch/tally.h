/*
 * Counting branches: how often control went from one address to another and from there straight on
 * to the next branch.
 *
 * Addresses are kept in 32 bits, relative to the binary's first one: 0 stands for all that lies
 * elsewhere. A slot is half a cache line, never across two; the slots of a sample are fetched
 * before any of them is used, since the table does not fit into the processor's caches. (MariaDB,
 * 6.4 million branches: 3 times as fast as one after the other.)
 */
#ifndef AN_BRANCH_TALLY_H
#define AN_BRANCH_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AN_TALLY_NOWHERE UINT32_MAX /* `next` of the newest branch of a sample */

struct an_tally_slot {
    uint32_t from, to;
    uint32_t next;     /* where the next branch was taken, or AN_TALLY_NOWHERE */
    uint32_t occupied; /* 1; a free slot is all zero */
    uint64_t count, mispreds;
};

struct an_tally {
    struct an_tally_slot *slots;
    size_t mask; /* number of slots - 1; 0 while empty */
    size_t used;
    uint64_t secret; /* of where branches belong: secret.h */
};

struct an_tally_branch {
    uint32_t from, to, next;
    bool mispredicted;
};

enum { AN_TALLY_BATCH = 64 };

/* Counts up to AN_TALLY_BATCH branches, each once. False when memory runs out. */
bool an_tally_add(struct an_tally *tally, const struct an_tally_branch *branches, size_t count);

/* Counts one branch many times. */
bool an_tally_add_many(struct an_tally *tally, const struct an_tally_branch *branch, uint64_t count,
                       uint64_t mispreds);

/* Adds another tally's counts. */
bool an_tally_join(struct an_tally *tally, const struct an_tally *other);
void an_tally_free(struct an_tally *tally);

#endif
