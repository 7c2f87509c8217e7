/* Hash tables in files: the order of their items, and their bytes; see chained.h. */
#include "llvm/chained.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_BUCKETS = 64, BUCKET_HEAD = 2 /* bytes: how many items there are */ };

static void chain(struct chained *table, uint32_t item)
{
    size_t bucket = table->hashes[item] & (table->buckets - 1);
    table->next[item] = table->heads[bucket];
    table->heads[bucket] = item;
}

static bool resize(struct chained *table, size_t buckets)
{
    uint32_t *old = table->heads;
    size_t old_buckets = table->buckets;
    uint32_t *heads = an_alloc(buckets, sizeof *heads);
    if (!heads)
        return false;
    memset(heads, 0xff, buckets * sizeof *heads);
    table->heads = heads;
    table->buckets = buckets;
    for (size_t b = 0; old && b < old_buckets; b++)
        for (uint32_t item = old[b], following; item != CHAINED_END; item = following) {
            following = table->next[item];
            chain(table, item);
        }
    free(old);
    return true;
}

/* A power of two for an occupancy of 3/8 to 3/4; one bucket for up to two items. */
static size_t final_buckets(size_t items)
{
    size_t buckets = 1;
    if (items > 2)
        while (buckets < items * 4 / 3 + 1)
            buckets *= 2;
    return buckets;
}

bool an_chained_build(struct chained *table, const uint64_t *hashes, size_t count)
{
    *table = (struct chained){.hashes = hashes, .count = count};
    table->next = an_alloc(count, sizeof *table->next);
    if (!table->next || count >= CHAINED_END || !resize(table, FIRST_BUCKETS))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (4 * (i + 1) >= 3 * table->buckets && !resize(table, 2 * table->buckets))
            return false;
        chain(table, (uint32_t)i);
    }
    size_t wanted = final_buckets(count);
    return wanted == table->buckets || resize(table, wanted);
}

void an_chained_free(struct chained *table)
{
    free(table->heads);
    free(table->next);
}

/*
 * A table that was shrunk has its chains turned around once more, bucket of 64 by bucket of 64: then, items come in the order
 * in which they were inserted. In others, where the items of one bucket get to depends on when they were inserted, and not on
 * those of other buckets. So any order shows which places there are for a bucket's items, and it is known which of them has to
 * be in which.
 */
bool an_chained_insertions(const uint64_t *hashes, size_t count, uint32_t *order)
{
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    size_t buckets = final_buckets(count);
    if (buckets < FIRST_BUCKETS)
        return true;
    struct chained table;
    uint32_t *place = an_alloc(buckets, sizeof *place); /* in the chain of each bucket */
    bool done = an_chained_build(&table, hashes, count) && place;
    if (done)
        memcpy(place, table.heads, buckets * sizeof *place);
    for (size_t i = 0; done && i < count; i++) {
        uint32_t *here = &place[hashes[i] & (buckets - 1)];
        order[*here] = (uint32_t)i;
        *here = table.next[*here];
    }
    free(place);
    an_chained_free(&table);
    return done;
}

uint64_t an_chained_places(const struct chained *table, uint64_t at, uint64_t *places)
{
    for (size_t b = 0; b < table->buckets; b++) {
        uint32_t item = table->heads[b];
        at += item == CHAINED_END ? 0 : BUCKET_HEAD;
        for (uint64_t size; item != CHAINED_END; item = table->next[item]) {
            size = places[item];
            places[item] = at;
            at += size;
        }
    }
    return at;
}

/* The number of items, in front of the first one. */
static void put_head(const struct chained *table, size_t bucket, uint8_t *to)
{
    unsigned items = 0;
    for (uint32_t item = table->heads[bucket]; item != CHAINED_END; item = table->next[item])
        items++;
    to[0] = (uint8_t)items;
    to[1] = (uint8_t)(items >> 8);
}

uint64_t an_chained_finish(const struct chained *table, struct an_buffer *buffer, uint64_t origin,
                           const uint64_t *places)
{
    for (size_t b = 0; b < table->buckets && !buffer->failed; b++)
        if (table->heads[b] != CHAINED_END)
            put_head(table, b, buffer->data + places[table->heads[b]] - BUCKET_HEAD);
    while ((origin + buffer->size) % 8 && !buffer->failed)
        an_buffer_le(buffer, 0, 1);
    uint64_t at = origin + buffer->size;
    an_buffer_le64(buffer, table->buckets);
    an_buffer_le64(buffer, table->count);
    for (size_t b = 0; b < table->buckets && !buffer->failed; b++) {
        uint32_t first = table->heads[b];
        an_buffer_le64(buffer, first == CHAINED_END ? 0 : origin + places[first] - BUCKET_HEAD);
    }
    return at;
}

uint64_t an_chained_put(const struct chained *table, struct an_buffer *buffer, uint64_t origin,
                        void (*put)(void *context, uint32_t item), void *context)
{
    uint64_t *places = an_alloc(table->count, sizeof *places);
    buffer->failed |= !places;
    for (size_t b = 0; b < table->buckets && !buffer->failed; b++) {
        if (table->heads[b] != CHAINED_END)
            an_buffer_extend(buffer, BUCKET_HEAD);
        for (uint32_t item = table->heads[b]; item != CHAINED_END; item = table->next[item]) {
            places[item] = buffer->size;
            put(context, item);
        }
    }
    uint64_t at = buffer->failed ? 0 : an_chained_finish(table, buffer, origin, places);
    free(places);
    return at;
}
