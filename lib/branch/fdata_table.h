/*
 * The heart of a merge: distinct keys with their sums.
 *
 * A key is the start of a line, as it stands in the file: the locations of a record ("1 main 1c 1
 * parse 0"), or all before the last number when lines are merged whole. Keys are compared as bytes,
 * so that a line that was seen before need not be taken apart again.
 *
 * Files of one program have the same lines in much the same order. So every entry remembers which
 * one followed it in the last file; as a rule the guess is right, and no hash is needed.
 */
#ifndef AN_BRANCH_FDATA_TABLE_H
#define AN_BRANCH_FDATA_TABLE_H

#include "base/bytes.h"
#include "base/map.h"
#include "base/vector.h"

/* Sums are exact, so that they can be taken back: 2^32 lines of weighted counts below 2^96. */
__extension__ typedef unsigned __int128 fdata_sum;

struct fdata_entry {
    fdata_sum mispreds, count;
    uint64_t hash;
    const char *key;
    uint32_t length; /* of the key */
    uint32_t next;   /* index + 1 of the entry that came after this one, 0 when unknown */
    uint32_t owner;  /* which of the functions the record belongs to; FDATA_NO_OWNER */
    uint32_t lines;  /* how many lines it is the sum of; 0: all were taken back */
};

#define FDATA_NO_OWNER UINT32_MAX

struct fdata_table {
    struct {
        AN_VECTOR(struct fdata_entry);
    } entries;
    struct fdata_slot {
        uint32_t hash_high;
        uint32_t index_plus_1;
    } *slots;
    size_t mask; /* number of slots - 1; 0 while empty */
    struct an_arena arena;
    struct {
        AN_VECTOR(struct an_arena);
    } inherited;            /* of tables that were absorbed: keys live there */
    struct an_names owners; /* functions that records belong to */
};

void an_fdata_table_free(struct fdata_table *table);

uint64_t an_fdata_key_hash(const char *key, size_t length);

/* The entry of a key, or NULL. Valid until the next insertion. */
struct fdata_entry *an_fdata_table_find(const struct fdata_table *table, const char *key,
                                        size_t length, uint64_t hash);

/*
 * Adds a key that is not there yet; with its owner, a part of the key, or NULL for none. The key is
 * copied. NULL when memory runs out.
 */
struct fdata_entry *an_fdata_table_insert(struct fdata_table *table, const char *key, size_t length,
                                          uint64_t hash, const char *owner, size_t owner_length);

/* Adds all of part to the table and leaves part empty. False when memory runs out. */
bool an_fdata_table_absorb(struct fdata_table *table, struct fdata_table *part);

static inline fdata_sum an_fdata_weighted(uint64_t count, uint64_t weight)
{
    const fdata_sum most = (fdata_sum)1 << 96;
    fdata_sum product = (fdata_sum)count * weight;
    return product < most ? product : most;
}

static inline uint64_t an_fdata_clamped(fdata_sum sum, uint64_t most)
{
    return sum < most ? (uint64_t)sum : most;
}

#endif
