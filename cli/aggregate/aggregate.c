/* anneal aggregate */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "aggregating.h"
#include "base/percent.h"
#include "cli/core/amounts.h"
#include "cli/core/output.h"
#include "elf/fitness.h"
#include "elf/runtime.h"
#include "live/label_share.h"

static const struct option_spec options[] = {
    {AGGREGATE_RECORDING, 'p', "perfdata", "FILE",
     "the recording: perf.data, a stream from perf record -o -, or text from perf script (-: "
     "standard input)",
     SINGLE_OF(struct aggregate_request, recording, AGGREGATE_EACH_RECORDING)},
    {AGGREGATE_OUTPUT, 'o', "output", "FILE", "write the profile to FILE (-: standard output)",
     VALUE_OF(struct aggregate_request, output)},
    {AGGREGATE_YAML, 'w', "yaml", "FILE",
     "write the profile in YAML to FILE, too, or only that; llvm-bolt makes it",
     VALUE_OF(struct aggregate_request, yaml)},
    {AGGREGATE_BOLT, 0, "bolt", "PATH", "call this llvm-bolt (default: the newest there is)",
     VALUE_OF(struct aggregate_request, bolt)},
    {AGGREGATE_COUNTED, 0, "pa", NULL, "the recording is pre-aggregated", TAKEN},
    {AGGREGATE_TO_COUNTS, 0, "to-pa", NULL, "write the pre-aggregated format instead of fdata",
     TAKEN},
    {AGGREGATE_BASIC, 0, "nl", NULL, "count sampled addresses, for recordings without branches",
     VALUE_OF(struct aggregate_request, options.no_branches)},
    {AGGREGATE_BASIC, 0, "basic-events", NULL, "the same as --nl, by the name of LLVM 22", TAKEN},
    {AGGREGATE_BASIC, 0, "ba", NULL, NULL, TAKEN},
    {AGGREGATE_PID, 0, "pid", "N", "use only the samples of process N",
     NUMBER_OF(struct aggregate_request, options.pid, 0, UINT32_MAX)},
    {AGGREGATE_IGNORE_BUILD_ID, 0, "ignore-build-id", NULL,
     "accept a recording of another build of the binary",
     VALUE_OF(struct aggregate_request, options.ignore_build_id)},
    {AGGREGATE_EVENT_PC, 0, "use-event-pc", NULL,
     "also count the run from the newest branch to the sampled address",
     VALUE_OF(struct aggregate_request, options.use_event_pc)},
    {AGGREGATE_INTERRUPTS, 0, "ignore-interrupt-lbr", "0|1",
     "ignore branches into and out of the kernel (default: 1)", TAKEN},
    {AGGREGATE_FAILURE_MODE, 0, "failure-mode", "MODE",
     "fail on a truncated recording (any, the default; all), or use it as far as it goes (warn)",
     WORD_OF(struct aggregate_request, failure_mode, failure_modes)},
    {AGGREGATE_FAILURE_MODE, 0, "allow-truncated", NULL, NULL, MEANS("warn")},
    THREADS_ROWS(AGGREGATE_THREADS, THREADS_OF(struct aggregate_request, options.threads)),
    JSON_ROW(AGGREGATE_JSON, "print the summary as JSON", VALUE_OF(struct aggregate_request, json)),
    QUIET_ROW(AGGREGATE_QUIET, VALUE_OF(struct aggregate_request, quiet)),
    {0},
};

/* clang-format off */
static const struct option_rule rules[] = {
    {EXCLUDES, AGGREGATE_COUNTED, {AGGREGATE_PID, AGGREGATE_IGNORE_BUILD_ID, AGGREGATE_FAILURE_MODE,
        AGGREGATE_EVENT_PC, AGGREGATE_INTERRUPTS}, {0}},
    {EXCLUDES, AGGREGATE_YAML, {AGGREGATE_TO_COUNTS}, {0}},
    {EXCLUDES, AGGREGATE_BASIC, {AGGREGATE_EVENT_PC, AGGREGATE_INTERRUPTS}, {0}},
    {0},
};
/* clang-format on */

static const char *const build_ids[] = {
    [AN_BUILD_ID_ABSENT] = "absent",     [AN_BUILD_ID_UNCHECKED] = "unchecked",
    [AN_BUILD_ID_MATCHED] = "matched",   [AN_BUILD_ID_RENAMED] = "renamed",
    [AN_BUILD_ID_MISMATCH] = "mismatch",
};

