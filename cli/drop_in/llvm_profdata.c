/*
 * The llvm-profdata personality: the options of LLVM 19's tool, its output and its exit codes, so
 * that anneal drops into scripts that call it. Options that belong to what anneal does not do are
 * known by name and refused with a message, rather than misread.
 */
#include <stdio.h>
#include <string.h>

#include "cli/core/amounts.h"
#include "cli/core/command.h"
#include "cli/core/option_llvm.h"
#include "cli/profiles/llvm_refused.h"
#include "cli/profiles/merge.h"
#include "llvm_profdata_version.h"

/* Of these options all count for nothing where no sample profiles are merged, as in LLVM's tool. */
#define UNUSED(name, argument, ...) {MERGE_DEFAULT, 0, name, argument, NULL, __VA_ARGS__}
#define FORMATS TAKEN_LLVM("Format of output profile")
#define KINDS TAKEN_LLVM("Profile kind:")

static const char *const layouts[] = {"nest", "flat", NULL};
static const char *const memprof_versions[] = {"0", "1", "2", "3", NULL};
static const char *const memprof_versions_of_22[] = {"2", "3", "4", NULL};

#define MEMORY_VERSION(words)                                                                      \
    {MERGE_MEMORY_VERSION, 0, "memprof-version", "N", "write this version of memory profiles",     \
     TAKEN_WORD(words)}

/* In the order of the help. */
#define MERGE_OPTIONS                                                                               \
    {MERGE_OUTPUT, 'o', "output", "FILE", "output file (default: standard output)", TAKEN},         \
        {MERGE_WEIGHTED, 0, "weighted-input", "WEIGHT,FILE", "an input that counts WEIGHT times",   \
         TAKEN_EACH},                                                                               \
        {MERGE_INPUT_FILES, 'f', "input-files", "LIST", "file with [WEIGHT,]FILE entries", TAKEN},  \
        {MERGE_TEXT, 0, "text", NULL, "write the text format", FORMATS},                            \
        {MERGE_DEFAULT, 0, "binary", NULL, "write the indexed format", FORMATS},                    \
        {MERGE_DEFAULT, 0, "extbinary", NULL, "write the indexed format (default)", FORMATS},       \
        {MERGE_NO_FORMAT, 0, "gcc", NULL, NULL, FORMATS},                                           \
        {MERGE_DEFAULT, 0, "instr", NULL, "instrumentation profiles (default)", KINDS},             \
        {REFUSED_SAMPLE, 0, "sample", NULL, NULL, KINDS},                                           \
        {MERGE_SPARSE, 0, "sparse", NULL, "leave out functions that never ran", TAKEN},             \
        {MERGE_THREADS,                                                                             \
         'j',                                                                                       \
         "num-threads",                                                                             \
         "N",                                                                                       \
         "use N threads (default: as many as help; the result is the same)",                        \
         TAKEN_LLVM("uint")},                                                                       \
        {MERGE_FAILURE_MODE,       0, "failure-mode", "MODE", "any, all or warn",                   \
         TAKEN_WORD(failure_modes)},                                                                \
        {MERGE_DUMP_INPUTS,                                                                         \
         0,                                                                                         \
         "dump-input-file-list",                                                                    \
         NULL,                                                                                      \
         "print the inputs and their weights, then exit",                                           \
         TAKEN},                                                                                    \
        {MERGE_REMAPPING, 'r', "remapping-file", "FILE", "symbol remapping file", TAKEN},           \
        {MERGE_FUNCTION, 0, "function", "REGEX", "keep only functions that match", TAKEN},          \
        {MERGE_NO_FUNCTION, 0, "no-function", "REGEX", "drop functions that match", TAKEN},         \
        {MERGE_PREVIOUS_VERSION, 0, "write-prev-version", NULL, "write indexed version 11", TAKEN}, \
        {MERGE_VTABLES, 0, "keep-vtable-symbols", NULL, "keep the names of virtual tables", TAKEN}, \
        {MERGE_RESERVOIR,                                                                           \
         0,                                                                                         \
         "temporal-profile-trace-reservoir-size",                                                   \
         "N",                                                                                       \
         "keep at most N temporal "                                                                 \
         "traces (default: 100)",                                                                   \
         TAKEN_LLVM("ulong")},                                                                      \
        {MERGE_TRACE_LENGTH,                                                                        \
         0,                                                                                         \
         "temporal-profile-max-trace-length",                                                       \
         "N",                                                                                       \
         "keep at most N functions of a trace (default: 10000)",                                    \
         TAKEN_LLVM("ulong")},                                                                      \
        {REFUSED_SAMPLE, 0, "supplement-instr-with-sample", "FILE", NULL, TAKEN},                   \
        {MERGE_DEBUG_INFO, 0, "debug-info", "FILE", "complete raw profiles by debug info", TAKEN},  \
        {MERGE_BINARY_FILE, 0, "binary-file", "FILE", "complete raw profiles by a binary", TAKEN},  \
        UNUSED("zero-counter-threshold", "N", TAKEN_LLVM("number")),                                \
        UNUSED("suppl-min-size-threshold", "N", TAKEN_LLVM("uint")),                                \
        UNUSED("instr-prof-cold-threshold", "N", TAKEN_LLVM("uint")),                               \
        UNUSED("prof-sym-list", "FILE", TAKEN), UNUSED("drop-profile-symbol-list", NULL, TAKEN),    \
        UNUSED("compress-all-sections", NULL, TAKEN), UNUSED("use-md5", NULL, TAKEN),               \
        UNUSED("gen-partial-profile", NULL, TAKEN),                                                 \
        UNUSED("sample-merge-cold-context", NULL, TAKEN),                                           \
        UNUSED("sample-trim-cold-context", NULL, TAKEN),                                            \
        UNUSED("sample-frame-depth-for-cold-context", "N", TAKEN_LLVM("uint")),                     \
        UNUSED("output-size-limit", "N", TAKEN_LLVM("ulong")),                                      \
        UNUSED("convert-sample-profile-layout", "LAYOUT", TAKEN_WORD(layouts)),                     \
        UNUSED("max-debug-info-correlation-warnings", "N", TAKEN_LLVM("uint")),                     \
        {MERGE_PROFILED_BINARY,                                                                     \
         0,                                                                                         \
         "profiled-binary",                                                                         \
         "FILE",                                                                                    \
         "the program that left raw memory profiles",                                               \
         TAKEN},                                                                                    \
    {                                                                                               \
        MERGE_MEMORY_FULL, 0, "memprof-full-schema", NULL,                                          \
            "write all that is known of allocations", TAKEN                                         \
    }

