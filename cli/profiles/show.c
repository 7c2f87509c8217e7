/* anneal show: one profile, for people and for scripts. */
#include "show.h"

#include <stdlib.h>

#include "cli/core/output.h"
#include "cli/family/commands.h"
#include "cli/family/showing.h"

enum {
    ALL = 1,
    FUNCTION,
    COUNTS,
    VALUES,
    TOP,
    SUMMARY,
    CUTOFFS,
    BINARY_IDS,
    TRACES,
    HEADER,
    COVERED,
    CONTEXT_SENSITIVE,
    TEXT,
    JSON,
    OUTPUT,
    GCNO,
    MEMORY,
    PROFILED_BINARY,
};

static const struct option_spec options[] = {
    {ALL, 'a', "all-functions", NULL, "show every function", VALUE_OF(struct show_request, all)},
    {FUNCTION, 0, "function", "REGEX", "show the functions whose name matches",
     VALUE_OF(struct show_request, function)},
    {COUNTS, 'c', "counts", NULL, "also show their counters (and MC/DC bitmaps)",
     VALUE_OF(struct show_request, counts)},
    {VALUES, 'v', "values", NULL,
     "also show their values: indirect-call targets, sizes of memory operations, virtual tables, "
     "frequent values",
     VALUE_OF(struct show_request, values)},
    {TOP, 'n', "top", "N",
     "show the N hottest functions (default: 10, unless functions are "
     "selected)",
     TAKEN},
    {SUMMARY, 's', "detailed-summary", NULL,
     "show how many counters make up which share of all "
     "counts",
     VALUE_OF(struct show_request, summary)},
    {CUTOFFS, 0, "detailed-summary-cutoffs", "N,...", "use these shares, in millionths", TAKEN},
    {BINARY_IDS, 0, "binary-ids", NULL, "show the build ids of the programs",
     VALUE_OF(struct show_request, binary_ids)},
    {TRACES, 0, "traces", NULL,
     "show temporal traces; for GCC, the order in which functions first ran",
     VALUE_OF(struct show_request, traces)},
    {HEADER, 0, "header", NULL, "show the header of the file, and no functions",
     VALUE_OF(struct show_request, header)},
    {COVERED, 0, "covered", NULL, "list only the names of functions that ran",
     VALUE_OF(struct show_request, covered)},
    {CONTEXT_SENSITIVE, 0, "cs", NULL, "show the context-sensitive records of an IR profile",
     VALUE_OF(struct show_request, cs)},
    {TEXT, 't', "text", NULL, "show the selected functions in the text format",
     VALUE_OF(struct show_request, text)},
    {TOP, 0, "topn", "N", NULL, TAKEN},
    {GCNO, 0, "notes", "DIR",
     "find the gcno files that name GCC's functions below DIR, not beside the counts",
     VALUE_OF(struct show_request, gcno)},
    {GCNO, 0, "gcno", "DIR", NULL, TAKEN},
    {MEMORY, 0, "memory", NULL, "show a memory profile (-fmemory-profile), raw or indexed, as YAML",
     VALUE_OF(struct show_request, memory)},
    {PROFILED_BINARY, 0, "profiled-binary", "FILE",
     "the program FILE left the raw memory profile; may be repeated", TAKEN_EACH},
    JSON_ROWS(JSON, "print JSON", VALUE_OF(struct show_request, json)),
    OUTPUT_ROW(OUTPUT, VALUE_OF(struct show_request, output)),
    {0},
};

