/* Distinct keys with their sums; see fdata_table.h. */
#include "bolt/fdata_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/secret.h"

enum { FIRST_SLOTS = 1024 };

/* Half of what an index + 1 can be: slots are twice as many. */
#define MOST_ENTRIES ((size_t)INT32_MAX)

static void free_slots(struct fdata_table *table)
{
    free(table->slots.items);
    free(table->variant_slots.items);
    table->slots = table->variant_slots = (struct fdata_slots){0};
}

void an_fdata_table_free(struct fdata_table *table)
{
    for (size_t i = 0; i < table->inherited.count; i++)
        an_arena_free(&table->inherited.items[i]);
    for (size_t i = 0; i < table->inherited_keys.count; i++)
        free(table->inherited_keys.items[i]);
    an_vector_free(&table->inherited);
    an_vector_free(&table->inherited_keys);
    an_vector_free(&table->entries);
    an_vector_free(&table->nodes);
    an_vector_free(&table->variants);
    an_names_free(&table->owners);
    an_arena_free(&table->names);
    an_arena_free(&table->arena);
    free(table->ordered_keys);
    an_fdata_table_free_spare(table);
    free_slots(table);
    *table = (struct fdata_table){0};
}

/* ---- slots ---- */

static void put_slot(struct fdata_slots *slots, uint32_t hash, uint32_t index_plus_1)
{
    size_t at = hash & slots->mask;
    while (slots->items[at].index_plus_1)
        at = (at + 1) & slots->mask;
    slots->items[at] = (struct fdata_slot){hash, index_plus_1};
}

/* Keeps the slots at most half full when one more than `count` are in use. */
static bool make_slots(struct fdata_slots *slots, size_t count)
{
    size_t number = slots->items ? slots->mask + 1 : 0;
    if (2 * (count + 1) <= number)
        return true;
    struct fdata_slots grown = {.mask = (number ? 2 * number : FIRST_SLOTS) - 1};
    grown.items = an_alloc_zero(grown.mask + 1, sizeof *grown.items);
    if (!grown.items)
        return false;
    for (size_t i = 0; i < number; i++)
        if (slots->items[i].index_plus_1)
            put_slot(&grown, slots->items[i].hash, slots->items[i].index_plus_1);
    free(slots->items);
    *slots = grown;
    return true;
}

/* ---- entries ---- */

static uint32_t hash_key(const struct fdata_table *table, const char *key, size_t length)
{
    return (uint32_t)XXH3_64bits_withSeed(key, length, table->secret);
}

/* Before the first key. */
static void make_secret(struct fdata_table *table)
{
    if (!table->secret)
        table->secret = an_secret_for(table);
}

static struct fdata_entry *find(const struct fdata_table *table, const char *key, size_t length,
                                uint32_t hash)
{
    const struct fdata_slots *slots = &table->slots;
    if (!slots->items)
        return NULL;
    for (size_t at = hash & slots->mask;; at = (at + 1) & slots->mask) {
        const struct fdata_slot *slot = &slots->items[at];
        if (slot->index_plus_1 == 0)
            return NULL;
        if (slot->hash != hash)
            continue;
        const struct fdata_node *node = &table->nodes.items[slot->index_plus_1 - 1];
        if (node->length == length && memcmp(node->key, key, length) == 0)
            return &table->entries.items[slot->index_plus_1 - 1];
    }
}

struct fdata_entry *an_fdata_table_find(const struct fdata_table *table, const char *key,
                                        size_t length)
{
    return find(table, key, length, hash_key(table, key, length));
}

static void link_in(struct fdata_table *table, uint32_t index_plus_1, uint32_t after)
{
    struct fdata_node *nodes = table->nodes.items;
    uint32_t *before = after ? &nodes[after - 1].next : &table->first;
    nodes[index_plus_1 - 1].next = *before;
    nodes[index_plus_1 - 1].previous = after;
    if (*before)
        nodes[*before - 1].previous = index_plus_1;
    *before = index_plus_1;
}

