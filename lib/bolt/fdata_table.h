/*
 * The heart of a merge: distinct keys with their sums.
 *
 * A key is the locations of a record as they stand at the start of a line, "1 main 1c 1 parse 0".
 * Keys are compared as bytes, so that a line that was seen before need not be taken apart again.
 *
 * Files of one program have much the same lines in much the same order. So the entries are a list
 * too: a new one is put behind the one whose line came before. Whoever reads a file walks along the
 * list, and as a rule finds the next line's entry a few steps ahead, without a hash. For this walk
 * there is a small node for each entry, and now and then everything is moved into the list's order,
 * so that memory is read from front to back.
 *
 *     nodes     [end of key, key, length, next]...      walked along
 *     entries   [sums]...                               the same indexes
 *     keys      1 main 1c 1 parse 01 main 20 1 main 0...
 *     slots     [hash, index + 1]...                    for what is not found by walking
 *     variants  [number, mispredictions, sum]...        only when lines are merged whole
 */
#ifndef AN_BOLT_FDATA_TABLE_H
#define AN_BOLT_FDATA_TABLE_H

#include "base/bytes.h"
#include "base/map.h"
#include "base/vector.h"

/* Sums are exact, so that they can be taken back: 2^32 lines of weighted counts below 2^96. */
__extension__ typedef unsigned __int128 fdata_sum;

/* What is added to, once a line's entry is known. */
struct fdata_entry {
    fdata_sum count, mispreds;
    uint32_t lines;  /* how many lines it is the sum of; 0: none, or all were taken back */
    uint32_t number; /* the how manyth entry it was: stays when entries are moved */
};

/* What is looked at to know it. */
struct fdata_node {
    uint64_t end;    /* the last 8 bytes of the key, where keys differ most */
    const char *key; /* not terminated */
    uint32_t length; /* of the key */
    uint32_t next;   /* in the list: index + 1, or 0 */
    uint32_t previous;
    uint32_t owner; /* which of the functions the record belongs to; FDATA_NO_OWNER */
};

#define FDATA_NO_OWNER UINT32_MAX

/* When lines are merged whole: those of an entry that have mispredictions, by how many. */
struct fdata_variant {
    fdata_sum count;
    uint64_t mispreds; /* not 0: these lines are the entry itself */
    uint32_t number;   /* of the entry */
    uint32_t lines;
};

struct fdata_slot {
    uint32_t hash;
    uint32_t index_plus_1;
};

struct fdata_slots {
    struct fdata_slot *items;
    size_t mask; /* number of slots - 1; 0 while empty */
};

/* Room for the next move into the list's order. */
struct fdata_spare {
    uint32_t *moved_to; /* index by old index */
    char *keys;         /* what they were moved from, the last time */
    size_t moved_room, key_room;
};

struct fdata_table {
    struct {
        AN_VECTOR(struct fdata_entry);
    } entries;
    struct {
        AN_VECTOR(struct fdata_node);
    } nodes;
    struct {
        AN_VECTOR(struct fdata_variant);
    } variants;
    struct fdata_slots slots, variant_slots;
    uint64_t secret;    /* of where keys belong (base/secret.h); 0 while there are none */
    uint32_t first;     /* of the list: index + 1, or 0 */
    size_t moved;       /* so often were entries moved in the list since they were in order */
    size_t in_order;    /* so many entries were there when they were put into the list's order */
    char *ordered_keys; /* keys of these */
    size_t key_room;    /* what there is for them */
    struct fdata_spare spare;
    struct an_arena arena;  /* the other keys */
    struct an_names owners; /* functions that records belong to */
    struct an_arena names;  /* their names */
    struct {
        AN_VECTOR(struct an_arena);
    } inherited; /* keys of tables that were absorbed */
    struct {
        AN_VECTOR(char *);
    } inherited_keys;
};

void an_fdata_table_free(struct fdata_table *table);

/* The entry of a key, or NULL. Valid until the next insertion. */
struct fdata_entry *an_fdata_table_find(const struct fdata_table *table, const char *key,
                                        size_t length);

/*
 * Adds a key that is not there yet, to the list behind the entry `after` (index + 1; 0: first), with
 * the name of its owner, or NULL for none. Both texts are copied. NULL when memory runs out.
 */
struct fdata_entry *an_fdata_table_insert(struct fdata_table *table, const char *key, size_t length,
                                          const char *owner, size_t owner_length, uint32_t after);

/* Moves an entry in the list, to behind another one (index + 1; 0: first). */
void an_fdata_table_move(struct fdata_table *table, uint32_t index_plus_1, uint32_t after);

/* The variant of an entry, made if it is new. NULL when memory runs out. */
struct fdata_variant *an_fdata_table_variant(struct fdata_table *table, uint32_t number,
                                             uint64_t mispreds);

/* Has the memory bring what an_fdata_table_variant() will look at: first the one, later the other. */
void an_fdata_fetch_variant_slot(const struct fdata_table *table, uint32_t number,
                                 uint64_t mispreds);
void an_fdata_fetch_variant(const struct fdata_table *table, uint32_t number, uint64_t mispreds);

/* Moves everything into the order of the list, when enough has come since the last time. Indexes
 * of entries change. Out of memory, all stays as it was. */
void an_fdata_table_arrange(struct fdata_table *table);

/* Gives up the room that is kept for that; in the end. */
void an_fdata_table_free_spare(struct fdata_table *table);

/* The index of each entry by its number; free() it. NULL when memory runs out. */
uint32_t *an_fdata_table_indexes(const struct fdata_table *table);

/* Adds all of part to the table and leaves part empty. False when memory runs out. */
bool an_fdata_table_absorb(struct fdata_table *table, struct fdata_table *part);

static inline struct fdata_node *an_fdata_node(const struct fdata_table *table,
                                               const struct fdata_entry *entry)
{
    return &table->nodes.items[entry - table->entries.items];
}

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
