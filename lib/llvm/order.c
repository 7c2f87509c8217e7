/*
 * Orders of functions and records. A reader of an indexed profile does not care, but writing the
 * same bytes as llvm-profdata does.
 */
#include "llvm/order.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "llvm/dense_order.h"

static bool ran(const struct record *record)
{
    for (uint32_t i = 0; i < record->count_number; i++)
        if (record->counts[i])
            return true;
    for (uint32_t i = 0; i < record->bitmap_bytes; i++)
        if (record->bitmap[i])
            return true;
    return false;
}

bool an_function_is_written(const struct function *function, bool sparse)
{
    if (!sparse)
        return function->first != NULL;
    for (const struct record *r = function->first; r; r = r->next)
        if (ran(r))
            return true;
    return false;
}

/* A name and the start of its text as a number, so that most comparisons touch no text. */
struct sort_item {
    uint64_t prefix;
    const char *text;
    size_t length;
    size_t index;
};

static int by_name(const void *a, const void *b)
{
    const struct sort_item *left = a, *right = b;
    if (left->prefix != right->prefix)
        return left->prefix < right->prefix ? -1 : 1;
    size_t shorter = left->length < right->length ? left->length : right->length;
    int order = shorter ? memcmp(left->text, right->text, shorter) : 0;
    if (order)
        return order;
    return (left->length > right->length) - (left->length < right->length);
}

static uint64_t prefix_of(const struct an_name *name)
{
    uint8_t start[8] = {0};
    memcpy(start, name->text, name->length < 8 ? name->length : 8);
    return an_get64(start, true);
}

size_t *an_order_by_name(const struct an_llvm_profile *profile, bool sparse, size_t *count)
{
    struct sort_item *items = an_alloc(profile->functions.count, sizeof *items);
    size_t *order = an_alloc(profile->functions.count, sizeof *order);
    *count = 0;
    if (!items || !order) {
        free(items);
        free(order);
        return NULL;
    }
    for (size_t i = 0; i < profile->functions.count; i++) {
        const struct an_name *name = &profile->names.names[i];
        if (an_function_is_written(&profile->functions.items[i], sparse))
            items[(*count)++] = (struct sort_item){prefix_of(name), name->text, name->length, i};
    }
    qsort(items, *count, sizeof *items, by_name);
    for (size_t i = 0; i < *count; i++)
        order[i] = items[i].index;
    free(items);
    return order;
}

struct record **an_function_records(const struct function *function,
                                    struct record *few[FEW_RECORDS])
{
    struct record **records = few;
    if (function->records > FEW_RECORDS)
        records = an_alloc(function->records, sizeof(struct record *));
    size_t count = 0;
    for (struct record *r = function->first; records && r; r = r->next)
        records[count++] = r;
    return records;
}

void an_function_records_free(struct record **records, struct record *few[FEW_RECORDS])
{
    if (records != few)
        free(records);
}

bool an_order_as_densemap(struct record **records, size_t count)
{
    if (count < 2)
        return true;
    uint64_t *hashes = an_alloc(count, sizeof *hashes);
    uint32_t *order = an_alloc(count, sizeof *order);
    struct record **before = an_alloc(count, sizeof(struct record *));
    bool done = hashes && order && before;
    for (size_t i = 0; done && i < count; i++) {
        before[i] = records[i];
        hashes[i] = records[i]->hash;
    }
    done = done && an_dense_order_small(hashes, count, order);
    for (size_t i = 0; done && i < count; i++)
        records[i] = before[order[i]];
    free(hashes);
    free(order);
    free(before);
    return done;
}

/* A place in a hash table of names. */
struct name_bucket {
    struct an_name name; /* text NULL: free */
    uint32_t hash;
    uint32_t reached; /* of names whose own place this is */
};

static void place_name(struct name_bucket *buckets, size_t number, struct name_bucket entry)
{
    uint32_t *reached = &buckets[entry.hash & (number - 1)].reached;
    size_t steps = *reached, at = (entry.hash + steps * (steps + 1) / 2) & (number - 1);
    while (buckets[at].name.text)
        at = (at + ++*reached) & (number - 1);
    buckets[at].name = entry.name;
    buckets[at].hash = entry.hash;
}

bool an_order_as_stringset(struct an_name *names, size_t count)
{
    size_t number = 16;
    struct name_bucket *buckets = an_alloc_zero(number, sizeof *buckets);
    for (size_t i = 0; buckets && i < count; i++) {
        uint32_t hash = (uint32_t)XXH3_64bits(names[i].text, names[i].length);
        place_name(buckets, number, (struct name_bucket){names[i], hash, 0});
        if (4 * (i + 1) <= 3 * number) /* doubles after an insertion that fills it beyond 3/4 */
            continue;
        struct name_bucket *grown = an_alloc_zero(2 * number, sizeof *grown);
        for (size_t b = 0; grown && b < number; b++)
            if (buckets[b].name.text)
                place_name(grown, 2 * number, buckets[b]);
        free(buckets);
        buckets = grown;
        number *= 2;
    }
    if (!buckets)
        return false;
    size_t to = 0;
    for (size_t b = 0; b < number; b++)
        if (buckets[b].name.text)
            names[to++] = buckets[b].name;
    free(buckets);
    return true;
}
