/*
 * The llvm-profdata personality: the options of LLVM 19's tool, its output and its exit codes, so
 * that anneal drops into scripts that call it. Options that belong to what anneal does not do are
 * known by name and refused with a message, rather than misread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/version.h>

#include "command.h"
#include "llvm_personality.h"
#include "merging.h"

static const char *const unsupported_reason[] = {
    "sample profiles (AutoFDO) are not handled by anneal",
    "correlating raw profiles with debug info is not handled by anneal",
    "memory profiles are not handled by anneal",
};

enum {
    OUTPUT = 1,
    WEIGHTED,
    INPUT_FILES,
    TEXT,
    IGNORED, /* accepted without effect, because it asks for what is done anyway */
    SPARSE,
    THREADS,
    FAILURE_MODE,
    DUMP_INPUTS,
    REMAPPING,
    FUNCTION,
    NO_FUNCTION,
    PREVIOUS_VERSION,
    VTABLES,
    RESERVOIR,
    TRACE_LENGTH,
};

static const struct option_spec merge_options[] = {
    {OUTPUT, 'o', "output", "FILE", "output file (default: standard output)"},
    {WEIGHTED, 0, "weighted-input", "WEIGHT,FILE", "an input that counts WEIGHT times"},
    {INPUT_FILES, 'f', "input-files", "LIST", "file with [WEIGHT,]FILE entries"},
    {TEXT, 0, "text", NULL, "write the text format"},
    {IGNORED, 0, "binary", NULL, "write the indexed format"},
    {IGNORED, 0, "extbinary", NULL, "write the indexed format (default)"},
    {IGNORED, 0, "instr", NULL, "instrumentation profiles (default)"},
    {SPARSE, 0, "sparse", NULL, "leave out functions that never ran"},
    {THREADS, 'j', "num-threads", "N", "number of threads (the result does not depend on it)"},
    {FAILURE_MODE, 0, "failure-mode", "MODE", "any, all or warn"},
    {DUMP_INPUTS, 0, "dump-input-file-list", NULL, "print the inputs and their weights, then exit"},
    {REMAPPING, 'r', "remapping-file", "FILE", "symbol remapping file"},
    {FUNCTION, 0, "function", "REGEX", "keep only functions that match"},
    {NO_FUNCTION, 0, "no-function", "REGEX", "drop functions that match"},
    {PREVIOUS_VERSION, 0, "write-prev-version", NULL, "write indexed version 11"},
    {VTABLES, 0, "keep-vtable-symbols", NULL, "keep the names of virtual tables"},
    {RESERVOIR, 0, "temporal-profile-trace-reservoir-size", "N", "most traces kept (100)"},
    {TRACE_LENGTH, 0, "temporal-profile-max-trace-length", "N", "most functions of one (10000)"},
    {REFUSED_SAMPLE, 0, "sample", NULL, NULL},
    {REFUSED_SAMPLE, 0, "gcc", NULL, NULL},
    {REFUSED_SAMPLE, 0, "supplement-instr-with-sample", "FILE", NULL},
    {REFUSED_SAMPLE, 0, "zero-counter-threshold", "N", NULL},
    {REFUSED_SAMPLE, 0, "suppl-min-size-threshold", "N", NULL},
    {REFUSED_SAMPLE, 0, "instr-prof-cold-threshold", "N", NULL},
    {REFUSED_SAMPLE, 0, "prof-sym-list", "FILE", NULL},
    {REFUSED_SAMPLE, 0, "drop-profile-symbol-list", NULL, NULL},
    {REFUSED_SAMPLE, 0, "compress-all-sections", NULL, NULL},
    {REFUSED_SAMPLE, 0, "use-md5", NULL, NULL},
    {REFUSED_SAMPLE, 0, "gen-partial-profile", NULL, NULL},
    {REFUSED_SAMPLE, 0, "sample-merge-cold-context", NULL, NULL},
    {REFUSED_SAMPLE, 0, "sample-trim-cold-context", NULL, NULL},
    {REFUSED_SAMPLE, 0, "sample-frame-depth-for-cold-context", "N", NULL},
    {REFUSED_SAMPLE, 0, "output-size-limit", "N", NULL},
    {REFUSED_SAMPLE, 0, "convert-sample-profile-layout", "LAYOUT", NULL},
    {REFUSED_CORRELATION, 0, "debug-info", "FILE", NULL},
    {REFUSED_CORRELATION, 0, "binary-file", "FILE", NULL},
    {REFUSED_CORRELATION, 0, "max-debug-info-correlation-warnings", "N", NULL},
    {REFUSED_MEMORY, 0, "profiled-binary", "FILE", NULL},
    {REFUSED_MEMORY, 0, "memprof-version", "N", NULL},
    {REFUSED_MEMORY, 0, "memprof-full-schema", NULL, NULL},
    {0},
};

