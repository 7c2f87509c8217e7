/* anneal train: the command line. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "cli/core/amounts.h"
#include "cli/core/llvm_release.h"
#include "cli/core/output.h"
#include "cli/core/stopping.h"
#include "share.h"
#include "train.h"

enum train_option {
    TRAIN_OUTPUT = 1,
    TRAIN_IN_PLACE,
    TRAIN_FLAT,
    TRAIN_JOBS,
    TRAIN_WORKLOADS,
    TRAIN_NULL,
    TRAIN_EACH_FILE,
    TRAIN_WEIGHTED,
    TRAIN_REPLACE,
    TRAIN_REPEAT,
    TRAIN_TIMEOUT,
    TRAIN_KILL_AFTER,
    TRAIN_KEEP_FAILED,
    TRAIN_MAX_FAILURES,
    TRAIN_FAIL_FAST,
    TRAIN_FOR,
    TRAIN_FORMAT_VERSION,
    TRAIN_PARTIAL,
    TRAIN_SHARE,
    TRAIN_LEDGER,
    TRAIN_JSON,
    TRAIN_WORK_DIR,
    TRAIN_KEEP_WORK,
    TRAIN_QUIET,
};

enum { MOST_JOBS = 4096, MOST_REPEAT = 1000000 };

/* They are read when all options are known, in the order in which they were named. */
struct source {
    int id;
    const char *value;
};

struct sources {
    struct source *items;
    size_t count;
    bool is_exact;
};

/* Of the command line. */
struct given {
    struct train_request request;
    struct sources sources;
};

static const struct option_spec options[] = {
    {TRAIN_OUTPUT, 'o', "output", "OUT",
     "write the merged profile to OUT: for LLVM a file, for GCC a folder, which is replaced",
     VALUE_OF(struct given, request.options.output)},
    {TRAIN_IN_PLACE, 0, "in-place", NULL,
     "write GCC's profiles where the programs would write them",
     VALUE_OF(struct given, request.options.in_place)},
    {TRAIN_FLAT, 0, "flat", NULL,
     "name GCC's profiles as gcc -fprofile-use=OUT expects them: #home#me#app.gcda",
     VALUE_OF(struct given, request.options.flat)},
    {TRAIN_JOBS, 'j', "jobs", "N", "run N at a time (default: one per processor)",
     NUMBER_OF(struct given, request.options.jobs, 1, MOST_JOBS)},
    {TRAIN_JOBS, 0, "threads", "N", NULL, TAKEN},
    {TRAIN_WORKLOADS, 'f', "workloads", "FILE",
     "read workloads from FILE (-: standard input), one per line, WORKLOAD or "
     "WEIGHT<tab>WORKLOAD; # begins a comment; may be repeated",
     TAKEN_EACH},
    {TRAIN_NULL, '0', "null", NULL, "read NUL-terminated workloads from files, verbatim",
     VALUE_OF(struct given, sources.is_exact)},
    {TRAIN_EACH_FILE, 'd', "each-file", "DIR",
     "use each file in DIR as a workload; may be repeated", TAKEN_EACH},
    {TRAIN_WEIGHTED, 'w', "weighted-workload", "W,WORKLOAD",
     "add a workload that counts W times; may be repeated", TAKEN_EACH},
    {TRAIN_REPLACE, 'I', "replace", "TEXT",
     "replace TEXT in the command by the workload (default: {})",
     VALUE_OF(struct given, request.options.placeholder)},
    {TRAIN_REPEAT, 'n', "runs", "N", "run each workload N times",
     NUMBER_OF(struct given, request.options.repeat, 1, MOST_REPEAT)},
    {TRAIN_REPEAT, 0, "repeat", "N", NULL, TAKEN},
    {TRAIN_TIMEOUT, 't', "timeout", "TIME",
     "end a run that takes longer than 30s, 500ms, 2m, and count it as failed",
     SECONDS_OF(struct given, request.options.timeout)},
    {TRAIN_KILL_AFTER, 0, "kill-after", "TIME",
     "send SIGKILL to what SIGTERM does not end within this time (default: 5s)",
     SECONDS_OF(struct given, request.options.kill_after)},
    {TRAIN_KEEP_FAILED, 0, "keep-failed", NULL, "also merge the counts of failed runs",
     VALUE_OF(struct given, request.options.keep_failed)},
    {TRAIN_MAX_FAILURES, 0, "max-failures", "N",
     "tolerate N failed runs, or a share such as 5% (default: 0)", TAKEN},
    {TRAIN_FAIL_FAST, 0, "fail-fast", NULL, "start no more runs once more have failed",
     VALUE_OF(struct given, request.options.fail_fast)},
    {TRAIN_FOR, 0, "for", "COMPILER",
     "write LLVM's profile for this compiler: clang-14, clang-22, or the name or path of a "
     "program, which is asked with --version",
     VALUE_OF(struct given, request.compiler)},
    {TRAIN_FORMAT_VERSION, 0, "format-version", "N",
     "write LLVM's indexed version N, 5 to 14 (default: as anneal merge)",
     NUMBER_OF(struct given, request.options.format_version, AN_LLVM_OLDEST_WRITTEN,
               AN_LLVM_NEWEST_WRITTEN)},
    {TRAIN_PARTIAL, 0, "partial", NULL,
     "write a partial result, for anneal merge, with those of other trainings",
     VALUE_OF(struct given, request.options.partial)},
    {TRAIN_SHARE, 0, "share", "K/N",
     "make the K-th of N shares of the runs, and write a partial result; with 'job' in place of "
     "K/N, the share that Slurm or MPI has numbered this process for",
     TAKEN},
    {TRAIN_LEDGER, 0, "ledger", "FILE", "write what became of each run to FILE, as JSON",
     VALUE_OF(struct given, request.ledger)},
    JSON_ROW(TRAIN_JSON, "print the summary as JSON", VALUE_OF(struct given, request.json)),
    {TRAIN_WORK_DIR, 0, "work-dir", "DIR",
     "make the work folder in DIR (default: $TMPDIR, or /tmp)",
     VALUE_OF(struct given, request.options.work)},
    {TRAIN_KEEP_WORK, 0, "keep-work", NULL, "keep the work folder: profiles and output of each run",
     VALUE_OF(struct given, request.options.keep_work)},
    QUIET_ROW(TRAIN_QUIET, VALUE_OF(struct given, request.quiet)),
    {0},
};

