/* anneal show for GCC's profiles: for people; gcc_show_json.c has the other half. */
#include "gcc_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "cli/core/output.h"

/* Options that mean something for LLVM profiles only. */
static bool refuses_options(const struct show_request *request)
{
    const struct {
        bool given;
        const char *name;
    } options[] = {
        {request->binary_ids, "--binary-ids"},
        {request->cs, "--cs"},
        {request->memory, "--memory"},
        {request->text, "--text"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given) {
            say_error("%s applies only to LLVM profiles; this is a GCC profile (gcda)",
                      options[i].name);
            return true;
        }
    return false;
}

/* ---- adding up ---- */

static int by_name(const struct gcc_view_function *left, const struct gcc_view_function *right)
{
    const struct an_gcc_function *one = left->function, *other = right->function;
    int order = one->name && other->name ? strcmp(one->name, other->name)
                                         : (one->name == NULL) - (other->name == NULL);
    if (order == 0)
        order = strcmp(left->module->path, right->module->path);
    return order ? order : one > other ? 1 : -1;
}

static int hottest_first(const void *a, const void *b)
{
    const struct gcc_view_function *left = a, *right = b;
    if (left->function->largest != right->function->largest)
        return left->function->largest > right->function->largest ? -1 : 1;
    if (left->function->total != right->function->total)
        return left->function->total > right->function->total ? -1 : 1;
    return by_name(left, right);
}

static int earliest_first(const void *a, const void *b)
{
    const struct gcc_view_function *left = a, *right = b;
    if (left->function->first_run != right->function->first_run)
        return left->function->first_run < right->function->first_run ? -1 : 1;
    return by_name(left, right);
}

static bool sort(struct gcc_show_view *view)
{
    const struct gcc_view *profile = &view->profile;
    size_t size = (profile->function_count + 1) * sizeof *view->hottest;
    view->hottest = malloc(size);
    view->first_runs = malloc(size);
    if (!view->hottest || !view->first_runs)
        return false;
    for (size_t i = 0; i < profile->function_count; i++) {
        view->hottest[i] = profile->functions[i];
        gcc_show_add(&view->sums, profile->functions[i].function);
        if (profile->functions[i].function->first_run)
            view->first_runs[view->first_run_count++] = profile->functions[i];
    }
    qsort(view->hottest, profile->function_count, sizeof *view->hottest, hottest_first);
    qsort(view->first_runs, view->first_run_count, sizeof *view->first_runs, earliest_first);
    return true;
}

/* The counts that stand for a share of all are the same thing for both compilers. */
static bool add_to_summary(struct an_llvm_summary_builder *builder,
                           const struct gcc_view_function *function)
{
    const struct an_gcc_counters *arcs = an_gcc_counters_of(function->function, "arcs");
    struct an_llvm_record record = {.count_number = 0};
    if (arcs && arcs->values) {
        record.counts = (uint64_t *)arcs->values; /* it is only read */
        record.count_number = arcs->count;
    }
    return record.count_number == 0 || an_llvm_summary_builder_add(builder, &record);
}

static bool sum_up(struct gcc_show_view *view)
{
    const struct show_request *request = view->request;
    struct an_llvm_summary_builder *builder = an_llvm_summary_builder_new();
    struct an_error error;
    bool done = builder != NULL;
    for (size_t i = 0; done && request->summary && i < view->profile.function_count; i++)
        done = add_to_summary(builder, &view->profile.functions[i]);
    done = done &&
           an_llvm_summary_builder_finish(builder, request->cutoff_count ? request->cutoffs : NULL,
                                          request->cutoff_count, &view->summary, &error) == AN_OK;
    an_llvm_summary_builder_free(builder);
    return done;
}

/* ---- functions ---- */

static void print_counters(const struct an_gcc_counters *counters)
{
    if (counters->count == 0)
        return;
    printf("  %s", counters->kind);
    if (!counters->values)
        printf(" %" PRIu32 " zero%s", counters->count, plural(counters->count));
    for (uint32_t i = 0; counters->values && i < counters->count; i++)
        printf(" %" PRId64, (int64_t)counters->values[i]);
    printf("\n");
}

static void print_value(const struct gcc_show_view *view, bool are_calls, uint64_t value)
{
    const struct gcc_view_function *target =
        are_calls ? gcc_view_find(&view->profile, value) : NULL;
    if (target)
        printf("%s\n", gcc_view_name(target));
    else if (are_calls)
        printf("#%" PRIu64 "\n", value);
    else
        printf("%" PRId64 "\n", (int64_t)value);
}

static void print_values(const struct gcc_show_view *view, const struct an_gcc_counters *counters)
{
    bool are_calls = gcc_show_are_calls(counters);
    struct an_gcc_values values = an_gcc_values_of(counters);
    for (unsigned place = 0; an_gcc_values_next(&values); place++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < values.count; i++)
            sum += values.pairs[2 * i + 1];
        for (size_t i = 0; i < values.count; i++) {
            uint64_t count = values.pairs[2 * i + 1];
            if (!count)
                continue;
            printf("  %s %-4u %14s  %5.1f%%  ", counters->kind, place, with_commas(count),
                   an_percent(count, sum, 1));
            print_value(view, are_calls, values.pairs[2 * i]);
        }
    }
}

