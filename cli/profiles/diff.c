/* anneal diff: how alike two profiles are, and what moved most. */
#include "cli/family/diffing.h"

#include "cli/core/command.h"
#include "cli/family/commands.h"

enum { TOP = 1, CONTEXT_SENSITIVE, GCNO, JSON, OUTPUT };

static const struct option_spec options[] = {
    {TOP, 'n', "top", "N", "list the N functions whose share changed most (default: 10)",
     NUMBER_OF(struct diff_request, number, 0, 1u << 30)},
    {CONTEXT_SENSITIVE, 0, "cs", NULL, "compare the context-sensitive records of IR profiles",
     VALUE_OF(struct diff_request, context_sensitive)},
    {TOP, 0, "topn", "N", NULL, TAKEN},
    {GCNO, 0, "notes", "DIR",
     "find the gcno files that name GCC's functions below DIR, not beside the counts",
     VALUE_OF(struct diff_request, gcno)},
    {GCNO, 0, "gcno", "DIR", NULL, TAKEN},
    JSON_ROWS(JSON, "print JSON", VALUE_OF(struct diff_request, json)),
    OUTPUT_ROW(OUTPUT, VALUE_OF(struct diff_request, output)),
    {0},
};

/* What is none at all is for LLVM's reader to name. */
static int compare(struct diff_request *request)
{
    inputs_add(&request->base_inputs, request->base, 1);
    if (!request->base_inputs.failed)
        inputs_add(&request->test_inputs, request->test, 1);
    if (request->base_inputs.failed || request->test_inputs.failed)
        return EXIT_FAILED;
    const struct family *base = inputs_family(&request->base_inputs);
    const struct family *test = inputs_family(&request->test_inputs);
    return family_commands(base == test ? base : &family_llvm)->diff(request);
}

static int act(void *values, const struct option_parser *parser)
{
    struct diff_request *request = values;
    if (parser->operand_count != 2) {
        say_error("expected two profiles, got %zu", parser->operand_count);
        return EXIT_USAGE;
    }
    request->base = parser->operands[0];
    request->test = parser->operands[1];
    int status = compare(request);
    inputs_free(&request->base_inputs);
    inputs_free(&request->test_inputs);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct diff_request request = {.number = 10};
    return option_run(command, argc, argv, &request, NULL, act);
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
        "(fdata, YAML), branches are compared.",
    .options = options,
    .examples = "anneal diff monday.profdata tuesday.profdata\n"
                "    check whether Monday's training is still good\n"
                "anneal diff monday/ tuesday/\n"
                "    compare GCC's profiles of all modules\n",
    .see_also = "anneal-show(1), anneal-merge(1)",
    .run = run,
};
