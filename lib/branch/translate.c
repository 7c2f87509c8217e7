/*
 * Translation of a profile between code layouts: recording -> counts at linked addresses -> places
 * in the original's functions -> records. The interface is anneal/branch.h; the two steps in the
 * middle are translate_read.c and translate_resolve.c.
 */
#include "branch/translation.h"

#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "branch/call_stack.h"
#include "branch/usable.h"
#include "perf/preaggregated.h"

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
    if (code == AN_OK && options->call_stack)
        code = an_call_stack_read(options->call_stack, &layouts->functions, &translation->on_stack,
                                  error);
    if (code != AN_OK)
        return code;
    translation->counted.base = layouts->base;
    translation->counts.layout_count = options->layout_count + 1;
    translation->by_layout = an_alloc_zero(options->layout_count + 1, sizeof(uint64_t));
    translation->counts.by_layout = translation->by_layout;
    return translation->by_layout ? AN_OK : an_fail_memory(error);
}

/* Once all is known: what to say in place of an empty profile. */
static void explain(struct an_translation *translation, const char *recording)
{
    const struct an_translate_counts *counts = &translation->counts;
    const struct an_usable seen = {
        .recording = recording,
        .binary = translation->options.original,
        .info = counts->counted ? NULL : an_samples_info(translation->samples),
        .pid = translation->options.pid,
        .samples = counts->samples,
        .matching = counts->matching,
        .homeless = counts->homeless,
        .without_branches = translation->sampling.counts.without_branches,
        .branches = counts->branches,
    };
    an_usable_refuse(&seen, &translation->unusable);
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
    an_fail(error, AN_USAGE, "%s is not one of the layouts", target);
    return an_error_hint(error, "also name it with --layout");
}

enum an_code an_translate_run(const struct an_translate_options *options, const char *recording,
                              struct an_translation **out, struct an_error *error)
{
    struct an_translate_options full;
    *out = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    struct an_translation *translation = an_alloc_zero(1, sizeof *translation);
    if (!translation)
        return an_fail_memory(error);
    translation->options = full;
    code = open_layouts(translation, error);
    if (code == AN_OK && full.for_fdata)
        code = an_usable_check_names(translation->layouts.original, error);
    if (code == AN_OK)
        code = aim(translation, error);
    if (code == AN_OK)
        code = an_translation_read(translation, recording, error);
    if (code == AN_OK)
        code = an_translation_resolve(translation, error);
    if (code != AN_OK) {
        an_translation_free(translation);
        return code;
    }
    explain(translation, recording);
    *out = translation;
    return AN_OK;
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
        if (an_translation_address(translation, record->from, true, &entry.from.offset) &&
            an_translation_address(translation, record->to, false, &entry.to.offset))
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
        return an_error_hint(error, "write the pre-aggregated format, for perf2bolt to read");
    }
    if (output == AN_AGGREGATE_FDATA &&
        an_usable_check_names(translation->layouts.original, error) != AN_OK)
        return error->code;
    if (!translation->records.branches.count) {
        *error = translation->unusable;
        return error->code;
    }
    if (output == AN_AGGREGATE_FDATA)
        an_records_write(&translation->records, &translation->layouts.functions, &format, &buffer);
    else
        write_counts(translation, &buffer);
    if (buffer.failed) {
        an_buffer_free(&buffer);
        return an_fail_memory(error);
    }
    if (!buffer.size) {
        /* the target has none of the blocks that were counted */
        an_buffer_free(&buffer);
        an_fail(error, AN_EMPTY, "no count is for a block that %s has",
                translation->options.target);
        return an_error_hint(error, "write a profile for the original, without --to");
    }
    *bytes = buffer.data;
    *size = buffer.size;
    return AN_OK;
}
