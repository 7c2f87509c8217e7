/*
 * Moving a table's entries into the order of its list, so that the next file, which has its lines
 * in that order, finds them side by side in memory. It costs little against what is gained by it,
 * and is done when an eighth of the entries are out of order. Entries change places where they are:
 * a second room for them would be most of the memory that a merge takes.
 */
#include "bolt/fdata_table.h"

#include "base/error.h"

enum { FEW = 1024 };

static size_t key_bytes(const struct fdata_table *table)
{
    size_t size = 0;
    for (size_t i = 0; i < table->entries.count; i++)
        size += table->nodes.items[i].length;
    return size;
}

void an_fdata_table_free_spare(struct fdata_table *table)
{
    free(table->spare.moved_to);
    free(table->spare.keys);
    table->spare = (struct fdata_spare){0};
}

/* Room for so many at least, and some more. */
static bool make(void **items, size_t *room, size_t least, size_t size)
{
    if (*items && *room >= least)
        return true;
    free(*items);
    *room = least + least / 8;
    *items = an_alloc(*room, size);
    return *items;
}

static bool make_room(struct fdata_table *table)
{
    struct fdata_spare *spare = &table->spare;
    return make((void **)&spare->moved_to, &spare->moved_room, table->entries.count,
                sizeof *spare->moved_to) &&
           make((void **)&spare->keys, &spare->key_room, key_bytes(table), 1);
}

/* Copies the keys in order, and notes where all will be. */
static void move_keys(struct fdata_table *table)
{
    char *key = table->spare.keys;
    uint32_t count = 0;
    for (uint32_t at = table->first; at; at = table->nodes.items[at - 1].next) {
        struct fdata_node *node = &table->nodes.items[at - 1];
        memcpy(key, node->key, node->length);
        node->key = key;
        key += node->length;
        table->spare.moved_to[at - 1] = count++;
    }
    an_assert(count == table->entries.count);
    key = table->ordered_keys;
    table->ordered_keys = table->spare.keys;
    table->spare.keys = key;
    size_t room = table->key_room;
    table->key_room = table->spare.key_room;
    table->spare.key_room = room;
    an_arena_free(&table->arena);
}

/* Each one to its place, whose own goes on to its place, until one comes back to where this began. */
static void move_entries(struct fdata_table *table)
{
    struct fdata_entry *entries = table->entries.items;
    struct fdata_node *nodes = table->nodes.items;
    uint32_t *moved_to = table->spare.moved_to;
    for (uint32_t i = 0; i < table->entries.count; i++) {
        if (moved_to[i] == i)
            continue;
        struct fdata_entry entry = entries[i];
        struct fdata_node node = nodes[i];
        for (uint32_t to = moved_to[i], next; to != i; to = next) {
            struct fdata_entry entry_there = entries[to];
            struct fdata_node node_there = nodes[to];
            entries[to] = entry;
            nodes[to] = node;
            entry = entry_there;
            node = node_there;
            next = moved_to[to];
            moved_to[to] = to;
        }
        entries[i] = entry;
        nodes[i] = node;
    }
}

static void link_in_order(struct fdata_table *table)
{
    uint32_t count = (uint32_t)table->entries.count;
    for (uint32_t i = 0; i < count; i++) {
        table->nodes.items[i].next = i + 1 < count ? i + 2 : 0;
        table->nodes.items[i].previous = i;
    }
    table->first = 1;
}

void an_fdata_table_arrange(struct fdata_table *table)
{
    size_t count = table->entries.count;
    size_t out_of_order = count - table->in_order + table->moved;
    if (count < FEW || out_of_order < count / 8 || !make_room(table))
        return;
    move_keys(table);
    for (size_t i = 0; i <= table->slots.mask; i++) {
        uint32_t *index_plus_1 = &table->slots.items[i].index_plus_1;
        if (*index_plus_1)
            *index_plus_1 = table->spare.moved_to[*index_plus_1 - 1] + 1;
    }
    move_entries(table);
    link_in_order(table);
    table->in_order = count;
    table->moved = 0;
}
