/* The hash table of branches; see tally.h. */
#include "branch/tally.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/secret.h"

enum { FIRST_SLOTS = 1 << 14 };

static uint64_t hash_of(const struct an_tally *tally, const struct an_tally_branch *branch)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t secret = tally->secret;
    uint64_t ends = (uint64_t)branch->from << 32 | branch->to;
    wide product = (wide)(ends ^ secret) * ((branch->next * 0xa0761d6478bd642fu) ^ ~secret);
    return (uint64_t)(product ^ product >> 64);
}

static bool is_slot(const struct an_tally_slot *slot, const struct an_tally_branch *branch)
{
    return slot->from == branch->from && slot->to == branch->to && slot->next == branch->next &&
           slot->occupied;
}

/* The branch's slot, or the free one where it belongs. */
static struct an_tally_slot *find(const struct an_tally *tally,
                                  const struct an_tally_branch *branch, uint64_t hash)
{
    for (size_t at = hash & tally->mask;; at = (at + 1) & tally->mask)
        if (!tally->slots[at].occupied || is_slot(&tally->slots[at], branch))
            return &tally->slots[at];
}

/* Slots that begin at a multiple of their size. */
static struct an_tally_slot *new_slots(size_t count)
{
    if (an_fault())
        return NULL;
    struct an_tally_slot *slots = aligned_alloc(64, count * sizeof *slots);
    for (size_t i = 0; slots && i < count; i++)
        slots[i] = (struct an_tally_slot){0};
    return slots;
}

static bool make_room(struct an_tally *tally, size_t more)
{
    if (tally->slots && 2 * (tally->used + more) <= tally->mask + 1)
        return true;
    size_t count = tally->slots ? 2 * (tally->mask + 1) : FIRST_SLOTS;
    struct an_tally grown = {.slots = new_slots(count), .mask = count - 1, .used = tally->used};
    if (!grown.slots)
        return false;
    grown.secret = an_secret_for(grown.slots);
    for (size_t i = 0; tally->slots && i <= tally->mask; i++) {
        const struct an_tally_slot *slot = &tally->slots[i];
        struct an_tally_branch branch = {slot->from, slot->to, slot->next, false};
        if (slot->occupied)
            *find(&grown, &branch, hash_of(&grown, &branch)) = *slot;
    }
    free(tally->slots);
    *tally = grown;
    return true;
}

static void count_into(struct an_tally *tally, struct an_tally_slot *slot,
                       const struct an_tally_branch *branch, uint64_t count, uint64_t mispreds)
{
    if (!slot->occupied) {
        *slot = (struct an_tally_slot){branch->from, branch->to, branch->next, 1, 0, 0};
        tally->used++;
    }
    if (__builtin_add_overflow(slot->count, count, &slot->count))
        slot->count = UINT64_MAX;
    if (__builtin_add_overflow(slot->mispreds, mispreds, &slot->mispreds))
        slot->mispreds = UINT64_MAX;
}

bool an_tally_add(struct an_tally *tally, const struct an_tally_branch *branches, size_t count)
{
    uint64_t hashes[AN_TALLY_BATCH];
    if (!make_room(tally, AN_TALLY_BATCH))
        return false;
    for (size_t i = 0; i < count; i++) {
        hashes[i] = hash_of(tally, &branches[i]);
        __builtin_prefetch(&tally->slots[hashes[i] & tally->mask], 1);
    }
    for (size_t i = 0; i < count; i++)
        count_into(tally, find(tally, &branches[i], hashes[i]), &branches[i], 1,
                   branches[i].mispredicted);
    return true;
}

bool an_tally_add_many(struct an_tally *tally, const struct an_tally_branch *branch, uint64_t count,
                       uint64_t mispreds)
{
    if (!make_room(tally, 1))
        return false;
    uint64_t hash = hash_of(tally, branch);
    count_into(tally, find(tally, branch, hash), branch, count, mispreds);
    return true;
}

bool an_tally_join(struct an_tally *tally, const struct an_tally *other)
{
    for (size_t i = 0; other->slots && i <= other->mask; i++) {
        const struct an_tally_slot *slot = &other->slots[i];
        struct an_tally_branch branch = {slot->from, slot->to, slot->next, false};
        if (slot->occupied && !an_tally_add_many(tally, &branch, slot->count, slot->mispreds))
            return false;
    }
    return true;
}

void an_tally_free(struct an_tally *tally)
{
    free(tally->slots);
    *tally = (struct an_tally){0};
}
