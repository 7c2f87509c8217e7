/* The YAML profile of an aggregation, which llvm-bolt makes. */
#include <anneal/yaml.h>
#include <stdio.h>
#include <stdlib.h>

#include "aggregating.h"
#include "cli/core/output.h"

/* Options of llvm-bolt, in its words, as many as were given. */
struct bolt_words {
    const char *words[8];
    size_t count;
    char verbosity[24];
};

static void list_options(struct bolt_words *list, const struct aggregate_request *request)
{
    *list = (struct bolt_words){0};
    if (request->bolt_options.verbosity) {
        snprintf(list->verbosity, sizeof list->verbosity, "-v=%u", request->bolt_options.verbosity);
        list->words[list->count++] = list->verbosity;
    }
    if (request->bolt_options.dfs_order)
        list->words[list->count++] = "-profile-use-dfs";
    if (request->bolt_options.print_disassembly)
        list->words[list->count++] = "-print-disasm";
    if (request->bolt_options.print_only) {
        list->words[list->count++] = "-print-only";
        list->words[list->count++] = request->bolt_options.print_only;
    }
}

static void keep(void *context, const char *text, size_t size)
{
    struct an_buffer *log = context;
    log->size = 0;
    an_buffer_put(log, text, size);
}

int aggregate_write_yaml(const struct aggregate_request *request,
                         const struct an_aggregate *aggregate, const char *output)
{
    struct bolt_words words;
    list_options(&words, request);
    const struct an_yaml_make_options options = {
        .size = sizeof options,
        .program = request->bolt,
        .no_branches = request->options.no_branches,
        .arguments = words.words,
        .said = keep,
        .context = request->bolt_log,
    };
    enum an_aggregate_output form =
        options.no_branches ? AN_AGGREGATE_FDATA : AN_AGGREGATE_PREAGGREGATED;
    void *counts = NULL, *bytes = NULL;
    size_t counts_size, size;
    struct an_error error;
    enum an_code code = an_aggregate_write(aggregate, form, &counts, &counts_size, &error);
    if (code == AN_OK)
        code = an_yaml_make(&options, request->binary, counts, counts_size, &bytes, &size, &error);
    if (code != AN_OK)
        report_error(&error);
    bool done = code == AN_OK && write_result(output, bytes, size, true);
    free(bytes);
    free(counts);
    return done ? EXIT_DONE : EXIT_FAILED;
}
