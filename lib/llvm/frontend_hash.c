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

/* ---- making them of one kind ---- */

static bool is_old_of(const struct record *old, const struct record *new)
{
    return old->hash != new->hash && !(new->hash & ~FRONTEND_HASH_MASK) &&
           (old->hash & FRONTEND_HASH_MASK) == new->hash && old->count_number == new->count_number;
}

/* The one that the record is another kind of. Two old ones may be of one new one: then nobody knows which. */
static struct record *partner_of(const struct function *function, const struct record *record,
                                 bool to_new)
{
    struct record *found = NULL;
    for (struct record *r = function->first; r; r = r->next) {
        if (to_new ? !is_old_of(record, r) : !is_old_of(r, record))
            continue;
        if (found)
            return NULL;
        found = r;
    }
    return found;
}

enum { MOST_RECORDS = 16 }; /* of one name, which as a rule has one for each of some builds */

static bool join(struct an_llvm_profile *profile, size_t f, bool to_new)
{
    struct function *function = &profile->functions.items[f];
    struct record *kept[MOST_RECORDS];
    size_t count = 0;
    bool has_changed = false;
    if (function->records > MOST_RECORDS)
        return true;
    for (struct record *r = function->first; r; r = r->next) {
        struct record *partner = partner_of(function, r, to_new);
        if (partner) {
            struct an_llvm_record view = an_profile_view(profile, r);
            unsigned warnings = 0;
            if (!an_record_merge(profile, partner, &view, 1, &warnings))
                return false;
        } else {
            kept[count++] = r;
        }
        has_changed |= partner || (to_new && r->hash & ~FRONTEND_HASH_MASK);
    }
    if (!has_changed)
        return true;
    for (size_t i = 0; to_new && i < count; i++) {
        bool is_taken = false; /* by a record of another shape */
        for (size_t other = 0; other < count; other++)
            is_taken |= other != i && (kept[other]->hash & FRONTEND_HASH_MASK) ==
                                          (kept[i]->hash & FRONTEND_HASH_MASK);
        if (!is_taken)
            kept[i]->hash &= FRONTEND_HASH_MASK;
    }
    for (size_t i = 0; i < count; i++)
        kept[i]->next = NULL;
    return an_profile_relink(profile, f, kept, count);
}

bool an_frontend_hashes_join(struct an_llvm_profile *profile, bool to_new)
{
    bool done = true;
    for (size_t f = 0; done && !(profile->variants & AN_LLVM_IR) && f < profile->functions.count;
         f++)
        done = join(profile, f, to_new);
    return done;
}
