/* Running a merge of fdata from the command line: options, filtering, reporting, writing. */
#include "fdata_merging.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/fdata.h>

#include "ledger_view.h"
#include "output.h"

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

struct filters {
    regex_t keep, drop;
    bool has_keep, has_drop;
};

static bool compile(regex_t *filter, const char *pattern, bool *has)
{
    int status = pattern ? regcomp(filter, pattern, REG_EXTENDED | REG_NOSUB) : 0;
    *has = pattern && status == 0;
    if (status == 0)
        return true;
    char text[256];
    regerror(status, filter, text, sizeof text);
    say_error("'%s': %s", pattern, text);
    return false;
}

static bool matches(const regex_t *filter, const char *name, size_t length)
{
    regmatch_t range = {0, (regoff_t)length};
    return regexec(filter, name, 1, &range, REG_STARTEND) == 0;
}

static bool keep_function(void *context, const char *name, size_t length)
{
    const struct filters *filters = context;
    return !(filters->has_drop && matches(&filters->drop, name, length)) &&
           !(filters->has_keep && !matches(&filters->keep, name, length));
}

static enum an_code apply_filters(const struct merge_request *request, struct filters *filters,
                                  struct an_fdata_profile *profile, struct an_error *error)
{
    if (!filters->has_keep && !filters->has_drop)
        return AN_OK;
    const struct an_fdata_info *info = an_fdata_profile_info(profile);
    size_t before = info->branches + info->samples + info->memory, removed;
    enum an_code code = an_fdata_profile_filter(profile, keep_function, filters, &removed, error);
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
    say("merged %s of %s input%s: %s record%s of %s function%s, total count %s -> %s (%s, fdata)",
        with_commas(ledger->used), with_commas(ledger->count), plural(ledger->count),
        with_commas(records), plural(records), with_commas(info->functions),
        plural(info->functions), with_commas(ledger->total_count), output_name(request->output),
        as_size(size));
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
    if (an_fdata_profile_write(profile, &bytes, &size, &error) != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    bool done = write_result(request->output, bytes, size, true);
    free(bytes);
    if (done && !request->quiet)
        tell_result(request, ledger, an_fdata_profile_info(profile), size);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static int merge_and_write(const struct merge_request *request, const struct an_fdata_input *inputs,
                           struct filters *filters)
{
    struct an_fdata_merge_options options = {
        .threads = request->merge.threads,
        .failure_mode = (enum an_fdata_failure_mode)request->merge.failure_mode,
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
    } else if (merge_report(request, ledger, FAMILY_FDATA, code)) {
        if (apply_filters(request, filters, profile, &error) == AN_OK)
            status = write_profile(request, ledger, profile);
        else
            report_error(&error);
    }
    if (ledger && request->ledger && !ledger_write(ledger, request->ledger))
        status = EXIT_FAILED;
    an_fdata_profile_free(profile);
    an_ledger_free(ledger);
    return status;
}

int fdata_merge_run(const struct merge_request *request)
{
    struct filters filters = {0};
    int status = EXIT_FAILED;
    if (merge_refuses_options(request, FAMILY_FDATA))
        return EXIT_USAGE;
    struct an_fdata_input *inputs = fdata_inputs(&request->inputs);
    bool good = compile(&filters.keep, request->keep, &filters.has_keep) &&
                compile(&filters.drop, request->drop, &filters.has_drop);
    if (!good)
        status = EXIT_USAGE;
    else if (inputs)
        status = merge_and_write(request, inputs, &filters);
    if (filters.has_keep)
        regfree(&filters.keep);
    if (filters.has_drop)
        regfree(&filters.drop);
    free(inputs);
    return status;
}
