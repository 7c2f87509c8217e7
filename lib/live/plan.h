/*
 * What memory has to hold, for a process that has had several generations of new code.
 *
 *     wanted state = original code + patches of the generation in force
 *
 *     original      entries, calls and virtual tables lead to the generation in force, or are as they
 *                   were where it has no patch
 *     older ones    the entry of each function leads to its code in the generation in force, or to the
 *                   original if that has none; so do blocks that loops come by
 *
 * A place is written only if it holds what one of these states has there; so the state before does
 * not have to be known, which may be a mixture when somebody killed anneal. A place that holds
 * something else was changed by somebody else, and is left alone.
 */
#ifndef AN_LIVE_PLAN_H
#define AN_LIVE_PLAN_H

#include "live/find_object.h"
#include "live/patches.h"

struct an_plan_source { /* a generation that is mapped */
    const struct an_generation *generation;
    const struct an_patches *patches;
};

struct an_patch_site { /* some bytes that may have to be changed */
    uint64_t address;  /* as linked */
    uint8_t size;
    bool is_entry; /* no thread may be between its first and last byte */
    bool is_block; /* an entry to a block only: in the middle of a function, and nothing else */
    bool is_code;
    bool is_of_generation; /* else of the original, which comes first */
    bool is_withheld;      /* a thread is there and does not leave */
    bool changes;          /* it holds something else now */
    bool is_jump;          /* it holds a jump now, which nobody can be in the middle of */
    bool is_foreign;       /* it holds none of its states */
    bool is_own;           /* it holds what its file has there, and leads nowhere */
    uint64_t leads_to;     /* of an older generation: where its jump goes, as linked; else 0 */
    uint32_t first_state, state_count; /* what it may hold: the first is what it shall */
    uint32_t own_state;                /* which of them its file has */
};

enum { AN_PATCH_SITE_MOST = 16 };

struct an_plan {
    struct {
        AN_VECTOR(struct an_patch_site);
    } places; /* by address */
    struct {
        AN_VECTOR(uint8_t);
    } states; /* AN_PATCH_SITE_MOST bytes each */
    struct an_withheld withheld;
    const struct an_find_object_change *first; /* made before all places; or NULL */
};

/* Plans the way from whatever is there to generation `in_force` of the sources (its index + 1; 0: the
 * original). The caller frees the plan, also on failure. */
enum an_code an_plan_make(const struct an_plan_source *sources, size_t count, size_t in_force,
                          struct an_plan *plan, struct an_error *error);
void an_plan_free(struct an_plan *plan);

/* The place that an address is strictly inside of, or NULL. */
struct an_patch_site *an_plan_around(const struct an_plan *plan, uint64_t address);

/* The place that an address is one of the bytes of, or NULL. */
struct an_patch_site *an_plan_at(const struct an_plan *plan, uint64_t address);

/* The index of the first place at or behind an address; their number when there is none. */
size_t an_plan_from(const struct an_plan *plan, uint64_t address);

/* Whether it does no harm that it is withheld: it leads nowhere, and who is there comes by others that lead on. */
static inline bool an_patch_site_may_stay(const struct an_patch_site *place)
{
    return place->is_block && place->is_own;
}

static inline const uint8_t *an_plan_state(const struct an_plan *plan,
                                           const struct an_patch_site *place, uint32_t number)
{
    return &plan->states.items[(size_t)(place->first_state + number) * AN_PATCH_SITE_MOST];
}

#endif
