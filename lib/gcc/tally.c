/* Frequent values of many runs; see tally.h. */
#include "gcc/tally.h"

#include <stdlib.h>
#include <string.h>

#include "gcc/places.h"
#include "gcc/top.h"

enum { PAIR = 2, HEAD = 2, FEW = 4 };

bool an_tallies_begin(struct an_tallies *tallies, size_t places)
{
    if (tallies->count || !places)
        return tallies->count == places;
    tallies->places = an_alloc_zero(places, sizeof *tallies->places);
    tallies->count = tallies->places ? places : 0;
    return tallies->places != NULL;
}

/* ---- adding ---- */

static bool add_value(struct an_tally *tally, uint64_t value, uint64_t count)
{
    size_t low = 0, high = tally->values.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tally->values.items[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < tally->values.count && tally->values.items[low].value == value) {
        tally->values.items[low].count += count;
        return true;
    }
    if (!an_vector_push(&tally->values))
        return false;
    struct an_tally_value *at = &tally->values.items[low];
    memmove(at + 1, at, (tally->values.count - 1 - low) * sizeof *at);
    *at = (struct an_tally_value){value, count};
    return true;
}

/* A pair of a list that is not full is 0 in both; so is one of a value that was counted off, which is as good. */
static bool add_pairs(struct an_tally *tally, const uint64_t *pairs, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if ((pairs[PAIR * i] || pairs[PAIR * i + 1]) &&
            !add_value(tally, pairs[PAIR * i], pairs[PAIR * i + 1]))
            return false;
    return true;
}

static void add_total(struct an_tally *tally, uint64_t total)
{
    bool is_lost = (int64_t)total < 0;
    tally->total += is_lost ? -total : total;
    tally->lost |= is_lost;
}

static uint64_t greater(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

static bool add_place(struct an_tally *tally, enum an_gcc_rule rule, const uint64_t *values)
{
    switch (rule) {
    case AN_GCC_TOP:
        add_total(tally, values[0]);
        return add_pairs(tally, values + HEAD, values[1]);
    case AN_GCC_FOUR:
        add_total(tally, values[0]);
        return add_pairs(tally, values + 1, FEW);
    case AN_GCC_CALLS:
        tally->total = greater(tally->total, values[0]);
        return add_pairs(tally, values + 1, FEW);
    case AN_GCC_SINGLE:
        tally->total += values[2];
        return add_pairs(tally, values, 1);
    case AN_GCC_DELTA:
        tally->last = greater(tally->last, values[0]);
        tally->total += values[3];
        return add_pairs(tally, values + 1, 1);
    default:
        return true;
    }
}

bool an_tallies_add(struct an_tallies *into, enum an_gcc_rule rule, const uint64_t *values)
{
    for (size_t i = 0; i < into->count; i++) {
        if (!add_place(&into->places[i], rule, values))
            return false;
        values += rule == AN_GCC_TOP ? HEAD + PAIR * (size_t)values[1] : an_gcc_place_size(rule);
    }
    return true;
}

bool an_tallies_absorb(struct an_tallies *into, enum an_gcc_rule rule,
                       const struct an_tallies *from)
{
    for (size_t i = 0; i < from->count; i++) {
        struct an_tally *tally = &into->places[i];
        const struct an_tally *added = &from->places[i];
        tally->total = rule == AN_GCC_CALLS ? greater(tally->total, added->total)
                                            : tally->total + added->total;
        tally->last = greater(tally->last, added->last);
        tally->lost |= added->lost;
        for (size_t k = 0; k < added->values.count; k++)
            if (!add_value(tally, added->values.items[k].value, added->values.items[k].count))
                return false;
    }
    return true;
}

/* ---- settling ---- */

bool an_tallies_are_zero(const struct an_tallies *tallies)
{
    for (size_t i = 0; i < tallies->count; i++) {
        const struct an_tally *tally = &tallies->places[i];
        if (tally->total || tally->last || tally->lost || tally->values.count)
            return false;
    }
    return true;
}

static int by_count(const void *a, const void *b)
{
    const struct an_tally_value *left = a, *right = b;
    int64_t one = (int64_t)left->count, other = (int64_t)right->count;
    if (one != other)
        return one > other ? -1 : 1;
    return (left->value > right->value) - (left->value < right->value);
}

static size_t kept(const struct an_tally *tally, size_t most)
{
    return tally->values.count < most ? tally->values.count : most;
}

size_t an_tallies_size(const struct an_tallies *tallies, enum an_gcc_rule rule)
{
    if (rule != AN_GCC_TOP)
        return tallies->count * an_gcc_place_size(rule);
    size_t size = HEAD * tallies->count;
    for (size_t i = 0; i < tallies->count; i++)
        size += PAIR * kept(&tallies->places[i], AN_TOP_MOST);
    return size;
}

static void put_pairs(const struct an_tally *tally, uint64_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[PAIR * i] = tally->values.items[i].value;
        to[PAIR * i + 1] = tally->values.items[i].count;
    }
}

static uint64_t total_of(const struct an_tally *tally, size_t most)
{
    return tally->lost || tally->values.count > most ? -tally->total : tally->total;
}

/* The value that leads, and by how much. */
static void contend(const struct an_tally *tally, uint64_t *to)
{
    put_pairs(tally, to, kept(tally, 1));
    for (size_t i = 1; i < tally->values.count; i++)
        an_places_contend(to, to + 1, tally->values.items[i].value, tally->values.items[i].count);
}

static void settle_place(const struct an_tally *tally, enum an_gcc_rule rule, uint64_t *to)
{
    switch (rule) {
    case AN_GCC_TOP:
        to[0] = total_of(tally, AN_TOP_MOST);
        to[1] = kept(tally, AN_TOP_MOST);
        put_pairs(tally, to + HEAD, (size_t)to[1]);
        break;
    case AN_GCC_FOUR:
        to[0] = total_of(tally, FEW);
        put_pairs(tally, to + 1, kept(tally, FEW));
        break;
    case AN_GCC_CALLS:
        to[0] = tally->total;
        put_pairs(tally, to + 1, kept(tally, FEW));
        break;
    case AN_GCC_SINGLE:
        contend(tally, to);
        to[2] = tally->total;
        break;
    case AN_GCC_DELTA:
        to[0] = tally->last;
        contend(tally, to + 1);
        to[3] = tally->total;
        break;
    default:
        break;
    }
}

void an_tallies_settle(struct an_tallies *tallies, enum an_gcc_rule rule, uint64_t *to)
{
    memset(to, 0, an_tallies_size(tallies, rule) * sizeof *to);
    for (size_t i = 0; i < tallies->count; i++) {
        struct an_tally *tally = &tallies->places[i];
        if (tally->values.count)
            qsort(tally->values.items, tally->values.count, sizeof *tally->values.items, by_count);
        settle_place(tally, rule, to);
        to += rule == AN_GCC_TOP ? HEAD + PAIR * (size_t)to[1] : an_gcc_place_size(rule);
    }
}

void an_tallies_free(struct an_tallies *tallies)
{
    for (size_t i = 0; i < tallies->count; i++)
        an_vector_free(&tallies->places[i].values);
    free(tallies->places);
    *tallies = (struct an_tallies){0};
}
