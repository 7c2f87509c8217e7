/*
 * perf2bolt --cont-opt, of Ocolos's BOLT (upenn-acg/BOLT): of a binary's new code, in processes that
 * were started from the binary's original. There, BINARY carries a map of functions by which old
 * addresses are brought to new ones. Here both binaries are read, as by anneal translate, so that
 * old code counts by its own blocks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/aggregate/aggregating.h"
#include "cli/core/output.h"

/* The second line, if it is the path of a file: Ocolos has also put an address there. NULL: it is not. */
static enum an_code read_path(const char *path, char **original, struct an_error *error)
{
    struct an_file file = {0};
    *original = NULL;
    enum an_code code = an_file_load(&file, path, error);
    const char *text = (const char *)file.bytes.data, *end = text + file.bytes.size;
    const char *line = code == AN_OK && text ? memchr(text, '\n', file.bytes.size) : NULL;
    if (line) {
        line++;
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        *original = strndup(line, (size_t)((stop ? stop : end) - line));
        if (!*original)
            code = an_fail_memory(error);
        else if (!an_file_is_there(*original)) {
            free(*original);
            *original = NULL;
        }
    }
    an_file_close(&file);
    return code;
}

enum an_code aggregate_find_original(const struct aggregate_request *request, char **original,
                                     struct an_error *error)
{
    enum an_code code = AN_OK;
    *original = NULL;
    if (request->binaries)
        code = read_path(request->binaries, original, error);
    if (code != AN_OK || *original)
        return code;
    code = an_translate_find_original(request->recording, request->binary,
                                      request->options.allow_truncated, original, error);
    if (code == AN_MISMATCH || code == AN_USAGE)
        return an_error_hint(error, "name it on the second line of a file, for --bin-path-info");
    return code;
}

/* In perf2bolt's terms. */
static struct an_aggregate_counts as_aggregated(const struct an_translate_counts *counts)
{
    return (struct an_aggregate_counts){
        .build_id = counts->build_id,
        .counted = counts->counted,
        .bolted = true,
        .cut = counts->cut,
        .cut_at = counts->cut_at,
        .processes = counts->processes,
        .available = counts->processes,
        .samples = counts->samples,
        .matching = counts->matching,
        .branches = counts->branches,
        .runs = counts->runs,
        .mismatching = counts->runs_untraceable + counts->runs_across,
        .out_of_range = counts->runs_out_of_range,
        .records = counts->records,
        .homeless = counts->homeless,
    };
}

static int write_profile(const struct aggregate_request *request,
                         const struct an_translation *translation)
{
    void *bytes = NULL;
    size_t size = 0;
    struct an_error error;
    enum an_code code = an_translation_write(translation, request->form, &bytes, &size, &error);
    return aggregate_write(request->output, code, bytes, size, &error);
}

int aggregate_replaced(const struct aggregate_request *request, const char *original)
{
    if (request->output_is_yaml) {
        say_error("--cont-opt writes fdata only (leave out --profile-format=yaml)");
        return EXIT_USAGE;
    }
    const struct an_aggregate_options *wanted = &request->options;
    const struct an_translate_layout layout = {.path = request->binary};
    const struct an_translate_options options = {
        .size = sizeof options,
        .input = wanted->input,
        .threads = wanted->threads,
        .pid = wanted->pid,
        .ignore_build_id = wanted->ignore_build_id,
        .keep_interrupts = wanted->keep_interrupts,
        .allow_truncated = wanted->allow_truncated,
        .original = original,
        .layouts = &layout,
        .layout_count = 1,
        .call_stack = request->call_stack,
        .progress = wanted->progress,
        .context = wanted->context,
        .for_fdata = true,
    };
    struct an_translation *translation;
    struct an_error error;
    enum an_code code = an_translate_run(&options, request->recording, &translation, &error);
    progress_clear();
    if (code != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    struct an_aggregate_counts counts = as_aggregated(an_translation_counts(translation));
    int status = write_profile(request, translation);
    struct an_buffer log = {0};
    struct aggregate_request told = *request;
    told.bolt_log = &log;
    if (status == EXIT_DONE)
        request->tell(&told, &counts);
    an_translation_free(translation);
    return status;
}
