/*
 * Hash tables in files, as LLVM's OnDiskChainedHashTableGenerator writes them:
 *
 *     +------------------------------------------------------------+
 *     | bucket by bucket, unless it is empty:                      |
 *     |   u16 items in the bucket | items...                       |
 *     +------------------------------------------------------------+
 *     | padding to 8 | u64 buckets | u64 items | u64 offset...     |
 *     +------------------------------------------------------------+
 *
 * The order of the items follows from how the generator grows: items are inserted at the head of their bucket's chain,
 * doubling a table of at first 64 buckets turns chains around, and in the end the table is shrunk to fit. It is replayed here.
 */
#ifndef AN_LLVM_CHAINED_H
#define AN_LLVM_CHAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct chained {
    uint32_t *heads; /* per bucket, an item or CHAINED_END */
    uint32_t *next;  /* per item */
    const uint64_t *hashes;
    size_t buckets;
    size_t count;
};

#define CHAINED_END UINT32_MAX

/* The table of items with these hashes, inserted in this order. The hashes have to outlive it. False: no memory; then, too,
 * the table has to be freed. */
bool an_chained_build(struct chained *table, const uint64_t *hashes, size_t count);
void an_chained_free(struct chained *table);

/* An order of insertion that gives items the order in which they are: fills in which one comes first, second... False: no
 * memory. */
bool an_chained_insertions(const uint64_t *hashes, size_t count, uint32_t *order);

/*
 * Writes the table, whose items put() writes. Returns where its array of buckets is. What is said in it of places in the file
 * is true when the buffer's first byte gets to `origin` there.
 */
uint64_t an_chained_put(const struct chained *table, struct an_buffer *buffer, uint64_t origin,
                        void (*put)(void *context, uint32_t item), void *context);

/*
 * The same in two steps, for items whose sizes are known, so that they can be written in any order. places[] has the size of each
 * item, and receives where it gets to in a buffer whose next byte is `at`; what is returned is the end of the last one. When all
 * are written, and the buffer has that size, an_chained_finish() does the rest.
 */
uint64_t an_chained_places(const struct chained *table, uint64_t at, uint64_t *places);
uint64_t an_chained_finish(const struct chained *table, struct an_buffer *buffer, uint64_t origin,
                           const uint64_t *places);

#endif
