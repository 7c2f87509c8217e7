/* Merging BOLT's YAML profiles: what they have of their own; bolt_merging.c has the rest. */
#include "yaml_merging.h"

#include <stdlib.h>

#include "base/error.h"
#include "bolt_merging.h"
#include "cli/core/output.h"

struct an_yaml_input *yaml_inputs(const struct inputs *inputs)
{
    struct an_yaml_input *items = malloc((inputs->count + 1) * sizeof *items);
    for (size_t i = 0; items && i < inputs->count; i++)
        items[i] = (struct an_yaml_input){inputs->items[i].path, inputs->items[i].weight};
    return items;
}

static enum an_code merge(const struct merge_request *request, void **profile,
                          struct an_ledger **ledger, struct an_error *error)
{
    struct an_yaml_merge_options options = {
        .size = sizeof options,
        .failure_mode = request->merge.failure_mode,
        .progress = request->quiet ? NULL : progress_show,
    };
    struct an_yaml_profile *merged = NULL;
    struct an_yaml_input *inputs = yaml_inputs(&request->inputs);
    *ledger = NULL;
    enum an_code code =
        inputs ? an_yaml_merge(&options, inputs, request->inputs.count, &merged, ledger, error)
               : an_fail_memory(error);
    *profile = merged;
    free(inputs);
    return code;
}

static void warn(const void *profile)
{
    const struct an_yaml_info *info = an_yaml_profile_info(profile);
    if (info->has_other_names)
        say_warning("the inputs are of binaries of different names; the result names %s",
                    info->header.binary_name.text);
    if (info->has_other_builds)
        say_warning("the inputs have different build ids; the result has that of the first one");
    if (info->has_other_events)
        say_warning("the inputs have different events: %s", info->header.events.text);
    if (info->has_probes)
        say_warning("left out the pseudo probes of the inputs");
}

static enum an_code filter(void *profile, struct merge_filters *filters, size_t *removed,
                           struct an_error *error)
{
    (void)error;
    an_yaml_profile_filter(profile, merge_filters_keep, filters, removed);
    return AN_OK;
}

static void measure(const void *profile, struct bolt_amount amounts[2])
{
    const struct an_yaml_info *info = an_yaml_profile_info(profile);
    amounts[0] = (struct bolt_amount){info->functions, "function"};
    amounts[1] = (struct bolt_amount){info->blocks, "block"};
}

static enum an_code write(const void *profile, result_sink *sink, void *context,
                          struct an_error *error)
{
    void *bytes;
    size_t size;
    enum an_code code = an_yaml_profile_write(profile, &bytes, &size, error);
    if (code != AN_OK)
        return code;
    code = sink(context, bytes, size, error);
    free(bytes);
    return code;
}

static void free_profile(void *profile)
{
    an_yaml_profile_free(profile);
}

int yaml_merge_run(const struct merge_request *request)
{
    static const struct bolt_form form = {
        .family = &family_yaml,
        .kind = "YAML",
        .left_out = "functions",
        .joined = ", ",
        .merge = merge,
        .warn = warn,
        .filter = filter,
        .measure = measure,
        .write = write,
        .free = free_profile,
    };
    return bolt_merge_run(request, &form);
}

int yaml_convert_run(const struct merge_request *request)
{
    say_error("%s: is a BOLT profile (YAML), of which there is one format only; llvm-bolt makes it "
              "of fdata (llvm-bolt BINARY -data=FDATA -w FILE -o /dev/null)",
              input_name(request->inputs.items[0].path));
    return EXIT_FAILED;
}
