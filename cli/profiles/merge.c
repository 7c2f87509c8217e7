/* anneal merge */
#include "merge.h"
#include "cli/core/amounts.h"
#include "cli/core/command.h"

static const struct option_spec options[] = {
    {MERGE_OUTPUT, 'o', "output", "FILE",
     "write the merged profile to FILE (default: standard output)", TAKEN},
    {MERGE_INPUT_FILES, 'f', "input-files", "LIST",
     "read more inputs from LIST, one per line, FILE or WEIGHT,FILE; # begins a comment; may be "
     "repeated",
     TAKEN_EACH},
    {MERGE_WEIGHTED, 'w', "weighted-input", "N,FILE",
     "count FILE (or every file of a folder) N times; may be repeated", TAKEN_EACH},
    {MERGE_PARTIAL, 0, "partial", NULL,
     "write a partial result, for later merges in any order and grouping; an input that comes "
     "twice counts once",
     TAKEN},
    {MERGE_COUNT_COPIES, 0, "count-copies", NULL,
     "of partial results: count each of several files that are the same but for their names",
     TAKEN},
    {MERGE_SPARSE, 0, "sparse", NULL, "leave out functions that never ran", TAKEN},
    {MERGE_TEXT, 't', "text", NULL, "write the text format", TAKEN},
    {MERGE_FOR, 0, "for", "COMPILER",
     "write the profile for this compiler: clang-14, clang-22, or the name or path of a program, "
     "which is asked with --version",
     TAKEN},
    {MERGE_FORMAT_VERSION, 0, "format-version", "N",
     "write indexed version N, 5 to 14 (default: what the compilers of the inputs read, at least "
     "12; clang 13 and 14 read up to 7, 15: 8, 16: 9, 17: 10, 18: 11, 19 to 21: 12, 22: 13, 23: "
     "14)",
     TAKEN},
    {MERGE_FAILURE_MODE, 0, "failure-mode", "MODE",
     "fail if any input is rejected (any, the default), only if all are (all), or never (warn)",
     TAKEN_WORD(failure_modes)},
    {MERGE_LEDGER, 0, "ledger", "FILE", "write what became of each input to FILE, as JSON", TAKEN},
    {MERGE_FUNCTION, 0, "function", "REGEX", "keep only functions whose name matches", TAKEN},
    {MERGE_NO_FUNCTION, 0, "exclude-function", "REGEX", "drop functions whose name matches", TAKEN},
    {MERGE_NO_FUNCTION, 0, "no-function", "REGEX", NULL, TAKEN},
    {MERGE_REMAPPING, 'r', "remapping-file", "FILE",
     "rename functions by the lines 'old new' of "
     "FILE",
     TAKEN},
    {MERGE_BINARY_FILE, 0, "binary-file", "FILE",
     "complete raw profiles of counters only by the program or library FILE, built with -mllvm "
     "-profile-correlate=binary; may be repeated: profiles find theirs by the build-id",
     TAKEN_EACH},
    {MERGE_DEBUG_INFO, 0, "debug-info", "FILE",
     "the same by debug information (-mllvm -profile-correlate=debug-info), of the program or "
     "apart from it",
     TAKEN_EACH},
    {MERGE_PROFILED_BINARY, 0, "profiled-binary", "FILE",
     "the program FILE left raw memory profiles (-fmemory-profile); its debug information says of "
     "which functions they are; may be repeated, likewise",
     TAKEN_EACH},
    {MERGE_MEMORY_VERSION, 0, "memprof-version", "N",
     "write memory profiles of version N, 0 to 4 (default: the newest of the inputs, 3 of raw "
     "ones; "
     "clang 19 reads 0 to 3, 20 and later ones read 2 to 4)",
     TAKEN},
    {MERGE_MEMORY_FULL, 0, "memprof-full-schema", NULL,
     "write all that raw memory profiles have of an allocation, not only what clang uses", TAKEN},
    {MERGE_VTABLES, 0, "keep-vtable-symbols", NULL, "keep the names of virtual tables", TAKEN},
    {MERGE_RESERVOIR, 0, "trace-reservoir-size", "N",
     "keep at most N temporal traces (default: 100)", TAKEN},
    {MERGE_TRACE_LENGTH, 0, "max-trace-length", "N",
     "keep at most N functions of a trace "
     "(default: 10000)",
     TAKEN},
    {MERGE_TRACE_SEED, 0, "trace-seed", "N",
     "draw another sample of traces (default: the one of llvm-profdata)", TAKEN},
    {MERGE_RESERVOIR, 0, "temporal-profile-trace-reservoir-size", "N", NULL, TAKEN},
    {MERGE_TRACE_LENGTH, 0, "temporal-profile-max-trace-length", "N", NULL, TAKEN},
    {MERGE_THREADS, 'j', "threads", "N",
     "use N threads (default: as many as help; the result is the same)", TAKEN},
    {MERGE_THREADS, 0, "num-threads", "N", NULL, TAKEN},
    JSON_ROW(MERGE_JSON,
             "print what became of each input as JSON; on standard error if the profile goes to "
             "standard "
             "output",
             TAKEN),
    QUIET_ROW(MERGE_QUIET, TAKEN),
    {0},
};

