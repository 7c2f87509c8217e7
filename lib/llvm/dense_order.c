/*
 * The table is replayed: it has 64 buckets, or 4 before that where it is a small one, and twice as many as before when it would
 * become three quarters full; then its keys are moved in the order of the buckets. A key goes to the first free bucket of those that
 * lie 0, 1, 3, 6... behind its own (LLVM 19's DenseMapInfo<uint64_t>). Hashes have no secret: all keys of a file may have one
 * place. But nothing is removed, so a search need not begin anew: `reached` is how far the last one came from each place.
 */
#include "llvm/dense_order.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"

struct table {
    uint32_t *buckets; /* index of a key + 1; 0: free */
    uint32_t *reached;
    size_t number;
    const uint64_t *keys;
};

enum { SMALL = 4, USUAL = 64 };

static void place(struct table *table, uint32_t key)
{
    uint64_t hash = table->keys[key] * 0xbf58476d1ce4e5b9; /* the mixer of splitmix64 (S. Vigna) */
    size_t mask = table->number - 1, home = (uint32_t)(hash ^ hash >> 31) & mask;
    size_t steps = table->reached[home], at = (home + steps * (steps + 1) / 2) & mask;
    while (table->buckets[at])
        at = (at + ++table->reached[home]) & mask;
    table->buckets[at] = key + 1;
}

static bool grow(struct table *table, size_t number)
{
    struct table grown = *table;
    grown.number = number;
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

/* The key that is the `used`-th one in the table. */
static bool insert(struct table *table, uint32_t key, size_t used)
{
    if (4 * used >= 3 * table->number &&
        !grow(table, table->number < USUAL ? USUAL : 2 * table->number))
        return false;
    place(table, key);
    return true;
}

static size_t take_order(struct table *table, uint32_t *order)
{
    size_t found = 0;
    for (size_t i = 0; i < table->number; i++)
        if (table->buckets[i])
            order[found++] = table->buckets[i] - 1;
    return found;
}

static void free_table(struct table *table)
{
    free(table->buckets);
    free(table->reached);
}

size_t an_dense_order(const uint64_t *keys, size_t count, uint32_t *order)
{
    struct table table = {.keys = keys};
    struct an_map known = {0};
    size_t used = 0;
    bool done = count < UINT32_MAX && grow(&table, USUAL);
    for (size_t i = 0; done && i < count; i++) {
        bool is_new = false;
        done = an_map_insert(&known, keys[i], &is_new);
        if (done && is_new)
            done = insert(&table, (uint32_t)i, ++used);
    }
    size_t found = done ? take_order(&table, order) : SIZE_MAX;
    free_table(&table);
    an_map_free(&known);
    return found;
}

bool an_dense_order_small(const uint64_t *keys, size_t count, uint32_t *order)
{
    struct table table = {.keys = keys};
    bool done = count < UINT32_MAX && grow(&table, SMALL);
    for (size_t i = 0; done && i < count; i++)
        done = insert(&table, (uint32_t)i, i + 1);
    if (done)
        take_order(&table, order);
    free_table(&table);
    return done;
}
