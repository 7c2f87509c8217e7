/* Shapes of records; see shape.h. */
#include "llvm/shape.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct record_shape an_shape_of(const struct an_llvm_record *record)
{
    struct record_shape shape = {.count_number = record->count_number,
                                 .bitmap_bytes = record->bitmap_bytes};
    for (int kind = 0; record->values && kind < AN_LLVM_VALUE_KINDS; kind++)
        shape.sites[kind] = record->values->site_count[kind];
    shape.is_pseudo = record->count_number &&
                      (record->counts[0] == AN_LLVM_HOT || record->counts[0] == AN_LLVM_WARM);
    return shape;
}

uint64_t an_shape_mix(const struct record_shape *shape, uint64_t hash)
{
    const uint32_t words[] = {shape->count_number, shape->bitmap_bytes, shape->sites[0],
                              shape->sites[1],     shape->sites[2],     shape->is_pseudo};
    return XXH3_64bits_withSeed(words, sizeof words, hash);
}
