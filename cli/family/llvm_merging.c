/* Running a merge from the command line: renaming, filtering, reporting and writing. */
#include "llvm_merging.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "cli/core/command.h"
#include "cli/core/ledger_view.h"
#include "cli/core/llvm_left_out.h"
#include "cli/core/output.h"
#include "family.h"
#include "llvm_verdict.h"
#include "merge_filters.h"

struct renaming {
    struct an_names old;
    char **fresh;
    char *text; /* the file's lines, cut up */
};

struct context {
    const struct merge_request *request;
    struct an_llvm_merge_options options;
    struct renaming renaming;
    size_t warnings[AN_LLVM_WARNINGS];
    char example[AN_LLVM_WARNINGS][512];
    struct merge_filters filters;
};

/* ---- renaming ---- */

static bool read_line(struct renaming *renaming, char *line, const char *path, size_t number)
{
    char *space = strchr(line, ' ');
    if (!space || space == line || space[1] == '\0' || strchr(space + 1, ' ')) {
        if (says_as_llvm)
            fprintf(stderr,
                    "error: %s:%zu: unexpected line in remapping file\n"
                    "note: expected 'old_symbol new_symbol'\n",
                    path, number);
        else
            say_error("%s:%zu: unexpected line (expected 'old_symbol new_symbol')", path, number);
        return false;
    }
    *space = '\0';
    bool is_new;
    size_t index = an_names_insert(&renaming->old, line, (size_t)(space - line), &is_new);
    char **grown = realloc(renaming->fresh, (renaming->old.count + 1) * sizeof *grown);
    if (grown)
        renaming->fresh = grown;
    if (index == AN_NO_NAME || !grown) {
        say_error("out of memory");
        return false;
    }
    if (is_new)
        grown[index] = space + 1;
    return true;
}

static bool read_renaming(struct renaming *renaming, const char *path)
{
    FILE *file = fopen(path, "r");
    size_t size = 0;
    ssize_t length = file ? getdelim(&renaming->text, &size, '\0', file) : -1;
    if (!file || (length < 0 && ferror(file))) {
        say_error("%s: %s", path, strerror(errno));
        if (file)
            fclose(file);
        return false;
    }
    fclose(file);
    size_t number = 1;
    for (char *line = length > 0 ? renaming->text : NULL, *next; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (*line && *line != '#' && !read_line(renaming, line, path, number))
            return false;
    }
    return true;
}

static const char *rename_function(void *context, const char *name, size_t length)
{
    const struct renaming *renaming = &((struct context *)context)->renaming;
    size_t index = an_names_find(&renaming->old, name, length);
    return index == AN_NO_NAME ? NULL : renaming->fresh[index];
}

/* ---- warnings ---- */

static bool needs_hint(enum an_llvm_warning warning)
{
    return warning == AN_LLVM_COUNT_MISMATCH || warning == AN_LLVM_VALUE_SITE_MISMATCH;
}

static void warn(void *opaque, const char *path, const char *name, size_t length,
                 enum an_llvm_warning warning)
{
    struct context *context = opaque;
    if (context->warnings[warning]++ == 0)
        snprintf(context->example[warning], sizeof context->example[warning], "%.*s in %s",
                 (int)(length < 300 ? length : 300), name, path);
    if (!context->request->as_llvm)
        return;
    fprintf(stderr, "%s: %.*s%s%s\n", path, (int)length, name, length ? ": " : "",
            an_llvm_warning_text(warning));
    if (context->warnings[warning] == 1 && needs_hint(warning))
        fprintf(stderr, "Make sure that all profile data to be merged is generated from the same "
                        "binary.\n");
}

static void sum_up_warnings(const struct context *context)
{
    for (int w = 0; w < AN_LLVM_WARNINGS; w++)
        if (context->warnings[w])
            say_warning("%zu times: %s; first: %s%s", context->warnings[w], an_llvm_warning_text(w),
                        context->example[w],
                        needs_hint(w) ? " (inputs from different builds?)" : "");
}

/* ---- filters ---- */

static void apply_filters(struct context *context, struct an_llvm_profile *profile)
{
    const struct merge_request *request = context->request;
    if (!request->keep && !request->drop)
        return;
    size_t before = an_llvm_profile_functions(profile);
    size_t removed = an_llvm_profile_filter(profile, merge_filters_keep, &context->filters);
    if (!request->quiet)
        fprintf(stderr, "%zu of %zu functions in the original profile are filtered.\n", removed,
                before);
}

/* ---- the result ---- */

