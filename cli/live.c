/* anneal live: the command line. */
#include "live.h"

#include <stdlib.h>

#include "amounts.h"
#include "live/bolt.h"
#include "worker.h"

enum live_option {
    LIVE_PID = 1,
    LIVE_ROUNDS,
    LIVE_CONTINUOUS,
    LIVE_RECORD,
    LIVE_PROFILE,
    LIVE_METHOD,
    LIVE_OVERHEAD,
    LIVE_BINARY,
    LIVE_COUNTER,
    LIVE_WORTH_TIME,
    LIVE_KEEP,
    LIVE_INTERVAL,
    LIVE_THRESHOLD,
    LIVE_MAX_PAUSE,
    LIVE_HUGE_PAGES,
    LIVE_SLOW_EXCEPTIONS,
    LIVE_REVERT,
    LIVE_STATUS,
    LIVE_DRY_RUN,
    LIVE_BOLT,
    LIVE_BOLT_OPTION,
    LIVE_STATE_DIR,
    LIVE_JSON,
    LIVE_QUIET,
};

static const struct option_spec options[] = {
    {LIVE_PID, 'p', "pid", "PID", "give process PID a new layout"},
    {LIVE_ROUNDS, 'n', "rounds", "N", "record and lay out N times (default: 1)"},
    {LIVE_CONTINUOUS, 0, "continuous", NULL,
     "keep watching, and do another round when the process changes its behaviour"},
    {LIVE_RECORD, 'd', "record", "TIME", "record for this long in each round (default: 30s)"},
    {LIVE_PROFILE, 0, "profile", "FILE",
     "use this profile (fdata, of the original binary) instead of recording"},
    {LIVE_METHOD, 0, "method", "METHOD",
     "record by this method, as in anneal record (default: "
     "auto)"},
    {LIVE_OVERHEAD, 0, "overhead", "PERCENT",
     "limit the cost of recording, as in anneal record (default: 2%)"},
    {LIVE_BINARY, 0, "binary", "FILE",
     "use this file of the program, with symbols and relocations, if the running one lacks them"},
    {LIVE_COUNTER, 0, "counter", "COMMAND",
     "count work by this shell command, which prints how much has been done, instead of by the "
     "process's functions"},
    {LIVE_WORTH_TIME, 0, "worth-time", "TIME",
     "let the new layout and the original code take turns for at most this long, to measure the "
     "gain (default: 20s)"},
    {LIVE_KEEP, 0, "keep-anyway", NULL,
     "keep the new layout whatever it is worth; measured only with --worth-time or --counter"},
    {LIVE_INTERVAL, 0, "interval", "TIME", "with --continuous: time between checks (default: 60s)"},
    {LIVE_THRESHOLD, 0, "threshold", "PERCENT",
     "with --continuous: do a round when less than this share of the profile is unchanged "
     "(default: 50%)"},
    {LIVE_MAX_PAUSE, 0, "max-pause", "TIME",
     "never stop the process for longer: give up, and try again later (default: 50ms)"},
    {LIVE_HUGE_PAGES, 0, "huge-pages", NULL,
     "use 2 MiB pages for the new code; tools cannot name its functions then"},
    {LIVE_SLOW_EXCEPTIONS, 0, "slow-exceptions", NULL,
     "go on where exceptions in several threads will have to wait for each other from now on"},
    {LIVE_REVERT, 0, "revert", NULL, "return the process to its original code"},
    {LIVE_STATUS, 0, "status", NULL, "show which layouts are mapped into the process"},
    {LIVE_DRY_RUN, 0, "dry-run", NULL, "do everything but the last step, and change nothing"},
    {LIVE_BOLT, 0, "bolt", "PATH", "call this llvm-bolt (default: that of LLVM 19)"},
    {LIVE_BOLT_OPTION, 0, "bolt-option", "OPTION", "pass OPTION to llvm-bolt; may be repeated"},
    {LIVE_STATE_DIR, 0, "state-dir", "DIR",
     "keep layouts and state in DIR (default: /var/tmp/anneal-UID)"},
    {LIVE_JSON, 0, "json", NULL, "print the summary as JSON"},
    {LIVE_QUIET, 'q', "quiet", NULL, "print errors only"},
    {0},
};

/* clang-format off */
static const struct option_rule rules[] = {
    {ALONE, LIVE_REVERT, {LIVE_PID, LIVE_BINARY, LIVE_STATE_DIR, LIVE_DRY_RUN, LIVE_MAX_PAUSE, LIVE_JSON,
        LIVE_QUIET}, {0}},
    {ALONE, LIVE_STATUS, {LIVE_PID, LIVE_BINARY, LIVE_STATE_DIR, LIVE_JSON, LIVE_QUIET}, {0}},
    {EXCLUDES, LIVE_CONTINUOUS, {LIVE_PROFILE, LIVE_ROUNDS, LIVE_DRY_RUN}, {0}},
    {NEEDS, LIVE_INTERVAL, {LIVE_CONTINUOUS}, {0}},
    {NEEDS, LIVE_THRESHOLD, {LIVE_CONTINUOUS}, {0}},
    {EXCLUDES, LIVE_DRY_RUN, {LIVE_KEEP, LIVE_ROUNDS, LIVE_WORTH_TIME}, {0}},
    {0},
};
/* clang-format on */