static void print_place(const struct an_gcc_function *function)
{
    if (function->file && *function->file)
        printf("  %s:%" PRIu32, function->file, function->line);
}

static void print_function(const struct gcc_show_view *view,
                           const struct gcc_view_function *function)
{
    const struct an_gcc_function *found = function->function;
    printf("%s", gcc_view_name(function));
    print_place(found);
    printf("\n  ident %" PRIu32 ", checksum of lines 0x%08" PRIx32 ", of control flow 0x%08" PRIx32
           "\n  ",
           found->ident, found->line_sum, found->flow_sum);
    if (found->has_entries)
        printf("entered %" PRId64 " time%s, ", found->entries, plural((uint64_t)found->entries));
    printf("%" PRIu32 " of %" PRIu32 " counters ran, total %s, largest %s", found->ran, found->arcs,
           with_commas(found->total), with_commas(found->largest));
    if (found->first_run)
        printf(", first run at position %" PRIu64, found->first_run);
    printf("\n");
    for (unsigned i = 0; i < found->kinds; i++) {
        const struct an_gcc_counters *counters = &found->counters[i];
        if (view->request->counts)
            print_counters(counters);
        if (view->request->values)
            print_values(view, counters);
    }
}

static void print_functions(const struct gcc_show_view *view)
{
    bool any = false;
    for (size_t i = 0; i < view->profile.function_count; i++)
        if (gcc_show_selected(view, &view->profile.functions[i])) {
            print_function(view, &view->profile.functions[i]);
            any = true;
        }
    if (any)
        printf("\n");
}

static void print_covered(const struct gcc_show_view *view)
{
    for (size_t i = 0; i < view->profile.function_count; i++)
        if (view->profile.functions[i].function->ran)
            printf("%s\n", gcc_view_symbol(&view->profile.functions[i]));
}

/* ---- the whole ---- */

static void print_module(const struct gcc_view_module *module)
{
    const struct an_gcc_profile *profile = module->profile;
    printf("%s: counters (gcda) of %s, %s-endian, %s\n", input_name(module->path),
           gcc_show_compiler(profile), profile->is_big_endian ? "big" : "little",
           as_size(module->bytes));
    printf("stamp 0x%08" PRIx32, profile->stamp);
    if (profile->has_checksum)
        printf(", checksum 0x%08" PRIx32, profile->checksum);
    if (profile->has_summary)
        printf(", %s run%s", with_commas(profile->runs), plural(profile->runs));
    if (profile->has_summary && profile->runs > 1 && !profile->is_clang)
        printf(", sum of their largest counts %s", with_commas(profile->sum_max));
    for (size_t i = 0; i < profile->programs; i++)
        printf(", %s run%s of a program", with_commas(profile->program_runs[i]),
               plural(profile->program_runs[i]));
    printf("\n");
}

