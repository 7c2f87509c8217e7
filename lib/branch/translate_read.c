/* The reading half of a translation: whose samples count, and where their addresses were linked. */
#include "branch/translation.h"

#include <stdlib.h>

#include "base/file.h"
#include "branch/recorded.h"

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
        *mapping = (struct an_mapping){region->start + bias, region->end + bias, bias};
    }
    return true;
}

/* A file of the program, as the recording knows it. AN_MISMATCH when that is of another build. */
static enum an_code look_for(struct an_translation *translation, const struct an_elf *elf,
                             const char *recording, struct an_mapped_file *file,
                             struct an_error *error)
{
    *file = (struct an_mapped_file){.elf = elf, .name = an_file_name(an_elf_path(elf))};
    enum an_build_id_match match = an_recorded_build(translation->samples, elf, &file->other);
    if (elf == translation->layouts.original)
        translation->counts.build_id = match;
    if (match == AN_BUILD_ID_MISMATCH && !translation->options.ignore_build_id)
        return an_recorded_refuse_build(elf, recording, error);
    return AN_OK;
}

static enum an_code find_processes(struct an_translation *translation, const char *recording,
                                   struct an_error *error)
{
    struct an_layouts *layouts = &translation->layouts;
    size_t count = layouts->list.count + 1;
    struct an_mapped_file *files = an_alloc_zero(count, sizeof *files);
    if (!files)
        return an_fail_memory(error);
    enum an_code code = AN_OK;
    for (size_t i = 0; i < count && code == AN_OK; i++)
        code = look_for(translation, i ? layouts->list.items[i - 1].elf : layouts->original,
                        recording, &files[i], error);
    struct an_mappings_options options = {.files = files,
                                          .file_count = count,
                                          .ignore_build_id = translation->options.ignore_build_id,
                                          .only_pid = translation->options.pid};
    if (code == AN_OK)
        code = an_mappings_read(&translation->mappings, translation->samples, &options, error);
    free(files);
    translation->mappings.assume_bias = true;
    if (code == AN_OK)
        translation->counts.processes = an_mappings_wanted(&translation->mappings);
    const struct an_recorded_wanted wanted = {.recording = recording,
                                              .name = an_file_name(translation->options.original),
                                              .pid = translation->options.pid,
                                              .has_layouts = true};
    if (code == AN_OK && translation->counts.processes == 0)
        return an_recorded_refuse_processes(&wanted, &translation->mappings, error);
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
    if (code == AN_OK) {
        code = an_sampling_check(translation->samples, error);
        if (code != AN_OK)
            an_error_in(error, recording);
    }
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
    counts->homeless = seen->homeless;
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
        return an_error_hint(error, "translate requires branches");
    }
    counts->counted = true;
    counts->branches = translation->counted.branch_sum;
    counts->samples = translation->counted.entries;
    counts->matching = translation->counted.entries - translation->counted.foreign;
    return code;
}

enum an_code an_translation_read(struct an_translation *translation, const char *recording,
                                 struct an_error *error)
{
    enum an_aggregate_input input = translation->options.input;
    bool counted = input == AN_AGGREGATE_COUNTS ||
                   (input == AN_AGGREGATE_DETECT && an_counted_recognise(recording));
    return counted ? read_counts(translation, recording, error)
                   : read_recording(translation, recording, error);
}