static void tell_result(const struct merge_request *request, const struct an_ledger *ledger,
                        const struct an_llvm_profile *profile, size_t size, unsigned version)
{
    char format[40];
    if (request->merge.partial)
        snprintf(format, sizeof format, "partial result");
    else
        snprintf(format, sizeof format, request->write.text ? "text" : "indexed version %u",
                 version);
    size_t functions = an_llvm_profile_records(profile);
    if (request->one_input) {
        say("converted %s: %s function%s, total count %s -> %s (%s, %s)",
            input_name(request->inputs.items[0].path), with_commas(functions), plural(functions),
            with_commas(ledger->total_count), output_name(request->output), as_size(size), format);
        return;
    }
    char memprof[80] = "";
    size_t allocating = request->write.text ? 0 : an_llvm_profile_memprof_functions(profile);
    if (allocating)
        snprintf(memprof, sizeof memprof, ", memory profile of %s function%s",
                 with_commas(allocating), plural(allocating));
    say("merged %s of %s input%s: %s function%s, total count %s%s -> %s (%s, %s)",
        with_commas(ledger->used), with_commas(ledger->count), plural(ledger->count),
        with_commas(functions), plural(functions), with_commas(ledger->total_count), memprof,
        output_name(request->output), as_size(size), format);
    merge_tell_partials(request, ledger);
    merge_tell_ignored(request);
}

/*
 * LLVM's tool gives each of several threads its own inputs, in turn. Where two that cannot be merged are not of one
 * thread, it ends when it merges what these made.
 */
static bool is_mixed_by_threads(const struct an_ledger *ledger, unsigned threads)
{
    size_t first = 0;
    while (first < ledger->count && ledger->entries[first].status != AN_INPUT_USED)
        first++;
    for (size_t i = first; threads > 1 && i < ledger->count; i++)
        if (ledger->entries[i].error && i % threads != first % threads &&
            llvm_verdict_is_mixed(ledger->entries[i].error))
            return true;
    return false;
}

/* llvm-profdata's way: every rejected input is a warning, then the verdict. */
static void complain_as_llvm(const struct an_ledger *ledger, unsigned threads, bool failed)
{
    if (is_mixed_by_threads(ledger, threads)) {
        say_error("unsupported instrumentation profile format version");
        return;
    }
    for (size_t i = 0; i < ledger->count; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        char text[AN_LLVM_VERDICT_SIZE];
        if (entry->status == AN_INPUT_REJECTED && entry->error)
            fprintf(stderr, "warning: %s: %s\n", entry->path,
                    llvm_verdict(entry->path, AN_LLVM_LOOKS_AT_IDS | AN_LLVM_LOOKS_AT_COUNTS,
                                 entry->error, text));
    }
    if (failed)
        fprintf(stderr, "error: no profile can be merged\n");
}

/* Whether there is a function to write; in a sparse profile, one that ran. A memory profile will do, too. */
static bool has_functions(const struct merge_request *request, struct an_llvm_profile *profile)
{
    struct an_llvm_cursor cursor = {0};
    struct an_llvm_record record;
    bool found = !request->write.text && an_llvm_profile_memprof_functions(profile);
    while (!found && an_llvm_profile_next(profile, &cursor, &record)) {
        found = !request->write.sparse;
        for (size_t i = 0; !found && i < record.count_number; i++)
            found = record.counts[i] != 0;
        for (size_t i = 0; !found && i < record.bitmap_bytes; i++)
            found = record.bitmap[i] != 0;
    }
    return merge_has_content(request, found, "function");
}