static const struct option_spec merge_options[] = {
    MERGE_OPTIONS,
    MEMORY_VERSION(memprof_versions),
    {0},
};

static const struct option_spec merge_options_of_22[] = {
    MERGE_OPTIONS,
    MEMORY_VERSION(memprof_versions_of_22),
    UNUSED("memprof-random-hotness", NULL, TAKEN),
    UNUSED("memprof-random-hotness-seed", "N", TAKEN_LLVM("uint")),
    UNUSED("split-layout", NULL, TAKEN),
    {0},
};

static int run_merge(const struct command *command, int argc, char **argv)
{
    struct merge_request request = {MERGE_SIZES,
                                    .output = "-",
                                    .as_llvm = true,
                                    .write.keep_hashes = true,
                                    .inputs.take_everything = true,
                                    .merge.keep_local_names = true};
    request.merge.trace_rule = AN_LLVM_TRACES_AS_19;
    request.merge.memory_release = llvm_profdata_release();
    if (llvm_profdata_release() == 19) /* later ones: 3 */
        request.write.has_memory_version = request.write.memory_version_of_raw = true;
    if (llvm_profdata_release() > 19) {
        request.merge.trace_rule = AN_LLVM_TRACES_AS_22;
        request.write.format_version = an_llvm_version_of_release(llvm_profdata_release());
    }
    return merge_command(command, argc, argv, &request);
}