bool llvm_option_refused(int id)
{
    if (id < LLVM_REFUSED)
        return false;
    say_error("%s", unsupported_reason[id - LLVM_REFUSED]);
    return true;
}

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
        request->output = value;
        return true;
    case TEXT:
        request->write.text = true;
        return true;
    case IGNORED:
        return true;
    case SPARSE:
        request->write.sparse = true;
        return true;
    case THREADS:
        if (!option_number(command, "num-threads", value, 1024, &number))
            return false;
        request->merge.threads = (unsigned)number;
        return true;
    case FAILURE_MODE:
        return parse_failure_mode(value, &request->merge.failure_mode);
    case REMAPPING:
        request->remapping = value;
        return true;
    case FUNCTION:
        request->keep = value;
        return true;
    case NO_FUNCTION:
        request->drop = value;
        return true;
    case PREVIOUS_VERSION:
        request->write.format_version = 11;
        return true;
    case VTABLES:
        request->merge.keep_vtable_names = true;
        return true;
    case RESERVOIR:
        if (!option_number(command, "temporal-profile-trace-reservoir-size", value, 1u << 30,
                           &number))
            return false;
        request->merge.trace_reservoir = number;
        return true;
    case TRACE_LENGTH:
        if (!option_number(command, "temporal-profile-max-trace-length", value, 1u << 30, &number))
            return false;
        request->merge.trace_length = number;
        return true;
    default:
        return !llvm_option_refused(id);
    }
}

static void add_inputs(struct inputs *inputs, const struct option_parser *parser,
                       const struct given *given, size_t count)
{
    inputs->take_everything = true;
    for (size_t i = 0; i < parser->operand_count && !inputs->failed; i++)
        inputs_add(inputs, parser->operands[i], 1);
    for (size_t i = 0; i < count && !inputs->failed; i++)
        if (given[i].id == WEIGHTED)
            inputs_add_weighted(inputs, given[i].value);
    for (size_t i = 0; i < count && !inputs->failed; i++)
        if (given[i].id == INPUT_FILES)
            inputs_add_list(inputs, given[i].value);
}

static int merge(struct merge_request *request, bool dump)
{
    if (request->inputs.failed)
        return EXIT_FAILED;
    if (request->inputs.count == 0) {
        say_error("no input files specified. See %s merge -help", program_name);
        return EXIT_FAILED;
    }
    for (size_t i = 0; dump && i < request->inputs.count; i++)
        printf("%llu,%s\n", (unsigned long long)request->inputs.items[i].weight,
               request->inputs.items[i].path);
    return dump ? EXIT_DONE : merge_run(request);
}

static int run_merge(const struct command *command, int argc, char **argv)
{
    struct merge_request request = {.output = "-", .as_llvm = true};
    struct given *given = calloc((size_t)argc + 1, sizeof *given);
    struct option_parser parser;
    const char *value;
    size_t count = 0;
    bool dump = false;
    int id, status = EXIT_FAILED;
    if (!option_start(&parser, command, argc, argv) || !given)
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0) {
        if (id == DUMP_INPUTS)
            dump = true;
        else if (id == WEIGHTED || id == INPUT_FILES)
            given[count++] = (struct given){id, value};
        else if (!take(&request, command, id, value))
            break;
    }
    if (id == OPTION_HELP) {
        status = EXIT_DONE;
    } else if (id == OPTION_END) {
        add_inputs(&request.inputs, &parser, given, count);
        status = merge(&request, dump);
    }
    option_finish(&parser);
    free(given);
    inputs_free(&request.inputs);
    return status;
}

const struct command llvm_merge = {
    .name = "merge",
    .operands = "<filename...>",
    .summary = "merge profiles",
    .description = "Takes several instrumentation profiles and merges them.",
    .options = merge_options,
    .examples = "",
    .see_also = "",
    .run = run_merge,
    .single_dash = true,
};

static const struct option_spec no_options[] = {{0}};

static const struct command *const subcommands[] = {&llvm_merge, &llvm_show, &llvm_overlap};

static int run(const struct command *command, int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "%s: No subcommand specified! Run %s --help for usage.\n", program_name,
                program_name);
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++)
        if (strcmp(argv[1], subcommands[i]->name) == 0)
            return subcommands[i]->run(subcommands[i], argc - 1, argv + 1);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-help") == 0) {
        print_help(command);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-version") == 0) {
        printf("anneal %s, in the place of llvm-profdata\n", an_version());
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "order") == 0)
        say_error("the subcommand 'order' is not handled by anneal yet");
    else
        fprintf(stderr, "%s: Unknown command. Run %s --help for usage.\n", program_name,
                program_name);
    return EXIT_FAILED;
}

const struct command command_llvm_profdata = {
    .name = "llvm-profdata",
    .operands = "merge|show|overlap [ARGUMENT]...",
    .summary = "take the place of LLVM's llvm-profdata",
    .description =
        "Takes the options of llvm-profdata 19 for instrumentation profiles and prints what it "
        "prints. A link named llvm-profdata to anneal does the same.\n\n"
        "It differs from its model in these points: raw profiles of versions 5 to 10 are read, not "
        "only those of one version; a damaged input counts not at all rather than up to its "
        "damage; IR and front-end profiles are not mixed; the result does not depend on the "
        "number of threads (it is that of --num-threads=1). Options for sample profiles, memory "
        "profiles and debug-info correlation are refused by name, and so is the subcommand "
        "'order'.",
    .options = no_options,
    .examples = "ln -s anneal llvm-profdata\n"
                "./llvm-profdata merge -o app.profdata *.profraw\n",
    .see_also = "anneal-merge(1), anneal-show(1), anneal-diff(1)",
    .run = run,
    .single_dash = true,
};
