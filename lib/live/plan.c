/* Planning; see plan.h. */
#include "live/plan.h"

#include <stdlib.h>
#include <string.h>

struct tagged {
    const struct an_patch *patch;
    size_t source;
};

struct planner {
    const struct an_plan_source *sources;
    size_t count, in_force;
    struct {
        AN_VECTOR(struct tagged);
    } tagged; /* all patches of all sources, by address */
    struct an_plan *plan;
};

static int by_address(const void *one, const void *other)
{
    const struct tagged *a = one, *b = other;
    if (a->patch->address != b->patch->address)
        return a->patch->address < b->patch->address ? -1 : 1;
    return a->source < b->source ? -1 : a->source > b->source;
}

static bool collect(struct planner *planner)
{
    for (size_t i = 0; i < planner->count; i++)
        for (size_t k = 0; k < planner->sources[i].patches->list.count; k++) {
            struct tagged *tagged = an_vector_push(&planner->tagged);
            if (!tagged)
                return false;
            *tagged = (struct tagged){&planner->sources[i].patches->list.items[k], i};
        }
    if (planner->tagged.count)
        qsort(planner->tagged.items, planner->tagged.count, sizeof *planner->tagged.items,
              by_address);
    return true;
}

/* ---- states ---- */

/* Adds what a place may hold, unless it is known already. */
static bool add_state(struct an_plan *plan, struct an_patch_site *place, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < place->state_count; i++)
        if (memcmp(an_plan_state(plan, place, i), bytes, place->size) == 0)
            return true;
    for (unsigned i = 0; i < AN_PATCH_SITE_MOST; i++) {
        uint8_t *to = an_vector_push(&plan->states);
        if (!to)
            return false;
        *to = i < place->size ? bytes[i] : 0;
    }
    place->state_count++;
    return true;
}

/* The bytes of a place with the patches of one source; source == count: the original. */
static void compose(const struct planner *planner, size_t first, size_t end,
                    const struct an_patch_site *place, const uint8_t *original, size_t source,
                    uint8_t *bytes)
{
    memcpy(bytes, original, place->size);
    for (unsigned jumps = 0; jumps < 2; jumps++) /* a jump counts more than a call in it */
        for (size_t i = first; i < end; i++) {
            const struct tagged *tagged = &planner->tagged.items[i];
            if (tagged->source == source && an_patch_is_jump(tagged->patch) == jumps)
                memcpy(bytes + (tagged->patch->address - place->address), tagged->patch->patched,
                       tagged->patch->size);
        }
}

static bool begin_place(struct an_plan *plan, uint64_t address, unsigned size, bool is_entry,
                        bool is_code, struct an_patch_site **place)
{
    *place = an_vector_push(&plan->places);
    if (*place)
        **place = (struct an_patch_site){
            .address = address,
            .size = (uint8_t)size,
            .is_entry = is_entry,
            .is_code = is_code,
            .first_state = (uint32_t)(plan->states.count / AN_PATCH_SITE_MOST),
        };
    return *place != NULL;
}

/* ---- the original ---- */

/* Patches that overlap make one place: the entry of a function that begins with a call. */
static size_t end_of_place(const struct planner *planner, size_t first, uint64_t *end)
{
    size_t i = first;
    *end = 0;
    for (; i < planner->tagged.count; i++) {
        const struct an_patch *patch = planner->tagged.items[i].patch;
        if (i > first && patch->address >= *end)
            break;
        uint64_t behind = patch->address + patch->size;
        *end = behind > *end ? behind : *end;
    }
    return i;
}

static bool plan_original(struct planner *planner)
{
    struct an_plan *plan = planner->plan;
    for (size_t first = 0, next; first < planner->tagged.count; first = next) {
        const struct an_patch *patch = planner->tagged.items[first].patch;
        uint64_t end;
        bool is_jump = false, is_entry = false;
        uint8_t original[AN_PATCH_SITE_MOST], bytes[AN_PATCH_SITE_MOST];
        struct an_patch_site *place;
        next = end_of_place(planner, first, &end);
        if (end - patch->address > AN_PATCH_SITE_MOST) {
            an_withhold(&plan->withheld, "too many adjacent patches", next - first);
            continue;
        }
        for (size_t i = first; i < next; i++) {
            const struct an_patch *other = planner->tagged.items[i].patch;
            is_jump = is_jump || an_patch_is_jump(other);
            is_entry = is_entry || other->kind == AN_PATCH_ENTRY;
            memcpy(original + (other->address - patch->address), other->original, other->size);
        }
        if (!begin_place(plan, patch->address, (unsigned)(end - patch->address), is_jump,
                         patch->kind != AN_PATCH_VTABLE, &place))
            return false;
        place->is_block = is_jump && !is_entry;
        size_t wanted = planner->in_force ? planner->in_force - 1 : planner->count;
        compose(planner, first, next, place, original, wanted, bytes);
        if (!add_state(plan, place, bytes) || !add_state(plan, place, original))
            return false;
        place->own_state = place->state_count - 1;
        for (size_t source = 0; source < planner->count; source++) {
            compose(planner, first, next, place, original, source, bytes);
            if (!add_state(plan, place, bytes))
                return false;
        }
    }
    return true;
}

