/*
 * The telling half of a translation. A branch is translated end by end, each through the layout it
 * lies in. A run is followed through the blocks of the layout it ran in: those of the original are
 * found by decoding it, those of another layout are listed in its translation. What cannot be told
 * is counted by its reason.
 */
#include "branch/translation.h"

#include <stdlib.h>

static bool is_across(const struct an_layout_place *start, const struct an_layout_place *end)
{
    return start->layout != end->layout || start->fragment != end->fragment ||
           start->function != end->function;
}

/* Old code of a function that has newer code. */
static void note_old_code(struct an_translation *translation, const struct an_layout_place *place,
                          uint64_t count)
{
    translation->by_layout[place->layout] += count;
    if (place->layout == translation->options.layout_count ||
        !translation->layouts.moved[place->function] || place->layout != 0)
        return;
    translation->counts.old_code += count;
    if (translation->on_stack && !translation->on_stack[place->function])
        translation->counts.old_code_unexpected += count;
}

/* Counts what one end cannot be told; false if it can. */
static bool is_lost(struct an_translation *translation, const struct an_layout_place *place,
                    uint64_t count)
{
    switch (place->kind) {
    case AN_PLACE_NO_FUNCTION:
        translation->counts.no_function += count;
        return true;
    case AN_PLACE_NO_FRAGMENT:
        translation->counts.no_fragment += count;
        return true;
    case AN_PLACE_NO_ORIGIN:
        translation->counts.no_origin += count;
        return true;
    case AN_PLACE_ELSEWHERE:
    case AN_PLACE_KNOWN:
        break;
    }
    return false;
}

static an_place place_in_records(const struct an_layout_place *place)
{
    return place->kind == AN_PLACE_KNOWN ? an_place_make(place->function, place->offset)
                                         : AN_PLACE_UNKNOWN;
}

static bool translate_branch(struct an_translation *translation, uint64_t from, uint64_t to,
                             const struct an_tally_slot *slot)
{
    struct an_translate_counts *counts = &translation->counts;
    struct an_layout_place source = an_layouts_place(&translation->layouts, from, true);
    struct an_layout_place target = an_layouts_place(&translation->layouts, to, false);
    if (source.kind == AN_PLACE_ELSEWHERE && target.kind == AN_PLACE_ELSEWHERE) {
        counts->elsewhere += slot->count;
        return true;
    }
    if (an_layouts_is_return(&translation->layouts, from)) {
        counts->returns += slot->count;
        return true;
    }
    if (an_entries_is_jump(translation->layouts.entries, slot->from, slot->to)) {
        counts->entry_jumps += slot->count;
        return true;
    }
    if (is_lost(translation, &source, slot->count) || is_lost(translation, &target, slot->count))
        return true;
    counts->translated += slot->count;
    if (source.kind == AN_PLACE_KNOWN)
        note_old_code(translation, &source, slot->count);
    return an_records_add(&translation->records, place_in_records(&source),
                          place_in_records(&target), slot->count, slot->mispreds);
}

/* The runs of a layout's fragments are kept until all are counted. */
static bool follow_fragment(struct an_translation *translation, const struct an_layout_place *start,
                            const struct an_layout_place *end, uint64_t count)
{
    struct an_layout *layout = &translation->layouts.list.items[start->layout - 1];
    if (!layout->runs)
        layout->runs = an_bat_runs_new(layout->bat);
    if (layout->runs)
        an_bat_runs_add(layout->runs, start->fragment, start->function, start->inner, end->inner,
                        count);
    return layout->runs != NULL;
}

static bool add_fallthrough(void *context, uint32_t function, const struct an_bat_fallthrough *step,
                            uint64_t count)
{
    return an_records_add(context, an_place_make(function, step->from_input),
                          an_place_make(function, step->to_input), count, 0);
}

static bool add_fallthroughs(struct an_translation *translation)
{
    for (size_t i = 0; i < translation->layouts.list.count; i++) {
        const struct an_bat_runs *runs = translation->layouts.list.items[i].runs;
        if (runs && !an_bat_runs_each(runs, add_fallthrough, &translation->records))
            return false;
    }
    return true;
}

/* Whether the newest layout's own binary has no function there: old code of what was moved, and the
 * layouts between. */
static bool is_hole(const struct an_translation *translation, const struct an_layout_place *place)
{
    if (place->kind != AN_PLACE_KNOWN || place->layout == translation->options.layout_count)
        return false;
    return place->layout != 0 || translation->layouts.moved[place->function];
}

/* The branch to the start came from another function, as far as the layout of the run can tell. */
static bool from_outside(const struct an_translation *translation, uint64_t before,
                         uint32_t function)
{
    const struct an_function *item = &translation->layouts.functions.items[function];
    return before - item->address >= item->size;
}

