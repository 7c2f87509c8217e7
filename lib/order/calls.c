/*
 * Calls that no profile tells, out of the code: counters say how often a function ran, not who called it. The direct
 * calls, and jumps in their place, of functions with heat are looked for, and a function's heat is dealt out to its
 * callers by theirs: a caller that runs a thousand times more is taken to call a thousand times more often.
 */
#include <elf.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "base/error.h"
#include "order/behaviour.h"
#include "order/image.h"

#define NONE UINT32_MAX

struct search {
    struct an_behaviour *behaviour;
    const struct an_image *image;
    uint32_t *of_image;  /* function of the behaviour with heat, or NONE */
    struct an_map sites; /* caller << 32 | callee -> call sites */
    const struct an_arch *arch;
};

static bool note(struct search *search, uint32_t caller, uint64_t target)
{
    size_t low = 0, high = search->image->functions.count;
    const struct an_image_function *functions = search->image->functions.items;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions[middle].address < target)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == search->image->functions.count || functions[low].address != target)
        return true;
    uint32_t callee = search->of_image[low];
    if (callee == NONE || callee == caller)
        return true;
    bool is_new;
    uint64_t *sites = an_map_insert(&search->sites, (uint64_t)caller << 32 | callee, &is_new);
    if (sites)
        ++*sites;
    return sites;
}

static bool walk(struct search *search, const struct an_image_function *function, uint32_t caller)
{
    const uint8_t *bytes =
        function->size ? an_elf_at(search->image->elf, function->address, (size_t)function->size)
                       : NULL;
    bool has_memory = true;
    struct an_instruction instruction;
    for (uint64_t at = 0; bytes && at < function->size && has_memory; at += instruction.length) {
        if (!search->arch->decode(bytes + at, (size_t)(function->size - at), function->address + at,
                                  &instruction))
            break; /* data among the code: what follows cannot be told */
        if (instruction.kind == AN_CALL || instruction.kind == AN_JUMP ||
            instruction.kind == AN_CONDITIONAL_JUMP)
            has_memory = note(search, caller, instruction.target);
    }
    return has_memory;
}

static bool find_functions(struct search *search, const struct an_matches *matches)
{
    search->of_image = an_alloc(search->image->functions.count + 1, sizeof *search->of_image);
    if (!search->of_image)
        return false;
    for (size_t i = 0; i < search->image->functions.count; i++)
        search->of_image[i] = NONE;
    for (uint32_t f = 0; f < matches->count; f++)
        for (uint32_t i = matches->first[f]; i < matches->first[f + 1]; i++)
            if (an_behaviour_heat(search->behaviour, f) &&
                search->of_image[matches->images[i]] == NONE)
                search->of_image[matches->images[i]] = f;
    return true;
}

/* What a pair of functions weighs before the callee's heat is dealt out. */
static double weigh(const struct search *search, const struct an_map_slot *slot)
{
    return (double)an_behaviour_heat(search->behaviour, (uint32_t)(slot->key >> 32)) *
           (double)slot->value;
}

static bool deal_out(struct search *search)
{
    const struct an_map *sites = &search->sites;
    double *sums = an_alloc_zero(search->behaviour->functions.count + 1, sizeof *sums);
    bool has_memory = sums;
    for (size_t i = 0; has_memory && sites->slots && i <= sites->mask; i++)
        if (sites->slots[i].key)
            sums[(uint32_t)sites->slots[i].key] += weigh(search, &sites->slots[i]);
    for (size_t i = 0; has_memory && sites->slots && i <= sites->mask; i++) {
        const struct an_map_slot *slot = &sites->slots[i];
        uint32_t callee = (uint32_t)slot->key;
        if (!slot->key)
            continue;
        double heat = (double)an_behaviour_heat(search->behaviour, callee);
        double count = heat * (weigh(search, slot) / sums[callee]);
        has_memory = an_behaviour_call(search->behaviour, (uint32_t)(slot->key >> 32), callee,
                                       count < 0x1p63 ? (uint64_t)count : UINT64_MAX / 2);
    }
    free(sums);
    return has_memory;
}

enum an_code an_behaviour_add_calls_of(struct an_behaviour *behaviour, const struct an_image *image,
                                       struct an_error *error)
{
    struct search search = {
        .behaviour = behaviour, .image = image, .arch = an_arch_of(an_elf_machine(image->elf))};
    struct an_matches *matches;
    if (!behaviour->calls_are_partial || !search.arch || image->is_object)
        return AN_OK;
    enum an_code code = an_matches_find(behaviour, image, &matches, error);
    if (code != AN_OK)
        return code;
    bool has_memory = find_functions(&search, matches);
    for (size_t i = 0; has_memory && i < image->functions.count; i++)
        if (search.of_image[i] != NONE)
            has_memory = walk(&search, &image->functions.items[i], search.of_image[i]);
    has_memory = has_memory && deal_out(&search);
    an_matches_free(matches);
    an_map_free(&search.sites);
    free(search.of_image);
    return has_memory ? AN_OK : an_fail_memory(error);
}
