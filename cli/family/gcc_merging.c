/* Running a merge of gcda files from the command line; see gcc_merging.h. */
#include "gcc_merging.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/ledger_view.h"
#include "cli/core/output.h"
#include "factors.h"
#include "gcc_ledger.h"
#include "gcc_modules.h"
#include "gcc_notes.h"
#include "gcc_sum.h"
#include "gcc_write.h"

/* ---- the results ---- */

/* Where files by names go: "" is the present folder. */
static const char *folder_of(const struct merge_request *request, const struct gcc_modules *modules)
{
    return strcmp(request->output, "-") == 0 && !modules->folders ? "" : request->output;
}

static bool write_module(const struct merge_request *request, const struct gcc_modules *modules,
                         size_t module, const struct an_gcc_merged *merged)
{
    if (!merged->bytes)
        return true;
    if (!modules->has_names)
        return write_result(request->output, merged->bytes, merged->size, false);
    return gcc_write_module(folder_of(request, modules), &modules->names.names[module],
                            merged->bytes, merged->size);
}

/* ---- runs that were kept apart ---- */

/* What modules are called below their first folder. */
struct rest {
    size_t first, uses; /* the first module that is called so, and how many are */
};

/* The number of what a module is called below its first folder; AN_NO_NAME: it is in none. */
static size_t number_of_rest(struct an_names *names, const struct an_name *name)
{
    bool is_new;
    const char *slash = memchr(name->text, '/', name->length);
    size_t folder = slash ? (size_t)(slash + 1 - name->text) : 0;
    return slash ? an_names_insert(names, slash + 1, name->length - folder, &is_new) : AN_NO_NAME;
}

static bool are_of_one_compilation(const struct gcc_modules *modules, size_t one, size_t other)
{
    uint32_t stamp, its;
    return gcc_look(modules->list[modules->first[one]].path, &stamp) == AN_GCC_COUNTS &&
           gcc_look(modules->list[modules->first[other]].path, &its) == AN_GCC_COUNTS &&
           stamp == its;
}

/*
 * RUNS/1/a.gcda and RUNS/2/a.gcda are two modules of the folder RUNS, as they would be if 1 and 2 were folders of sources.
 * When each file but the first of its name is of the same compilation as that, and no file is alone, they are runs.
 */
static bool are_runs(const struct gcc_modules *modules)
{
    struct an_names names = {0};
    size_t count = modules->names.count, repeated = 0;
    struct rest *rests = calloc(count + 1, sizeof *rests);
    size_t *numbers = calloc(count + 1, sizeof *numbers); /* of each module: its rest */
    bool good = rests && numbers && modules->folders == 1 && count > 1;
    for (size_t i = 0; good && i < count; i++) {
        numbers[i] = number_of_rest(&names, &modules->names.names[i]);
        good = numbers[i] != AN_NO_NAME;
        if (good && rests[numbers[i]].uses++ == 0)
            rests[numbers[i]].first = i;
        else if (good)
            repeated += rests[numbers[i]].uses == 2;
    }
    good = good && repeated == names.count;
    for (size_t i = 0; good && i < count; i++) {
        size_t first = rests[numbers[i]].first;
        good = first == i || are_of_one_compilation(modules, first, i);
    }
    an_names_free(&names);
    free(rests);
    free(numbers);
    return good;
}

static void hint_at_runs(const struct merge_request *request, const struct gcc_modules *modules)
{
    if (!are_runs(modules))
        return;
    const struct inputs *inputs = &request->inputs;
    int length = (int)inputs->roots[0];
    const char *folder = inputs->items[0].path;
    while (length > 1 && folder[length - 1] == '/')
        length--;
    say("the folders in %.*s look like runs of one program, and were kept apart: name them to add "
        "them up ('%.*s/*')",
        length, folder, length, folder);
}

static void tell_result(const struct merge_request *request, const struct gcc_modules *modules,
                        const struct an_ledger *ledger)
{
    size_t count = modules->names.count;
    say("merged %s of %s input%s, total count %s -> %s (%s module%s, gcda)",
        with_commas(ledger->used), with_commas(ledger->count), plural(ledger->count),
        with_commas(ledger->total_count),
        strcmp(request->output, "-") != 0 ? request->output
        : modules->has_names              ? "the current folder"
                                          : "<stdout>",
        with_commas(count), plural(count));
    gcc_ledger_tell(modules);
    merge_tell_ignored(request);
    hint_at_runs(request, modules);
}

