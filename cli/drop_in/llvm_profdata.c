/*
 * The llvm-profdata personality: the options of LLVM 19's tool, its output and its exit codes, so
 * that anneal drops into scripts that call it. Options that belong to what anneal does not do are
 * known by name and refused with a message, rather than misread.
 */
#include <stdio.h>
#include <string.h>

#include <anneal/version.h>

#include "cli/core/command.h"
#include "cli/profiles/llvm_refused.h"
#include "cli/profiles/merge.h"

static const struct option_spec merge_options[] = {
    {MERGE_OUTPUT, 'o', "output", "FILE", "output file (default: standard output)", TAKEN},
    {MERGE_WEIGHTED, 0, "weighted-input", "WEIGHT,FILE", "an input that counts WEIGHT times",
     TAKEN_EACH},
    {MERGE_INPUT_FILES, 'f', "input-files", "LIST", "file with [WEIGHT,]FILE entries", TAKEN_EACH},
    {MERGE_TEXT, 0, "text", NULL, "write the text format", TAKEN},
    {MERGE_DEFAULT, 0, "binary", NULL, "write the indexed format", TAKEN},
    {MERGE_DEFAULT, 0, "extbinary", NULL, "write the indexed format (default)", TAKEN},
    {MERGE_DEFAULT, 0, "instr", NULL, "instrumentation profiles (default)", TAKEN},
    {MERGE_SPARSE, 0, "sparse", NULL, "leave out functions that never ran", TAKEN},
    {MERGE_THREADS, 'j', "num-threads", "N",
     "use N threads (default: as many as help; the result is the same)", TAKEN},
    {MERGE_FAILURE_MODE, 0, "failure-mode", "MODE", "any, all or warn", TAKEN},
    {MERGE_DUMP_INPUTS, 0, "dump-input-file-list", NULL,
     "print the inputs and their weights, then exit", TAKEN},
    {MERGE_REMAPPING, 'r', "remapping-file", "FILE", "symbol remapping file", TAKEN},
    {MERGE_FUNCTION, 0, "function", "REGEX", "keep only functions that match", TAKEN},
    {MERGE_NO_FUNCTION, 0, "no-function", "REGEX", "drop functions that match", TAKEN},
    {MERGE_PREVIOUS_VERSION, 0, "write-prev-version", NULL, "write indexed version 11", TAKEN},
    {MERGE_VTABLES, 0, "keep-vtable-symbols", NULL, "keep the names of virtual tables", TAKEN},
    {MERGE_RESERVOIR, 0, "temporal-profile-trace-reservoir-size", "N",
     "keep at most N temporal "
     "traces (default: 100)",
     TAKEN},
    {MERGE_TRACE_LENGTH, 0, "temporal-profile-max-trace-length", "N",
     "keep at most N functions of a trace (default: 10000)", TAKEN},
    {REFUSED_SAMPLE, 0, "sample", NULL, NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "gcc", NULL, NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "supplement-instr-with-sample", "FILE", NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "zero-counter-threshold", "N", NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "suppl-min-size-threshold", "N", NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "instr-prof-cold-threshold", "N", NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "prof-sym-list", "FILE", NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "drop-profile-symbol-list", NULL, NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "compress-all-sections", NULL, NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "use-md5", NULL, NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "gen-partial-profile", NULL, NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "sample-merge-cold-context", NULL, NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "sample-trim-cold-context", NULL, NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "sample-frame-depth-for-cold-context", "N", NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "output-size-limit", "N", NULL, TAKEN},
    {REFUSED_SAMPLE, 0, "convert-sample-profile-layout", "LAYOUT", NULL, TAKEN},
    {REFUSED_CORRELATION, 0, "debug-info", "FILE", NULL, TAKEN},
    {REFUSED_CORRELATION, 0, "binary-file", "FILE", NULL, TAKEN},
    {REFUSED_CORRELATION, 0, "max-debug-info-correlation-warnings", "N", NULL, TAKEN},
    {REFUSED_MEMORY, 0, "profiled-binary", "FILE", NULL, TAKEN},
    {REFUSED_MEMORY, 0, "memprof-version", "N", NULL, TAKEN},
    {REFUSED_MEMORY, 0, "memprof-full-schema", NULL, NULL, TAKEN},
    {0},
};

static int run_merge(const struct command *command, int argc, char **argv)
{
    struct merge_request request = {MERGE_SIZES, .output = "-", .as_llvm = true,
                                    .inputs.take_everything = true, .merge.keep_local_names = true};
    return merge_command(command, argc, argv, &request);
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
    .usage_status = EXIT_FAILED,
    .single_dash = true,
    .stands_in = true,
    .last_counts = true,
};

static const struct option_spec no_options[] = {{0}};

static const struct command *const subcommands[] = {&llvm_merge, &llvm_show, &llvm_overlap,
                                                    &llvm_order};

static int run(const struct command *command, int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "%s: No subcommand specified! Run %s --help for usage.\n", program_name,
                command_call(command));
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
        printf("anneal %s, in place of llvm-profdata\n", an_version());
        return EXIT_DONE;
    }
    fprintf(stderr, "%s: Unknown command. Run %s --help for usage.\n", program_name,
            command_call(command));
    return EXIT_FAILED;
}

const struct command command_llvm_profdata = {
    .name = "llvm-profdata",
    .operands = "merge|show|overlap|order [ARGUMENT]...",
    .summary = "drop-in replacement for LLVM's llvm-profdata",
    .description =
        "Takes the options of llvm-profdata 19 for instrumentation profiles and prints what "
        "llvm-profdata prints. A link named llvm-profdata to anneal does the same.\n\n"
        "It differs from llvm-profdata in these points: it reads raw profiles of versions 5 to "
        "11, not of one version only; it ignores a damaged input as a whole, and does not count "
        "it up to the damage; it does not mix IR and front-end profiles, or coverage and counts; "
        "its result does not "
        "depend on the number of threads (it is that of --num-threads=1). Options for sample "
        "profiles, memory profiles and debug-info correlation are refused by name.",
    .options = no_options,
    .examples = "ln -s anneal llvm-profdata\n"
                "./llvm-profdata merge -o app.profdata *.profraw\n",
    .see_also = "anneal-merge(1), anneal-show(1), anneal-diff(1)",
    .run = run,
    .single_dash = true,
    .stands_in = true,
    .response = RESPONSE_OF_LLVM,
    .last_counts = true,
};
