/*
 * The perf2bolt personality: the options of LLVM 19's tool and what it prints, so that anneal drops
 * into scripts that call it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/aggregate/aggregating.h"
#include "cli/core/output.h"

static const struct option_spec options[] = {
    {AGGREGATE_RECORDING, 'p', "perfdata", "FILE", "the recording (perf.data)",
     SINGLE_OF(struct aggregate_request, recording, AGGREGATE_EACH_RECORDING)},
    {AGGREGATE_OUTPUT, 'o', "output", "FILE", "the profile to write",
     VALUE_OF(struct aggregate_request, output)},
    {AGGREGATE_COUNTED, 0, "pa", NULL, "the recording is pre-aggregated", TAKEN},
    {AGGREGATE_BASIC, 0, "nl", NULL, "aggregate basic samples (without LBR)",
     VALUE_OF(struct aggregate_request, options.no_branches)},
    {AGGREGATE_BASIC, 0, "basic-events", NULL, "the same, by the name that LLVM 22 gave it", TAKEN},
    {AGGREGATE_BASIC, 0, "ba", NULL, NULL, TAKEN},
    {AGGREGATE_PID, 0, "pid", "N", "only process N",
     NUMBER_OF(struct aggregate_request, options.pid, 0, UINT32_MAX)},
    {AGGREGATE_IGNORE_BUILD_ID, 0, "ignore-build-id", NULL,
     "continue even if build-ids in input binary and perf.data mismatch",
     VALUE_OF(struct aggregate_request, options.ignore_build_id)},
    {AGGREGATE_EVENT_PC, 0, "use-event-pc", NULL, "use event PC in combination with LBR sampling",
     VALUE_OF(struct aggregate_request, options.use_event_pc)},
    {AGGREGATE_INTERRUPTS, 0, "ignore-interrupt-lbr", "0|1",
     "ignore kernel interrupt LBR that happens asynchronously (default: 1)", TAKEN},
    {AGGREGATE_REPLACED, 0, "cont-opt", NULL,
     "processes ran the binary from which BINARY was made, and BINARY's code came in while they "
     "ran, as Ocolos does it; the profile is for the former binary",
     VALUE_OF(struct aggregate_request, is_replacement)},
    {AGGREGATE_CALL_STACK, 0, "call-stack-func", "FILE",
     "the functions that were on a call stack then: names, one per line, or Ocolos's addresses",
     VALUE_OF(struct aggregate_request, call_stack)},
    {AGGREGATE_BINARIES, 0, "bin-path-info", "FILE",
     "the second line of FILE is the path of the former binary (default: found in the recording)",
     VALUE_OF(struct aggregate_request, binaries)},
    {AGGREGATE_DEFAULT, 0, "strict", NULL, NULL, TAKEN},
    {AGGREGATE_DEFAULT, 0, "time-aggr", NULL, NULL, TAKEN},
    {AGGREGATE_DEFAULT, 0, "filter-mem-profile", NULL, NULL, TAKEN},
    {AGGREGATE_FORMAT, 0, "profile-format", "FORMAT",
     "format of the profile: fdata or yaml, which llvm-bolt makes", TAKEN},
    {AGGREGATE_YAML, 'w', "save-profile", "FILE", "write a YAML profile, which llvm-bolt makes",
     VALUE_OF(struct aggregate_request, yaml)},
    {AGGREGATE_VERBOSITY, 0, "v", "LEVEL", "how much llvm-bolt prints when it makes a YAML profile",
     NUMBER_OF(struct aggregate_request, bolt_options.verbosity, 0, UINT32_MAX)},
    {AGGREGATE_DFS, 0, "profile-use-dfs", NULL,
     "number the blocks of a YAML profile in depth-first order",
     VALUE_OF(struct aggregate_request, bolt_options.dfs_order)},
    {AGGREGATE_PRINT_DISASSEMBLY, 0, "print-disasm", NULL,
     "have llvm-bolt print functions when it makes a YAML profile",
     VALUE_OF(struct aggregate_request, bolt_options.print_disassembly)},
    {AGGREGATE_PRINT_ONLY, 0, "print-only", "FUNCTIONS", "of these functions only",
     VALUE_OF(struct aggregate_request, bolt_options.print_only)},
    {AGGREGATE_REFUSED, 0, "itrace", "ARGUMENTS", NULL, TAKEN},
    {AGGREGATE_REFUSED, 0, "autofdo", NULL, NULL, TAKEN},
    {AGGREGATE_REFUSED, 0, "max-samples", "N", NULL, TAKEN},
    {0},
};

static const struct option_rule rules[] = {
    {EXCLUDES, AGGREGATE_REPLACED, {AGGREGATE_BASIC, AGGREGATE_EVENT_PC, AGGREGATE_YAML}, {0}},
    {NEEDS, AGGREGATE_CALL_STACK, {AGGREGATE_REPLACED}, {0}},
    {NEEDS, AGGREGATE_BINARIES, {AGGREGATE_REPLACED}, {0}},
    {0},
};

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char mismatch[] =
    "\n !! WARNING !! This high mismatch ratio indicates the input binary is probably not the "
    "same binary used during profiling collection. The generated data may be ineffective for "
    "improving performance.\n\n";

static void tell_build_id(const struct an_aggregate_counts *counts)
{
    fflush(stdout);
    switch (counts->build_id) {
    case AN_BUILD_ID_ABSENT:
        fprintf(stderr, "BOLT-WARNING: build-id will not be checked because we could not read one "
                        "from input binary\n");
        break;
    case AN_BUILD_ID_UNCHECKED:
        fprintf(stderr, "PERF2BOLT-WARNING: build-id will not be checked because perf data was "
                        "recorded without it\n");
        break;
    case AN_BUILD_ID_RENAMED:
        fprintf(stderr, "PERF2BOLT-WARNING: build-id matched a different file name\n");
        break;
    case AN_BUILD_ID_MATCHED:
        printf("PERF2BOLT: matched build-id and file name\n");
        break;
    case AN_BUILD_ID_MISMATCH:
        fprintf(stderr, "PERF2BOLT-ERROR: failed to match build-id from perf output. This "
                        "indicates the input binary supplied for data aggregation is not the same "
                        "recorded by perf when collecting profiling data, or there were no samples "
                        "recorded for the binary. Use -ignore-build-id option to override.\n");
        break;
    }
}

static void tell_samples(const struct an_aggregate_counts *counts)
{
    printf("PERF2BOLT: read %llu samples and %llu LBR entries\n",
           (unsigned long long)counts->matching, (unsigned long long)counts->branches);
    uint64_t ignored = counts->samples - counts->matching;
    if (counts->matching && counts->without_branches == counts->matching) {
        fflush(stdout);
        fprintf(stderr, "PERF2BOLT-WARNING: all recorded samples for this binary lack LBR. Record "
                        "profile with perf record -j any or run perf2bolt in no-LBR mode with -nl "
                        "(the performance improvement in -nl mode may be limited)\n");
    } else if (counts->samples) {
        printf("PERF2BOLT: %llu samples (%.1f%%) were ignored\n", (unsigned long long)ignored,
               share(ignored, counts->samples));
        fflush(stdout);
        if (share(ignored, counts->samples) > 50)
            fprintf(stderr, "PERF2BOLT-WARNING: less than 50%% of all recorded samples were "
                            "attributed to the input binary\n");
    }
}

static void tell_traces(const struct an_aggregate_counts *counts)
{
    uint64_t bad = counts->mismatching;
    if (counts->counted)
        bad += counts->untraceable + counts->in_plt;
    printf("PERF2BOLT: traces mismatching disassembled function contents: %llu",
           (unsigned long long)bad);
    if (counts->runs || counts->counted)
        printf(" (%.1f%%)", share(bad, counts->runs));
    printf("\n%s", share(bad, counts->runs) > 10 ? mismatch : "");
    printf("PERF2BOLT: %cut of range traces involving unknown regions: %llu",
           counts->counted ? 'O' : 'o', (unsigned long long)counts->out_of_range);
    if (counts->runs)
        printf(" (%.1f%%)", share(counts->out_of_range, counts->runs));
    printf("\n");
}

static void tell_places(const struct an_aggregate_counts *counts)
{
    printf("PERF2BOLT: read %llu samples\n", (unsigned long long)counts->matching);
    printf("PERF2BOLT: out of range samples recorded in unknown regions: %llu (%.1f%%)\n",
           (unsigned long long)counts->unknown_samples,
           share(counts->unknown_samples, counts->matching));
    if (share(counts->unknown_samples, counts->matching) > 80)
        printf("%s", mismatch);
}

/* ---- what llvm-bolt said ---- */