void an_fdata_table_move(struct fdata_table *table, uint32_t index_plus_1, uint32_t after)
{
    struct fdata_node *nodes = table->nodes.items;
    uint32_t next = nodes[index_plus_1 - 1].next, previous = nodes[index_plus_1 - 1].previous;
    if (index_plus_1 == after || previous == after)
        return;
    *(previous ? &nodes[previous - 1].next : &table->first) = next;
    if (next)
        nodes[next - 1].previous = previous;
    link_in(table, index_plus_1, after);
    table->moved++;
}

/* An entry for a key that lives long enough. */
static struct fdata_entry *insert_kept(struct fdata_table *table, const char *key, size_t length,
                                       uint32_t hash, uint32_t after)
{
    if (table->entries.count >= MOST_ENTRIES || length > UINT32_MAX ||
        !make_slots(&table->slots, table->entries.count))
        return NULL;
    struct fdata_node *node = an_vector_push(&table->nodes);
    if (!node)
        return NULL;
    struct fdata_entry *entry = an_vector_push(&table->entries);
    if (!entry) {
        table->nodes.count--;
        return NULL;
    }
    *entry = (struct fdata_entry){.number = (uint32_t)(table->entries.count - 1)};
    *node = (struct fdata_node){.end = length < 8 ? 0 : an_load64(key + length - 8),
                                .key = key,
                                .length = (uint32_t)length,
                                .owner = FDATA_NO_OWNER};
    link_in(table, (uint32_t)table->entries.count, after);
    put_slot(&table->slots, hash, (uint32_t)table->entries.count);
    return entry;
}

/* The number of a function, which is remembered by a copy of its name if it is new. */
static bool number_owner(struct fdata_table *table, const char *name, size_t length,
                         uint32_t *number)
{
    size_t found = an_names_find(&table->owners, name, length);
    if (found == AN_NO_NAME) {
        bool is_new;
        const char *copy = an_arena_copy(&table->names, name, length);
        found = copy ? an_names_insert(&table->owners, copy, length, &is_new) : AN_NO_NAME;
    }
    *number = (uint32_t)found;
    return found < FDATA_NO_OWNER;
}

struct fdata_entry *an_fdata_table_insert(struct fdata_table *table, const char *key, size_t length,
                                          const char *owner, size_t owner_length, uint32_t after)
{
    uint32_t number = FDATA_NO_OWNER;
    make_secret(table);
    char *copy = an_arena_copy(&table->arena, key, length);
    if (!copy || (owner && !number_owner(table, owner, owner_length, &number)))
        return NULL;
    struct fdata_entry *entry =
        insert_kept(table, copy, length, hash_key(table, key, length), after);
    if (entry)
        an_fdata_node(table, entry)->owner = number;
    return entry;
}

/* ---- variants ---- */

static uint32_t hash_variant(const struct fdata_table *table, uint32_t number, uint64_t mispreds)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(mispreds ^ table->secret) *
                   ((uint64_t)number * 0xd6e8feb86659fd93u ^ ~table->secret);
    return (uint32_t)(product ^ product >> 64);
}

void an_fdata_fetch_variant_slot(const struct fdata_table *table, uint32_t number,
                                 uint64_t mispreds)
{
    const struct fdata_slots *slots = &table->variant_slots;
    if (slots->items)
        __builtin_prefetch(&slots->items[hash_variant(table, number, mispreds) & slots->mask]);
}

void an_fdata_fetch_variant(const struct fdata_table *table, uint32_t number, uint64_t mispreds)
{
    const struct fdata_slots *slots = &table->variant_slots;
    if (!slots->items)
        return;
    uint32_t found = slots->items[hash_variant(table, number, mispreds) & slots->mask].index_plus_1;
    if (found)
        __builtin_prefetch(&table->variants.items[found - 1], 1);
}