static const struct option_rule rules[] = {
    {EXCLUDES, MERGE_TEXT, {MERGE_FORMAT_VERSION}, {0}},
    {EXCLUDES, MERGE_FOR, {MERGE_FORMAT_VERSION}, {0}},
    {EXCLUDES,
     MERGE_PARTIAL,
     {MERGE_TEXT, MERGE_FOR, MERGE_FORMAT_VERSION, MERGE_SPARSE, MERGE_REMAPPING, MERGE_FUNCTION,
      MERGE_NO_FUNCTION, MERGE_VTABLES, MERGE_TRACE_SEED},
     {0}},
    {0},
};

static int run(const struct command *command, int argc, char **argv)
{
    struct merge_request request = {MERGE_SIZES, .output = "-"};
    return merge_command(command, argc, argv, &request);
}

const struct command command_merge = {
    .name = "merge",
    .operands = "[INPUT...]",
    .summary = "merge profiles into one",
    .description =
        "Merges LLVM instrumentation profiles: raw profiles of LLVM 11 to 23 (32 and 64 bit, "
        "either byte order, several in one file), indexed profiles of versions 1 to 14, and "
        "text. Inputs are recognized by their content, not by their name. Folders are searched. "
        "'-' is standard input. The result is an indexed profile for clang -fprofile-use, in the "
        "version that the compilers of the inputs read, or that --for or --format-version says. "
        "What its readers cannot use is reported.\n\n"
        "BOLT's branch profiles in text form (fdata): records of the same two places become one, "
        "with the sums of their counts and mispredictions. Profiles with and without branch "
        "records (no_lbr), of programs that BOLT optimized and others, and of different kinds "
        "are not mixed. --function and --exclude-function keep records with at least one end in a "
        "function that is kept. The other options that shape the result apply to LLVM "
        "profiles.\n\n"
        "BOLT's YAML profiles: the counts of the same functions, blocks, calls and successors are "
        "added up. Profiles of different hash functions, orders of blocks or kinds, or with a "
        "function of another shape, are rejected.\n\n"
        "GCC's counter files (gcda, of GCC 4.7 to 16) become what libgcov would have made of the "
        "same runs. Files are merged into one. From folders, one for each run, files of the same "
        "name are merged into a file of that name below the output folder. Without inputs, the "
        "files MODULE.gcda0, MODULE.gcda1 and so on of the current folder, from the cores of a "
        "board, become MODULE.gcda for each module. Counts of another build of a source file are "
        "rejected.\n\n"
        "With --partial the result is a partial one of LLVM's profiles, of fdata, or of gcda. "
        "Merges "
        "of these, in any order and grouping, give what one merge of all inputs gives; of inputs "
        "with the same bytes one counts, and of GCC's, of runs that left the same files.\n\n"
        "Every input is accounted for: how many were used, which were rejected and why, which "
        "were empty, named twice or thin (with less than a tenth of the median total count). An "
        "input counts as a whole or not at all, and the result is written as a whole or not at "
        "all.",
    .options = options,
    .rules = rules,
    .examples = "anneal merge -o app.profdata profiles/\n"
                "    merge all profiles below profiles/\n"
                "anneal merge -o app.profdata -w 10,peak.profraw night.profraw\n"
                "    count peak hours ten times\n"
                "anneal merge --for=clang-14 -o app.profdata *.profraw\n"
                "    write a profile for clang 14, whatever compiler the programs were built by\n"
                "anneal merge --failure-mode=all --ledger=ledger.json -o app.profdata profiles/\n"
                "    leave out damaged inputs, and keep an account\n"
                "anneal merge --binary-file=app -o app.profdata *.profraw\n"
                "    merge raw profiles that have counters only (-profile-correlate=binary)\n"
                "anneal merge --partial -o host1.partial profiles/\n"
                "    make a partial result, to be merged with those of other hosts\n"
                "anneal merge -o app.fdata runs/*.fdata\n"
                "    merge profiles for llvm-bolt -data=app.fdata\n"
                "anneal merge -o profile run1 run2 run3\n"
                "    merge runs for gcc -fprofile-use=profile: one gcda for each object file\n",
    .see_also = "anneal-show(1), anneal-convert(1), anneal-merge-fdata(1), llvm-profdata(1)",
    .run = run,
};
