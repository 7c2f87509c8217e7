/* anneal diff for LLVM's instrumentation profiles: how alike two of them are, and which functions moved most. */
#include "llvm_diff.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include <anneal/llvm.h>

#include "base/percent.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "llvm_names.h"
#include "moved.h"

struct diff {
    struct moved_list moved;
    bool failed;
};

static void collect(void *context, const struct an_llvm_overlap_function *function)
{
    struct diff *diff = context;
    if (diff->failed || (function->base_share == 0 && function->test_share == 0))
        return;
    diff->failed = !moved_add(&diff->moved,
                              (struct moved){.name = strndup(function->name, function->name_length),
                                             .base = function->base_share,
                                             .test = function->test_share,
                                             .in_base = function->in_base,
                                             .in_test = function->in_test,
                                             .changed = function->mismatch});
}

static void print_text(const struct diff_request *request, const struct diff *diff,
                       const struct an_llvm_overlap *overlap)
{
    printf("base  %s, total %s\ntest  %s, total %s\n\n", request->base,
           with_commas((uint64_t)overlap->base.counts), request->test,
           with_commas((uint64_t)overlap->test.counts));
    printf("%7.3f%%  overlap of counts, in %s function%s\n",
           an_percent_of_ratio(overlap->overlap.counts, 3), with_commas(overlap->overlap.entries),
           plural(overlap->overlap.entries));
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++)
        if (overlap->base.values[kind] >= 1 || overlap->test.values[kind] >= 1)
            printf("%7.3f%%  overlap of %s\n",
                   an_percent_of_ratio(overlap->overlap.values[kind], 3), value_kind_text(kind));
    if (overlap->mismatch.entries)
        printf("%7.3f%%  of test in %s functions that changed\n",
               an_percent_of_ratio(overlap->mismatch.counts, 3),
               with_commas(overlap->mismatch.entries));
    if (overlap->unique.entries)
        printf("%7.3f%%  of test in %s functions that base does not have\n",
               an_percent_of_ratio(overlap->unique.counts, 3),
               with_commas(overlap->unique.entries));
    moved_print(&diff->moved, request->number);
}

static void print_json(const struct diff_request *request, const struct diff *diff,
                       const struct an_llvm_overlap *overlap)
{
    static const char *const kinds[] = {"indirect_calls", "memop_sizes", "vtables"};
    struct json_object *json = json_document();
    json_object_object_add(json, "base", json_text(request->base, strlen(request->base)));
    json_object_object_add(json, "test", json_text(request->test, strlen(request->test)));
    json_add_real(json, "base_total", overlap->base.counts);
    json_add_real(json, "test_total", overlap->test.counts);
    json_add_real(json, "overlap", overlap->overlap.counts);
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++) {
        char name[40];
        snprintf(name, sizeof name, "overlap_%s", kinds[kind]);
        json_add_real(json, name, overlap->overlap.values[kind]);
    }
    json_add_number(json, "functions_compared", overlap->overlap.entries);
    json_add_number(json, "functions_changed", overlap->mismatch.entries);
    json_add_number(json, "functions_only_in_test", overlap->unique.entries);
    json_object_object_add(json, "moved", moved_json(&diff->moved, request->number, true));
    json_print(stdout, json);
}

int llvm_diff(const struct diff_request *request)
{
    struct diff diff = {0};
    struct an_llvm_overlap overlap;
    struct an_error error;
    struct an_llvm_overlap_options how = {.size = sizeof how,
                                          .context_sensitive = request->context_sensitive,
                                          .value_cutoff = UINT64_MAX,
                                          .report = collect,
                                          .context = &diff,
                                          .one_kind = true};
    int status = EXIT_FAILED;
    if (request->gcno) {
        say_error("--notes is for GCC profiles (gcda), and these are none");
        return EXIT_USAGE;
    }
    if (an_llvm_overlap(request->base, request->test, &how, &overlap, &error) != AN_OK) {
        report_error(&error);
    } else if (overlap.base.counts < 1 || overlap.test.counts < 1) {
        say_error("%s: no counts to compare",
                  overlap.base.counts >= 1 ? request->test : request->base);
    } else if (diff.failed) {
        say_error("out of memory");
    } else if (redirect_start(request->output)) {
        moved_sort(&diff.moved);
        (request->json ? print_json : print_text)(request, &diff, &overlap);
        status = redirect_finish(true) ? EXIT_DONE : EXIT_FAILED;
    }
    moved_free(&diff.moved);
    return status;
}
