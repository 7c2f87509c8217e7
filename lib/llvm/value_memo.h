/*
 * Remembers where in its site a profiled value is counted, so that adding the value again is one
 * look-up: (site, value as the profile has it) -> place in the site.
 */
#ifndef AN_LLVM_VALUE_MEMO_H
#define AN_LLVM_VALUE_MEMO_H

#include <stddef.h>
#include <stdint.h>

struct value_memo {
    struct value_memo_slot {
        uint64_t value;
        uint32_t site;
        uint32_t place_plus_1; /* 0: free slot */
    } *slots;
    size_t mask;
    size_t used;
    uint64_t secret; /* of where values belong: base/secret.h */
};

/* Returns the slot of (site, value), made with place_plus_1 == 0 if it is new; NULL: no memory. A
 * new slot counts as used once its place is set, which the caller must do before the next call, or
 * leave it free. */
struct value_memo_slot *an_value_memo_find(struct value_memo *memo, uint32_t site, uint64_t value);

/* Says that a slot that was free now has a place. */
void an_value_memo_set(struct value_memo *memo, struct value_memo_slot *slot, uint32_t site,
                       uint64_t value, uint32_t place);
void an_value_memo_free(struct value_memo *memo);

#endif