static bool translate_run(struct an_translation *translation, uint64_t before, uint64_t first,
                          uint64_t last, uint64_t count)
{
    struct an_translate_counts *counts = &translation->counts;
    struct an_layout_place start = an_layouts_place(&translation->layouts, first, false);
    struct an_layout_place end = an_layouts_place(&translation->layouts, last, false);
    counts->runs += count;
    if (is_hole(translation, &start) || is_hole(translation, &end))
        counts->illegal_before += count;
    if (start.kind != AN_PLACE_KNOWN || end.kind != AN_PLACE_KNOWN) {
        counts->runs_out_of_range += count;
        return true;
    }
    if (is_across(&start, &end)) {
        counts->runs_across += count;
        return true;
    }
    bool in_plt = translation->layouts.functions.items[start.function].in_plt;
    if (start.layout == 0 && !in_plt &&
        !an_flow_count(translation->flow, start.function, first, last,
                       from_outside(translation, before, start.function), count)) {
        counts->runs_untraceable += count;
        return true;
    }
    if (start.layout && start.inner > end.inner) {
        counts->runs_untraceable += count;
        return true;
    }
    counts->runs_translated += count;
    return start.layout == 0 || follow_fragment(translation, &start, &end, count);
}

static bool translate_counted(struct an_translation *translation)
{
    const struct an_counted *counted = &translation->counted;
    const struct an_tally *tally = &counted->tally;
    for (size_t i = 0; tally->slots && i <= tally->mask; i++) {
        const struct an_tally_slot *slot = &tally->slots[i];
        uint64_t from = an_counted_absolute(counted, slot->from);
        uint64_t to = an_counted_absolute(counted, slot->to);
        if (!slot->occupied)
            continue;
        if (!translate_branch(translation, from, to, slot) ||
            (slot->next != AN_TALLY_NOWHERE &&
             !translate_run(translation, from, to, an_counted_absolute(counted, slot->next),
                            slot->count)))
            return false;
    }
    for (size_t i = 0; i < counted->runs.count; i++) {
        const struct an_counted_run *run = &counted->runs.items[i];
        uint64_t start = an_counted_absolute(counted, run->start);
        if (!translate_run(translation, run->from_outside ? 0 : start, start,
                           an_counted_absolute(counted, run->end), run->count))
            return false;
    }
    return true;
}

/* --- the original's code that ran --- */

static void mark(const struct an_translation *translation, bool *hit, uint32_t relative)
{
    uint64_t address = an_counted_absolute(&translation->counted, relative);
    struct an_layout_place place = an_layouts_place(&translation->layouts, address, false);
    if (place.kind == AN_PLACE_KNOWN && place.layout == 0)
        hit[place.function] = true;
}

static enum an_code build_flow(struct an_translation *translation, struct an_error *error)
{
    const struct an_counted *counted = &translation->counted;
    const struct an_tally *tally = &counted->tally;
    bool *hit = an_alloc_zero(translation->layouts.functions.count + 1, sizeof *hit);
    if (!hit)
        return an_fail_memory(error);
    for (size_t i = 0; tally->slots && i <= tally->mask; i++)
        if (tally->slots[i].occupied) {
            mark(translation, hit, tally->slots[i].from);
            mark(translation, hit, tally->slots[i].to);
        }
    for (size_t i = 0; i < counted->runs.count; i++)
        mark(translation, hit, counted->runs.items[i].start);
    enum an_code code =
        an_flow_build(translation->layouts.original, &translation->layouts.functions, hit,
                      an_samples_threads(translation->options.threads), &translation->flow, error);
    free(hit);
    return code;
}

bool an_translation_address(const struct an_translation *translation, an_place place,
                            bool is_source, uint64_t *address)
{
    const struct an_functions *functions = &translation->layouts.functions;
    *address = 0;
    if (an_place_function(place) >= functions->count)
        return true;
    uint64_t input = functions->items[an_place_function(place)].address + (uint32_t)place;
    *address = input;
    return !translation->reverse ||
           an_bat_from_input(translation->reverse, input, is_source, address) != AN_BAT_GONE;
}

enum an_code an_translation_resolve(struct an_translation *translation, struct an_error *error)
{
    enum an_code code = build_flow(translation, error);
    if (code != AN_OK)
        return code;
    if (!translate_counted(translation) || !add_fallthroughs(translation) ||
        !an_flow_add_records(translation->flow, &translation->records) ||
        !an_records_combine(&translation->records))
        return an_fail_memory(error);
    translation->counts.records = translation->records.branches.count;
    for (size_t i = 0; i < translation->records.branches.count; i++) {
        const struct an_record *record = &translation->records.branches.items[i];
        uint64_t ignored;
        if (!an_translation_address(translation, record->from, true, &ignored) ||
            !an_translation_address(translation, record->to, false, &ignored))
            translation->counts.gone += record->count;
    }
    return AN_OK;
}
