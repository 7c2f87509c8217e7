/*
 * The serialised value data of one function, the same in raw and in indexed profiles:
 *
 *     u32 size of the whole, a multiple of 8 | u32 number of kinds
 *     for each kind:
 *         u32 kind | u32 number of sites, not 0
 *         u8 number of values, for each site; padded with zeros to a multiple of 8
 *         { u64 value, u64 count } for each value of each site
 *
 * (InstrProfData.inc, ValueProfData and ValueProfRecord.)
 */
#ifndef AN_LLVM_VALUE_DATA_H
#define AN_LLVM_VALUE_DATA_H

#include <anneal/llvm.h>

#include "base/bytes.h"
#include "base/error.h"

/* One kind's part, inside checked bytes. */
struct value_kind {
    enum an_llvm_value_kind kind;
    uint32_t sites;
    const uint8_t *counts; /* one byte a site: how many values it has */
    const uint8_t *pairs;  /* the values of all sites */
};

struct value_block {
    uint64_t size;
    unsigned kind_number;
    struct value_kind kinds[AN_LLVM_VALUE_KINDS];
};

/*
 * Reads and checks the block at `at`, which has to end at or before `end`. Each kind may occur
 * once.
 */
enum an_code an_value_block_read(struct value_block *block, struct an_bytes file, uint64_t at,
                                 uint64_t end, bool big, struct an_error *error);

/* Memory for decoding one block after the other. */
struct value_scratch {
    struct an_llvm_values values;
    struct an_llvm_site *sites;
    struct an_llvm_value *pairs;
    size_t site_capacity, pair_capacity;
};
void an_value_scratch_free(struct value_scratch *scratch);

/*
 * Decodes a block that was read. map(context, kind, value) gives the value to keep; NULL keeps
 * all. Returns NULL when memory runs out.
 */
struct an_llvm_values *an_value_block_decode(const struct value_block *block, bool big,
                                             uint64_t (*map)(const void *context,
                                                             enum an_llvm_value_kind kind,
                                                             uint64_t value),
                                             const void *context, struct value_scratch *scratch);

/* How long a function's block is when written, and writing it, little-endian. With kinds below
 * AN_LLVM_VALUE_KINDS only the first of them are written. */
uint64_t an_value_block_size(const struct an_llvm_values *values, unsigned kinds);
void an_value_block_write(struct an_buffer *buffer, const struct an_llvm_values *values,
                          unsigned kinds);

#endif
