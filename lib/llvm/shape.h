/* What records of one name and hash differ by, where they are kept apart: in lossless profiles (lossless.h). */
#ifndef AN_LLVM_SHAPE_H
#define AN_LLVM_SHAPE_H

#include <anneal/llvm.h>

/* What must agree for two records to be merged. */
struct record_shape {
    uint32_t count_number, bitmap_bytes;
    uint32_t sites[AN_LLVM_VALUE_KINDS];
    bool is_pseudo; /* hot or warm, and not counted */
};

struct record_shape an_shape_of(const struct an_llvm_record *record);

/* A hash of function structure, mixed with the shape. */
uint64_t an_shape_mix(const struct record_shape *shape, uint64_t hash);

#endif
