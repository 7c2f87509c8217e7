/*
 * Running a merge of gcda files from the command line.
 *
 *     ONE.gcda TWO.gcda ...     one module: all into OUTPUT
 *     RUN1/ RUN2/ ...           a module for each name below the folders: OUTPUT/NAME
 */
#include "gcc_merging.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <anneal/gcc.h>

#include "base/map.h"
#include "ledger_view.h"
#include "output.h"

struct modules {
    struct an_names names; /* below the folders; of files, one that does not matter */
    size_t *inputs;        /* of each: how many there are */
    struct an_gcc_input *list;
    size_t folders; /* that were named; 0: files were */
};

/* ---- what was asked for ---- */

static bool is_new_folder(const struct inputs *inputs, size_t number)
{
    size_t root = inputs->roots[number];
    return number == 0 || inputs->roots[number - 1] != root ||
           strncmp(inputs->items[number - 1].path, inputs->items[number].path, root) != 0;
}

/* False after a message. */
static bool find_modules(struct modules *modules, const struct inputs *inputs)
{
    modules->list = calloc(inputs->count, sizeof *modules->list);
    modules->inputs = calloc(inputs->count, sizeof *modules->inputs);
    for (size_t i = 0; modules->list && modules->inputs && i < inputs->count; i++) {
        bool in_folder = inputs->roots[i] != 0, is_new;
        if (in_folder != (inputs->roots[0] != 0)) {
            say_error("%s: name files, or folders of them, but not both", inputs->items[i].path);
            return false;
        }
        const char *name = in_folder ? inputs->items[i].path + inputs->roots[i] : "";
        size_t module = an_names_insert(&modules->names, name, strlen(name), &is_new);
        if (module == AN_NO_NAME)
            break;
        modules->list[i] =
            (struct an_gcc_input){inputs->items[i].path, inputs->items[i].weight, module};
        modules->inputs[module]++;
        modules->folders += in_folder && is_new_folder(inputs, i);
        if (i + 1 == inputs->count)
            return true;
    }
    say_error("out of memory");
    return false;
}

/* ---- the results ---- */

/* All folders of a path but its last part; false after a message. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!made)
            say_error("%s: %s", path, strerror(errno));
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

static bool write_module(const struct merge_request *request, const struct modules *modules,
                         size_t module, const struct an_gcc_merged *merged)
{
    const struct an_name *name = &modules->names.names[module];
    char *path = NULL;
    if (!merged->bytes)
        return true;
    if (modules->folders == 0)
        return write_result(request->output, merged->bytes, merged->size, false);
    if (asprintf(&path, "%s/%.*s", request->output, (int)name->length, name->text) < 0) {
        say_error("out of memory");
        return false;
    }
    bool done = make_folders(path) && write_result(path, merged->bytes, merged->size, false);
    free(path);
    return done;
}

/* Modules of which some folder has no file: code that did not run there, or a run that is not whole. */
static void tell_missing(const struct modules *modules)
{
    size_t incomplete = 0, first = 0;
    for (size_t i = modules->names.count; i-- > 0;)
        if (modules->inputs[i] < modules->folders) {
            incomplete++;
            first = i;
        }
    if (incomplete)
        say_warning("%s module%s missing in some folders, such as %.*s in %s of %s",
                    with_commas(incomplete), incomplete == 1 ? " is" : "s are",
                    (int)modules->names.names[first].length, modules->names.names[first].text,
                    with_commas(modules->folders - modules->inputs[first]),
                    with_commas(modules->folders));
}

static void tell_result(const struct merge_request *request, const struct modules *modules,
                        const struct an_ledger *ledger)
{
    size_t count = modules->names.count;
    say("merged %s of %s input%s, total count %s -> %s (%s module%s, gcda)",
        with_commas(ledger->used), with_commas(ledger->count), plural(ledger->count),
        with_commas(ledger->total_count),
        strcmp(request->output, "-") == 0 ? "<stdout>" : request->output, with_commas(count),
        plural(count));
    tell_missing(modules);
    if (request->inputs.ignored)
        say("%zu other file%s in the folders left alone, such as %s", request->inputs.ignored,
            plural(request->inputs.ignored), request->inputs.ignored_example);
}

static bool write_all(const struct merge_request *request, const struct modules *modules,
                      const struct an_ledger *ledger, const struct an_gcc_merged *merged)
{
    for (size_t i = 0; i < modules->names.count; i++)
        if (!write_module(request, modules, i, &merged[i]))
            return false;
    if (!request->quiet)
        tell_result(request, modules, ledger);
    return true;
}

static int merge_and_write(const struct merge_request *request, const struct modules *modules)
{
    const struct an_gcc_merge_options options = {
        .threads = request->merge.threads,
        .failure_mode = (enum an_gcc_failure_mode)request->merge.failure_mode,
        .progress = request->quiet ? NULL : progress_show,
    };
    struct an_gcc_merged *merged;
    struct an_ledger *ledger;
    struct an_error error;
    bool done = false;
    enum an_code code = an_gcc_merge(&options, modules->list, request->inputs.count,
                                     modules->names.count, &merged, &ledger, &error);
    progress_clear();
    if (code != AN_OK && (!ledger || ledger->rejected == 0)) {
        report_error(&error);
    } else {
        done = merge_report(request, ledger, FAMILY_GCDA, code) &&
               write_all(request, modules, ledger, merged);
    }
    if (ledger && request->ledger && !ledger_write(ledger, request->ledger))
        done = false;
    an_gcc_merged_free(merged, modules->names.count);
    an_ledger_free(ledger);
    return done ? EXIT_DONE : EXIT_FAILED;
}

int gcc_merge_run(const struct merge_request *request)
{
    struct modules modules = {.folders = 0};
    int status = EXIT_USAGE;
    bool good =
        !merge_refuses_options(request, FAMILY_GCDA) && find_modules(&modules, &request->inputs);
    if (good && modules.folders && strcmp(request->output, "-") == 0)
        say_error("where to? (-o FOLDER: a file for each module goes there)");
    else if (good)
        status = merge_and_write(request, &modules);
    an_names_free(&modules.names);
    free(modules.inputs);
    free(modules.list);
    return status;
}