static void tell_json(const struct aggregate_request *request,
                      const struct an_aggregate_counts *counts)
{
    struct json_object *object = json_document();
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"processes", counts->processes},
        {"samples", counts->samples},
        {"matching_samples", counts->matching},
        {"samples_without_branches", counts->without_branches},
        {"branches", counts->branches},
        {"traces", counts->runs},
        {"mismatching_traces", counts->mismatching},
        {"out_of_range_traces", counts->out_of_range},
        {"untraceable_traces", counts->untraceable},
        {"cold_branches", counts->cold},
        {"out_of_range_samples", counts->unknown_samples},
        {"functions", counts->functions},
        {"records", counts->records},
        {"memory_records", counts->memory_records},
        {"samples_without_process", counts->homeless},
    };
    json_object_object_add(object, "binary", json_text(request->binary, strlen(request->binary)));
    json_object_object_add(object, "recording",
                           json_text(request->recording, strlen(request->recording)));
    json_object_object_add(object, "build_id", json_object_new_string(build_ids[counts->build_id]));
    json_add_flag(object, "bolted", counts->bolted);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_add_number(object, numbers[i].name, numbers[i].value);
    bool is_taken = (request->output && strcmp(request->output, "-") == 0) ||
                    (request->yaml && strcmp(request->yaml, "-") == 0);
    json_print(is_taken ? stderr : stdout, object);
}

static void tell_build_id(const struct aggregate_request *request,
                          const struct an_aggregate_counts *counts)
{
    switch (counts->build_id) {
    case AN_BUILD_ID_ABSENT:
        say_warning("%s has no build-id: cannot check that it is the binary that was recorded",
                    request->binary);
        break;
    case AN_BUILD_ID_UNCHECKED:
        say_warning("%s lacks the build-ids of some files: cannot check that it is a recording "
                    "of %s",
                    request->recording, request->binary);
        break;
    case AN_BUILD_ID_RENAMED:
        say_warning("%s was recorded under another name", request->binary);
        break;
    case AN_BUILD_ID_MISMATCH:
        say_warning("%s is of another build of %s", request->recording, request->binary);
        break;
    case AN_BUILD_ID_MATCHED:
        break;
    }
}

/* Such a profile is good for reading only. */
static void tell_runtime(const struct aggregate_request *request)
{
    enum an_elf_runtime runtime = AN_RUNTIME_NONE;
    struct an_error ignored;
    struct an_elf *elf;
    if (an_elf_open(request->binary, &elf, &ignored) != AN_OK)
        return;
    if (an_elf_runtime_find(elf, &runtime, &ignored) == AN_OK &&
        an_elf_runtime_forbids_bolt(runtime))
        say_warning(
            "%s is a %s program: what llvm-bolt makes of it crashes, since its runtime looks "
            "up return addresses in tables",
            request->binary, an_elf_runtime_name(runtime));
    an_elf_close(elf);
}

/* Llvm-bolt 19 refuses the whole program for them, unless it is told to skip them. */
static void warn_of_labels(const struct aggregate_request *request,
                           const struct an_elf_traits *traits)
{
    double share;
    struct an_error ignored;
    if (traits->kind == AN_ELF_FIXED || !traits->has_relocations || traits->computed_gotos == 0 ||
        an_label_share(traits->computed_goto_names, request->output, &share, &ignored) != AN_OK ||
        share == 0)
        return;
    say_warning("%s, with %.1f%% of the profile, %s computed gotos, which llvm-bolt 19 refuses in "
                "position-independent code: %suse llvm-bolt 22, or -skip-funcs with %s, and these "
                "%.1f%% gain nothing",
                as_plain(traits->computed_goto_names), 100 * share,
                traits->computed_gotos == 1 ? "has" : "have",
                traits->kind == AN_ELF_PIE ? "link with -no-pie, " : "",
                traits->computed_gotos == 1 ? "it" : "them", 100 * share);
}

/* Functions that llvm-bolt may leave where they are, with what the profile has of them. */
static void tell_labels(const struct aggregate_request *request)
{
    struct an_elf_traits traits = {.computed_gotos = 0};
    struct an_error ignored;
    struct an_elf *elf;
    if (!request->output || strcmp(request->output, "-") == 0 || request->output_is_yaml ||
        request->form != AN_AGGREGATE_FDATA ||
        an_elf_open(request->binary, &elf, &ignored) != AN_OK)
        return;
    if (an_elf_traits_find(elf, &traits, &ignored) == AN_OK)
        warn_of_labels(request, &traits);
    an_elf_close(elf);
}

