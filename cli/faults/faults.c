/* anneal faults: runs a command from a cold page cache, and counts what its text costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/core/amounts.h"
#include "cli/core/output.h"
#include "cli/core/stopping.h"
#include "faults.h"

enum {
    RUNS = 1,
    WARM,
    COPY,
    FILE_OF,
    WITH,
    AGAINST,
    PREPARE,
    FOR,
    KILL_AFTER,
    SHOW_OUTPUT,
    IGNORE_FAILURE,
    NO_EVENTS,
    JSON,
    QUIET,
};

enum { MOST_RUNS = 10000 };

static const struct option_spec options[] = {
    {RUNS, 'n', "runs", "N", "run the command N times (default: 5)",
     NUMBER_OF(struct faults_request, options.runs, 1, MOST_RUNS)},
    {WARM, 0, "warm", NULL, "keep everything in memory, and count minor faults",
     VALUE_OF(struct faults_request, options.warm)},
    {COPY, 0, "copy", NULL, "run a copy of the binary that no other process has mapped",
     VALUE_OF(struct faults_request, options.copy)},
    {FILE_OF, 0, "binary", "FILE",
     "count faults on the text of this binary, for a script that starts it",
     VALUE_OF(struct faults_request, options.file)},
    {FILE_OF, 0, "file", "FILE", NULL, TAKEN},
    {WITH, 0, "with", "FILE",
     "also count faults on this file: a shared library, an interpreter; may be repeated",
     VALUE_OF(struct faults_request, with)},
    {AGAINST, 0, "against", "FILE",
     "compare with this binary, run in turn in place of the command's; may be repeated",
     VALUE_OF(struct faults_request, against)},
    {PREPARE, 0, "prepare", "COMMAND", "run COMMAND with sh -c before each run, uncounted",
     VALUE_OF(struct faults_request, options.prepare)},
    {FOR, 'd', "duration", "TIME", "end the command, such as a server, after 30s, 500ms, 2m",
     SECONDS_OF(struct faults_request, options.duration)},
    {FOR, 0, "for", "TIME", NULL, TAKEN},
    {KILL_AFTER, 0, "kill-after", "TIME",
     "send SIGKILL to what SIGTERM does not end within this time (default: 5s)",
     SECONDS_OF(struct faults_request, options.kill_after)},
    {SHOW_OUTPUT, 0, "show-output", NULL, "show the output of the command",
     VALUE_OF(struct faults_request, show_output)},
    {IGNORE_FAILURE, 'i', "ignore-failure", NULL, "also count runs that fail",
     VALUE_OF(struct faults_request, options.ignore_failure)},
    {NO_EVENTS, 0, "no-events", NULL,
     "do without the kernel's perf events; faults on the text are not known then",
     VALUE_OF(struct faults_request, options.no_events)},
    JSON_ROW(JSON, "print every run and the summary as JSON",
             VALUE_OF(struct faults_request, json)),
    {QUIET, 'q', "quiet", NULL, "print the table without notes",
     VALUE_OF(struct faults_request, quiet)},
    {0},
};

static const struct option_rule rules[] = {
    {EXCLUDES, FILE_OF, {COPY, AGAINST}, {0}},
    {0},
};

/* ---- measuring ---- */

static void show_progress(void *context, size_t done, size_t total)
{
    (void)context;
    progress_show(NULL, done, total);
}

/* What the command prints must not get into the JSON. */
static void direct_output(struct faults_request *request)
{
    struct an_faults_options *to = &request->options;
    to->output = to->errors = -1;
    if (!request->show_output)
        return;
    to->output = request->json ? STDERR_FILENO : STDOUT_FILENO;
    to->errors = STDERR_FILENO;
}

static size_t least_runs(const struct an_faults_result *result)
{
    size_t least = result->subjects[0].run_count;
    for (size_t i = 1; i < result->subject_count; i++)
        if (result->subjects[i].run_count < least)
            least = result->subjects[i].run_count;
    return result->subject_count ? least : 0;
}

static int measure(struct faults_request *request)
{
    struct an_faults_result *result;
    struct an_error error;
    direct_output(request);
    request->options.stop = &stopping;
    request->options.progress = request->quiet || request->show_output ? NULL : show_progress;
    stopping_begin();
    enum an_code code = an_faults_measure(&request->options, &result, &error);
    progress_clear();
    if (code != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    bool good = !result->interrupted;
    if (!good)
        say_warning("interrupted: %zu of %u runs are complete", least_runs(result),
                    request->options.runs);
    if (request->json)
        good = faults_tell_json(request, result) && good;
    else if (least_runs(result))
        faults_tell(request, result);
    an_faults_result_free(result);
    return good ? EXIT_DONE : EXIT_FAILED;
}

static int act(void *values, const struct option_parser *parser)
{
    struct faults_request *request = values;
    if (parser->operand_count == 0) {
        say_error("no command to run");
        usage_hint(&command_faults);
        return EXIT_USAGE;
    }
    request->options.with = request->with.items;
    request->options.with_count = request->with.count;
    request->options.against = request->against.items;
    request->options.against_count = request->against.count;
    request->options.command = parser->operands;
    return measure(request);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct faults_request request = {
        .options = {.size = sizeof(struct an_faults_options), .runs = 5}};
    return option_run(command, argc, argv, &request, NULL, act);
}

const struct command command_faults = {
    .name = "faults",
    .operands = "-- COMMAND [ARGUMENT]...",
    .summary = "count the page faults of a cold start",
    .description =
        "Evicts a program from the page cache, runs it, and counts the page faults on its text "
        "(the executable segments): major faults, which wait for the disk, and minor faults, "
        "which map a page that is in memory already. It also shows how many pages of the text "
        "are in memory afterwards. A better order of functions reduces these numbers; --against "
        "compares two binaries, run in turn.\n\n"
        "The command runs several times, and the table has medians and ranges. All its processes "
        "and threads count. It runs in a process group of its own, with no input, and its output "
        "is discarded unless --show-output is given. --duration ends a server after some time; the "
        "shutdown is not counted.\n\n"
        "Pages that another process has mapped, such as those of a binary that is running "
        "elsewhere, cannot be evicted: --copy runs a copy. For the files of --with, usually "
        "libraries, the table shows how much was in memory before.\n\n"
        "Disk read-ahead brings pages in without a fault. If it is large, hardly any major "
        "faults remain, whatever the order: look at the minor faults then, or reduce it. The "
        "table shows its size.\n\n"
        "Measuring one's own programs requires no root while "
        "/proc/sys/kernel/perf_event_paranoid is 2 or less. The exit status is 1 if the command "
        "fails, unless -i is given.",
    .options = options,
    .rules = rules,
    .examples = "anneal faults -- ./app --version\n"
                "    measure a start\n"
                "anneal faults -n 20 --copy --against ./app.ordered -- ./app --version\n"
                "    compare with another order of functions\n"
                "anneal faults --duration 3s -- ./server --port 8080\n"
                "    measure the first three seconds of a server\n"
                "anneal faults --binary ./app --with ./libapp.so -- ./start-app.sh\n"
                "    measure a program that a script starts, and its library\n",
    .see_also = "anneal-record(1), anneal-train(1), perf-stat(1), mincore(2)",
    .run = run,
    .runs_command = true,
};
