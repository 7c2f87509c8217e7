/* Telling hashes of the front end apart; see frontend_hash.h. */
#include "llvm/frontend_hash.h"

#include "llvm/profile.h"

/* A part of an MD5 that is less than this is too seldom to be reckoned with; numbers that people write are not. */
enum { HIGH_BIT = 48 };

enum { BITS = 6, MOST_OF_THEM = 10, LARGEST = 40 /* clang 23 has no more than 33 kinds */ };

/* Whether it is a sequence of numbers that are kinds of statements, or none. */
static bool is_short(uint64_t hash)
{
    unsigned count = 0;
    for (; hash; hash >>= BITS, count++) {
        unsigned kind = (unsigned)hash & ((1u << BITS) - 1);
        if (kind == 0 || kind > LARGEST)
            return false;
    }
    return count <= MOST_OF_THEM;
}

struct frontend_hashes an_frontend_hashes(const struct an_llvm_profile *profile)
{
    struct frontend_hashes hashes = {0, 0};
    if (profile->variants & AN_LLVM_IR)
        return hashes;
    for (size_t f = 0; f < profile->functions.count; f++)
        for (const struct record *r = profile->functions.items[f].first; r; r = r->next) {
            bool is_old = r->hash & ~FRONTEND_HASH_MASK;
            hashes.old += is_old;
            hashes.new += !is_old && r->hash >> HIGH_BIT && !is_short(r->hash);
        }
    return hashes;
}
