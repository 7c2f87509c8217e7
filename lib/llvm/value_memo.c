/* A hash table with open addressing and linear probing; see value_memo.h. */
#include "llvm/value_memo.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/secret.h"

static size_t start_of(uint64_t secret, uint32_t site, uint64_t value)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(value ^ secret) * ((site * 0x9e3779b97f4a7c15u) ^ ~secret);
    return (size_t)(product ^ product >> 64);
}

static int grow(struct value_memo *memo)
{
    size_t number = memo->slots ? 2 * (memo->mask + 1) : 1024;
    struct value_memo_slot *slots = an_alloc_zero(number, sizeof *slots);
    if (!slots)
        return 0;
    uint64_t secret = an_secret_for(slots);
    for (size_t i = 0; memo->slots && i <= memo->mask; i++) {
        const struct value_memo_slot *old = &memo->slots[i];
        if (!old->place_plus_1)
            continue;
        size_t at = start_of(secret, old->site, old->value) & (number - 1);
        while (slots[at].place_plus_1)
            at = (at + 1) & (number - 1);
        slots[at] = *old;
    }
    free(memo->slots);
    memo->slots = slots;
    memo->mask = number - 1;
    memo->secret = secret;
    return 1;
}

struct value_memo_slot *an_value_memo_find(struct value_memo *memo, uint32_t site, uint64_t value)
{
    if ((!memo->slots || 2 * memo->used > memo->mask) && !grow(memo))
        return NULL;
    size_t at = start_of(memo->secret, site, value) & memo->mask;
    while (memo->slots[at].place_plus_1 &&
           (memo->slots[at].value != value || memo->slots[at].site != site))
        at = (at + 1) & memo->mask;
    return &memo->slots[at];
}

void an_value_memo_set(struct value_memo *memo, struct value_memo_slot *slot, uint32_t site,
                       uint64_t value, uint32_t place)
{
    *slot = (struct value_memo_slot){value, site, place + 1};
    memo->used++;
}

void an_value_memo_free(struct value_memo *memo)
{
    free(memo->slots);
    *memo = (struct value_memo){0};
}
