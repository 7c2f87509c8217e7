/*
 * Value sites. What merging means is LLVM's InstrProfValueSiteRecord::merge and sortByCount, peculiar
 * rule included: a value that is new to a site of a known function joins with its own count, not
 * multiplied by the weight of the input.
 */
#include "llvm/values.h"

#include <string.h>

#include "base/std_sort.h"
#include "llvm/sort.h"

static uint64_t scaled(uint64_t count, uint64_t weight, unsigned *warnings)
{
    uint64_t product;
    if (!__builtin_mul_overflow(count, weight, &product))
        return product;
    *warnings |= 1u << AN_LLVM_COUNTER_OVERFLOW;
    return UINT64_MAX;
}

uint64_t an_value_sum(uint64_t old, uint64_t count, uint64_t weight, unsigned *warnings)
{
    uint64_t result;
    if (!__builtin_add_overflow(old, scaled(count, weight, warnings), &result))
        return result;
    *warnings |= 1u << AN_LLVM_COUNTER_OVERFLOW;
    return UINT64_MAX;
}

bool an_values_make_sites(struct an_llvm_values **values, enum an_llvm_value_kind kind,
                          uint32_t count, struct an_arena *arena)
{
    if (!*values) {
        *values = an_arena_zero(arena, 1, sizeof **values);
        if (!*values)
            return false;
    }
    (*values)->sites[kind] = an_arena_zero(arena, count, sizeof *(*values)->sites[kind]);
    (*values)->site_count[kind] = (*values)->sites[kind] ? count : 0;
    return (*values)->sites[kind] != NULL;
}

bool an_site_make_room(struct an_llvm_site *site, uint32_t wanted, struct an_arena *arena)
{
    if (wanted <= site->capacity)
        return true;
    uint32_t capacity = site->capacity ? site->capacity : 2;
    while (capacity < wanted)
        capacity = capacity > UINT32_MAX / 2 ? wanted : 2 * capacity;
    struct an_llvm_value *grown = an_arena_alloc(arena, capacity, sizeof *grown);
    if (!grown)
        return false;
    if (site->count)
        memcpy(grown, site->values, site->count * sizeof *grown);
    site->values = grown;
    site->capacity = capacity;
    return true;
}

bool an_site_set(struct an_llvm_site *site, const struct an_llvm_value *values, uint32_t count,
                 uint64_t weight, bool lossless, struct an_arena *arena, unsigned *warnings)
{
    if (!an_site_make_room(site, count, arena))
        return false;
    for (uint32_t i = 0; i < count; i++)
        site->values[i] =
            (struct an_llvm_value){values[i].value, scaled(values[i].count, weight, warnings)};
    site->count = count;
    if (!lossless)
        an_site_order_by_count(site);
    return true;
}

void an_site_order_by_value(struct an_llvm_site *site)
{
    an_sort_by_value(site->values, site->count);
}

void an_site_order_by_count(struct an_llvm_site *site)
{
    site->count = an_keep_by_count(site->values, site->count);
}

/* Merges from the back so that it can be done in place; `fresh` values are not in the site yet. */
static void merge_in_place(struct an_llvm_site *site, const struct an_llvm_value *values,
                           uint32_t count, uint32_t fresh, uint64_t weight, unsigned *warnings)
{
    struct an_llvm_value *to = site->values + site->count + fresh;
    struct an_llvm_value *old = site->values + site->count;
    const struct an_llvm_value *from = values + count;
    while (from > values) {
        if (old == site->values || old[-1].value < from[-1].value) {
            *--to = *--from;
        } else if (old[-1].value == from[-1].value) {
            --from;
            --old;
            --to;
            *to = (struct an_llvm_value){old->value,
                                         an_value_sum(old->count, from->count, weight, warnings)};
        } else {
            *--to = *--old;
        }
    }
    site->count += fresh;
}

/*
 * The general merge, for sites in which a value occurs more than once: LLVM pairs the first
 * occurrence with the first, the second with the second, and so on.
 */
static uint32_t merge_pairwise(struct an_llvm_value *merged, const struct an_llvm_site *site,
                               const struct an_llvm_value *values, uint32_t count, uint64_t weight,
                               unsigned *warnings)
{
    uint32_t i = 0, to = 0;
    for (uint32_t j = 0; j < count; j++) {
        while (i < site->count && site->values[i].value < values[j].value)
            merged[to++] = site->values[i++];
        if (i < site->count && site->values[i].value == values[j].value) {
            merged[to] = site->values[i++];
            merged[to].count = an_value_sum(merged[to].count, values[j].count, weight, warnings);
            to++;
        } else {
            merged[to++] = values[j];
        }
    }
    while (i < site->count)
        merged[to++] = site->values[i++];
    return to;
}

