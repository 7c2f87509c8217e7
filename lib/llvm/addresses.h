/*
 * What a raw profile's addresses mean: indirect-call targets are addresses of functions, vtable
 * values are addresses inside virtual tables. Both become name hashes.
 */
#ifndef AN_LLVM_ADDRESSES_H
#define AN_LLVM_ADDRESSES_H

#include "llvm/raw.h"

struct addresses {
    struct an_map functions;    /* address -> name hash */
    struct raw_vtable *vtables; /* ascending by address */
    size_t vtable_number;
    uint64_t load_delta; /* subtracted from a value before it is looked up */
};

/* Learns the addresses of a checked image. False when memory runs out. */
bool an_addresses_learn(struct addresses *addresses, const struct raw_image *image);
void an_addresses_free(struct addresses *addresses);

/* The value to keep for a profiled value of this kind; has the form that an_value_block_decode()
 * wants, with a struct addresses as context. */
uint64_t an_addresses_map(const void *context, enum an_llvm_value_kind kind, uint64_t value);

#endif
