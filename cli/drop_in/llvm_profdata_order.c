/*
 * llvm-profdata order: the words and lines of LLVM 19's, around anneal's own order, which is another
 * one, and no worse by that tool's own measure.
 */
#include <stdio.h>
#include <string.h>

#include <anneal/llvm.h>
#include <anneal/order.h>

#include "base/file.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "cli/family/llvm_verdict.h"
#include "llvm_profdata_version.h"

enum { OUTPUT = 1, TESTS };

struct order_request {
    const char *output;
    unsigned long long tests;
};

static const struct option_spec options[] = {
    {OUTPUT, 'o', "output", "FILE", "output file (default: standard output)",
     VALUE_OF(struct order_request, output)},
    {TESTS,
     0,
     "num-test-traces",
     "N",
     "hold out the last N traces, and test the order on them",
     {.kind = VALUE_UINT64,
      .llvm = "uint",
      .most = UINT32_MAX,
      VALUE_AT(struct order_request, tests)}},
    {0},
};

/* The sum over the runs that were kept aside; functions that no other run has are left out. */
static enum an_code area_of(const struct an_behaviour *behaviour, const struct an_order *order,
                            size_t first, double *area, struct an_error *error)
{
    const struct an_pages_kernel kernel = {.page_size = 4096, .around = 1};
    struct an_pages_layout layout;
    enum an_code code = an_pages_layout_guess(behaviour, order, &layout, error);
    *area = 0;
    for (size_t r = first; code == AN_OK && r < an_behaviour_runs(behaviour); r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        struct an_pages_cost cost;
        code = an_pages_touch(&layout, &run, &kernel, NULL, &cost, error);
        *area += cost.area;
    }
    an_pages_layout_free(&layout);
    return code;
}

static enum an_code print(const struct an_behaviour *behaviour, const struct an_order *order,
                          size_t tests, struct an_error *error)
{
    printf("# Ordered %zu functions\n", order->count);
    if (tests) {
        double area;
        enum an_code code =
            area_of(behaviour, order, an_behaviour_runs(behaviour) - tests, &area, error);
        if (code != AN_OK)
            return code;
        printf("# Total area under the page fault curve: %e\n", (double)(float)area);
    }
    printf(
        "# Warning: Mach-O may prefix symbols with \"_\" depending on the linkage and this output "
        "does not take that into account. Some post-processing may be required before passing to "
        "the linker via -order_file.\n");
    for (size_t i = 0; i < order->count; i++) {
        struct an_behaviour_function function =
            an_behaviour_function(behaviour, order->functions[i]);
        if (function.file)
            printf("# %s\n", function.file);
        printf("%s\n", function.name);
    }
    return AN_OK;
}

static enum an_code make(const struct an_behaviour *behaviour, size_t tests, struct an_error *error)
{
    struct an_order order;
    struct an_order_options wanted = {.size = sizeof wanted,
                                      .runs = an_behaviour_runs(behaviour) - tests};
    enum an_code code = an_order_startup(behaviour, &wanted, &order, error);
    if (code != AN_OK)
        return code;
    code = print(behaviour, &order, tests, error);
    an_order_free(&order);
    return code;
}

static void too_many_tests(size_t traces, unsigned long long tests)
{
    fprintf(stderr,
            "error: --num-test-traces must be smaller than the total number of traces: "
            "expected: < %zu, actual: %llu\n",
            traces, tests);
}

static bool is_profile(struct an_bytes file)
{
    struct an_llvm_reader *reader;
    struct an_error error;
    if (an_llvm_reader_open(&reader, file.data, file.size, &error) != AN_OK)
        return false;
    an_llvm_reader_close(reader);
    return true;
}

/* A profile without traces: LLVM's tool orders none of its functions. */
static int order_nothing(unsigned long long tests, const char *output)
{
    const struct an_order none = {0};
    struct an_error error;
    if (tests) {
        too_many_tests(0, tests);
        return EXIT_FAILED;
    }
    bool done = redirect_start(output) && redirect_finish(print(NULL, &none, 0, &error) == AN_OK);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static int order_file(const char *path, unsigned long long tests, const char *output)
{
    struct an_file file = {0};
    struct an_error error;
    struct an_behaviour *behaviour = an_behaviour_new();
    enum an_code code = AN_NO_MEMORY;
    bool done = false;
    if (!behaviour)
        say_error("out of memory");
    else
        code = an_file_load(&file, path, &error);
    if (code == AN_OK)
        code = an_behaviour_add_llvm(behaviour, file.bytes.data, file.bytes.size, &error);
    bool has_none = code == AN_UNSUPPORTED && is_profile(file.bytes);
    an_file_close(&file);
    if (has_none) {
        an_behaviour_free(behaviour);
        return order_nothing(tests, output);
    }
    if (code == AN_OK && tests && tests >= an_behaviour_runs(behaviour)) {
        too_many_tests(an_behaviour_runs(behaviour), tests);
    } else if (code == AN_OK && redirect_start(output)) {
        code = make(behaviour, (size_t)tests, &error);
        done = redirect_finish(code == AN_OK);
    }
    if (behaviour && code != AN_OK) {
        char text[AN_LLVM_VERDICT_SIZE];
        llvm_tell(path, llvm_verdict(path, 0, &error, text));
    }
    an_behaviour_free(behaviour);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static int act(void *values, const struct option_parser *parser)
{
    const struct order_request *request = values;
    return order_file(parser->operand_count ? parser->operands[0] : "", request->tests,
                      request->output);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct order_request request = {0};
    return option_run(command, argc, argv, &request, NULL, act);
}

const struct command llvm_order = {
    .name = "order",
    .operands = "<profdata-file>",
    .summary = "order functions for fewer page faults at the start",
    .description =
        "Reads the temporal traces of a profile and prints an order of functions for the linker. "
        "The order is anneal's own; 'anneal order' can do more.",
    .options = options,
    .examples = "",
    .see_also = "",
    .run = run,
    .usage_status = EXIT_FAILED,
    .single_dash = true,
    .stands_in = true,
    .last_counts = true,
    .parses_as_llvm = true,
    .most_operands = 1,
    .print_version = llvm_profdata_version,
};
