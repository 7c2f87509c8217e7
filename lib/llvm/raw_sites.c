/*
 * Value sites of a known layout. Where a value is counted is remembered by the address that the
 * profile has for it, less the load distance, so that neither names nor order come into play until
 * all is merged. That works for a site as long as none of its values occurs twice and there is room
 * for all; the first time it does not, the site becomes irregular and goes the general way, in
 * which the order of the inputs can matter.
 */
#include "llvm/raw_sites.h"

#include "base/bits.h"
#include "base/std_sort.h"
#include "llvm/values.h"

/* Merges the values of one site as the rules say, whatever they are. */
static bool add_irregular(const struct merge_sink *sink, const struct plan *plan,
                          struct an_llvm_site *site, const struct found *found, uint64_t weight,
                          unsigned *warnings)
{
    struct an_llvm_value values[AN_LLVM_VALUES_PER_SITE];
    struct an_arena *arena = &sink->profile->arena;
    const uint8_t *pair = found->pairs;
    for (unsigned v = 0; v < found->number; v++, pair += 16) {
        values[v].value = an_addresses_map(&plan->addresses, found->kind, an_load64(pair));
        values[v].count = an_load64(pair + 8);
    }
    bool lossless = sink->profile->lossless.is_on;
    if (!plan->applied)
        return an_site_set(site, values, found->number, weight, lossless, arena, warnings);
    if (lossless) {
        struct an_llvm_site from = {values, found->number, found->number};
        an_site_order_both(site);
        return an_site_merge_all(site, &from, weight, arena, warnings);
    }
    /*
     * Sorting moves equal values about, and the next merge pairs them up by order: so it has to be
     * done just as often as LLVM does it. What it does to a sorted site more than once makes no
     * difference, but profiles without values for the site have passed since the first.
     */
    if (plan->state[found->site] != IRREGULAR_BY_VALUE) {
        an_site_order_by_value(site);
        if (plan->applied > 1) {
            an_site_order_by_count(site);
            an_site_order_by_value(site);
        }
    }
    plan->state[found->site] = IRREGULAR_BY_VALUE;
    an_sort_by_value(values, found->number);
    return an_site_merge(site, values, found->number, weight, arena, warnings,
                         &sink->profile->order_matters);
}

#define EXTERNAL UINT64_MAX /* stands in the memo for every callee that is not instrumented */

/* Where the values of a site in the current profile go. */
struct placing {
    uint32_t place[AN_LLVM_VALUES_PER_SITE]; /* at or behind site->count: new */
    uint64_t key[AN_LLVM_VALUES_PER_SITE];   /* of new ones */
    uint64_t value[AN_LLVM_VALUES_PER_SITE];
    unsigned fresh;
};

static bool has_value(const struct an_llvm_site *site, uint64_t value)
{
    for (uint32_t i = 0; i < site->count; i++)
        if (site->values[i].value == value)
            return true;
    return false;
}

/*
 * Finds the places of all values of a site by the memo. *regular is false when that does not do: a
 * value occurs twice (as when two callees are not instrumented), or there are too many.
 */
static bool place_values(struct plan *plan, const struct an_llvm_site *site, uint32_t site_number,
                         const struct found *found, struct placing *placing, bool *regular)
{
    bool external = false;
    uint64_t taken[(AN_LLVM_VALUES_PER_SITE + 63) / 64] = {0};
    const uint8_t *pair = found->pairs;
    uint64_t moved = found->kind == AN_LLVM_MEMOP_SIZE ? 0 : plan->addresses.load_delta;
    placing->fresh = 0;
    *regular = false;
    for (unsigned v = 0; v < found->number; v++, pair += 16) {
        uint64_t key = an_load64(pair) - moved;
        struct value_memo_slot *slot = an_value_memo_find(&plan->memo, site_number, key);
        if (!slot)
            return false;
        if (slot->place_plus_1 && key != EXTERNAL) {
            uint32_t place = slot->place_plus_1 - 1;
            if (an_bit(taken, place))
                return true;
            an_bit_set(taken, place);
            placing->place[v] = place;
            continue;
        }
        uint64_t value = an_addresses_map(&plan->addresses, found->kind, an_load64(pair));
        if (value == 0 && found->kind != AN_LLVM_MEMOP_SIZE) {
            if (external)
                return true;
            external = true;
            key = EXTERNAL;
            slot = an_value_memo_find(&plan->memo, site_number, key);
            if (!slot)
                return false;
            if (slot->place_plus_1) {
                placing->place[v] = slot->place_plus_1 - 1;
                continue;
            }
        } else if (key == EXTERNAL) {
            return true;
        }
        if (has_value(site, value) || site->count + placing->fresh == AN_LLVM_VALUES_PER_SITE)
            return true;
        for (unsigned f = 0; f < v; f++)
            if (placing->place[f] >= site->count && placing->value[f] == value)
                return true;
        placing->place[v] = site->count + placing->fresh++;
        placing->key[v] = key;
        placing->value[v] = value;
    }
    *regular = true;
    return true;
}

/* Adds the values of one site where the memo says, new ones at the end. */
static bool add_placed(const struct merge_sink *sink, struct plan *plan, struct an_llvm_site *site,
                       uint32_t site_number, const struct found *found,
                       const struct placing *placing, uint64_t weight, unsigned *warnings)
{
    uint32_t known = site->count;
    if (!an_site_make_room(site, known + placing->fresh, &sink->profile->arena))
        return false;
    const uint8_t *pair = found->pairs;
    for (unsigned v = 0; v < found->number; v++, pair += 16) {
        uint64_t count = an_load64(pair + 8);
        uint32_t place = placing->place[v];
        if (place < known) {
            site->values[place].count =
                an_value_sum(site->values[place].count, count, weight, warnings);
            continue;
        }
        /* LLVM's rule: a value that is new to a known function is not multiplied. It depends on the order of inputs. */
        uint64_t times = plan->applied && !sink->profile->lossless.is_on ? 1 : weight;
        site->values[place] =
            (struct an_llvm_value){placing->value[v], an_value_sum(0, count, times, warnings)};
        struct value_memo_slot *slot =
            an_value_memo_find(&plan->memo, site_number, placing->key[v]);
        if (!slot)
            return false;
        if (!slot->place_plus_1)
            an_value_memo_set(&plan->memo, slot, site_number, placing->key[v], place);
    }
    site->count = known + placing->fresh;
    return true;
}

bool an_raw_add_site(const struct merge_sink *sink, struct plan *plan, struct record *record,
                     const struct found *found, uint64_t weight, unsigned *warnings)
{
    struct an_llvm_site *site = plan->sites[found->site];
    uint8_t *state = &plan->state[found->site];
    struct placing placing;
    bool regular = false;
    /* When something else was merged into the record, its sites were sorted: places are void. */
    if (record->order[found->kind] == BY_VALUE)
        *state = IRREGULAR_BY_VALUE;
    if (*state == REGULAR && !place_values(plan, site, found->site, found, &placing, &regular))
        return false;
    if (regular)
        return add_placed(sink, plan, site, found->site, found, &placing, weight, warnings);
    if (*state == REGULAR) {
        *state = IRREGULAR;
        sink->profile->order_matters = true;
    }
    return add_irregular(sink, plan, site, found, weight, warnings);
}
