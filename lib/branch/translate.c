/*
 * Translation of a profile between code layouts: recording -> counts at linked addresses -> places
 * in the original's functions -> records. The interface is anneal/branch.h.
 *
 * A branch is translated end by end, each through the layout it lies in. A run is followed through
 * the blocks of the layout it ran in: those of the original are found by decoding it, those of
 * another layout are listed in its translation. What cannot be told is counted by its reason.
 */
#include <anneal/branch.h>

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "branch/bat_reverse.h"
#include "branch/flow.h"
#include "branch/layouts.h"
#include "branch/preaggregated.h"
#include "branch/sampling.h"

struct an_translation {
    struct an_translate_options options;
    struct an_layouts layouts;
    struct an_mappings mappings;
    struct an_samples *samples;
    struct an_sampling sampling;
    struct an_counted counted;
    struct an_flow *flow; /* of the original's code that ran */
    struct an_records records;
    struct an_translate_counts counts;
    uint64_t *by_layout;
    bool *on_stack;                 /* by function, if it is known */
    struct an_bat_reverse *reverse; /* into the target, if it is not the original */
};

void an_translation_free(struct an_translation *translation)
{
    if (!translation)
        return;
    an_bat_reverse_free(translation->reverse);
    an_records_free(&translation->records);
    an_flow_free(translation->flow);
    an_counted_free(&translation->counted);
    an_sampling_free(&translation->sampling);
    an_samples_close(translation->samples);
    an_mappings_free(&translation->mappings);
    an_layouts_close(&translation->layouts);
    free(translation->by_layout);
    free(translation->on_stack);
    free(translation);
}

