/* Running a merge of BOLT's YAML profiles from the command line: options, filtering, reporting, writing. */
#include "yaml_merging.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/core/ledger_view.h"
#include "cli/core/output.h"
#include "merge_filters.h"

struct an_yaml_input *yaml_inputs(const struct inputs *inputs)
{
    struct an_yaml_input *items = malloc((inputs->count + 1) * sizeof *items);
    for (size_t i = 0; items && i < inputs->count; i++)
        items[i] = (struct an_yaml_input){inputs->items[i].path, inputs->items[i].weight};
    if (!items)
        say_error("out of memory");
    return items;
}

static void apply_filters(const struct merge_request *request, struct merge_filters *filters,
                          struct an_yaml_profile *profile)
{
    size_t before = an_yaml_profile_info(profile)->functions, removed;
    if (!filters->has_keep && !filters->has_drop)
        return;
    an_yaml_profile_filter(profile, merge_filters_keep, filters, &removed);
    if (!request->quiet)
        fprintf(stderr, "left out %s of %s functions\n", with_commas(removed), with_commas(before));
}

/* ---- the result ---- */

static void warn(const struct an_yaml_info *info)
{
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

static void tell_result(const struct merge_request *request, const struct an_ledger *ledger,
                        const struct an_yaml_info *info, size_t size)
{
    say("merged %s of %s input%s: %s function%s, %s block%s, total count %s -> %s (%s, YAML)",
        with_commas(ledger->used), with_commas(ledger->count), plural(ledger->count),
        with_commas(info->functions), plural(info->functions), with_commas(info->blocks),
        plural(info->blocks), with_commas(ledger->total_count), output_name(request->output),
        as_size(size));
    if (request->inputs.ignored)
        say("ignored %zu other file%s in the folders, such as %s", request->inputs.ignored,
            plural(request->inputs.ignored), request->inputs.ignored_example);
}

static int write_profile(const struct merge_request *request, const struct an_ledger *ledger,
                         const struct an_yaml_profile *profile)
{
    struct an_error error;
    void *bytes;
    size_t size;
    if (an_yaml_profile_write(profile, &bytes, &size, &error) != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    bool done = write_result(request->output, bytes, size, true);
    free(bytes);
    if (done && !request->quiet)
        tell_result(request, ledger, an_yaml_profile_info(profile), size);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static int merge_and_write(const struct merge_request *request, const struct an_yaml_input *inputs,
                           struct merge_filters *filters)
{
    struct an_yaml_merge_options options = {
        .size = sizeof options,
        .failure_mode = request->merge.failure_mode,
        .progress = request->quiet ? NULL : progress_show,
    };
    struct an_yaml_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    int status = EXIT_FAILED;
    enum an_code code =
        an_yaml_merge(&options, inputs, request->inputs.count, &profile, &ledger, &error);
    progress_clear();
    if (code != AN_OK && (!ledger || ledger->rejected == 0)) {
        report_error(&error);
    } else if (merge_report(request, ledger, &family_yaml, code)) {
        if (!request->quiet)
            warn(an_yaml_profile_info(profile));
        apply_filters(request, filters, profile);
        if (merge_has_content(request, an_yaml_profile_info(profile)->functions, "function"))
            status = write_profile(request, ledger, profile);
    }
    if (ledger && !merge_account(request, ledger))
        status = EXIT_FAILED;
    an_yaml_profile_free(profile);
    an_ledger_free(ledger);
    return status;
}

int yaml_merge_run(const struct merge_request *request)
{
    struct merge_filters filters;
    int status = EXIT_FAILED;
    if (merge_refuses_options(request, &family_yaml))
        return EXIT_USAGE;
    struct an_yaml_input *inputs = yaml_inputs(&request->inputs);
    if (!merge_filters_open(&filters, request))
        status = EXIT_USAGE;
    else if (inputs)
        status = merge_and_write(request, inputs, &filters);
    merge_filters_close(&filters);
    free(inputs);
    return status;
}

int yaml_convert_run(const struct merge_request *request)
{
    say_error("%s: is a BOLT profile (YAML), of which there is one format only; llvm-bolt makes it "
              "of fdata (llvm-bolt BINARY -data=FDATA -w FILE -o /dev/null)",
              input_name(request->inputs.items[0].path));
    return EXIT_FAILED;
}