/* clang-format off */
static const struct option_rule rules[] = {
    {EXCLUDES, JSON, {TEXT, COVERED}, {0}},
    {EXCLUDES, COVERED, {ALL, FUNCTION, COUNTS, VALUES, TOP, SUMMARY, CUTOFFS, BINARY_IDS, TRACES},
        {0}},
    {EXCLUDES, TEXT, {COVERED, TOP, SUMMARY, CUTOFFS, BINARY_IDS, TRACES}, {0}},
    {EXCLUDES, HEADER, {ALL, FUNCTION, COUNTS, VALUES, TOP, COVERED, TEXT}, {0}},
    {EXCLUDES, ALL, {FUNCTION}, {0}},
    {EXCLUDES, MEMORY, {ALL, FUNCTION, COUNTS, VALUES, TOP, SUMMARY, CUTOFFS, BINARY_IDS, TRACES,
        HEADER, COVERED, CONTEXT_SENSITIVE, TEXT, JSON}, {0}},
    {NEEDS, PROFILED_BINARY, {MEMORY}, {0}},
    {NEEDS, COUNTS, {ALL, FUNCTION, TEXT}, {0}},
    {NEEDS, VALUES, {ALL, FUNCTION, TEXT}, {0}},
    {0},
};
/* clang-format on */

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct show_request *request = values;
    if (id == PROFILED_BINARY) {
        const char **grown =
            realloc(request->programs, (request->program_count + 1) * sizeof *grown);
        if (!grown) {
            say_error("out of memory");
            return false;
        }
        request->programs = grown;
        grown[request->program_count++] = value;
        return true;
    }
    if (id == TOP) {
        request->top_given = true;
        return option_number(command, "top", value, 1u << 30, &request->top);
    }
    request->summary = true;
    return option_cutoffs(value, request->cutoffs, &request->cutoff_count);
}

static int show_inputs(const struct show_request *request, const struct inputs *inputs,
                       size_t operands)
{
    if (inputs->failed)
        return EXIT_FAILED;
    const struct family *family = inputs->count ? inputs_family(inputs) : NULL;
    bool is_one = operands == 1 && inputs->count == 1 && inputs->roots[0] == 0;
    if (family && (family->has_modules || is_one))
        return family_commands(family)->show(request, inputs);
    if (operands && !inputs->count) {
        say_error("nothing to show");
        return EXIT_FAILED;
    }
    say_error("expected one profile, got %zu (only GCC's may be several files, or folders)",
              inputs->count);
    return EXIT_USAGE;
}

static int act(void *values, const struct option_parser *parser)
{
    struct show_request *request = values;
    struct inputs inputs = {.count = 0};
    if (!request->top_given)
        request->top = request->all || request->function || request->header ? 0 : 10;
    if (request->text && !request->function)
        request->all = true;
    int status = request->function
                     ? regcomp(&request->pattern, request->function, REG_EXTENDED | REG_NOSUB)
                     : 0;
    if (status) {
        char text[256];
        regerror(status, &request->pattern, text, sizeof text);
        say_error("--function=%s: %s", request->function, text);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < parser->operand_count && !inputs.failed; i++)
        inputs_add(&inputs, parser->operands[i], 1);
    status = show_inputs(request, &inputs, parser->operand_count);
    inputs_free(&inputs);
    if (request->function)
        regfree(&request->pattern);
    return status;
}

int show_as(const char *name, int argc, char **argv)
{
    struct show_request request = {.name = name};
    int status = option_run(&command_show, argc, argv, &request, take, act);
    free(request.programs);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    (void)command;
    return show_as(NULL, argc, argv);
}

const struct command command_show = {
    .name = "show",
    .operands = "PROFILE...",
    .summary = "show what is in a profile",
    .description =
        "Shows an LLVM instrumentation profile of any format: its kind, its totals and its "
        "hottest functions; with options, the counters and values of any function. '-' is "
        "standard input.\n\n"
        "For a BOLT profile in text form (fdata), it shows the kind, the events, the totals, the "
        "share of mispredicted branches and the hottest functions: how many branches leave them, "
        "and how often they are entered. --function and --all-functions show single functions, "
        "--counts their records. For one in YAML, --counts shows their blocks.\n\n"
        "For GCC's counter files (gcda), which may be several, or folders of them, it shows "
        "their kind, how many counters ran, and the hottest functions: their largest count, and "
        "how often they were entered. Names and entries come from the gcno files of the same "
        "compilation, beside the counts or below the folder of --notes.",
    .options = options,
    .rules = rules,
    .examples = "anneal show app.profdata\n"
                "    show the header and the ten hottest functions\n"
                "anneal show --function='^parse_' --counts --values app.profdata\n"
                "    show everything about some functions\n"
                "anneal show --json --all-functions --counts app.profdata\n"
                "    print everything for a script\n"
                "anneal show --function='^main$' --counts app.fdata\n"
                "    show the branches of a function\n"
                "anneal show --traces build/\n"
                "    show GCC's hottest functions, and the order of first runs\n",
    .see_also = "anneal-merge(1), anneal-diff(1)",
    .run = run,
};
