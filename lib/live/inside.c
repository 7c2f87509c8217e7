/* Searching memory for addresses inside of entries; see inside.h. */
#include "live/inside.h"

#include <stdlib.h>

#include "live/pages.h"

struct search {
    const struct an_target *target;
    struct an_plan *plan;
    struct an_inside *inside;
    uint64_t lowest, size; /* where all entries are, as the process has them */
    bool failed;           /* no memory */
};

/* The entry that changes and that an address is strictly inside of, or NULL. A jump cannot be left in its middle. */
static struct an_place *entry_around(const struct an_target *target, struct an_plan *plan,
                                     uint64_t address)
{
    struct an_place *place = an_plan_around(plan, address - target->bias);
    return place && place->is_entry && place->changes && !place->is_jump ? place : NULL;
}

static void look_at_words(void *context, uint64_t address, const void *bytes, size_t size)
{
    struct search *search = context;
    const uint64_t *words = bytes;
    for (size_t i = 0; i < size / 8; i++) {
        if (words[i] - search->lowest >= search->size ||
            !entry_around(search->target, search->plan, words[i]))
            continue;
        struct an_inside_word *word = an_vector_push(search->inside);
        if (word)
            *word = (struct an_inside_word){address + 8 * i, words[i]};
        else
            search->failed = true;
    }
}

static bool find_bounds(struct search *search)
{
    const struct an_plan *plan = search->plan;
    uint64_t end = 0;
    for (size_t i = 0; i < plan->places.count; i++) {
        const struct an_place *place = &plan->places.items[i];
        if (!place->is_entry || !place->changes || place->is_jump)
            continue;
        if (!end)
            search->lowest = place->address + search->target->bias;
        end = place->address + place->size + search->target->bias;
    }
    search->size = end - search->lowest;
    return end != 0;
}

enum an_code an_inside_find(const struct an_target *target, struct an_plan *plan,
                            struct an_inside *inside, struct an_error *error)
{
    struct search search = {.target = target, .plan = plan, .inside = inside};
    struct an_pages pages;
    bool known = true;
    inside->count = 0;
    if (!find_bounds(&search))
        return AN_OK;
    void *piece = an_alloc(AN_PIECE, 1);
    an_pages_open(&pages, target);
    for (size_t i = 0; piece && known && i < target->maps.count; i++) {
        const struct an_target_mapping *mapping = &target->maps.items[i];
        if ((mapping->flags & AN_MAP_WRITE) && (mapping->flags & AN_MAP_READ) &&
            an_pages_are_memory(mapping))
            known =
                an_pages_each(&pages, mapping->start, mapping->end, piece, look_at_words, &search);
    }
    an_pages_close(&pages);
    free(piece);
    if (!piece || search.failed)
        return an_fail_memory(error);
    return known ? AN_OK
                 : an_fail(error, AN_SYSTEM, "cannot read the memory of process %d", target->pid);
}

void an_inside_free(struct an_inside *inside)
{
    an_vector_free(inside);
}

static bool is_stack_of_thread(const struct an_target *target, const struct an_threads *threads,
                               uint64_t address)
{
    const struct an_target_mapping *mapping = an_target_mapping_at(target, address);
    if (!mapping || !an_target_is_stack(target, mapping))
        return false;
    for (size_t i = 0; i < threads->list.count; i++) {
        const struct an_thread *thread = &threads->list.items[i];
        if (!thread->is_gone && thread->registers.rsp >= mapping->start &&
            thread->registers.rsp < mapping->end)
            return true;
    }
    return false;
}

size_t an_inside_withhold(const struct an_inside *inside, const struct an_threads *threads,
                          struct an_plan *plan)
{
    const struct an_target *target = threads->target;
    size_t count = 0;
    for (size_t i = 0; i < inside->count; i++) {
        const struct an_inside_word *word = &inside->items[i];
        struct an_place *place = entry_around(target, plan, word->value);
        if (!place || place->is_withheld || an_target_word(target, word->address) != word->value ||
            is_stack_of_thread(target, threads, word->address))
            continue;
        place->is_withheld = true;
        count++;
    }
    return count;
}