struct fdata_variant *an_fdata_table_variant(struct fdata_table *table, uint32_t number,
                                             uint64_t mispreds)
{
    struct fdata_slots *slots = &table->variant_slots;
    uint32_t hash = hash_variant(table, number, mispreds);
    if (table->variants.count >= MOST_ENTRIES || !make_slots(slots, table->variants.count))
        return NULL;
    for (size_t at = hash & slots->mask; slots->items[at].index_plus_1;
         at = (at + 1) & slots->mask) {
        struct fdata_variant *variant = &table->variants.items[slots->items[at].index_plus_1 - 1];
        if (slots->items[at].hash == hash && variant->number == number &&
            variant->mispreds == mispreds)
            return variant;
    }
    struct fdata_variant *variant = an_vector_push(&table->variants);
    if (!variant)
        return NULL;
    *variant = (struct fdata_variant){.mispreds = mispreds, .number = number};
    put_slot(slots, hash, (uint32_t)table->variants.count);
    return variant;
}

uint32_t *an_fdata_table_indexes(const struct fdata_table *table)
{
    uint32_t *indexes = an_alloc(table->entries.count, sizeof *indexes);
    for (size_t i = 0; indexes && i < table->entries.count; i++)
        indexes[table->entries.items[i].number] = (uint32_t)i;
    return indexes;
}

/* ---- absorbing ---- */

/* The keys of part go on living in the table. */
static bool inherit(struct fdata_table *table, struct fdata_table *part)
{
    struct an_arena *arena = an_vector_push(&table->inherited);
    if (!arena)
        return false;
    *arena = part->arena;
    part->arena = (struct an_arena){0};
    char **keys = an_vector_push(&table->inherited_keys);
    if (!keys)
        return false;
    *keys = part->ordered_keys;
    part->ordered_keys = NULL;
    return true;
}

/* Makes an entry for a key of part that the table does not have. */
static struct fdata_entry *take_over(struct fdata_table *table, const struct fdata_table *part,
                                     const struct fdata_node *from, uint32_t hash)
{
    struct fdata_entry *entry = insert_kept(table, from->key, from->length, hash, 0);
    if (!entry || from->owner == FDATA_NO_OWNER)
        return entry;
    const struct an_name *name = &part->owners.names[from->owner];
    return number_owner(table, name->text, name->length, &an_fdata_node(table, entry)->owner)
               ? entry
               : NULL;
}

/* Adds one of part's entries; *number becomes that of the table's. */
static bool absorb_entry(struct fdata_table *table, const struct fdata_table *part,
                         const struct fdata_entry *from, uint32_t *number)
{
    const struct fdata_node *node = an_fdata_node(part, from);
    uint32_t hash = hash_key(table, node->key, node->length);
    struct fdata_entry *to = find(table, node->key, node->length, hash);
    if (!to)
        to = take_over(table, part, node, hash);
    if (!to)
        return false;
    to->mispreds += from->mispreds;
    to->count += from->count;
    to->lines += from->lines;
    *number = to->number;
    return true;
}

static bool absorb_variants(struct fdata_table *table, const struct fdata_table *part,
                            const uint32_t *numbers)
{
    for (size_t i = 0; i < part->variants.count; i++) {
        const struct fdata_variant *from = &part->variants.items[i];
        struct fdata_variant *to =
            an_fdata_table_variant(table, numbers[from->number], from->mispreds);
        if (!to)
            return false;
        to->count += from->count;
        to->lines += from->lines;
    }
    return true;
}

bool an_fdata_table_absorb(struct fdata_table *table, struct fdata_table *part)
{
    free_slots(part); /* nothing is looked up in it any more, and both tables are large */
    an_fdata_table_free_spare(part);
    an_fdata_table_free_spare(table);
    uint32_t *numbers = an_alloc(part->entries.count, sizeof *numbers);
    bool done = numbers && inherit(table, part);
    make_secret(table);
    for (size_t i = 0; done && i < part->entries.count; i++) {
        const struct fdata_entry *from = &part->entries.items[i];
        done = absorb_entry(table, part, from, &numbers[from->number]);
    }
    an_vector_free(&part->entries);
    an_vector_free(&part->nodes);
    done = done && absorb_variants(table, part, numbers);
    free(numbers);
    an_fdata_table_free(part);
    return done;
}
