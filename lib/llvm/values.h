/* Value sites: merging them by LLVM's rules. */
#ifndef AN_LLVM_VALUES_H
#define AN_LLVM_VALUES_H

#include <anneal/llvm.h>

#include "base/memory.h"

/* Empty sites for one kind in *values (made when NULL). False when memory runs out. */
bool an_values_make_sites(struct an_llvm_values **values, enum an_llvm_value_kind kind,
                          uint32_t count, struct an_arena *arena);

/* Sets a site to a copy of these values, multiplied by weight, kept by count; all, in their order, if it is lossless. */
bool an_site_set(struct an_llvm_site *site, const struct an_llvm_value *values, uint32_t count,
                 uint64_t weight, bool lossless, struct an_arena *arena, unsigned *warnings);

/*
 * Merges values, which are sorted by value, into a site, which is too, and leaves it so.
 * *order_matters is set when the result would differ had the values come in another order.
 */
bool an_site_merge(struct an_llvm_site *site, const struct an_llvm_value *values, uint32_t count,
                   uint64_t weight, struct an_arena *arena, unsigned *warnings,
                   bool *order_matters);

/*
 * Merges all values of `from`, multiplied by weight, into a site that is sorted by value and, where a value occurs more than
 * once, by count, the largest first; so it stays. The largest count of a value is added to the largest, and so on: the
 * outcome does not depend on the order in which sites are merged. `from` is used up. False when memory runs out.
 */
bool an_site_merge_all(struct an_llvm_site *site, struct an_llvm_site *from, uint64_t weight,
                       struct an_arena *arena, unsigned *warnings);

/* old + count * weight, stopping at 2^64 - 1 with a warning. */
uint64_t an_value_sum(uint64_t old, uint64_t count, uint64_t weight, unsigned *warnings);

/* Makes room for `wanted` values; false when memory runs out. */
bool an_site_make_room(struct an_llvm_site *site, uint32_t wanted, struct an_arena *arena);

/* Changes the order in which a site is kept. */
void an_site_order_by_value(struct an_llvm_site *site);
void an_site_order_by_count(struct an_llvm_site *site);
void an_site_order_both(struct an_llvm_site *site); /* by value, then by count, the largest first */

#endif