static const struct option_rule rules[] = {
    {EXCLUDES, TRAIN_IN_PLACE, {TRAIN_FLAT}, {0}},
    {EXCLUDES, TRAIN_FOR, {TRAIN_FORMAT_VERSION}, {0}},
    {EXCLUDES, TRAIN_PARTIAL, {TRAIN_IN_PLACE, TRAIN_FLAT, TRAIN_FOR, TRAIN_FORMAT_VERSION}, {0}},
    {EXCLUDES, TRAIN_SHARE, {TRAIN_IN_PLACE, TRAIN_FLAT, TRAIN_FOR, TRAIN_FORMAT_VERSION}, {0}},
    {NEEDS, TRAIN_NULL, {TRAIN_WORKLOADS}, {0}},
    {0},
};

/* ---- workloads ---- */

static bool add_source(struct train_request *request, const struct sources *sources,
                       const struct source *source, struct an_error *error)
{
    struct an_train_workloads *list = &request->workloads;
    enum an_code code;
    if (source->id == TRAIN_WORKLOADS)
        code = an_train_workloads_read(list, source->value, sources->is_exact, error);
    else if (source->id == TRAIN_EACH_FILE)
        code = an_train_workloads_add_folder(list, source->value, error);
    else
        code = an_train_workloads_add_weighted(list, source->value, error);
    return code == AN_OK;
}