static int write_profile(struct context *context, struct an_llvm_profile *profile,
                         const struct an_ledger *ledger)
{
    const struct merge_request *request = context->request;
    struct an_llvm_write_options options = request->write;
    struct an_llvm_left_out left_out;
    struct an_error error;
    void *bytes;
    size_t size;
    options.partial = request->merge.partial ? ledger : NULL;
    if (an_llvm_profile_write(profile, &options, &bytes, &size, &left_out, &error) != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    bool done = write_result(request->output, bytes, size, request->write.text);
    free(bytes);
    if (request->as_llvm) /* LLVM's tool says nothing of hashes that a compiler will not find */
        left_out.new_hashes = left_out.old_hashes = 0;
    if (done && !request->quiet) {
        llvm_tell_left_out(&left_out);
        if (!request->as_llvm)
            tell_result(request, ledger, profile, size, left_out.version);
    }
    return done ? EXIT_DONE : EXIT_FAILED;
}

static int merge_and_write(struct context *context)
{
    const struct merge_request *request = context->request;
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    enum an_code code = an_llvm_merge(&context->options, request->inputs.items,
                                      request->inputs.count, &profile, &ledger, &error);
    progress_clear();
    int status = EXIT_FAILED;
    bool has_used = false;
    if (code != AN_OK && (!ledger || ledger->rejected == 0)) {
        report_error(&error);
    } else if (request->as_llvm) {
        complain_as_llvm(ledger, context->options.threads, code != AN_OK);
        has_used = true;
    } else {
        if (!request->quiet)
            sum_up_warnings(context);
        if (!request->quiet || code != AN_OK)
            ledger_complain(ledger);
        if (code != AN_OK)
            say_error("nothing written: %zu of %zu inputs rejected%s", ledger->rejected,
                      ledger->count, ledger->used ? " (--failure-mode=all merges the others)" : "");
        else
            has_used = merge_has_used(request, ledger);
        if (inputs_are_mixed(ledger, &family_llvm))
            code = AN_MISMATCH;
    }
    bool ledger_written = !ledger || merge_account(request, ledger);
    if (code == AN_OK && has_used) {
        apply_filters(context, profile);
        if (has_functions(request, profile))
            status = write_profile(context, profile, ledger);
    }
    if (!ledger_written)
        status = EXIT_FAILED;
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return status;
}

/* ---- what completes profiles ---- */

void llvm_tell_binary(const char *path, const struct an_error *error)
{
    if (error->code == AN_UNKNOWN)
        fprintf(stderr, "error: %s: The file was not recognized as a valid object file\n", path);
    else if (error->code == AN_SYSTEM)
        fprintf(stderr, "error: %s: %s\n", path, error->what);
    else
        fprintf(stderr,
                "error: %s: unable to correlate profile: could not find any profile data metadata "
                "in correlated file\n",
                path);
}

/* Reads the binaries that were named. False after a message. */
static bool read_binaries(const struct merge_request *request,
                          struct an_llvm_correlation **correlation)
{
    *correlation = NULL;
    unsigned kinds = 0;
    for (size_t i = 0; i < request->correlating_count; i++)
        kinds |= 1u << request->correlating[i].kind;
    if (request->as_llvm && kinds >> AN_LLVM_BY_BINARY & 1 && kinds >> AN_LLVM_BY_DEBUG_INFO & 1) {
        fprintf(stderr, "error: Expected only one of -debug-info, -binary-file\n");
        return false;
    }
    if (request->correlating_count)
        *correlation = an_llvm_correlation_new();
    for (size_t i = 0; i < request->correlating_count; i++) {
        const struct correlating *its = &request->correlating[i];
        struct an_error error;
        enum an_code code =
            *correlation ? an_llvm_correlation_add(*correlation, its->path, its->kind, &error)
                         : an_fail_memory(&error);
        if (code != AN_OK) {
            if (request->as_llvm && its->kind == AN_LLVM_MEMORY_OF)
                continue; /* LLVM's tool looks at it only when there is a raw memory profile */
            if (request->as_llvm)
                llvm_tell_binary(its->path, &error);
            else
                report_error(&error);
            return false;
        }
    }
    return true;
}

int llvm_merge_run(const struct merge_request *request)
{
    struct context context = {.request = request, .options = request->merge};
    context.options.context = &context;
    context.options.warn = warn;
    if (!request->quiet && !request->as_llvm)
        context.options.progress = progress_show;
    if (request->remapping)
        context.options.rename = rename_function;
    int status = EXIT_FAILED;
    struct an_llvm_correlation *correlation;
    bool ready = read_binaries(request, &correlation);
    context.options.correlation = correlation;
    ready = ready && (!request->remapping || read_renaming(&context.renaming, request->remapping));
    bool chosen = ready && merge_filters_open(&context.filters, request);
    if (chosen)
        status = merge_and_write(&context);
    else if (ready && !request->as_llvm)
        status = EXIT_USAGE;
    merge_filters_close(&context.filters);
    an_llvm_correlation_free(correlation);
    an_names_free(&context.renaming.old);
    free(context.renaming.fresh);
    free(context.renaming.text);
    return status;
}

int llvm_convert_run(const struct merge_request *request)
{
    const struct an_gcc_convert_options *gcc = &request->convert;
    if (!gcc->major && gcc->order == AN_GCC_ORDER_KEPT)
        return llvm_merge_run(request);
    say_error("%s applies only to GCC profiles (gcda)", gcc->major ? "--gcc-version"
                                                        : gcc->order == AN_GCC_BIG_ENDIAN
                                                            ? "--big-endian"
                                                            : "--little-endian");
    return EXIT_USAGE;
}