const struct an_translate_counts *an_translation_counts(const struct an_translation *translation)
{
    return &translation->counts;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* --- what is in force --- */

static int by_name(const void *a, const void *b)
{
    const struct an_function *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* A name may stand for itself, or for all local functions of that name. */
static void mark_named(struct an_translation *translation, const struct an_function **sorted,
                       const char *name, size_t length)
{
    const struct an_functions *functions = &translation->layouts.functions;
    size_t low = 0, high = functions->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strncmp(sorted[middle]->name, name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < functions->count && strncmp(sorted[low]->name, name, length) == 0; low++)
        if (sorted[low]->name[length] == '\0' || sorted[low]->name[length] == '/')
            translation->on_stack[sorted[low] - functions->items] = true;
}

static enum an_code read_call_stack(struct an_translation *translation, struct an_error *error)
{
    const struct an_functions *functions = &translation->layouts.functions;
    struct an_file file = {0};
    if (!translation->options.call_stack)
        return AN_OK;
    enum an_code code = an_file_load(&file, translation->options.call_stack, error);
    const struct an_function **sorted = an_alloc(functions->count, sizeof(struct an_function *));
    translation->on_stack = an_alloc_zero(functions->count + 1, sizeof(bool));
    if (code == AN_OK && (!sorted || !translation->on_stack))
        code = an_fail_memory(error);
    for (size_t i = 0; i < functions->count && code == AN_OK; i++)
        sorted[i] = &functions->items[i];
    if (functions->count && code == AN_OK)
        qsort(sorted, functions->count, sizeof *sorted, by_name);
    const char *text = (const char *)file.bytes.data, *end = text + file.bytes.size;
    while (code == AN_OK && text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        if (length && *text != '#')
            mark_named(translation, sorted, text, length);
        text += length + (stop != NULL);
    }
    free(sorted);
    an_file_close(&file);
    return code;
}

static enum an_code open_layouts(struct an_translation *translation, struct an_error *error)
{
    const struct an_translate_options *options = &translation->options;
    struct an_layouts *layouts = &translation->layouts;
    enum an_code code = an_layouts_open(layouts, options->original, error);
    for (size_t i = 0; i < options->layout_count && code == AN_OK; i++)
        code =
            an_layouts_add(layouts, options->layouts[i].path, options->layouts[i].address, error);
    if (code == AN_OK)
        code = an_layouts_finish(layouts, error);
    if (code == AN_OK)
        code = read_call_stack(translation, error);
    if (code != AN_OK)
        return code;
    translation->counted.base = layouts->base;
    translation->counts.layout_count = options->layout_count + 1;
    translation->by_layout = an_alloc_zero(options->layout_count + 1, sizeof(uint64_t));
    translation->counts.by_layout = translation->by_layout;
    return translation->by_layout ? AN_OK : an_fail_memory(error);
}

/* --- reading --- */

/* A layout whose place was given is there in every process. */
static bool place_layouts(struct an_translation *translation)
{
    const struct an_layouts *layouts = &translation->layouts;
    for (size_t i = 0; i < layouts->regions.count; i++) {
        const struct an_layout_region *region = &layouts->regions.items[i];
        if (!region->layout || !layouts->list.items[region->layout - 1].address)
            continue;
        const struct an_layout_region *first = region;
        for (size_t k = 0; k < i; k++)
            if (layouts->regions.items[k].layout == region->layout) {
                first = &layouts->regions.items[k];
                break;
            }
        uint64_t bias = layouts->list.items[region->layout - 1].address - first->start;
        struct an_mapping *mapping = an_vector_push(&translation->mappings.everywhere);
        if (!mapping)
            return false;
        *mapping =
            (struct an_mapping){region->start + bias, region->end + bias, bias, 0, UINT64_MAX};
    }
    return true;
}

static enum an_code find_processes(struct an_translation *translation, const char *recording,
                                   struct an_error *error)
{
    struct an_layouts *layouts = &translation->layouts;
    size_t count = layouts->list.count + 1;
    struct an_mapped_file *files = an_alloc_zero(count, sizeof *files);
    if (!files)
        return an_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        files[i].elf = i ? layouts->list.items[i - 1].elf : layouts->original;
        files[i].name = base_name(an_elf_path(files[i].elf));
    }
    struct an_mappings_options options = {.files = files,
                                          .file_count = count,
                                          .ignore_build_id = translation->options.ignore_build_id,
                                          .only_pid = translation->options.pid};
    enum an_code code =
        an_mappings_read(&translation->mappings, translation->samples, &options, error);
    free(files);
    translation->mappings.assume_bias = true;
    translation->counts.processes = an_mappings_wanted(&translation->mappings);
    if (code == AN_OK && translation->counts.processes == 0) {
        an_fail(error, AN_MISMATCH, "no process in the recording ran %s or a layout of it",
                base_name(translation->options.original));
        an_error_in(error, recording);
        return translation->mappings.seen[0]
                   ? an_error_hint(error, "it has %s", translation->mappings.seen)
                   : an_error_hint(error, "it has no mappings at all");
    }
    if (code == AN_OK && !place_layouts(translation))
        code = an_fail_memory(error);
    return code;
}

static enum an_code read_recording(struct an_translation *translation, const char *recording,
                                   struct an_error *error)
{
    const struct an_translate_options *options = &translation->options;
    struct an_samples_options reading = {.allow_truncated = options->allow_truncated};
    enum an_code code = an_samples_open(recording, &reading, &translation->samples, error);
    if (code == AN_OK)
        code = find_processes(translation, recording, error);
    struct an_sampling_options sampling = {.threads = options->threads,
                                           .keep_interrupts = options->keep_interrupts,
                                           .entries = translation->layouts.entries,
                                           .progress = options->progress,
                                           .context = options->context};
    if (code == AN_OK)
        code = an_sampling_read(&translation->sampling, &translation->counted, translation->samples,
                                &translation->mappings, &sampling, error);
    if (code != AN_OK)
        return code;
    struct an_translate_counts *counts = &translation->counts;
    const struct an_samples_counts *seen = an_samples_counts(translation->samples);
    counts->cut = seen->cut;
    counts->cut_at = seen->cut_at;
    counts->samples = translation->sampling.counts.samples;
    counts->matching = translation->sampling.counts.matching;
    counts->branches = translation->sampling.counts.branches;
    counts->entry_jumps = translation->sampling.counts.entry_jumps;
    return AN_OK;
}

static enum an_code read_counts(struct an_translation *translation, const char *path,
                                struct an_error *error)
{
    struct an_translate_counts *counts = &translation->counts;
    enum an_code code =
        an_counted_read(&translation->counted, path, translation->layouts.original, error);
    if (code == AN_OK && translation->counted.places) {
        an_fail(error, AN_UNSUPPORTED, "samples without branches");
        an_error_in(error, path);
        return an_error_hint(error, "translate needs branches");
    }
    counts->counted = true;
    counts->branches = translation->counted.branch_sum;
    counts->samples = translation->counted.entries;
    counts->matching = translation->counted.entries - translation->counted.foreign;
    return code;
}

/* --- translating --- */

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

static bool is_entry_jump(const struct an_layouts *layouts, uint64_t from, uint64_t to)
{
    uint64_t one = an_entries_find(layouts->entries, (uint32_t)(from - layouts->base));
    return one && from != to &&
           an_entries_find(layouts->entries, (uint32_t)(to - layouts->base)) == one;
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
    if (is_entry_jump(&translation->layouts, from, to)) {
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

static bool follow_fragment(struct an_translation *translation, const struct an_layout_place *start,
                            const struct an_layout_place *end, uint64_t count)
{
    const struct an_bat *bat = translation->layouts.list.items[start->layout - 1].bat;
    struct an_bat_walk walk = an_bat_walk_start(bat, start->fragment, start->inner, end->inner);
    struct an_bat_fallthrough step;
    while (an_bat_walk_next(&walk, &step))
        if (!an_records_add(&translation->records, an_place_make(start->function, step.from_input),
                            an_place_make(start->function, step.to_input), count, 0))
            return false;
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

struct finishing {
    struct an_records *records;
    bool done;
};

static void add_fall_through(void *context, size_t function, uint64_t from, uint64_t to,
                             uint64_t count)
{
    struct finishing *finishing = context;
    finishing->done =
        finishing->done && an_records_add(finishing->records, an_place_make(function, from),
                                          an_place_make(function, to), count, 0);
}

/* A place as an address: in the target if there is one, else in the original. False: the target
 * does not have it. */
static bool address_of(const struct an_translation *translation, an_place place, bool is_source,
                       uint64_t *address)
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

static enum an_code translate(struct an_translation *translation, struct an_error *error)
{
    enum an_code code = build_flow(translation, error);
    if (code != AN_OK)
        return code;
    bool done = translate_counted(translation);
    struct finishing finishing = {&translation->records, done};
    an_flow_each(translation->flow, add_fall_through, &finishing);
    if (!finishing.done || !an_records_combine(&translation->records))
        return an_fail_memory(error);
    translation->counts.records = translation->records.branches.count;
    for (size_t i = 0; i < translation->records.branches.count; i++) {
        const struct an_record *record = &translation->records.branches.items[i];
        uint64_t ignored;
        if (!address_of(translation, record->from, true, &ignored) ||
            !address_of(translation, record->to, false, &ignored))
            translation->counts.gone += record->count;
    }
    return AN_OK;
}

/* --- another target than the original --- */

static enum an_code aim(struct an_translation *translation, struct an_error *error)
{
    const char *target = translation->options.target;
    struct an_layouts *layouts = &translation->layouts;
    if (!target)
        return AN_OK;
    for (size_t i = 0; i < layouts->list.count; i++) {
        struct an_layout *layout = &layouts->list.items[i];
        if (strcmp(an_elf_path(layout->elf), target) != 0)
            continue;
        struct an_funcmap *map;
        enum an_code code = an_layouts_map(layouts, layout, &map, error);
        if (code == AN_OK)
            code = an_bat_reverse_build(layout->bat, map, &translation->reverse, error);
        an_funcmap_free(map);
        return code;
    }
    an_fail(error, AN_USAGE, "%s is none of the layouts", target);
    return an_error_hint(error, "name it as a layout too");
}

enum an_code an_translate_run(const struct an_translate_options *options, const char *recording,
                              struct an_translation **out, struct an_error *error)
{
    *out = NULL;
    struct an_translation *translation = an_alloc_zero(1, sizeof *translation);
    if (!translation)
        return an_fail_memory(error);
    translation->options = *options;
    enum an_code code = open_layouts(translation, error);
    if (code == AN_OK)
        code = aim(translation, error);
    bool counted = options->input == AN_AGGREGATE_COUNTS ||
                   (options->input == AN_AGGREGATE_DETECT && an_counted_recognise(recording));
    if (code == AN_OK)
        code = counted ? read_counts(translation, recording, error)
                       : read_recording(translation, recording, error);
    if (code == AN_OK)
        code = translate(translation, error);
    if (code == AN_OK)
        *out = translation;
    else
        an_translation_free(translation);
    return code;
}

/* --- writing --- */

/* As perf2bolt names functions of a binary that llvm-bolt made, with their source file: only so a
 * number means the same in both binaries, most of the time. */
static const char *name_of(const struct an_function *function)
{
    return function->file_name ? function->file_name : function->name;
}

static void write_counts(const struct an_translation *translation, struct an_buffer *buffer)
{
    const struct an_records *records = &translation->records;
    for (size_t i = 0; i < records->branches.count; i++) {
        const struct an_record *record = &records->branches.items[i];
        struct an_preaggregated_entry entry = {.kind = AN_PREAGGREGATED_BRANCH,
                                               .count = record->count,
                                               .mispredictions = record->mispreds};
        if (address_of(translation, record->from, true, &entry.from.offset) &&
            address_of(translation, record->to, false, &entry.to.offset))
            an_preaggregated_write(buffer, &entry);
    }
}

enum an_code an_translation_write(const struct an_translation *translation,
                                  enum an_aggregate_output output, void **bytes, size_t *size,
                                  struct an_error *error)
{
    struct an_buffer buffer = {0};
    struct an_records_format format = {.bolted = false, .events = "", .name = name_of};
    for (size_t i = 1; i < translation->counts.layout_count; i++)
        format.bolted = format.bolted || translation->by_layout[i];
    if (output == AN_AGGREGATE_FDATA && translation->reverse) {
        an_fail(error, AN_USAGE, "fdata is for the original");
        return an_error_hint(error, "write the pre-aggregated form, and have perf2bolt read it");
    }
    if (output == AN_AGGREGATE_FDATA)
        an_records_write(&translation->records, &translation->layouts.functions, &format, &buffer);
    else
        write_counts(translation, &buffer);
    if (buffer.failed) {
        an_buffer_free(&buffer);
        return an_fail_memory(error);
    }
    *bytes = buffer.data;
    *size = buffer.size;
    return AN_OK;
}
