/*
 * Counting runs; see bat_runs.h.
 *
 *     entries of a fragment   B0   b   b   B1   b   B2   B3        B: a block, b: a branch
 *     a run                        |--------------->|
 *     changes                           +n               -n
 *
 * The entry at or below a run's begin is its first, that at or below its end the last. It passes from
 * one block into the next if the next one is behind its first entry, and not behind its last one. So
 * the sum of the changes up to a block is the number of runs that passed into it.
 */
#include "bolt/bat_runs.h"

#include <stdlib.h>

#include "base/memory.h"

struct fragment_runs {
    uint32_t owner;
    uint32_t first_block; /* entries before it */
    bool is_known;        /* a run was counted */
};

struct an_bat_runs {
    const struct an_bat *bat;
    struct fragment_runs *fragments;
    uint64_t *changes; /* for each entry, what changes behind it */
};

struct an_bat_runs *an_bat_runs_new(const struct an_bat *bat)
{
    struct an_bat_runs *runs = an_alloc_zero(1, sizeof *runs);
    if (!runs)
        return NULL;
    runs->bat = bat;
    runs->fragments = an_alloc_zero(bat->function_count, sizeof *runs->fragments);
    runs->changes = an_alloc_zero(bat->entry_count, sizeof *runs->changes);
    if (runs->fragments && runs->changes)
        return runs;
    an_bat_runs_free(runs);
    return NULL;
}

void an_bat_runs_free(struct an_bat_runs *runs)
{
    if (!runs)
        return;
    free(runs->fragments);
    free(runs->changes);
    free(runs);
}

static void know(struct fragment_runs *known, const struct an_bat_entry *entries, uint32_t count,
                 uint32_t owner)
{
    *known = (struct fragment_runs){.owner = owner, .is_known = true};
    while (known->first_block < count && an_bat_entry_is_branch(entries[known->first_block]))
        known->first_block++;
}

void an_bat_runs_add(struct an_bat_runs *runs, const struct an_bat_function *fragment,
                     uint32_t owner, uint64_t from, uint64_t to, uint64_t count)
{
    const struct an_bat_entry *entries = an_bat_entries(runs->bat, fragment);
    struct fragment_runs *known = &runs->fragments[fragment - runs->bat->functions];
    if (from >= to)
        return;
    if (!known->is_known)
        know(known, entries, fragment->entry_count, owner);
    size_t first = an_bat_entries_at_or_below(entries, fragment->entry_count, from);
    size_t last = an_bat_entries_at_or_below(entries, fragment->entry_count, to);
    if (first <= known->first_block || first == last)
        return;
    runs->changes[fragment->first_entry + first - 1] += count;
    runs->changes[fragment->first_entry + last - 1] -= count;
}

/* As a target, blocks that begin at the same place share the last one's. */
static uint32_t last_at_place(const struct an_bat_entry *entries, uint32_t count, uint32_t entry)
{
    while (entry + 1 < count && entries[entry + 1].output == entries[entry].output)
        entry++;
    return entry;
}

static bool tell(const struct an_bat_runs *runs, const struct an_bat_function *fragment,
                 bool (*take)(void *context, uint32_t owner, const struct an_bat_fallthrough *step,
                              uint64_t count),
                 void *context)
{
    const struct an_bat_entry *entries = an_bat_entries(runs->bat, fragment);
    const struct fragment_runs *known = &runs->fragments[fragment - runs->bat->functions];
    const uint64_t *changes = &runs->changes[fragment->first_entry];
    struct an_bat_fallthrough step = {0};
    uint64_t passed = 0;
    uint32_t last = 0; /* at the place of the block */
    for (uint32_t i = known->first_block; i < fragment->entry_count; i++) {
        passed += i ? changes[i - 1] : 0;
        if (an_bat_entry_is_branch(entries[i]))
            continue;
        if (i == known->first_block || last < i)
            last = last_at_place(entries, fragment->entry_count, i);
        step.to_output = entries[i].output;
        step.to_input = an_bat_entry_input(entries[last]);
        if (passed && !take(context, known->owner, &step, passed))
            return false;
        step.from_output = step.to_output;
        step.from_input = step.to_input;
    }
    return true;
}

bool an_bat_runs_each(const struct an_bat_runs *runs,
                      bool (*take)(void *context, uint32_t owner,
                                   const struct an_bat_fallthrough *step, uint64_t count),
                      void *context)
{
    for (size_t i = 0; i < runs->bat->function_count; i++)
        if (runs->fragments[i].is_known && !tell(runs, &runs->bat->functions[i], take, context))
            return false;
    return true;
}
