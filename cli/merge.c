/* anneal merge */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "merging.h"

enum {
    OUTPUT = 1,
    INPUT_FILES,
    WEIGHTED,
    SPARSE,
    TEXT,
    THREADS,
    FAILURE_MODE,
    FORMAT_VERSION,
    LEDGER,
    FUNCTION,
    NO_FUNCTION,
    REMAPPING,
    VTABLES,
    RESERVOIR,
    TRACE_LENGTH,
    QUIET,
};

static const struct option_spec options[] = {
    {OUTPUT, 'o', "output", "FILE", "write the merged profile to FILE (default: -, the standard output)"},
    {INPUT_FILES, 'f', "input-files", "LIST",
     "take more inputs from LIST, one a line, each FILE or WEIGHT,FILE; # begins a comment"},
    {WEIGHTED, 'w', "weighted-input", "N,FILE", "count FILE (or all files of a folder) N times"},
    {SPARSE, 0, "sparse", NULL, "leave out functions that never ran"},
    {TEXT, 't', "text", NULL, "write the text format"},
    {FORMAT_VERSION, 0, "format-version", "N",
     "write indexed version N, 5 to 12 (default: 12, for LLVM 19; clang 13 and 14 read up to 7, "
     "15: 8, 16: 9, 17: 10, 18: 11)"},
    {FAILURE_MODE, 0, "failure-mode", "MODE",
     "any: fail when any input is rejected (the default); all: only when all are; warn: never"},
    {LEDGER, 0, "ledger", "FILE", "write what became of each input to FILE, as JSON"},
    {FUNCTION, 0, "function", "REGEX", "keep only functions whose name matches"},
    {NO_FUNCTION, 0, "no-function", "REGEX", "drop functions whose name matches"},
    {REMAPPING, 'r', "remapping-file", "FILE", "rename functions by lines of 'old new'"},
    {VTABLES, 0, "keep-vtable-symbols", NULL, "keep the names of virtual tables"},
    {RESERVOIR, 0, "trace-reservoir-size", "N", "keep at most N temporal traces (default: 100)"},
    {TRACE_LENGTH, 0, "max-trace-length", "N", "of at most N functions (default: 10000)"},
    {THREADS, 'j', "num-threads", "N",
     "use N threads (default: as many as are useful; the result is the same)"},
    {QUIET, 'q', "quiet", NULL, "print errors only"},
    {0},
};

struct given {
    int id;
    const char *value;
};

static bool take(struct merge_request *request, const struct command *command, int id,
                 const char *value)
{
    unsigned long long number = 0;
    switch (id) {
    case OUTPUT:
        request->output = request->inputs.output = value;
        return true;
    case SPARSE:
        request->write.sparse = true;
        return true;
    case TEXT:
        request->write.text = true;
        return true;
    case FORMAT_VERSION:
        if (!option_number(command, "format-version", value, 12, &number))
            return false;
        request->write.format_version = (unsigned)number;
        if (number >= AN_LLVM_OLDEST_WRITTEN)
            return true;
        say_error("--format-version=%s: expected 5 to 12", value);
        return false;
    case FAILURE_MODE:
        return parse_failure_mode(value, &request->merge.failure_mode);
    case LEDGER:
        request->ledger = value;
        return true;
    case FUNCTION:
        request->keep = value;
        return true;
    case NO_FUNCTION:
        request->drop = value;
        return true;
    case REMAPPING:
        request->remapping = value;
        return true;
    case VTABLES:
        request->merge.keep_vtable_names = true;
        return true;
    case RESERVOIR:
        if (!option_number(command, "trace-reservoir-size", value, 1u << 30, &number))
            return false;
        request->merge.trace_reservoir = number;
        return true;
    case TRACE_LENGTH:
        if (!option_number(command, "max-trace-length", value, 1u << 30, &number))
            return false;
        request->merge.trace_length = number;
        return true;
    case THREADS:
        if (!option_number(command, "num-threads", value, 1024, &number))
            return false;
        request->merge.threads = (unsigned)number;
        return true;
    default:
        request->quiet = true;
        return true;
    }
}

/* Inputs come in LLVM's order: operands, weighted ones, lists. */
static void add_inputs(struct inputs *inputs, const struct option_parser *parser,
                       const struct given *given, size_t count)
{
    for (size_t i = 0; i < parser->operand_count && !inputs->failed; i++)
        inputs_add(inputs, parser->operands[i], 1);
    for (size_t i = 0; i < count && !inputs->failed; i++)
        if (given[i].id == WEIGHTED)
            inputs_add_weighted(inputs, given[i].value);
    for (size_t i = 0; i < count && !inputs->failed; i++)
        if (given[i].id == INPUT_FILES)
            inputs_add_list(inputs, given[i].value);
}

static int merge(struct merge_request *request)
{
    if (request->inputs.failed)
        return EXIT_FAILED;
    if (request->inputs.count)
        return merge_run(request);
    say_error("no inputs (name profiles, or folders that hold some)");
    return EXIT_USAGE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct merge_request request = {.output = "-"};
    struct given *given = calloc((size_t)argc + 1, sizeof *given);
    struct option_parser parser;
    const char *value;
    size_t count = 0;
    int id, status = EXIT_USAGE;
    if (!option_start(&parser, command, argc, argv) || !given)
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0) {
        if (id == WEIGHTED || id == INPUT_FILES) /* added when the output is known */
            given[count++] = (struct given){id, value};
        else if (!take(&request, command, id, value))
            break;
    }
    if (id == OPTION_HELP) {
        status = EXIT_DONE;
    } else if (id == OPTION_END) {
        add_inputs(&request.inputs, &parser, given, count);
        status = merge(&request);
    }
    option_finish(&parser);
    free(given);
    inputs_free(&request.inputs);
    return status;
}

const struct command command_merge = {
    .name = "merge",
    .operands = "INPUT...",
    .summary = "merge profiles of many runs into one",
    .description =
        "Merges LLVM instrumentation profiles: raw profiles of LLVM 11 to 20 (32 and 64 bit, both "
        "byte orders, several in one file), indexed profiles of versions 1 to 12, and text. What "
        "an input is shows in its content, not its name. Folders are searched. '-' is the "
        "standard input.\n\n"
        "The result is an indexed profile for clang -fprofile-use, in the version that the "
        "compiler reads. It is written whole or not at all.\n\n"
        "Every input is accounted for: how many were used, which were rejected and why, which "
        "were empty, named twice or thin (with less than a tenth of the median total count). An "
        "input counts whole or not at all.",
    .options = options,
    .examples = "anneal merge -o app.profdata profiles/\n"
                "    all profiles below profiles/\n"
                "anneal merge -o app.profdata -w 10,peak.profraw night.profraw\n"
                "    peak hours count ten times\n"
                "anneal merge --format-version=7 -o app.profdata *.profraw\n"
                "    for clang 13 or 14\n"
                "anneal merge --failure-mode=all --ledger=ledger.json -o app.profdata profiles/\n"
                "    go on without damaged inputs, and keep the account\n",
    .see_also = "anneal-show(1), anneal-convert(1), llvm-profdata(1)",
    .run = run,
};