static void print_modules(const struct gcc_show_view *view)
{
    const struct gcc_view *profile = &view->profile;
    uint64_t bytes = 0;
    bool has_others = false;
    if (profile->count == 1) {
        print_module(&profile->modules[0]);
        return;
    }
    for (size_t i = 0; i < profile->count; i++) {
        struct gcc_show_sums sums = gcc_show_sums_of(&profile->modules[i]);
        bytes += profile->modules[i].bytes;
        has_others |= profile->modules[i].profile->version != profile->modules[0].profile->version;
        if (!view->request->header)
            continue;
        print_module(&profile->modules[i]);
        printf("%s function%s, %s ran, total %s, largest %s\n\n", with_commas(sums.functions),
               plural(sums.functions), with_commas(sums.ran), with_commas(sums.total),
               with_commas(sums.largest));
    }
    printf("%s modules, counters (gcda) of %s%s, %s\n", with_commas(profile->count),
           gcc_show_compiler(profile->modules[0].profile), has_others ? " and others" : "",
           as_size(bytes));
}

static void print_hottest(const struct gcc_show_view *view)
{
    printf("\n%14s  %14s  %7s  %14s  %s\n", "largest count", "total", "share", "entered",
           "function");
    for (size_t i = 0; i < view->request->top && i < view->profile.function_count; i++) {
        const struct an_gcc_function *function = view->hottest[i].function;
        if (!function->largest)
            break;
        printf("%14s  %14s  %6.2f%%  ", with_commas(function->largest),
               with_commas(function->total), an_percent(function->total, view->sums.total, 2));
        if (function->has_entries)
            printf("%14" PRId64, function->entries);
        else
            printf("%14s", "-");
        printf("  %s", gcc_view_name(&view->hottest[i]));
        print_place(function);
        printf("\n");
    }
}

static void print_first_runs(const struct gcc_show_view *view)
{
    printf("\nfirst runs, %s function%s\n", with_commas(view->first_run_count),
           plural(view->first_run_count));
    for (size_t i = 0; i < view->first_run_count; i++) {
        printf("%10" PRIu64 "  %s", view->first_runs[i].function->first_run,
               gcc_view_name(&view->first_runs[i]));
        print_place(view->first_runs[i].function);
        printf("\n");
    }
}

static void print_summary(const struct an_llvm_summary *summary)
{
    printf("\n%10s  %20s  %12s\n", "share", "count at least", "counters");
    for (size_t i = 0; i < summary->entry_count; i++)
        printf("%9.4f%%  %20s  %12s\n", summary->entries[i].cutoff / 10000.0,
               with_commas(summary->entries[i].min_count), with_commas(summary->entries[i].blocks));
}

static void print_text(const struct gcc_show_view *view)
{
    const struct gcc_show_sums *sums = &view->sums;
    if (view->request->all || view->request->function)
        print_functions(view);
    print_modules(view);
    printf("%s function%s, %s ran; %s of %s counters ran, total %s, largest %s\n",
           with_commas(sums->functions), plural(sums->functions), with_commas(sums->ran),
           with_commas(sums->counters_ran), with_commas(sums->counters), with_commas(sums->total),
           with_commas(sums->largest));
    if (view->request->summary)
        print_summary(&view->summary);
    if (view->request->top && sums->ran)
        print_hottest(view);
    if (view->request->traces)
        print_first_runs(view);
}

static int print(const struct gcc_show_view *view)
{
    if (!redirect_start(view->request->output))
        return EXIT_FAILED;
    if (view->request->json)
        gcc_show_json(view);
    else if (view->request->covered)
        print_covered(view);
    else
        print_text(view);
    return redirect_finish(true) ? EXIT_DONE : EXIT_FAILED;
}

int gcc_show_run(const struct show_request *request, const struct inputs *inputs)
{
    struct gcc_show_view view = {.request = request};
    int status = EXIT_FAILED;
    if (refuses_options(request))
        return EXIT_USAGE;
    bool done = gcc_view_read(&view.profile, inputs, request->gcno);
    if (done && view.profile.count == 0)
        say_error("%s: no counts to show", inputs->items[0].path);
    else if (done && sort(&view) && sum_up(&view))
        status = print(&view);
    else if (done)
        say_error("out of memory");
    an_llvm_summary_clear(&view.summary);
    free(view.hottest);
    free(view.first_runs);
    gcc_view_free(&view.profile);
    return status;
}