static void tell_runs(const struct an_aggregate_counts *counts)
{
    say("%s branches, %s traces between them: %.2f%% mismatching, %.2f%% out of range, %.2f%% %s",
        with_commas(counts->branches), with_commas(counts->runs),
        an_percent(counts->mismatching, counts->runs, 2),
        an_percent(counts->out_of_range, counts->runs, 2),
        an_percent(counts->untraceable, counts->runs, 2),
        counts->bolted ? "in functions without a translation" : "impossible in the code");
    uint64_t strange = counts->mismatching + (counts->bolted ? 0 : counts->untraceable);
    if (counts->bolted && an_percent(counts->untraceable, counts->runs, 2) > 1)
        say("'anneal translate' follows these too, given the original binary");
    if (an_percent(strange, counts->runs, 2) > 10)
        say_warning("many traces do not fit the code: is this the binary that was recorded?");
}

static void tell(const struct aggregate_request *request, const struct an_aggregate_counts *counts)
{
    if (request->json) {
        tell_json(request, counts);
        return;
    }
    if (request->quiet)
        return;
    if (!counts->counted)
        tell_build_id(request, counts);
    tell_runtime(request);
    if (counts->cut)
        say_warning("%s is truncated: ignored everything from byte %llu on", request->recording,
                    (unsigned long long)counts->cut_at);
    if (counts->counted)
        say("%s entries", with_commas(counts->samples));
    else
        say("%s samples, %s (%.1f%%) from %s process%s that ran the binary",
            with_commas(counts->samples), with_commas(counts->matching),
            an_percent(counts->matching, counts->samples, 1), with_commas(counts->processes),
            counts->processes == 1 ? "" : "es");
    if (request->options.no_branches)
        say("%.1f%% of the samples are outside any function",
            an_percent(counts->unknown_samples, counts->matching, 1));
    else if (counts->matching && counts->without_branches == counts->matching)
        say_warning("no sample has branches: record with 'perf record -j any,u', or use -nl");
    else
        tell_runs(counts);
    aggregate_warn_homeless(counts->homeless);
    if (counts->cold)
        say("%s branches from cold parts of split functions", with_commas(counts->cold));
    if (request->output)
        say("wrote %s records of %s functions to %s",
            with_commas(counts->records + counts->memory_records), with_commas(counts->functions),
            request->output);
    if (request->yaml)
        say("wrote the profile in YAML to %s", request->yaml);
    tell_labels(request);
}

static int run(const struct command *command, int argc, char **argv)
{
    return aggregate_command(command, argc, argv, tell);
}

const struct command command_aggregate = {
    .name = "aggregate",
    .operands = "-p RECORDING -o PROFILE BINARY",
    .summary = "turn a recording of branches into a profile for llvm-bolt",
    .description =
        "Reads the branch stacks (LBR) of a recording and counts, for one binary, every branch "
        "taken and every fall-through between two of them. The result is what llvm-bolt -data "
        "reads.\n\n"
        "A recording is perf.data (a file or a pipe, compressed or not, in either byte order), "
        "the text of perf script, or BOLT's pre-aggregated format. It is read without perf and "
        "without temporary files. A sample counts if its process had the binary mapped at the "
        "time; forks, execs and position-independent binaries are followed.\n\n"
        "If the binary was made by llvm-bolt --enable-bat, the profile is for the binary that "
        "llvm-bolt read.\n\n"
        "--yaml writes BOLT's profile in YAML, as perf2bolt -w does. Only llvm-bolt can compute "
        "the "
        "hashes in it: anneal gives it the counts, and checks what it wrote. The hashes are those "
        "of "
        "that release.\n\n"
        "Options may have one dash or two, as in perf2bolt.",
    .options = options,
    .rules = rules,
    .examples = "perf record -e cycles:u -j any,u -o perf.data -- ./server\n"
                "anneal aggregate -p perf.data -o server.fdata ./server\n"
                "llvm-bolt ./server -data=server.fdata -o server.bolt -reorder-blocks=ext-tsp\n",
    .see_also = "anneal-merge(1), anneal-bat(1), perf-record(1)",
    .run = run,
    .single_dash = true,
};
