/* anneal show for BOLT's text profiles: for people; fdata_show_json.c has the other half. */
#include "fdata_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/percent.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "family.h"
#include "fdata_view.h"

static void print_name(const char *name, size_t length)
{
    struct plain_name plain = fdata_plain_name(name, length);
    if (plain.text)
        printf("%.*s", (int)plain.length, plain.text);
    free(plain.text);
}

/* ---- functions ---- */

static void print_location(const struct an_fdata_location *location)
{
    print_name(location->name, location->name_length);
    printf("+0x%llx", (unsigned long long)location->offset);
}

static void print_record(const struct an_fdata_record *record)
{
    printf("  %14s  ", with_commas(record->count));
    if (record->kind == AN_FDATA_BRANCH)
        printf("%5.1f%%  ", an_percent(record->mispreds, record->count, 1));
    print_location(&record->from);
    if (record->kind != AN_FDATA_SAMPLE) {
        printf(record->kind == AN_FDATA_MEMORY ? " reads " : " -> ");
        print_location(&record->to);
    }
    printf("\n");
}

static void print_function(const struct fdata_view *view, const struct fdata_function *function)
{
    struct an_fdata_record record;
    print_name(function->name, function->length);
    if (view->info->no_lbr)
        printf("\n  %s samples", with_commas(function->branches));
    else
        printf("\n  entered %s times, %s branches leave it, %.1f%% mispredicted",
               with_commas(function->entries), with_commas(function->branches),
               an_percent(function->mispreds, function->branches, 1));
    if (function->accesses)
        printf(", %s memory accesses", with_commas(function->accesses));
    printf("; %zu record%s\n", function->records, plural(function->records));
    for (size_t at = view->request->counts ? function->first : 0; at;
         at = view->functions.next[at - 1])
        if (an_fdata_profile_record(view->profile, at - 1, &record))
            print_record(&record);
}

static void print_functions(struct fdata_view *view)
{
    bool any = false;
    fdata_functions_sort_by_name(&view->functions);
    for (size_t i = 0; i < view->functions.count; i++)
        if (fdata_selected(view, &view->functions.items[i])) {
            print_function(view, &view->functions.items[i]);
            any = true;
        }
    if (any)
        printf("\n");
}

/* ---- the whole ---- */

static void print_header(const struct fdata_view *view)
{
    const struct an_fdata_info *info = view->info;
    printf("%s: BOLT profile (fdata), %s, %s\n", input_name(view->path),
           info->no_lbr ? "samples without branch records (no_lbr)" : "branch records",
           as_size(view->bytes));
    if (info->bolted)
        printf("recorded on a program that BOLT had optimized (boltedcollection)\n");
    if (info->event_count)
        printf("event%s", plural(info->event_count));
    for (size_t i = 0; i < info->event_count; i++)
        printf(" %.*s", (int)info->events[i].length, info->events[i].name);
    if (info->event_count)
        printf("\n");
    size_t records = info->branches + info->samples;
    printf("%s %s%s in %s function%s, total count %s", with_commas(records),
           info->no_lbr   ? "sampled place"
           : records == 1 ? "branch"
                          : "branches",
           info->no_lbr ? plural(records) : "", with_commas(info->functions),
           plural(info->functions), with_commas(info->total_count));
    if (!info->no_lbr)
        printf(", %s mispredicted (%.2f%%)", with_commas(info->total_mispreds),
               an_percent(info->total_mispreds, info->total_count, 2));
    printf("\n");
    if (info->memory)
        printf("%s memory record%s, total count %s\n", with_commas(info->memory),
               plural(info->memory), with_commas(info->memory_count));
}

static void print_hot(const struct fdata_view *view)
{
    const struct an_fdata_info *info = view->info;
    printf("\n%14s  %7s  ", info->no_lbr ? "samples" : "branches", "share");
    if (!info->no_lbr)
        printf("%12s  %8s  ", "mispredicted", "entries");
    printf("function\n");
    for (size_t i = 0; i < view->functions.count && i < view->request->top; i++) {
        const struct fdata_function *function = &view->functions.items[i];
        printf("%14s  %6.2f%%  ", with_commas(function->branches),
               an_percent(function->branches, info->total_count, 2));
        if (!info->no_lbr)
            printf("%11.2f%%  %8s  ", an_percent(function->mispreds, function->branches, 2),
                   with_commas(function->entries));
        print_name(function->name, function->length);
        printf("\n");
    }
}

static void print_all(struct fdata_view *view)
{
    if (view->request->json) {
        fdata_print_json(view);
        return;
    }
    if (view->request->all || view->request->function)
        print_functions(view);
    print_header(view);
    fdata_functions_sort(&view->functions);
    if (view->request->top && view->functions.count)
        print_hot(view);
}

int fdata_show_run(const struct show_request *request, const struct inputs *inputs)
{
    const char *path = inputs->items[0].path;
    struct an_file file = {0};
    struct an_fdata_profile *profile = NULL;
    struct an_error error;
    int status = EXIT_FAILED;
    enum an_code code = an_file_load(&file, path, &error);
    if (code == AN_OK && showing_refuses_options(request, &family_fdata)) {
        an_file_close(&file);
        return EXIT_USAGE;
    }
    if (code == AN_OK) {
        code = an_fdata_profile_read(&profile, file.bytes.data, file.bytes.size, &error);
        if (code != AN_OK)
            an_error_in(&error, path);
    }
    size_t size = file.bytes.size;
    an_file_close(&file);
    if (code != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    struct fdata_view view = {
        .request = request,
        .path = path,
        .bytes = size,
        .profile = profile,
        .info = an_fdata_profile_info(profile),
    };
    if (!fdata_functions_read(&view.functions, profile)) {
        say_error("out of memory");
    } else if (redirect_start(request->output)) {
        print_all(&view);
        status = redirect_finish(true) ? EXIT_DONE : EXIT_FAILED;
    }
    fdata_functions_free(&view.functions);
    an_fdata_profile_free(profile);
    return status;
}
