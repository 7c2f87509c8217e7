/* anneal record: the command line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/core/amounts.h"
#include "cli/core/output.h"
#include "fleet.h"
#include "record.h"

enum record_option {
    RECORD_OUTPUT = 1,
    RECORD_PID,
    RECORD_DURATION,
    RECORD_METHOD,
    RECORD_MOMENTS,
    RECORD_OVERHEAD,
    RECORD_BRANCHES,
    RECORD_WINDOW,
    RECORD_FREQUENCY,
    RECORD_CHILDREN,
    RECORD_VERIFY,
    RECORD_SEED,
    RECORD_FLEET_RATE,
    RECORD_FLEET_HOST,
    RECORD_JSON,
    RECORD_ACCOUNT,
    RECORD_QUIET,
};

static const char *const moments[] = {"clock", "outside", NULL};

enum { MOST_BRANCHES_IN_WINDOW = 1024, MOST_FREQUENCY = 100000, MOST_PID = INT32_MAX };

static const struct option_spec options[] = {
    {RECORD_OUTPUT, 'o', "output", "FILE",
     "write the recording to FILE (default: perf.data; -: standard output, as a stream of perf)",
     VALUE_OF(struct record_request, options.output)},
    {RECORD_PID, 'p', "pid", "PID", "record this process, with all its threads",
     NUMBER_OF(struct record_request, options.pid, 1, MOST_PID)},
    {RECORD_DURATION, 'd', "duration", "TIME",
     "stop after 30s, 500ms, 2m (default: when the process ends, or on an interrupt)",
     SECONDS_OF(struct record_request, options.duration)},
    {RECORD_METHOD, 0, "method", "METHOD",
     "use lbr, emulate, step, or the first of these that works here (auto, the default)",
     WORD_OF(struct record_request, options.method, record_methods)},
    {RECORD_MOMENTS, 0, "moments", "CHOICE",
     "let a clock event of each thread choose when to record it (clock, the default where the "
     "kernel "
     "allows perf events), or choose from outside, which traces threads only while they are "
     "recorded, "
     "and sees code between system calls too rarely (outside)",
     WORD_OF(struct record_request, options.outside, moments)},
    {RECORD_OVERHEAD, 0, "overhead", "PERCENT",
     "hold threads for at most this share of the CPU time of the process (default: 2%)",
     SHARE_OF(struct record_request, options.overhead)},
    {RECORD_BRANCHES, 'b', "branches", "N", "stop after N branches",
     NUMBER_OF(struct record_request, options.branches, 1, UINT64_MAX)},
    {RECORD_WINDOW, 'w', "window", "N", "record N branches at a time (default: 192; with step, 32)",
     NUMBER_OF(struct record_request, options.window, 1, MOST_BRANCHES_IN_WINDOW)},
    {RECORD_FREQUENCY, 'F', "freq", "N",
     "take at most N samples per second of CPU time (default: 1000; with lbr, 4000)",
     NUMBER_OF(struct record_request, options.frequency, 1, MOST_FREQUENCY)},
    {RECORD_CHILDREN, 0, "children", NULL, "also record the processes that it starts",
     VALUE_OF(struct record_request, options.children)},
    {RECORD_VERIFY, 0, "verify", NULL,
     "check the emulation: step, and compare with the branches that it predicts",
     VALUE_OF(struct record_request, options.verify)},
    {RECORD_SEED, 0, "seed", "N", "choose threads and moments by this seed, not by the clock",
     NUMBER_OF(struct record_request, options.seed, 1, UINT64_MAX)},
    {RECORD_FLEET_RATE, 0, "fleet-rate", "SHARE",
     "record only if it is this host's turn: a share of the hosts, as 1/100 or 1%, records at a "
     "time; each decides by its name and the hour",
     TAKEN},
    {RECORD_FLEET_HOST, 0, "fleet-host", "NAME",
     "the name of this host among them (default: its own)",
     VALUE_OF(struct record_request, fleet_host)},
    JSON_ROW(
        RECORD_JSON,
        "print the summary as JSON; on standard error with a command or -o -, which use standard "
        "output",
        VALUE_OF(struct record_request, json)),
    {RECORD_ACCOUNT, 0, "ledger", "FILE", "write the summary to FILE, as JSON",
     VALUE_OF(struct record_request, account)},
    {RECORD_ACCOUNT, 0, "account", "FILE", NULL, TAKEN},
    QUIET_ROW(RECORD_QUIET, VALUE_OF(struct record_request, quiet)),
    {0},
};

static const struct option_rule rules[] = {
    {EXCLUDES, RECORD_VERIFY, {RECORD_QUIET}, {RECORD_JSON}},
    {NEEDS, RECORD_FLEET_HOST, {RECORD_FLEET_RATE}, {0}},
    {0},
};

static bool is_complete(const struct record_request *request)
{
    const struct an_record_options *given = &request->options;
    if (!given->pid == !*request->command)
        say_error(given->pid ? "-p PID and a command cannot be used together"
                             : "nothing to record (use -p PID, or name a command)");
    else if (given->verify && given->method != AN_RECORD_AUTO && given->method != AN_RECORD_STEP)
        say_error("--verify cannot be used with a method other than step");
    else
        return true;
    usage_hint(&command_record);
    return false;
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct record_request *request = values;
    (void)command;
    return id != RECORD_FLEET_RATE || fleet_take_rate(value, &request->fleet_rate);
}

static int act(void *values, const struct option_parser *parser)
{
    struct record_request *request = values;
    int status;
    request->command = parser->operands;
    if (!is_complete(request))
        return EXIT_USAGE;
    if (!*request->command)
        request->command = NULL;
    if (!fleet_records(request, &status))
        return status;
    /* A command has the terminal for itself; where there is none, progress would be paid for and not seen. */
    if (!request->quiet && !request->command && isatty(STDERR_FILENO))
        request->options.progress = record_progress;
    request->options.context = request;
    return make_folders(request->options.output) ? record_run(request) : EXIT_FAILED;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct record_request request = {
        .options = {.size = sizeof(struct an_record_options), .output = "perf.data"}};
    return option_run(command, argc, argv, &request, take, act);
}

