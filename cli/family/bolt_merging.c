/* Running a merge of BOLT's profiles from the command line: options, filtering, reporting, writing. */
#include "bolt_merging.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/core/ledger_view.h"
#include "cli/core/output.h"

struct run {
    const struct merge_request *request;
    const struct bolt_form *form;
    void *profile;
    struct an_ledger *ledger;
};

static uint64_t content_of(const struct run *run, const char **name)
{
    struct bolt_amount amounts[2];
    run->form->measure(run->profile, amounts);
    *name = amounts[0].name;
    return amounts[0].number;
}

static bool filter(const struct run *run, struct merge_filters *filters)
{
    const char *name;
    struct an_error error;
    size_t removed;
    if (!filters->has_keep && !filters->has_drop)
        return true;
    uint64_t before = content_of(run, &name);
    if (run->form->filter(run->profile, filters, &removed, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    if (!run->request->quiet)
        fprintf(stderr, "left out %s of %s %s\n", with_commas(removed), with_commas(before),
                run->form->left_out);
    return true;
}

/* ---- the result ---- */

static void tell_result(const struct run *run, size_t size)
{
    const struct merge_request *request = run->request;
    const struct an_ledger *ledger = run->ledger;
    struct bolt_amount amounts[2];
    run->form->measure(run->profile, amounts);
    say("merged %s of %s input%s: %s %s%s%s%s %s%s, total count %s -> %s (%s, %s)",
        with_commas(ledger->used), with_commas(ledger->count), plural(ledger->count),
        with_commas(amounts[0].number), amounts[0].name, plural(amounts[0].number),
        run->form->joined, with_commas(amounts[1].number), amounts[1].name,
        plural(amounts[1].number), with_commas(ledger->total_count), output_name(request->output),
        as_size(size), request->merge.partial ? "partial result" : run->form->kind);
    merge_tell_partials(request, ledger);
    merge_tell_ignored(request);
}

static bool write_partial(const struct run *run, size_t *size)
{
    struct an_error error;
    void *bytes;
    if (run->form->write_partial(run->profile, run->ledger, &bytes, size, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    bool done = write_result(run->request->output, bytes, *size, false);
    free(bytes);
    return done;
}

static bool write_profile(const struct run *run)
{
    size_t size;
    bool done = run->request->merge.partial
                    ? write_partial(run, &size)
                    : write_pieces(run->request->output, run->form->write, run->profile, &size);
    if (done && !run->request->quiet)
        tell_result(run, size);
    return done;
}

static bool finish(const struct run *run, struct merge_filters *filters, enum an_code code)
{
    const char *name;
    if (!merge_report(run->request, run->ledger, run->form->family, code))
        return false;
    if (!run->request->quiet && run->form->warn)
        run->form->warn(run->profile);
    if (!filter(run, filters))
        return false;
    uint64_t content = content_of(run, &name);
    return merge_has_content(run->request, content, name) && write_profile(run);
}

static int merge_and_write(struct run *run, struct merge_filters *filters)
{
    struct an_error error;
    bool done = false;
    enum an_code code = run->form->merge(run->request, &run->profile, &run->ledger, &error);
    progress_clear();
    if (code != AN_OK && (!run->ledger || run->ledger->rejected == 0))
        report_error(&error);
    else
        done = finish(run, filters, code);
    if (run->ledger && !merge_account(run->request, run->ledger))
        done = false;
    run->form->free(run->profile);
    an_ledger_free(run->ledger);
    return done ? EXIT_DONE : EXIT_FAILED;
}

int bolt_merge_run(const struct merge_request *request, const struct bolt_form *form)
{
    struct run run = {.request = request, .form = form};
    struct merge_filters filters;
    if (merge_refuses_options(request, form->family))
        return EXIT_USAGE;
    int status =
        merge_filters_open(&filters, request) ? merge_and_write(&run, &filters) : EXIT_USAGE;
    merge_filters_close(&filters);
    return status;
}
