/* Running a merge of fdata from the command line: options, filtering, reporting, writing. */
#include "fdata_merging.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/fdata.h>

#include "cli/core/ledger_view.h"
#include "cli/core/output.h"
#include "merge_filters.h"

struct an_fdata_input *fdata_inputs(const struct inputs *inputs)
{
    struct an_fdata_input *items = malloc((inputs->count + 1) * sizeof *items);
    for (size_t i = 0; items && i < inputs->count; i++)
        items[i] = (struct an_fdata_input){inputs->items[i].path, inputs->items[i].weight};
    if (!items)
        say_error("out of memory");
    return items;
}

/* ---- filters ---- */

static enum an_code apply_filters(const struct merge_request *request,
                                  struct merge_filters *filters, struct an_fdata_profile *profile,
                                  struct an_error *error)
{
    if (!filters->has_keep && !filters->has_drop)
        return AN_OK;
    const struct an_fdata_info *info = an_fdata_profile_info(profile);
    size_t before = info->branches + info->samples + info->memory, removed;
    enum an_code code =
        an_fdata_profile_filter(profile, merge_filters_keep, filters, &removed, error);
    if (code == AN_OK)
        code = an_fdata_profile_settle(profile, error);
    if (code == AN_OK && !request->quiet)
        fprintf(stderr, "left out %s of %s records: none of their functions is kept\n",
                with_commas(removed), with_commas(before));
    return code;
}

/* ---- the result ---- */

static void tell_result(const struct merge_request *request, const struct an_ledger *ledger,
                        const struct an_fdata_info *info, size_t size)
{
    size_t records = info->branches + info->samples + info->memory;
    say("merged %s of %s input%s: %s record%s of %s function%s, total count %s -> %s (%s, %s)",
        with_commas(ledger->used), with_commas(ledger->count), plural(ledger->count),
        with_commas(records), plural(records), with_commas(info->functions),
        plural(info->functions), with_commas(ledger->total_count), output_name(request->output),
        as_size(size), request->merge.partial ? "partial result" : "fdata");
    merge_tell_partials(ledger);
    if (request->inputs.ignored)
        say("ignored %zu other file%s in the folders, such as %s", request->inputs.ignored,
            plural(request->inputs.ignored), request->inputs.ignored_example);
}

static int write_profile(const struct merge_request *request, const struct an_ledger *ledger,
                         const struct an_fdata_profile *profile)
{
    struct an_error error;
    void *bytes;
    size_t size;
    enum an_code code = request->merge.partial
                            ? an_fdata_profile_write_partial(profile, ledger, &bytes, &size, &error)
                            : an_fdata_profile_write(profile, &bytes, &size, &error);
    if (code != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    bool done = write_result(request->output, bytes, size, !request->merge.partial);
    free(bytes);
    if (done && !request->quiet)
        tell_result(request, ledger, an_fdata_profile_info(profile), size);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static uint64_t records_of(const struct an_fdata_profile *profile)
{
    const struct an_fdata_info *info = an_fdata_profile_info(profile);
    return info->branches + info->samples + info->memory;
}

static int merge_and_write(const struct merge_request *request, const struct an_fdata_input *inputs,
                           struct merge_filters *filters)
{
    struct an_fdata_merge_options options = {
        .size = sizeof options,
        .threads = request->merge.threads,
        .failure_mode = request->merge.failure_mode,
        .partial = request->merge.partial,
        .count_copies = request->merge.count_copies,
        .progress = request->quiet ? NULL : progress_show,
    };
    struct an_fdata_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    int status = EXIT_FAILED;
    enum an_code code =
        an_fdata_merge(&options, inputs, request->inputs.count, &profile, &ledger, &error);
    progress_clear();
    if (code != AN_OK && (!ledger || ledger->rejected == 0)) {
        report_error(&error);
    } else if (merge_report(request, ledger, &family_fdata, code)) {
        if (apply_filters(request, filters, profile, &error) != AN_OK)
            report_error(&error);
        else if (merge_has_content(request, records_of(profile), "record"))
            status = write_profile(request, ledger, profile);
    }
    if (ledger && !merge_account(request, ledger))
        status = EXIT_FAILED;
    an_fdata_profile_free(profile);
    an_ledger_free(ledger);
    return status;
}

int fdata_merge_run(const struct merge_request *request)
{
    struct merge_filters filters;
    int status = EXIT_FAILED;
    if (merge_refuses_options(request, &family_fdata))
        return EXIT_USAGE;
    struct an_fdata_input *inputs = fdata_inputs(&request->inputs);
    if (!merge_filters_open(&filters, request))
        status = EXIT_USAGE;
    else if (inputs)
        status = merge_and_write(request, inputs, &filters);
    merge_filters_close(&filters);
    free(inputs);
    return status;
}

int fdata_convert_run(const struct merge_request *request)
{
    say_error("%s: is a BOLT profile (fdata), of which there is one format only",
              input_name(request->inputs.items[0].path));
    return EXIT_FAILED;
}
