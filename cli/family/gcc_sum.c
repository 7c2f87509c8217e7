/* Partial results of gcda files from the command line; see gcc_sum.h. */
#include "gcc_sum.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/ledger_view.h"
#include "cli/core/output.h"
#include "gcc_write.h"

/* ---- sources ---- */

/* Files of a folder, and those of a board's cores, are what a run left; a file that was named is a run by itself. */
static struct an_gcc_source source_of(const struct gcc_modules *modules, size_t number)
{
    const struct an_gcc_input *input = &modules->list[number];
    struct an_gcc_source source = {
        .path = input->path, .weight = input->weight, .run = AN_GCC_ALONE, .name = ""};
    if (input->module == AN_NO_NAME || !modules->has_names)
        return source;
    const struct an_name *name = &modules->names.names[input->module];
    source.run = modules->folders ? modules->runs[number] : 0;
    source.name = modules->folders ? input->path + strlen(input->path) - name->length : input->path;
    source.length = name->length;
    return source;
}

static struct an_gcc_source *sources_of(const struct gcc_modules *modules)
{
    struct an_gcc_source *sources = calloc(modules->count + 1, sizeof *sources);
    if (!sources)
        say_error("out of memory");
    for (size_t i = 0; sources && i < modules->count; i++)
        sources[i] = source_of(modules, i);
    return sources;
}

/* ---- results ---- */

static struct an_name name_of(const struct an_gcc_sum *sum, size_t module)
{
    struct an_name name;
    name.text = an_gcc_sum_name(sum, module, &name.length);
    return name;
}

static bool write_named(const struct merge_request *request, const struct an_name *name,
                        const void *bytes, size_t size)
{
    return name->length ? gcc_write_module(request->output, name, bytes, size)
                        : write_result(request->output, bytes, size, false);
}

static bool write_module(const struct merge_request *request, struct an_gcc_sum *sum, size_t module)
{
    struct an_name name = name_of(sum, module);
    struct an_error error;
    void *bytes;
    size_t size;
    if (an_gcc_sum_write(sum, module, &bytes, &size, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    bool done = write_named(request, &name, bytes, size);
    free(bytes);
    return done;
}

/* Modules are files in a folder, or there is one without a name, which is a file itself. */
static bool can_write(const struct merge_request *request, const struct an_gcc_sum *sum)
{
    size_t count = an_gcc_sum_modules(sum);
    bool has_names = count && name_of(sum, count - 1).length;
    if (count > 1 && name_of(sum, 0).length == 0)
        say_error("cannot mix counts of single files and of folders: %zu of the modules have names",
                  count - 1);
    else if (has_names && strcmp(request->output, "-") == 0)
        say_error("no output folder (use -o DIR: it gets a file for each module)");
    else
        return true;
    return false;
}

static bool write_modules(const struct merge_request *request, struct an_gcc_sum *sum)
{
    if (!can_write(request, sum))
        return false;
    for (size_t i = 0; i < an_gcc_sum_modules(sum); i++)
        if (!write_module(request, sum, i))
            return false;
    return true;
}

static bool write_partial(const struct merge_request *request, struct an_gcc_sum *sum,
                          const struct an_ledger *ledger)
{
    struct an_error error;
    void *bytes;
    size_t size;
    if (an_gcc_sum_write_partial(sum, ledger, &bytes, &size, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    bool done = write_result(request->output, bytes, size, false);
    free(bytes);
    return done;
}

static void tell_result(const struct merge_request *request, const struct an_gcc_sum *sum,
                        const struct an_ledger *ledger)
{
    size_t count = an_gcc_sum_modules(sum);
    say("merged %s of %s input%s, total count %s -> %s (%s module%s, %s)",
        with_commas(ledger->used), with_commas(ledger->count), plural(ledger->count),
        with_commas(ledger->total_count), output_name(request->output), with_commas(count),
        plural(count), request->merge.partial ? "partial result" : "gcda");
    merge_tell_partials(request, ledger);
    merge_tell_ignored(request);
}

static bool write_sum(const struct merge_request *request, struct an_gcc_sum *sum,
                      const struct an_ledger *ledger)
{
    bool done =
        request->merge.partial ? write_partial(request, sum, ledger) : write_modules(request, sum);
    if (done && !request->quiet)
        tell_result(request, sum, ledger);
    return done;
}

/* ---- the account ---- */

static bool account(const struct merge_request *request, const struct an_gcc_sum *sum,
                    const struct an_ledger *ledger)
{
    if (!merge_has_account(request))
        return true;
    struct json_object *json = ledger_json(ledger), *list = json_object_new_array();
    for (size_t i = 0; sum && i < an_gcc_sum_modules(sum); i++) {
        struct json_object *module = json_object_new_object();
        struct an_name name = name_of(sum, i);
        json_object_object_add(module, "name",
                               name.length ? json_text(name.text, name.length) : NULL);
        json_add_number(module, "inputs", an_gcc_sum_inputs(sum, i));
        json_object_array_add(list, module);
    }
    json_object_object_add(json, "modules", list);
    bool done = merge_account_json(request, json, strcmp(request->output, "-") == 0);
    json_object_put(json);
    return done;
}

int gcc_sum_run(const struct merge_request *request, const struct gcc_modules *modules)
{
    const struct an_gcc_sum_options options = {
        .size = sizeof options,
        .threads = request->merge.threads,
        .failure_mode = request->merge.failure_mode,
        .count_copies = request->merge.count_copies,
        .partial = request->merge.partial,
        .progress = request->quiet ? NULL : progress_show,
    };
    struct an_gcc_source *sources = sources_of(modules);
    struct an_gcc_sum *sum;
    struct an_ledger *ledger;
    struct an_error error;
    bool done = false;
    if (!sources)
        return EXIT_FAILED;
    enum an_code code = an_gcc_sum_make(&options, sources, modules->count, &sum, &ledger, &error);
    progress_clear();
    if (code != AN_OK && (!ledger || ledger->rejected == 0))
        report_error(&error);
    else
        done = merge_report(request, ledger, &family_gcc, code) && write_sum(request, sum, ledger);
    if (ledger)
        done = account(request, sum, ledger) && done;
    an_gcc_sum_free(sum);
    an_ledger_free(ledger);
    free(sources);
    return done ? EXIT_DONE : EXIT_FAILED;
}