static bool begins(const char *line, size_t length, const char *with)
{
    size_t size = strlen(with);
    return length >= size && memcmp(line, with, size) == 0;
}

/* Of the counts that it was given; anneal has its own. */
static bool is_account(const char *line, size_t length)
{
    return begins(line, length, "PERF2BOLT") || begins(line, length, " !! WARNING !!");
}

static void relay_line(const char *line, size_t length)
{
    bool is_warning = begins(line, length, "BOLT-WARNING");
    if (is_warning)
        fflush(stdout);
    fprintf(is_warning ? stderr : stdout, "%.*s\n", (int)length, line);
}

/* Prints its lines from `at` on; `before`: up to where it tells what it read. Returns where the next one is. */
static size_t relay(const struct an_buffer *log, size_t at, bool before)
{
    while (at < log->size) {
        const char *line = (const char *)log->data + at;
        const char *end = memchr(line, '\n', log->size - at);
        size_t length = end ? (size_t)(end - line) : log->size - at;
        if (!is_account(line, length))
            relay_line(line, length);
        else if (before && begins(line, length, "PERF2BOLT: read "))
            break;
        at += end ? length + 1 : length;
    }
    return at;
}

static void tell_account(const struct aggregate_request *request,
                         const struct an_aggregate_counts *counts)
{
    if (!counts->counted) {
        tell_build_id(counts);
        printf("PERF2BOLT: input binary is associated with %llu PID(s)\n",
               (unsigned long long)counts->available);
    }
    if (request->options.no_branches) {
        tell_places(counts);
    } else {
        if (counts->counted)
            printf("PERF2BOLT: read %llu aggregated LBR entries\n",
                   (unsigned long long)counts->samples);
        else
            tell_samples(counts);
        if (counts->skylake) {
            fflush(stdout);
            fprintf(stderr, "PERF2BOLT-WARNING: using Intel Skylake bug workaround\n");
        }
        tell_traces(counts);
    }
    if (!request->output || request->output_is_yaml)
        return;
    printf("PERF2BOLT: wrote %llu objects and %llu memory objects to %s\n",
           (unsigned long long)counts->records, (unsigned long long)counts->memory_records,
           request->output);
}