static bool take(struct live_request *request, const struct command *command, int id,
                 const char *value)
{
    enum { MOST_PID = INT32_MAX, MOST_ROUNDS = 1000000 };
    unsigned long long number;
    switch (id) {
    case LIVE_PID:
        if (!option_range(command, id, value, 1, MOST_PID, &number))
            return false;
        request->options.pid = (int32_t)number;
        return true;
    case LIVE_ROUNDS:
        if (!option_range(command, id, value, 1, MOST_ROUNDS, &number))
            return false;
        request->rounds = (unsigned)number;
        return true;
    case LIVE_BOLT_OPTION:
        if (request->bolt_option_count == LIVE_MOST_BOLT_OPTIONS) {
            say_error("more than %d options for llvm-bolt", LIVE_MOST_BOLT_OPTIONS);
            return false;
        }
        request->bolt_options[request->bolt_option_count++] = value;
        return true;
    case LIVE_RECORD:
        return amount_duration("record", value, &request->record.duration);
    case LIVE_MAX_PAUSE:
        return amount_duration("max-pause", value, &request->options.max_pause);
    case LIVE_WORTH_TIME:
        request->has_worth_time = true;
        return amount_duration("worth-time", value, &request->worth_time);
    case LIVE_METHOD:
        return amount_method(command, value, &request->record.method);
    case LIVE_OVERHEAD:
        return amount_percent("overhead", value, &request->record.overhead);
    case LIVE_INTERVAL:
        return amount_duration("interval", value, &request->interval);
    case LIVE_THRESHOLD:
        return amount_percent("threshold", value, &request->threshold);
    default:
        break;
    }
    const char **text = id == LIVE_PROFILE     ? &request->profile
                        : id == LIVE_COUNTER   ? &request->counter
                        : id == LIVE_BINARY    ? &request->options.binary
                        : id == LIVE_BOLT      ? &request->options.bolt
                        : id == LIVE_STATE_DIR ? &request->options.state_dir
                                               : NULL;
    bool *flag = id == LIVE_CONTINUOUS        ? &request->continuous
                 : id == LIVE_KEEP            ? &request->keep_anyway
                 : id == LIVE_HUGE_PAGES      ? &request->options.huge_pages
                 : id == LIVE_SLOW_EXCEPTIONS ? &request->options.slow_exceptions
                 : id == LIVE_REVERT          ? &request->revert
                 : id == LIVE_STATUS          ? &request->status
                 : id == LIVE_DRY_RUN         ? &request->options.dry_run
                 : id == LIVE_JSON            ? &request->json
                                              : &request->quiet;
    if (text)
        *text = value;
    else
        *flag = true;
    return true;
}

static bool is_complete(const struct live_request *request)
{
    if (!request->options.pid)
        say_error("no process named (use -p PID)");
    else if (an_bolt_refused_option(request->bolt_options))
        say_error("llvm-bolt's option %s cannot be used here: old and new code must do the same",
                  an_bolt_refused_option(request->bolt_options));
    else
        return true;
    say("try '%s live --help'", program_name);
    return false;
}

static int work(void *context)
{
    return live_run(context);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct live_request request = {.rounds = 1,
                                   .interval = 60,
                                   .threshold = 0.5,
                                   .worth_time = 20,
                                   .record = {.duration = 30}};
    struct option_parser parser;
    const char *value;
    int id, status = EXIT_USAGE;
    bool good = true;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while (good && (id = option_next(&parser, &value)) > 0)
        good = take(&request, command, id, value);
    if (good && id == OPTION_HELP) {
        status = EXIT_DONE;
    } else if (good && id == OPTION_END && parser.operand_count) {
        say_error("'%s': live takes no operands", parser.operands[0]);
    } else if (good && id == OPTION_END && is_complete(&request)) {
        request.options.bolt_options = request.bolt_options;
        request.options.stop = request.record.stop = &worker_stop;
        status = worker_run("an-tracer", work, &request);
    }
    option_finish(&parser);
    return status;
}

const struct command command_live = {
    .name = "live",
    .operands = "-p PID",
    .summary = "give a running process a new code layout",
    .description =
        "Records a process, has llvm-bolt lay out its code for what it does, maps the new code "
        "into the process, and redirects the old code to it, in one pause of a few milliseconds. "
        "The process keeps running; its program must be linked with -Wl,-q (--emit-relocs) and "
        "must not be stripped ('anneal doctor' checks).\n\n"
        "Rounds can be repeated: each starts from the original binary and a profile of whatever "
        "runs by then. --revert restores every byte, even after anneal was killed.\n\n"
        "The new layout and the original code then take turns, and functions of the process count "
        "the work it does in each ('anneal worth'). A layout that is no gain is taken back. "
        "Where no function counts work, sampling compares the share of time spent in the new "
        "code.\n\n"
        "The new code is in files below --state-dir, which must stay there as long as the "
        "process, or a child that it forked, runs. Children begin with the layouts of the process; "
        "a round or --revert is about one process. Functions keep their addresses; exceptions, "
        "signals and system calls work "
        "as before.",
    .options = options,
    .rules = rules,
    .examples = "anneal live -p $(pidof mariadbd) --record 30s --rounds 2\n"
                "anneal live -p $(pidof server) --counter 'curl -s localhost/requests'\n"
                "anneal live -p $(pidof mariadbd) --status\n"
                "anneal live -p $(pidof mariadbd) --revert\n",
    .see_also =
        "anneal-record(1), anneal-worth(1), anneal-doctor(1), anneal-translate(1), llvm-bolt(1)",
    .run = run,
    .dashed_option = LIVE_BOLT_OPTION,
};
