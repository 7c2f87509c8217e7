/*
 * Moving a table's entries into the order of its list, so that the next file, which has its lines
 * in that order, finds them side by side in memory. It costs little against what is gained by it,
 * and is done when an eighth of the entries are out of order.
 */
#include "bolt/fdata_table.h"

#include "base/error.h"

enum { FEW = 1024 };

struct arranged {
    struct fdata_entry *entries;
    struct fdata_node *nodes;
    uint32_t *moved_to; /* index + 1 by old index + 1 */
    char *keys;
};

static size_t key_bytes(const struct fdata_table *table)
{
    size_t size = 0;
    for (size_t i = 0; i < table->entries.count; i++)
        size += table->nodes.items[i].length;
    return size;
}

static bool make_room(struct arranged *to, const struct fdata_table *table)
{
    to->entries = an_alloc(table->entries.capacity, sizeof *to->entries);
    to->nodes = an_alloc(table->nodes.capacity, sizeof *to->nodes);
    to->moved_to = an_alloc(table->entries.count + 1, sizeof *to->moved_to);
    to->keys = an_alloc(key_bytes(table), 1);
    if (to->entries && to->nodes && to->moved_to && to->keys)
        return true;
    free(to->entries);
    free(to->nodes);
    free(to->moved_to);
    free(to->keys);
    return false;
}

static void copy_in_order(struct arranged *to, const struct fdata_table *table)
{
    char *key = to->keys;
    uint32_t count = 0;
    for (uint32_t at = table->first; at; at = table->nodes.items[at - 1].next) {
        to->entries[count] = table->entries.items[at - 1];
        to->nodes[count] = table->nodes.items[at - 1];
        memcpy(key, to->nodes[count].key, to->nodes[count].length);
        to->nodes[count].key = key;
        key += to->nodes[count].length;
        to->moved_to[at] = ++count;
        to->nodes[count - 1].next = count + 1;
        to->nodes[count - 1].previous = count - 1;
    }
    to->nodes[count - 1].next = 0;
    an_assert(count == table->entries.count);
}

void an_fdata_table_arrange(struct fdata_table *table)
{
    struct arranged to;
    size_t count = table->entries.count;
    size_t out_of_order = count - table->in_order + table->moved;
    if (count < FEW || out_of_order < count / 8 || !make_room(&to, table))
        return;
    copy_in_order(&to, table);
    for (size_t i = 0; i <= table->slots.mask; i++)
        if (table->slots.items[i].index_plus_1)
            table->slots.items[i].index_plus_1 = to.moved_to[table->slots.items[i].index_plus_1];
    free(to.moved_to);
    free(table->entries.items);
    free(table->nodes.items);
    free(table->ordered_keys);
    an_arena_free(&table->arena);
    table->entries.items = to.entries;
    table->nodes.items = to.nodes;
    table->ordered_keys = to.keys;
    table->first = 1;
    table->in_order = count;
    table->moved = 0;
}