static bool merge_repeated(struct an_llvm_site *site, const struct an_llvm_value *values,
                           uint32_t count, uint64_t weight, struct an_arena *arena,
                           unsigned *warnings)
{
    struct an_llvm_value few[2 * AN_LLVM_VALUES_PER_SITE];
    size_t most = (size_t)site->count + count;
    struct an_llvm_value *merged =
        most <= sizeof few / sizeof *few ? few : an_alloc(most, sizeof *merged);
    if (!merged)
        return false;
    uint32_t to = merge_pairwise(merged, site, values, count, weight, warnings);
    to = an_keep_by_count(merged, to);
    bool done = an_site_make_room(site, to, arena);
    if (done) {
        memcpy(site->values, merged, to * sizeof *merged);
        site->count = to;
        /* What LLVM does between two merges decides which of the equal values comes first. */
        an_site_order_by_value(site);
    }
    if (merged != few)
        free(merged);
    return done;
}

static bool repeated(const struct an_llvm_value *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (values[i].value == values[i - 1].value)
            return true;
    return false;
}

bool an_site_merge(struct an_llvm_site *site, const struct an_llvm_value *values, uint32_t count,
                   uint64_t weight, struct an_arena *arena, unsigned *warnings, bool *order_matters)
{
    /* Even an addition of nothing sorts, and so moves equal values. */
    if (repeated(values, count) || repeated(site->values, site->count)) {
        *order_matters = true;
        return merge_repeated(site, values, count, weight, arena, warnings);
    }
    if (count == 0)
        return true;
    uint32_t fresh = count;
    for (uint32_t i = 0, j = 0; i < site->count && j < count;) {
        if (site->values[i].value == values[j].value) {
            fresh--;
            i++;
            j++;
        } else if (site->values[i].value < values[j].value) {
            i++;
        } else {
            j++;
        }
    }
    if (!an_site_make_room(site, site->count + fresh, arena))
        return false;
    merge_in_place(site, values, count, fresh, weight, warnings);
    if (site->count > AN_LLVM_VALUES_PER_SITE) {
        *order_matters = true;
        an_site_order_by_count(site);
        an_site_order_by_value(site);
    }
    return true;
}

/* ---- without loss ---- */

static int by_both(const void *a, const void *b)
{
    const struct an_llvm_value *left = a, *right = b;
    if (left->value != right->value)
        return left->value < right->value ? -1 : 1;
    return (left->count < right->count) - (left->count > right->count);
}

void an_site_order_both(struct an_llvm_site *site)
{
    for (uint32_t i = 1; i < site->count; i++)
        if (by_both(&site->values[i - 1], &site->values[i]) > 0) {
            qsort(site->values, site->count, sizeof *site->values, by_both);
            return;
        }
}

/* How many values of `from` have no partner in the site. */
static uint32_t count_fresh(const struct an_llvm_site *site, const struct an_llvm_site *from)
{
    uint32_t fresh = from->count;
    for (uint32_t i = 0, j = 0; i < site->count && j < from->count;) {
        uint64_t left = site->values[i].value, right = from->values[j].value;
        fresh -= left == right;
        i += left <= right;
        j += right <= left;
    }
    return fresh;
}

bool an_site_merge_all(struct an_llvm_site *site, struct an_llvm_site *from, uint64_t weight,
                       struct an_arena *arena, unsigned *warnings)
{
    for (uint32_t j = 0; weight > 1 && j < from->count; j++)
        from->values[j].count = scaled(from->values[j].count, weight, warnings);
    an_site_order_both(from);
    struct an_llvm_site old = *site;
    uint32_t wanted = site->count + count_fresh(site, from);
    if (wanted > site->count) { /* elsewhere: what is written must not overtake what is read */
        *site = (struct an_llvm_site){0};
        if (!an_site_make_room(site, wanted, arena))
            return false;
    }
    struct an_llvm_value *to = site->values;
    uint32_t i = 0, j = 0;
    while (i < old.count || j < from->count) {
        const struct an_llvm_value *left = i < old.count ? &old.values[i] : NULL;
        const struct an_llvm_value *right = j < from->count ? &from->values[j] : NULL;
        if (left && right && left->value == right->value) {
            *to++ = (struct an_llvm_value){left->value,
                                           an_value_sum(left->count, right->count, 1, warnings)};
            i++;
            j++;
        } else if (left && (!right || left->value < right->value)) {
            *to++ = old.values[i++];
        } else {
            *to++ = from->values[j++];
        }
    }
    site->count = wanted;
    return true;
}
