/* anneal merge */
#include "command.h"
#include "merging.h"

static const struct option_spec options[] = {
    {MERGE_OUTPUT, 'o', "output", "FILE",
     "write the merged profile to FILE (default: -, the standard output)"},
    {MERGE_INPUT_FILES, 'f', "input-files", "LIST",
     "take more inputs from LIST, one a line, each FILE or WEIGHT,FILE; # begins a comment"},
    {MERGE_WEIGHTED, 'w', "weighted-input", "N,FILE",
     "count FILE (or all files of a folder) N times"},
    {MERGE_SPARSE, 0, "sparse", NULL, "leave out functions that never ran"},
    {MERGE_TEXT, 't', "text", NULL, "write the text format"},
    {MERGE_FORMAT_VERSION, 0, "format-version", "N",
     "write indexed version N, 5 to 12 (default: 12, for LLVM 19; clang 13 and 14 read up to 7, "
     "15: 8, 16: 9, 17: 10, 18: 11)"},
    {MERGE_FAILURE_MODE, 0, "failure-mode", "MODE",
     "any: fail when any input is rejected (the default); all: only when all are; warn: never"},
    {MERGE_LEDGER, 0, "ledger", "FILE", "write what became of each input to FILE, as JSON"},
    {MERGE_FUNCTION, 0, "function", "REGEX", "keep only functions whose name matches"},
    {MERGE_NO_FUNCTION, 0, "no-function", "REGEX", "drop functions whose name matches"},
    {MERGE_REMAPPING, 'r', "remapping-file", "FILE", "rename functions by lines of 'old new'"},
    {MERGE_VTABLES, 0, "keep-vtable-symbols", NULL, "keep the names of virtual tables"},
    {MERGE_RESERVOIR, 0, "trace-reservoir-size", "N",
     "keep at most N temporal traces (default: 100)"},
    {MERGE_TRACE_LENGTH, 0, "max-trace-length", "N", "of at most N functions (default: 10000)"},
    {MERGE_TRACE_SEED, 0, "trace-seed", "N",
     "draw another sample of them (default: the one that llvm-profdata draws)"},
    {MERGE_RESERVOIR, 0, "temporal-profile-trace-reservoir-size", "N", NULL},
    {MERGE_TRACE_LENGTH, 0, "temporal-profile-max-trace-length", "N", NULL},
    {MERGE_THREADS, 'j', "num-threads", "N",
     "use N threads (default: as many as are useful; the result is the same)"},
    {MERGE_QUIET, 'q', "quiet", NULL, "print errors only"},
    {0},
};

static int run(const struct command *command, int argc, char **argv)
{
    struct merge_request request = {.output = "-"};
    return merge_command(command, argc, argv, &request);
}

const struct command command_merge = {
    .name = "merge",
    .operands = "[INPUT...]",
    .summary = "merge profiles of many runs into one",
    .description =
        "Merges LLVM instrumentation profiles: raw profiles of LLVM 11 to 22 (32 and 64 bit, both "
        "byte orders, several in one file), indexed profiles of versions 1 to 13, and text. What "
        "an input is shows in its content, not its name. Folders are searched. '-' is the "
        "standard input.\n\n"
        "BOLT's branch profiles in text form (fdata) are merged into one of them: records of the "
        "same two places become one, whose counts and mispredictions are the sums. Profiles with "
        "and without branch records (no_lbr), and of programs that were optimized by BOLT or not, "
        "are not mixed; neither are profiles of different families. --function and --no-function "
        "keep the "
        "records that have one end at least in a function that is kept. The other options that "
        "shape the result are for LLVM profiles.\n\n"
        "GCC's counter files (gcda, of GCC 4.7 to 15) become what libgcov would have made of the "
        "same "
        "runs. Files that are named are merged into one. Of folders, one for each run, files of "
        "the same name below them are merged, into a file of that name below the output folder. "
        "When nothing is named, the files MODULE.gcda0, MODULE.gcda1 and so on of the present "
        "folder, "
        "which the cores of a board left, become MODULE.gcda for each module. "
        "Counts of another build of a source file are rejected.\n\n"
        "The result for LLVM profiles is an indexed profile for clang -fprofile-use, in the "
        "version that the "
        "compiler reads. Results are written whole or not at all.\n\n"
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
                "    go on without damaged inputs, and keep the account\n"
                "anneal merge -o app.fdata runs/*.fdata\n"
                "    for llvm-bolt -data=app.fdata\n"
                "anneal merge -o profile run1 run2 run3\n"
                "    for gcc -fprofile-use=profile: one gcda for each object file\n",
    .see_also = "anneal-show(1), anneal-convert(1), anneal-merge-fdata(1), llvm-profdata(1)",
    .run = run,
};