#define MERGE_COMMAND(its_options)                                                                 \
    {                                                                                              \
        .name = "merge",                                                                           \
        .operands = "<filename...>",                                                               \
        .summary = "merge profiles",                                                               \
        .description = "Takes several instrumentation profiles and merges them.",                  \
        .options = (its_options),                                                                  \
        .examples = "",                                                                            \
        .see_also = "",                                                                            \
        .run = run_merge,                                                                          \
        .usage_status = EXIT_FAILED,                                                               \
        .single_dash = true,                                                                       \
        .stands_in = true,                                                                         \
        .last_counts = true,                                                                       \
        .parses_as_llvm = true,                                                                    \
        .print_version = llvm_profdata_version,                                                    \
    }

const struct command llvm_merge = MERGE_COMMAND(merge_options);
const struct command llvm_merge_of_22 = MERGE_COMMAND(merge_options_of_22);

static const struct option_spec no_options[] = {{0}};

static const struct command *const subcommands[] = {&llvm_merge, &llvm_show, &llvm_overlap,
                                                    &llvm_order};

/* The name that one letter more, less or other would make of the word; NULL: none. */
static const char *nearest_subcommand(const char *word)
{
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++)
        if (option_llvm_distance(subcommands[i]->name, word) < 2)
            return subcommands[i]->name;
    return NULL;
}

/* Options without a command, of which most are those that LLVM's compilers have. */
static int run_nothing(const struct command *command, int argc, char **argv)
{
    static const char *const help[] = {"help", "h", "help-hidden", "help-list", "help-list-hidden"};
    bool knows = false, is_named = argv[1][0] != '-';
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i] + strspn(argv[i], "-");
        for (size_t h = 0; word > argv[i] && h < sizeof help / sizeof *help; h++)
            knows = knows || strcmp(word, help[h]) == 0;
        if (knows)
            print_help(command);
        else if (word > argv[i] && strcmp(word, "version") == 0)
            llvm_profdata_version();
        else if (i == 1 && is_named)
            option_llvm_unknown("subcommand", argv[i], nearest_subcommand(argv[i]));
        else
            option_llvm_unknown("command line argument", argv[i], NULL);
        if (knows || (word > argv[i] && strcmp(word, "version") == 0))
            return EXIT_DONE;
    }
    return EXIT_FAILED;
}

static int run(const struct command *command, int argc, char **argv)
{
    static char called[256];
    snprintf(called, sizeof called, "%s", command_is_program ? argv[0] : command_call(command));
    option_llvm_program = called;
    if (argc < 2) {
        fprintf(stderr, "%s: No subcommand specified! Run %s --help for usage.\n", program_name,
                llvm_profdata_release() > 19 ? "llvm-profdata" : "llvm-profata");
        return EXIT_FAILED;
    }
    if (llvm_profdata_release() > 19 && strcmp(argv[1], "merge") == 0)
        return run_merge(&llvm_merge_of_22, argc - 1, argv + 1);
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++)
        if (strcmp(argv[1], subcommands[i]->name) == 0)
            return subcommands[i]->run(subcommands[i], argc - 1, argv + 1);
    return run_nothing(command, argc, argv);
}

const struct command command_llvm_profdata = {
    .name = "llvm-profdata",
    .operands = "merge|show|overlap|order [ARGUMENT]...",
    .summary = "drop-in replacement for LLVM's llvm-profdata",
    .description =
        "Takes the options of llvm-profdata 19 for instrumentation profiles and prints what "
        "llvm-profdata prints. A link named llvm-profdata to anneal does the same; one named "
        "llvm-profdata-22 or llvm-profdata-23 takes the options of that release, prints what it "
        "prints, and writes its indexed version.\n\n"
        "It differs from llvm-profdata in these points: it reads raw profiles of versions 5 to "
        "11, not of one version only; it ignores a damaged input as a whole, and does not count "
        "it up to the damage; it does not mix IR and front-end profiles, or coverage and counts; "
        "raw profiles that need no --binary-file or --debug-info are merged beside others; "
        "its result does not "
        "depend on the number of threads (it is that of --num-threads=1). Options for sample "
        "profiles are refused by name.",
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
