/* Adding the value data of a raw profile whose layout is known. */
#ifndef AN_LLVM_RAW_SITES_H
#define AN_LLVM_RAW_SITES_H

#include "llvm/raw_plan.h"

/* A site that has values in the current profile. */
struct found {
    const uint8_t *pairs;
    uint32_t valued;
    uint32_t site; /* its number in the plan */
    uint8_t kind;
    uint8_t number; /* of values */
};

/*
 * Adds the values of one site to a record that the plan made. Warnings are or-ed into *warnings.
 * False when memory runs out.
 */
bool an_raw_add_site(const struct merge_sink *sink, struct plan *plan, struct record *record,
                     const struct found *found, uint64_t weight, unsigned *warnings);

#endif