const struct command command_record = {
    .name = "record",
    .operands = "-p PID | COMMAND [ARGUMENT]...",
    .summary = "record the branches of a running process",
    .description =
        "Records branch stacks, lists of consecutive taken branches, of a running process or a "
        "command. The result is a perf.data file for anneal aggregate, perf, perf2bolt and "
        "create_llvm_prof.\n\n"
        "There are three methods. lbr uses the branch records of the processor, if it has them "
        "and no virtual machine hides them. emulate works on any x86-64 machine: it stops a "
        "running thread, copies its registers, predicts the branches that it is about to take, "
        "and lets it go after a few hundred microseconds. step lets the thread take these "
        "branches one by one; it is fifty times as slow, and serves as a check on emulate.\n\n"
        "Each thread is recorded at random moments of its CPU time, which a perf event of the "
        "kernel chooses. The time that threads are held stays within the budget of --overhead. The "
        "process is not changed: its signals and system calls work as before, and interrupting the "
        "recording leaves it undisturbed. While it is recorded, no debugger can attach to it, and "
        "set-user-ID programs that it executes get no privileges, unless anneal runs as root.\n\n"
        "When anneal records a command, it exits with the status of that command.\n\n"
        "On many hosts, --fleet-rate has a share of them record at a time. Each decides by its own "
        "name and the hour, so that nobody has to be asked, and over the hours it is every host's "
        "turn. A command is executed in any case.",
    .options = options,
    .rules = rules,
    .examples = "anneal record -p $(pidof mariadbd) -d 30s -o perf.data\n"
                "anneal aggregate -p perf.data -o mariadbd.fdata /usr/sbin/mariadbd\n"
                "anneal record --branches=80000 -- ./server --port 8080\n"
                "anneal record --fleet-rate=1/100 -d 1m -p $(pidof server)\n"
                "    on every host, each hour: one of a hundred records\n",
    .exit_status =
        "With a command, the status of that command, 128 and the number of the signal that ended "
        "it, or 127 if it cannot be run. With --pid, 0 for success. In both cases 1 if the "
        "recording fails or there was nothing to record, and 2 for wrong usage; with --pid and "
        "--fleet-rate 3 when it is not this host's turn.",
    .see_also = "anneal-aggregate(1), anneal-doctor(1), perf-record(1)",
    .run = run,
    .runs_command = true,
};