static bool write_all(const struct merge_request *request, const struct gcc_modules *modules,
                      const struct an_ledger *ledger, const struct an_gcc_merged *merged)
{
    for (size_t i = 0; i < modules->names.count; i++)
        if (!write_module(request, modules, i, &merged[i]))
            return false;
    if (!request->quiet)
        tell_result(request, modules, ledger);
    return true;
}

/* "Merging these files into ...", as merge-gcda says it. */
static void tell_files(const struct merge_request *request, const struct gcc_modules *modules)
{
    const char *folder = folder_of(request, modules);
    for (size_t i = 0; i < modules->names.count; i++) {
        const struct an_name *name = &modules->names.names[i];
        if (modules->has_names)
            printf("Merging these files into %s%s%.*s:\n", folder, *folder ? "/" : "",
                   (int)name->length, name->text);
        else
            printf("Merging these files into %s:\n", request->output);
        for (size_t k = 0; k < modules->count; k++)
            if (modules->list[k].module == i)
                printf("  %s\n", modules->list[k].path);
    }
}

/* Of whole programs. A single object may well have no function of its own, as when all are in other objects, too. */
static bool has_functions(const struct merge_request *request, const struct gcc_modules *modules,
                          const struct an_ledger *ledger)
{
    uint64_t functions = 0;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->entries[i].status == AN_INPUT_USED)
            functions += ledger->entries[i].functions;
    return !modules->folders || merge_has_content(request, functions, "function");
}

static int merge_and_write(const struct merge_request *request, const struct gcc_modules *modules)
{
    const struct an_gcc_merge_options options = {
        .size = sizeof options,
        .threads = request->merge.threads,
        .failure_mode = request->merge.failure_mode,
        .progress = request->quiet ? NULL : progress_show,
    };
    struct an_gcc_merged *merged;
    struct an_ledger *ledger;
    struct an_error error;
    bool done = false;
    if (request->tells_files)
        tell_files(request, modules);
    enum an_code code = an_gcc_merge(&options, modules->list, request->inputs.count,
                                     modules->names.count, &merged, &ledger, &error);
    progress_clear();
    if (code != AN_OK && (!ledger || ledger->rejected == 0)) {
        report_error(&error);
    } else {
        done = merge_report(request, ledger, &family_gcc, code) &&
               has_functions(request, modules, ledger) &&
               write_all(request, modules, ledger, merged);
    }
    if (ledger && merge_has_account(request)) {
        struct json_object *json = gcc_ledger_json(ledger, modules);
        bool on_stdout = !modules->has_names && strcmp(request->output, "-") == 0;
        done = json && merge_account_json(request, json, on_stdout) && done;
        json_object_put(json);
    }
    an_gcc_merged_free(merged, modules->names.count);
    an_ledger_free(ledger);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static bool take_factors(const struct merge_request *request, struct gcc_modules *modules)
{
    struct factors factors;
    if (!request->factors)
        return true;
    if (!factors_parse(&factors, request->factors)) {
        factors_free(&factors);
        return false;
    }
    size_t most = 0;
    for (size_t i = 0; i < modules->count; i++) {
        modules->list[i].weight = factors_of(&factors, modules->runs[i]);
        most = modules->runs[i] >= most ? modules->runs[i] + 1 : most;
    }
    bool good = factors.count <= most;
    if (!good)
        say_error("%zu factors, but %zu %s", factors.count, most,
                  modules->folders            ? "folders"
                  : request->inputs.are_cores ? "cores"
                                              : "files");
    if (good && factors.were_fractions && !request->quiet)
        say("factors are scaled to whole numbers in the same ratio: the first one becomes %s",
            with_commas(factors.items[0]));
    factors_free(&factors);
    return good;
}

int gcc_merge_run(const struct merge_request *request)
{
    struct gcc_modules modules;
    int status = EXIT_USAGE;
    if (merge_refuses_options(request, &family_gcc))
        return EXIT_USAGE;
    bool good = gcc_modules_find(&modules, &request->inputs) && take_factors(request, &modules);
    if (good && (modules.has_partials || request->merge.partial))
        status = gcc_sum_run(request, &modules);
    else if (good && modules.folders && strcmp(request->output, "-") == 0)
        say_error("no output folder (use -o DIR: it gets a file for each module)");
    else if (good)
        status = merge_and_write(request, &modules);
    gcc_modules_free(&modules);
    return status;
}
