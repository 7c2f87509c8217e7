/* Merging fdata: what it has of its own; bolt_merging.c has the rest. */
#include "fdata_merging.h"

#include <stdlib.h>

#include <anneal/fdata.h>

#include "base/error.h"
#include "bolt_merging.h"
#include "cli/core/memory.h"
#include "cli/core/output.h"

struct an_fdata_input *fdata_inputs(const struct inputs *inputs)
{
    struct an_fdata_input *items = malloc((inputs->count + 1) * sizeof *items);
    for (size_t i = 0; items && i < inputs->count; i++)
        items[i] = (struct an_fdata_input){inputs->items[i].path, inputs->items[i].weight};
    return items;
}

static enum an_code merge(const struct merge_request *request, void **profile,
                          struct an_ledger **ledger, struct an_error *error)
{
    struct an_fdata_merge_options options = {
        .size = sizeof options,
        .threads = request->merge.threads,
        .failure_mode = request->merge.failure_mode,
        .partial = request->merge.partial,
        .count_copies = request->merge.count_copies,
        .progress = request->quiet ? NULL : progress_show,
    };
    struct an_fdata_profile *merged = NULL;
    struct an_fdata_input *inputs = fdata_inputs(&request->inputs);
    *ledger = NULL;
    memory_give_back();
    enum an_code code =
        inputs ? an_fdata_merge(&options, inputs, request->inputs.count, &merged, ledger, error)
               : an_fail_memory(error);
    *profile = merged;
    free(inputs);
    return code;
}

static enum an_code filter(void *profile, struct merge_filters *filters, size_t *removed,
                           struct an_error *error)
{
    enum an_code code =
        an_fdata_profile_filter(profile, merge_filters_keep, filters, removed, error);
    return code == AN_OK ? an_fdata_profile_settle(profile, error) : code;
}

static void measure(const void *profile, struct bolt_amount amounts[2])
{
    const struct an_fdata_info *info = an_fdata_profile_info(profile);
    amounts[0] = (struct bolt_amount){info->branches + info->samples + info->memory, "record"};
    amounts[1] = (struct bolt_amount){info->functions, "function"};
}

enum an_code fdata_write(const void *profile, result_sink *sink, void *context,
                         struct an_error *error)
{
    return an_fdata_profile_write_to(profile, sink, context, error);
}

static enum an_code write_partial(const void *profile, const struct an_ledger *ledger, void **bytes,
                                  size_t *size, struct an_error *error)
{
    return an_fdata_profile_write_partial(profile, ledger, bytes, size, error);
}

static void free_profile(void *profile)
{
    an_fdata_profile_free(profile);
}

int fdata_merge_run(const struct merge_request *request)
{
    static const struct bolt_form form = {
        .family = &family_fdata,
        .kind = "fdata",
        .left_out = "records: none of their functions is kept",
        .joined = " of ",
        .merge = merge,
        .filter = filter,
        .measure = measure,
        .write = fdata_write,
        .write_partial = write_partial,
        .free = free_profile,
    };
    return bolt_merge_run(request, &form);
}

int fdata_convert_run(const struct merge_request *request)
{
    say_error("%s: is a BOLT profile (fdata), of which there is one format only",
              input_name(request->inputs.items[0].path));
    return EXIT_FAILED;
}
