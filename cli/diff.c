/* anneal diff: how alike two profiles are, and what moved most. */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/llvm.h>

#include "base/percent.h"
#include "command.h"
#include "family.h"
#include "fdata_diff.h"
#include "gcc_diff.h"
#include "names.h"
#include "output.h"

enum { TOP = 1, CONTEXT_SENSITIVE, GCNO, JSON, OUTPUT };

static const struct option_spec options[] = {
    {TOP, 'n', "topn", "N", "list the N functions whose share changed most (default: 10)"},
    {CONTEXT_SENSITIVE, 0, "cs", NULL, "compare the context-sensitive records of IR profiles"},
    {GCNO, 0, "gcno", "FOLDER",
     "find the gcno files that name GCC's functions below FOLDER, not beside the counts"},
    {JSON, 'j', "json", NULL, "print JSON"},
    {OUTPUT, 'o', "output", "FILE", "write to FILE (default: standard output)"},
    {0},
};

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

static void print_text(const struct diff *diff, const struct an_llvm_overlap *overlap,
                       size_t number, const char *base, const char *test)
{
    printf("base  %s, total %s\ntest  %s, total %s\n\n", base,
           with_commas((uint64_t)overlap->base.counts), test,
           with_commas((uint64_t)overlap->test.counts));
    printf("%7.3f%%  overlap of counts, in %s functions\n",
           an_percent_of_ratio(overlap->overlap.counts, 3), with_commas(overlap->overlap.entries));
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
    if (number && diff->count)
        printf("\n%9s  %9s  %9s  %s\n", "base", "test", "moved", "function");
    for (size_t i = 0; i < number && i < diff->count; i++) {
        const struct moved *moved = &diff->moved[i];
        printf("%8.3f%%  %8.3f%%  %+8.3f%%  %s%s\n", an_percent_of_ratio(moved->base, 3),
               an_percent_of_ratio(moved->test, 3), 100 * (moved->test - moved->base), moved->name,
               remark(moved));
    }
}

static void print_json(const struct diff *diff, const struct an_llvm_overlap *overlap,
                       size_t number, const char *base, const char *test)
{
    static const char *const kinds[] = {"indirect_calls", "memop_sizes", "vtables"};
    struct json_object *json = json_document();
    json_object_object_add(json, "base", json_text(base, strlen(base)));
    json_object_object_add(json, "test", json_text(test, strlen(test)));
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
    for (size_t i = 0; i < number && i < diff->count; i++) {
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

struct request {
    bool context_sensitive, json;
    unsigned long long number;
    const char *gcno, *output;
};

static int compare_llvm(char **operands, const struct request *request)
{
    struct diff diff = {0};
    struct an_llvm_overlap overlap;
    struct an_error error;
    struct an_llvm_overlap_options how = {.context_sensitive = request->context_sensitive,
                                          .value_cutoff = UINT64_MAX,
                                          .report = collect,
                                          .context = &diff};
    int status = EXIT_FAILED;
    if (request->gcno) {
        say_error("--gcno is for GCC profiles (gcda), and these are none");
        return EXIT_USAGE;
    }
    if (an_llvm_overlap(operands[0], operands[1], &how, &overlap, &error) != AN_OK) {
        report_error(&error);
    } else if (overlap.base.counts < 1 || overlap.test.counts < 1) {
        say_error("%s: no counts to compare", operands[overlap.base.counts >= 1]);
    } else if (diff.failed) {
        say_error("out of memory");
    } else if (redirect_start(request->output)) {
        qsort(diff.moved, diff.count, sizeof *diff.moved, most_first);
        (request->json ? print_json : print_text)(&diff, &overlap, (size_t)request->number,
                                                  operands[0], operands[1]);
        status = redirect_finish() ? EXIT_DONE : EXIT_FAILED;
    }
    for (size_t i = 0; i < diff.count; i++)
        free(diff.moved[i].name);
    free(diff.moved);
    return status;
}

static int compare_gcc(struct gcc_diff_request *gcc, const struct request *request)
{
    if (request->context_sensitive) {
        say_error("--cs applies only to LLVM profiles; these are GCC profiles (gcda)");
        return EXIT_USAGE;
    }
    gcc->gcno = request->gcno;
    gcc->output = request->output;
    gcc->number = (size_t)request->number;
    gcc->json = request->json;
    return gcc_diff(gcc);
}

static int compare_fdata(char **operands, const struct request *request)
{
    const struct fdata_diff_request fdata = {.base = operands[0],
                                             .test = operands[1],
                                             .output = request->output,
                                             .number = (size_t)request->number,
                                             .json = request->json};
    if (!request->context_sensitive && !request->gcno)
        return fdata_diff(&fdata);
    say_error("%s; these are BOLT profiles (fdata)", request->gcno
                                                         ? "--gcno is for GCC profiles (gcda)"
                                                         : "--cs applies only to LLVM profiles");
    return EXIT_USAGE;
}

/* Only of GCC's profiles, which come in a file for each module, there are folders. */
static int compare(char **operands, const struct request *request)
{
    struct gcc_diff_request gcc = {.base = operands[0], .test = operands[1]};
    int status = EXIT_FAILED;
    inputs_add(&gcc.base_inputs, gcc.base, 1);
    if (!gcc.base_inputs.failed)
        inputs_add(&gcc.test_inputs, gcc.test, 1);
    if (!gcc.base_inputs.failed && !gcc.test_inputs.failed) {
        enum family base = inputs_family(&gcc.base_inputs), test = inputs_family(&gcc.test_inputs);
        if (base == FAMILY_GCDA && test == FAMILY_GCDA)
            status = compare_gcc(&gcc, request);
        else if (base == FAMILY_FDATA && test == FAMILY_FDATA)
            status = compare_fdata(operands, request);
        else
            status = compare_llvm(operands, request);
    }
    inputs_free(&gcc.base_inputs);
    inputs_free(&gcc.test_inputs);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct request request = {.number = 10};
    struct option_parser parser;
    const char *value;
    int id, status = EXIT_USAGE;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0) {
        if (id == CONTEXT_SENSITIVE)
            request.context_sensitive = true;
        else if (id == GCNO)
            request.gcno = value;
        else if (id == JSON)
            request.json = true;
        else if (id == OUTPUT)
            request.output = value;
        else if (!option_number(command, "topn", value, 1u << 30, &request.number))
            break;
    }
    if (id == OPTION_HELP)
        status = EXIT_DONE;
    else if (id == OPTION_END && parser.operand_count != 2)
        say_error("expected two profiles, got %zu", parser.operand_count);
    else if (id == OPTION_END)
        status = compare(parser.operands, &request);
    option_finish(&parser);
    return status;
}

const struct command command_diff = {
    .name = "diff",
    .operands = "BASE TEST",
    .summary = "compare two profiles",
    .description =
        "Shows how similar two profiles are: the overlap, as llvm-profdata computes it, adds up "
        "for every counter the smaller of its shares of all counts in the two profiles. At 100%, "
        "both give a compiler the same information. A list of the functions whose share changed "
        "most follows.\n\n"
        "GCC's counter files (gcda) may also be two folders with a file for each module. Their "
        "overlap is that of gcov-tool, over all modules of the same name. Of BOLT's profiles "
        "(fdata), branches are compared.",
    .options = options,
    .examples = "anneal diff monday.profdata tuesday.profdata\n"
                "    check whether Monday's training is still good\n"
                "anneal diff monday/ tuesday/\n"
                "    compare GCC's profiles of all modules\n",
    .see_also = "anneal-show(1), anneal-merge(1)",
    .run = run,
};