/* What follows ":::" in the command line are workloads; it ends the command. */
static bool split_command(struct train_request *request, char **operands, bool *named,
                          struct an_error *error)
{
    request->options.command = operands;
    while (*operands && strcmp(*operands, ":::") != 0)
        operands++;
    *named = *operands != NULL;
    if (!*named)
        return true;
    *operands = NULL;
    for (char **workload = operands + 1; *workload; workload++)
        if (an_train_workloads_add(&request->workloads, *workload, 1, error) != AN_OK)
            return false;
    return true;
}

/* Returns an exit status: a wrong weight is one of the command line. */
static int find_workloads(struct train_request *request, char **operands,
                          const struct sources *sources)
{
    struct an_train_workloads *list = &request->workloads;
    struct an_error error = {0};
    bool named = false, good = true, is_usage = false;
    for (size_t i = 0; good && i < sources->count; i++) {
        good = add_source(request, sources, &sources->items[i], &error);
        is_usage = sources->items[i].id == TRAIN_WEIGHTED && error.code == AN_USAGE;
    }
    good = good && split_command(request, operands, &named, &error);
    if (good && list->count == 0 && (named || sources->count)) {
        say_error("the list of workloads is empty");
        return EXIT_FAILED;
    }
    if (good && list->count == 0)
        good = an_train_workloads_add(list, NULL, 1, &error) == AN_OK;
    if (!good)
        report_error(&error);
    request->options.workloads = list->items;
    request->options.workload_count = list->count;
    return good ? EXIT_DONE : is_usage ? EXIT_USAGE : EXIT_FAILED;
}

/* ---- options ---- */

/* "5", or "2.5%" of all runs. */
static bool take_failures(struct an_train_options *to, const char *text)
{
    char *end;
    errno = 0;
    double number = strtod(text, &end);
    bool is_number = isdigit((unsigned char)*text) && errno == 0 && number >= 0;
    if (is_number && strcmp(end, "%") == 0 && number <= 100) {
        to->failures_share = number / 100;
        return true;
    }
    unsigned long long count = strtoull(text, &end, 10);
    to->failures_allowed = count;
    if (is_number && errno == 0 && !*end)
        return true;
    say_error(
        "--max-failures=%s: expected a number of runs, or a percentage up to 100%%, such as 5%%",
        text);
    return false;
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct given *given = values;
    struct sources *sources = &given->sources;
    (void)command;
    if (id == TRAIN_MAX_FAILURES)
        return take_failures(&given->request.options, value);
    if (id == TRAIN_SHARE)
        return share_take(&given->request, value);
    struct source *grown = realloc(sources->items, (sources->count + 1) * sizeof *grown);
    if (!grown) {
        say_error("out of memory");
        return false;
    }
    sources->items = grown;
    grown[sources->count++] = (struct source){id, value};
    return true;
}

static bool is_complete(const struct train_request *request, char **operands)
{
    const struct an_train_options *given = &request->options;
    if (!*operands || strcmp(*operands, ":::") == 0)
        say_error("no command to run");
    else if (!given->output && !given->in_place)
        say_error("no output (use -o OUT, or --in-place for GCC's profiles)");
    else if (given->output && (!*given->output || strcmp(given->output, "-") == 0))
        say_error("--output=%s: expected a file or a folder", given->output);
    else if (given->placeholder && !*given->placeholder)
        say_error("--replace: expected a text that is not empty");
    else
        return true;
    usage_hint(&command_train);
    return false;
}

/* ---- running it ---- */

static int train(struct train_request *request)
{
    struct an_train_result *result;
    struct an_error error;
    double started = an_clock_seconds();
    request->options.stop = &stopping;
    request->options.context = request;
    request->options.failed = train_failed;
    request->options.progress = request->quiet ? NULL : train_progress;
    stopping_begin();
    enum an_code code = an_train(&request->options, &result, &error);
    double seconds = an_clock_seconds() - started;
    bool good = code == AN_OK;
    progress_clear();
    if (result && !request->quiet)
        train_tell(request, result, seconds);
    if (!good)
        report_error(&error);
    if (result && request->json)
        good = train_tell_json(request, result, seconds) && good;
    if (result && request->ledger)
        good = train_write_ledger(request, result, seconds) && good;
    if (result)
        good = good && !result->too_many_failed && !result->interrupted;
    an_train_result_free(result);
    return good ? EXIT_DONE : EXIT_FAILED;
}