/* ---- older generations ---- */

/* Where it is to be gone on, behind the first instruction of a function or block, when a generation is in force. Without the
 * same first instruction there, in the original. */
static uint64_t home(const struct planner *planner, const struct an_moved *moved, bool is_block,
                     size_t in_force)
{
    const struct an_generation *generation =
        in_force ? planner->sources[in_force - 1].generation : NULL;
    const struct an_moved *there = NULL;
    if (generation)
        there = an_moved_find(is_block ? &generation->blocks : &generation->moved, moved->original);
    return (there && there->first ? there->address : moved->original) + moved->first;
}

/*
 * A way into the code of a generation, behind its first instruction: its own code while that is in force, else a
 * jump to wherever it is to be gone on. (A generation comes into force again only in a process that was
 * left half way.)
 */
static bool plan_way(struct planner *planner, size_t source, const struct an_moved *moved,
                     bool is_block)
{
    const struct an_generation *generation = planner->sources[source].generation;
    uint64_t address = moved->address + moved->first;
    const uint8_t *own = an_elf_at(generation->elf, address, AN_JUMP_SIZE);
    bool is_in_force = planner->in_force == source + 1;
    uint8_t jump[AN_JUMP_SIZE];
    struct an_patch_site *place;
    if (!own || an_reach_objection(&generation->reach, moved->address, moved->size, moved->first))
        return true; /* it can only be reached from code of the same generation, and does no harm */
    if (!begin_place(planner->plan, address, AN_JUMP_SIZE, true, true, &place))
        return false;
    place->is_of_generation = true;
    place->is_block = is_block;
    if (!is_in_force) {
        place->leads_to = home(planner, moved, is_block, planner->in_force);
        an_patch_jump(jump, address, place->leads_to);
        if (!add_state(planner->plan, place, jump))
            return false;
        place->own_state = place->state_count;
    }
    if (!add_state(planner->plan, place, own))
        return false;
    for (size_t i = 0; i <= planner->count; i++) {
        an_patch_jump(jump, address, home(planner, moved, is_block, i));
        if (i != source + 1 && !add_state(planner->plan, place, jump))
            return false;
    }
    return true;
}

static bool plan_generation(struct planner *planner, size_t source)
{
    const struct an_generation *generation = planner->sources[source].generation;
    for (size_t i = 0; i < generation->moved.count; i++)
        if (!plan_way(planner, source, &generation->moved.items[i], false))
            return false;
    for (size_t i = 0; i < generation->blocks.count; i++)
        if (!plan_way(planner, source, &generation->blocks.items[i], true))
            return false;
    return true;
}

/* ---- all ---- */

static int place_by_address(const void *one, const void *other)
{
    const struct an_patch_site *a = one, *b = other;
    return a->address < b->address ? -1 : a->address > b->address;
}

/*
 * In new code a block of a single instruction may stand before another block, and the jumps behind the first
 * instructions of both do not fit. The latter is kept: who leaves out the former comes by it.
 */
static void drop_overlapping(struct an_plan *plan)
{
    size_t first = plan->places.count;
    struct an_patch_site *places = plan->places.items;
    for (size_t i = plan->places.count; i-- > 0;)
        if (first == plan->places.count || !places[i].is_of_generation ||
            places[i].address + places[i].size <= places[first].address)
            places[--first] = places[i];
    plan->places.count -= first;
    if (first)
        memmove(places, places + first, plan->places.count * sizeof *places);
}

enum an_code an_plan_make(const struct an_plan_source *sources, size_t count, size_t in_force,
                          struct an_plan *plan, struct an_error *error)
{
    struct planner planner = {
        .sources = sources,
        .count = count,
        .in_force = in_force,
        .plan = plan,
    };
    *plan = (struct an_plan){0};
    bool done = collect(&planner) && plan_original(&planner);
    for (size_t i = 0; done && i < count; i++)
        done = plan_generation(&planner, i);
    an_vector_free(&planner.tagged);
    if (!done)
        return an_fail_memory(error);
    if (plan->places.count)
        qsort(plan->places.items, plan->places.count, sizeof *plan->places.items, place_by_address);
    drop_overlapping(plan);
    return AN_OK;
}

size_t an_plan_from(const struct an_plan *plan, uint64_t address)
{
    size_t low = 0, high = plan->places.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (plan->places.items[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct an_patch_site *an_plan_at(const struct an_plan *plan, uint64_t address)
{
    size_t index = an_plan_from(plan, address + 1);
    struct an_patch_site *place = index ? &plan->places.items[index - 1] : NULL;
    return place && address < place->address + place->size ? place : NULL;
}

struct an_patch_site *an_plan_around(const struct an_plan *plan, uint64_t address)
{
    struct an_patch_site *place = an_plan_at(plan, address);
    return place && address != place->address ? place : NULL;
}

void an_plan_free(struct an_plan *plan)
{
    an_vector_free(&plan->places);
    an_vector_free(&plan->states);
    *plan = (struct an_plan){0};
}