static void tell(const struct aggregate_request *request, const struct an_aggregate_counts *counts)
{
    size_t at = relay(request->bolt_log, 0, true);
    tell_account(request, counts);
    relay(request->bolt_log, at, false);
}

static int run(const struct command *command, int argc, char **argv)
{
    return aggregate_command(command, argc, argv, tell);
}

const struct command command_perf2bolt = {
    .name = "perf2bolt",
    .operands = "-p RECORDING -o PROFILE BINARY",
    .summary = "drop-in replacement for BOLT's perf2bolt",
    .description =
        "Takes the options of perf2bolt 19 and prints what perf2bolt prints about samples and "
        "traces. A link named perf2bolt to anneal does the same.\n\n"
        "It differs from perf2bolt in these points: it requires neither perf nor temporary "
        "files; it also reads the text of perf script; all mappings of the binary in a process "
        "count, each for its time, not only the first one; it looks only at functions that were "
        "hit, and at what jumps into them; --use-event-pc works for position-independent "
        "programs; with -nl, samples in the cold part of a function that BOLT split are "
        "attributed to the function, and no_lbr is the first header, "
        "where llvm-bolt finds it; a recording without a usable sample is an error, and a second "
        "recording, too; --cont-opt, which Ocolos's perf2bolt has, needs the binary from which "
        "BINARY was made, and no function map in BINARY; YAML profiles (-w, -profile-format=yaml) "
        "are made by an llvm-bolt that is installed, and those of -nl have their counts. Options "
        "for AutoFDO and Intel PT are refused by name.",
    .options = options,
    .rules = rules,
    .examples = "ln -s anneal perf2bolt\n"
                "./perf2bolt -p perf.data -o app.fdata app\n"
                "./perf2bolt --cont-opt -p perf.data -o app.fdata app.bolt\n"
                "    of processes of app that app.bolt's code was put into\n",
    .see_also = "anneal-aggregate(1)",
    .run = run,
    .single_dash = true,
    .stands_in = true,
    .response = RESPONSE_OF_LLVM,
    .last_counts = true,
};
