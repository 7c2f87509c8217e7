/*
 * The table is replayed: it has 64 buckets, or twice as many as before when it would become three quarters full, and then its
 * keys are moved in the order of the buckets. A key goes to the first free bucket of those that lie 0, 1, 3, 6... behind its own.
 * How far the last search from a bucket came is remembered, for all keys of a file may have one.
 */
#include "llvm/dense_order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"

struct table {
    uint32_t *buckets; /* index of a key + 1; 0: free */
    uint32_t *reached;
    size_t number;
    const uint64_t *keys;
};

static void place(struct table *table, uint32_t key)
{
    uint64_t hash = table->keys[key] * 0xbf58476d1ce4e5b9; /* of splitmix64 */
    size_t mask = table->number - 1, home = (uint32_t)(hash ^ hash >> 31) & mask;
    size_t steps = table->reached[home], at = (home + steps * (steps + 1) / 2) & mask;
    while (table->buckets[at])
        at = (at + ++table->reached[home]) & mask;
    table->buckets[at] = key + 1;
}

static bool grow(struct table *table)
{
    struct table grown = *table;
    grown.number = table->number ? 2 * table->number : 64;
    grown.buckets = an_alloc_zero(grown.number, sizeof *grown.buckets);
    grown.reached = an_alloc_zero(grown.number, sizeof *grown.reached);
    bool done = grown.buckets && grown.reached;
    for (size_t i = 0; done && i < table->number; i++)
        if (table->buckets[i])
            place(&grown, table->buckets[i] - 1);
    free(done ? table->buckets : grown.buckets);
    free(done ? table->reached : grown.reached);
    if (done)
        *table = grown;
    return done;
}

size_t an_dense_order(const uint64_t *keys, size_t count, uint32_t *order)
{
    struct table table = {.keys = keys};
    struct an_map known = {0};
    size_t used = 0, found = 0;
    bool done = count < UINT32_MAX && grow(&table);
    for (size_t i = 0; done && i < count; i++) {
        bool is_new = false;
        done = an_map_insert(&known, keys[i], &is_new);
        if (!is_new)
            continue;
        if (++used * 4 >= table.number * 3)
            done = grow(&table);
        if (done)
            place(&table, (uint32_t)i);
    }
    for (size_t i = 0; done && i < table.number; i++)
        if (table.buckets[i])
            order[found++] = table.buckets[i] - 1;
    free(table.buckets);
    free(table.reached);
    an_map_free(&known);
    return done ? found : SIZE_MAX;
}