static int act(void *values, const struct option_parser *parser)
{
    struct given *given = values;
    struct train_request *request = &given->request;
    if (!is_complete(request, parser->operands))
        return EXIT_USAGE;
    if (request->compiler && !llvm_release_of("for", request->compiler, &request->options.release))
        return EXIT_USAGE;
    int status = find_workloads(request, parser->operands, &given->sources);
    if (status == EXIT_DONE)
        status = share_name_output(request);
    return status == EXIT_DONE ? train(request) : status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct given given = {.request.options = {.size = sizeof(struct an_train_options)}};
    int status = option_run(command, argc, argv, &given, take, act);
    free(given.sources.items);
    free(given.request.partial);
    an_train_workloads_free(&given.request.workloads);
    return status;
}

const struct command command_train = {
    .name = "train",
    .operands = "-o OUT COMMAND [ARGUMENT]... [::: WORKLOAD...]",
    .summary = "run a command over many workloads, and merge the profiles",
    .description =
        "Runs a command once for each workload, several at a time, and merges the profiles of "
        "these runs into one. The programs must be instrumented by clang or gcc "
        "(-fprofile-generate, --coverage), with their own runtime or anneal's; the command may "
        "be a script that starts them.\n\n"
        "{} in the command is replaced by the workload, which is appended if there is no {}. The "
        "environment has it, too (ANNEAL_WORKLOAD, and ANNEAL_WORKLOAD_NUMBER from 1 on). "
        "Workloads follow ::: after the command, or come from -w, -f and -d. Without any, the "
        "command runs once.\n\n"
        "Each run has a process group of its own, no input, and a folder of its own for its "
        "profiles. A run fails if its exit status is not 0, if a signal or the time limit ends "
        "it, or if it leaves no profile or a damaged one. Its counts are left out. Each failure "
        "is reported with the last lines of standard error, and the exit status is 1 if there "
        "are more than --max-failures. The profile of the other runs is written all the same; an "
        "existing file or folder is replaced only by a complete one.\n\n"
        "For LLVM, the result is an indexed profile: the file OUT, or OUT/default.profdata if "
        "OUT is a folder. GCC's counter files are written below the folder OUT, under the full "
        "names of the objects. A folder that contains anything but profiles is not replaced. The "
        "result does not depend on -j.\n\n"
        "Processes of an MPI job, of srun or of an array of jobs share the runs with --share=job: "
        "each makes every N-th one and leaves a partial result in the folder OUT/, of which anneal "
        "merge makes the profile.\n\n"
        "An interrupt ends the runs and merges those that are complete; a second one ends "
        "everything at once, and nothing is written.",
    .options = options,
    .rules = rules,
    .examples = "anneal train -o app.profdata ./app-train ::: tests/*.txt\n"
                "    run ./app-train once for each file\n"
                "anneal train -j8 -t 60s --max-failures=2% -o app.profdata -f list \\\n"
                "    ./app-train --input {}\n"
                "    read workloads from a list; lines may begin with a weight and a tab\n"
                "anneal train -o app.profdata -w 10,peak -w 1,night ./replay.sh\n"
                "    count peak hours ten times\n"
                "srun -n 64 anneal train -j1 --share=job -o parts/ -f list ./app-train {}\n"
                "anneal merge -o app.profdata parts/\n"
                "    share the runs among the processes of a Slurm job\n"
                "anneal train --in-place ./run-tests.sh\n"
                "    write .gcda files beside the objects, for gcc -fprofile-use\n"
                "find corpus -name '*.xml' -print0 |\n"
                "    anneal train -0 -f - --ledger=runs.json -o app.profdata ./parse {}\n"
                "    keep an account of every run\n",
    .see_also = "anneal-merge(1), anneal-rt(1), xargs(1)",
    .run = run,
    .runs_command = true,
};
