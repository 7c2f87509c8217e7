/* anneal diff for LLVM's instrumentation profiles: how alike two of them are, and which functions moved most. */
#include "llvm_diff.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/llvm.h>

#include "base/percent.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "llvm_names.h"

struct moved {
    char *name;
    uint64_t hash;
    double base, test; /* shares of all counts */
    bool in_base, in_test, mismatch;
};

struct diff {
    struct moved *moved;
    size_t count, capacity;
    bool failed;
};

static void collect(void *context, const struct an_llvm_overlap_function *function)
{
    struct diff *diff = context;
    if (diff->failed || (function->base_share == 0 && function->test_share == 0))
        return;
    if (diff->count == diff->capacity) {
        size_t capacity = diff->capacity ? 2 * diff->capacity : 256;
        struct moved *grown = realloc(diff->moved, capacity * sizeof *grown);
        if (!grown) {
            diff->failed = true;
            return;
        }
        diff->moved = grown;
        diff->capacity = capacity;
    }
    char *name = strndup(function->name, function->name_length);
    diff->failed = !name;
    if (name)
        diff->moved[diff->count++] = (struct moved){name,
                                                    function->hash,
                                                    function->base_share,
                                                    function->test_share,
                                                    function->in_base,
                                                    function->in_test,
                                                    function->mismatch};
}

static int most_first(const void *a, const void *b)
{
    const struct moved *left = a, *right = b;
    double by_left = fabs(left->test - left->base), by_right = fabs(right->test - right->base);
    if (by_left != by_right)
        return by_left > by_right ? -1 : 1;
    return strcmp(left->name, right->name);
}

static const char *remark(const struct moved *moved)
{
    if (moved->mismatch)
        return "  (changed: other hash or counters)";
    if (!moved->in_base)
        return "  (new)";
    return moved->in_test ? "" : "  (gone)";
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
    if (request->number && diff->count)
        printf("\n%9s  %9s  %9s  %s\n", "base", "test", "moved", "function");
    for (size_t i = 0; i < request->number && i < diff->count; i++) {
        const struct moved *moved = &diff->moved[i];
        printf("%8.3f%%  %8.3f%%  %+8.3f%%  %s%s\n", an_percent_of_ratio(moved->base, 3),
               an_percent_of_ratio(moved->test, 3), 100 * (moved->test - moved->base), moved->name,
               remark(moved));
    }
}

static void print_json(const struct diff_request *request, const struct diff *diff,
                       const struct an_llvm_overlap *overlap)
{
    static const char *const kinds[] = {"indirect_calls", "memop_sizes", "vtables"};
    struct json_object *json = json_document();
    json_object_object_add(json, "base", json_text(request->base, strlen(request->base)));
    json_object_object_add(json, "test", json_text(request->test, strlen(request->test)));
    json_object_object_add(json, "base_total", json_object_new_double(overlap->base.counts));
    json_object_object_add(json, "test_total", json_object_new_double(overlap->test.counts));
    json_object_object_add(json, "overlap", json_object_new_double(overlap->overlap.counts));
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++) {
        char name[40];
        snprintf(name, sizeof name, "overlap_%s", kinds[kind]);
        json_object_object_add(json, name, json_object_new_double(overlap->overlap.values[kind]));
    }
    json_object_object_add(json, "functions_compared",
                           json_object_new_uint64(overlap->overlap.entries));
    json_object_object_add(json, "functions_changed",
                           json_object_new_uint64(overlap->mismatch.entries));
    json_object_object_add(json, "functions_only_in_test",
                           json_object_new_uint64(overlap->unique.entries));
    struct json_object *moved = json_object_new_array();
    for (size_t i = 0; i < request->number && i < diff->count; i++) {
        const struct moved *from = &diff->moved[i];
        struct json_object *function = json_object_new_object();
        json_object_object_add(function, "name", json_text(from->name, strlen(from->name)));
        json_object_object_add(function, "base_share", json_object_new_double(from->base));
        json_object_object_add(function, "test_share", json_object_new_double(from->test));
        json_object_object_add(function, "in_base", json_object_new_boolean(from->in_base));
        json_object_object_add(function, "in_test", json_object_new_boolean(from->in_test));
        json_object_object_add(function, "changed", json_object_new_boolean(from->mismatch));
        json_object_array_add(moved, function);
    }
    json_object_object_add(json, "moved", moved);
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
        qsort(diff.moved, diff.count, sizeof *diff.moved, most_first);
        (request->json ? print_json : print_text)(request, &diff, &overlap);
        status = redirect_finish() ? EXIT_DONE : EXIT_FAILED;
    }
    for (size_t i = 0; i < diff.count; i++)
        free(diff.moved[i].name);
    free(diff.moved);
    return status;
}
