/* anneal faults: runs a command from a cold page cache, and counts what its text costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amounts.h"
#include "faulting.h"
#include "output.h"
#include "stopping.h"

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
    {RUNS, 'n', "runs", "N", "run it N times (default: 5)"},
    {WARM, 0, "warm", NULL, "leave everything in memory: what is counted are minor faults"},
    {COPY, 0, "copy", NULL, "run a copy of the binary, which no other process has mapped"},
    {FILE_OF, 0, "file", "BINARY",
     "count the text of this binary; for commands that are scripts which start it"},
    {WITH, 0, "with", "BINARY",
     "count the text of this one, too: a shared library, an interpreter (may be repeated)"},
    {AGAINST, 0, "against", "BINARY",
     "run this one in the place of the command's, in turn with it, and compare (may be repeated)"},
    {PREPARE, 0, "prepare", "COMMAND", "run COMMAND with sh -c before each run; it is not counted"},
    {FOR, 0, "for", "DURATION",
     "count for 30s, 500ms, 2m and end the command then, which is a server"},
    {KILL_AFTER, 0, "kill-after", "TIME",
     "kill what does not end by SIGTERM after this time (default: 5s)"},
    {SHOW_OUTPUT, 0, "show-output", NULL, "show what the command prints"},
    {IGNORE_FAILURE, 'i', "ignore-failure", NULL, "a command that fails is counted all the same"},
    {NO_EVENTS, 0, "no-events", NULL,
     "do without the kernel's events: faults of the text are not known then"},
    {JSON, 0, "json", NULL, "print every run and the summary as JSON"},
    {QUIET, 'q', "quiet", NULL, "print the table without notes"},
    {0},
};

/* ---- options ---- */

/* Lists of options that may be repeated; room for all of the command line. */
struct lists {
    const char **with, **against;
};

static bool take_flag(struct faults_request *request, int id)
{
    const struct {
        int id;
        bool *flag;
    } flags[] = {
        {WARM, &request->options.warm},
        {COPY, &request->options.copy},
        {SHOW_OUTPUT, &request->show_output},
        {IGNORE_FAILURE, &request->options.ignore_failure},
        {NO_EVENTS, &request->options.no_events},
        {JSON, &request->json},
        {QUIET, &request->quiet},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].id == id)
            return *flags[i].flag = true;
    return false;
}

static bool take_runs(const struct command *command, struct an_faults_options *to,
                      const char *value)
{
    unsigned long long number;
    if (!option_number_of(command, RUNS, value, MOST_RUNS, &number))
        return false;
    if (number == 0)
        say_error("--runs=0: expected a number of at least 1");
    to->runs = (unsigned)number;
    return number > 0;
}

static bool take(const struct command *command, struct faults_request *request, struct lists *lists,
                 int id, const char *value)
{
    struct an_faults_options *to = &request->options;
    if (take_flag(request, id))
        return true;
    switch (id) {
    case RUNS:
        return take_runs(command, to, value);
    case FILE_OF:
        to->file = value;
        return true;
    case WITH:
        lists->with[to->with_count++] = value;
        return true;
    case AGAINST:
        lists->against[to->against_count++] = value;
        return true;
    case PREPARE:
        to->prepare = value;
        return true;
    case FOR:
        return amount_duration("for", value, &to->duration);
    default:
        return amount_duration("kill-after", value, &to->kill_after);
    }
}

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
        return code == AN_USAGE ? EXIT_USAGE : EXIT_FAILED;
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

static int run(const struct command *command, int argc, char **argv)
{
    struct faults_request request = {.options.runs = 5};
    struct lists lists = {calloc((size_t)argc + 1, sizeof(char *)),
                          calloc((size_t)argc + 1, sizeof(char *))};
    struct option_parser parser;
    const char *value;
    int id = OPTION_WRONG, status = EXIT_USAGE;
    bool good = lists.with && lists.against;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while (good && (id = option_next(&parser, &value)) > 0)
        good = take(command, &request, &lists, id, value);
    request.options.with = lists.with;
    request.options.against = lists.against;
    request.options.command = parser.operands;
    if (good && id == OPTION_HELP) {
        status = EXIT_DONE;
    } else if (good && id == OPTION_END && parser.operand_count == 0) {
        say_error("which command is to be run?");
        say("try '%s faults --help'", program_name);
    } else if (good && id == OPTION_END) {
        status = measure(&request);
    }
    option_finish(&parser);
    free(lists.with);
    free(lists.against);
    return status;
}

const struct command command_faults = {
    .name = "faults",
    .operands = "-- COMMAND [ARGUMENT]...",
    .summary = "run a command from a cold page cache, and count faults on its text",
    .description =
        "Takes a program out of the page cache, runs it, and counts the page faults on its text "
        "(the segments that are executed): major ones, for which it had to wait for the disk, and "
        "minor ones, for which a page that was in memory had to be mapped. It also tells how many "
        "pages of the text are in memory afterwards. That is what another order of functions is "
        "to make less; --against compares two binaries, run in turn.\n\n"
        "The command is run several times, and the table has medians and ranges. Its processes "
        "and threads count, too. It is a process group of its own, with nothing to read, and what "
        "it prints goes nowhere unless --show-output is given. --for ends a server after some "
        "time; what it does to end is not counted.\n\n"
        "Files whose pages another process has mapped cannot be taken out of the page cache, as a "
        "binary that runs elsewhere: --copy runs a copy. For those of --with, which are libraries "
        "as a rule, the table tells what was in memory before.\n\n"
        "What a disk reads ahead is brought in without a fault. Where that is much, hardly any "
        "major faults are left, whatever the order is: look at the minor ones then, or set it "
        "lower. The table tells how much it is.\n\n"
        "This takes no special permission for one's own programs while "
        "/proc/sys/kernel/perf_event_paranoid is 2 or less. The exit status is 1 when the command "
        "fails, unless -i is given.",
    .options = options,
    .examples = "anneal faults -- ./app --version\n"
                "    what it takes to start\n"
                "anneal faults -n 20 --copy --against ./app.ordered -- ./app --version\n"
                "    whether another order of functions is worth something\n"
                "anneal faults --for 3s -- ./server --port 8080\n"
                "    the first three seconds of a server\n"
                "anneal faults --file ./app --with ./libapp.so -- ./start-app.sh\n"
                "    a script that starts the program, with its library\n",
    .see_also = "anneal-record(1), anneal-train(1), perf-stat(1), mincore(2)",
    .run = run,
    .runs_command = true,
};
