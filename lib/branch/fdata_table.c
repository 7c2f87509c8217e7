/* Distinct keys with their sums; see fdata_table.h. */
#include "branch/fdata_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_SLOTS = 1024 };

void an_fdata_table_free(struct fdata_table *table)
{
    for (size_t i = 0; i < table->inherited.count; i++)
        an_arena_free(&table->inherited.items[i]);
    an_vector_free(&table->inherited);
    an_vector_free(&table->entries);
    an_names_free(&table->owners);
    an_arena_free(&table->arena);
    free(table->slots);
    *table = (struct fdata_table){0};
}

uint64_t an_fdata_key_hash(const char *key, size_t length)
{
    return XXH3_64bits(key, length);
}

struct fdata_entry *an_fdata_table_find(const struct fdata_table *table, const char *key,
                                        size_t length, uint64_t hash)
{
    if (!table->slots)
        return NULL;
    for (size_t at = hash & table->mask;; at = (at + 1) & table->mask) {
        const struct fdata_slot *slot = &table->slots[at];
        if (slot->index_plus_1 == 0)
            return NULL;
        if (slot->hash_high != (uint32_t)(hash >> 32))
            continue;
        struct fdata_entry *entry = &table->entries.items[slot->index_plus_1 - 1];
        if (entry->length == length && memcmp(entry->key, key, length) == 0)
            return entry;
    }
}

static void put_slot(struct fdata_table *table, uint64_t hash, uint32_t index_plus_1)
{
    size_t at = hash & table->mask;
    while (table->slots[at].index_plus_1)
        at = (at + 1) & table->mask;
    table->slots[at] = (struct fdata_slot){(uint32_t)(hash >> 32), index_plus_1};
}

/* Keeps the slots at most half full. */
static bool make_slots(struct fdata_table *table)
{
    size_t number = table->slots ? table->mask + 1 : 0;
    if (2 * (table->entries.count + 1) <= number)
        return true;
    size_t wanted = number ? 2 * number : FIRST_SLOTS;
    struct fdata_slot *slots = an_alloc_zero(wanted, sizeof *slots);
    if (!slots)
        return false;
    free(table->slots);
    table->slots = slots;
    table->mask = wanted - 1;
    for (size_t i = 0; i < table->entries.count; i++)
        put_slot(table, table->entries.items[i].hash, (uint32_t)i + 1);
    return true;
}

/* An entry for a key that lives long enough. */
static struct fdata_entry *insert_kept(struct fdata_table *table, const char *key, size_t length,
                                       uint64_t hash)
{
    if (table->entries.count >= UINT32_MAX - 1 || length > UINT32_MAX || !make_slots(table))
        return NULL;
    struct fdata_entry *entry = an_vector_push(&table->entries);
    if (!entry)
        return NULL;
    *entry = (struct fdata_entry){
        .key = key, .length = (uint32_t)length, .hash = hash, .owner = FDATA_NO_OWNER};
    put_slot(table, hash, (uint32_t)table->entries.count);
    return entry;
}

struct fdata_entry *an_fdata_table_insert(struct fdata_table *table, const char *key, size_t length,
                                          uint64_t hash, const char *owner, size_t owner_length)
{
    char *copy = an_arena_copy(&table->arena, key, length);
    if (!copy)
        return NULL;
    size_t number = FDATA_NO_OWNER;
    if (owner) {
        bool is_new;
        number = an_names_insert(&table->owners, copy + (owner - key), owner_length, &is_new);
        if (number >= FDATA_NO_OWNER)
            return NULL;
    }
    struct fdata_entry *entry = insert_kept(table, copy, length, hash);
    if (entry)
        entry->owner = (uint32_t)number;
    return entry;
}

/* The keys of part, and with them its owners' names, go on living in the table's arenas. */
static bool inherit(struct fdata_table *table, struct fdata_table *part)
{
    for (size_t i = 0; i < part->inherited.count; i++) {
        struct an_arena *place = an_vector_push(&table->inherited);
        if (!place)
            return false;
        *place = part->inherited.items[i];
        part->inherited.items[i] = (struct an_arena){0};
    }
    struct an_arena *place = an_vector_push(&table->inherited);
    if (!place)
        return false;
    *place = part->arena;
    part->arena = (struct an_arena){0};
    return true;
}

/* The table's number for each owner of part, or NULL. */
static uint32_t *map_owners(struct fdata_table *table, const struct fdata_table *part)
{
    uint32_t *numbers = an_alloc(part->owners.count, sizeof *numbers);
    for (size_t i = 0; numbers && i < part->owners.count; i++) {
        const struct an_name *name = &part->owners.names[i];
        bool is_new;
        size_t number = an_names_insert(&table->owners, name->text, name->length, &is_new);
        if (number >= FDATA_NO_OWNER) {
            free(numbers);
            return NULL;
        }
        numbers[i] = (uint32_t)number;
    }
    return numbers;
}

static bool absorb_entry(struct fdata_table *table, const struct fdata_entry *from,
                         const uint32_t *owners)
{
    struct fdata_entry *to = an_fdata_table_find(table, from->key, from->length, from->hash);
    if (!to) {
        to = insert_kept(table, from->key, from->length, from->hash);
        if (!to)
            return false;
        if (from->owner != FDATA_NO_OWNER)
            to->owner = owners[from->owner];
    }
    to->mispreds += from->mispreds;
    to->count += from->count;
    to->lines += from->lines;
    return true;
}

bool an_fdata_table_absorb(struct fdata_table *table, struct fdata_table *part)
{
    bool done = inherit(table, part);
    uint32_t *owners = done ? map_owners(table, part) : NULL;
    done = owners != NULL;
    for (size_t i = 0; done && i < part->entries.count; i++)
        if (part->entries.items[i].lines)
            done = absorb_entry(table, &part->entries.items[i], owners);
    free(owners);
    an_fdata_table_free(part);
    return done;
}
