/* anneal live: the command line. */
#include "live.h"

#include <stdlib.h>

#include "amounts.h"
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
    LIVE_KEEP,
    LIVE_INTERVAL,
    LIVE_THRESHOLD,
    LIVE_HUGE_PAGES,
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
    {LIVE_PID, 'p', "pid", "PID", "the process"},
    {LIVE_ROUNDS, 'n', "rounds", "N", "record and lay out N times (default: 1)"},
    {LIVE_CONTINUOUS, 0, "continuous", NULL,
     "go on: look now and then, and do a round when the process does something else"},
    {LIVE_RECORD, 'd', "record", "TIME", "record for so long in each round (default: 30s)"},
    {LIVE_PROFILE, 0, "profile", "FILE",
     "take this profile (fdata, of the original binary) instead of recording"},
    {LIVE_METHOD, 0, "method", "METHOD", "how to record, as in anneal record (default: auto)"},
    {LIVE_OVERHEAD, 0, "overhead", "PERCENT",
     "what recording may cost, as in anneal record (default: 2%)"},
    {LIVE_BINARY, 0, "binary", "FILE",
     "the program's file with symbols and relocations, if it is not the one that runs"},
    {LIVE_COUNTER, 0, "counter", "COMMAND",
     "a shell command that prints how much work has been done: CPU time is compared with it"},
    {LIVE_KEEP, 0, "keep-anyway", NULL, "keep the new layout even if no gain is measured"},
    {LIVE_INTERVAL, 0, "interval", "TIME",
     "with --continuous: from one look to the next (default: 60s)"},
    {LIVE_THRESHOLD, 0, "threshold", "PERCENT",
     "with --continuous: do a round when less than this of the profile is as it was (default: "
     "50%)"},
    {LIVE_HUGE_PAGES, 0, "huge-pages", NULL,
     "put the new code into pages of 2 MiB; tools cannot tell its names then"},
    {LIVE_REVERT, 0, "revert", NULL, "make the process use its original code again"},
    {LIVE_STATUS, 0, "status", NULL, "tell which layouts are in the process"},
    {LIVE_DRY_RUN, 0, "dry-run", NULL, "do everything but the last step: change nothing"},
    {LIVE_BOLT, 0, "bolt", "PATH", "the llvm-bolt to call (default: that of LLVM 19)"},
    {LIVE_BOLT_OPTION, 0, "bolt-option", "OPTION", "one more option for llvm-bolt; repeatable"},
    {LIVE_STATE_DIR, 0, "state-dir", "DIR",
     "keep layouts and state there (default: /var/tmp/anneal-UID)"},
    {LIVE_JSON, 0, "json", NULL, "print the account as JSON"},
    {LIVE_QUIET, 'q', "quiet", NULL, "print errors only"},
    {0},
};

static bool take_number(const struct command *command, int id, const char *value,
                        unsigned long long most, unsigned long long *number)
{
    if (!option_number_of(command, id, value, most, number))
        return false;
    if (*number == 0)
        say_error("%s: expected a number above 0", value);
    return *number > 0;
}

static bool take(struct live_request *request, const struct command *command, int id,
                 const char *value)
{
    enum { MOST_PID = 1 << 22, MOST_ROUNDS = 1000000 };
    unsigned long long number;
    switch (id) {
    case LIVE_PID:
        if (!take_number(command, id, value, MOST_PID, &number))
            return false;
        request->options.pid = (int32_t)number;
        return true;
    case LIVE_ROUNDS:
        if (!take_number(command, id, value, MOST_ROUNDS, &number))
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
    case LIVE_METHOD:
        return amount_method("method", value, &request->record.method);
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
    bool *flag = id == LIVE_CONTINUOUS   ? &request->continuous
                 : id == LIVE_KEEP       ? &request->keep_anyway
                 : id == LIVE_HUGE_PAGES ? &request->options.huge_pages
                 : id == LIVE_REVERT     ? &request->revert
                 : id == LIVE_STATUS     ? &request->status
                 : id == LIVE_DRY_RUN    ? &request->options.dry_run
                 : id == LIVE_JSON       ? &request->json
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
        say_error("which process? (-p PID)");
    else if (request->revert + request->status + request->continuous > 1)
        say_error("--revert, --status and --continuous: one of them");
    else if (request->profile && request->continuous)
        say_error("--continuous records; it goes without --profile");
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
    struct live_request request = {
        .rounds = 1, .interval = 60, .threshold = 0.5, .record = {.duration = 30}};
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
        "Records what a process does, has llvm-bolt lay out the code of its program for that, maps "
        "the new code into the process, and makes the old code lead there, in one stop of a few "
        "milliseconds. The process goes on all the time; its program has to be linked with -Wl,-q "
        "(--emit-relocs) and not to be stripped ('anneal doctor' tells).\n\n"
        "That can be repeated: each round starts from the original binary and a profile of "
        "whatever "
        "runs by then. --revert puts every byte back, also after anneal was killed. If the CPU "
        "time for a unit of work did not fall, the layout is taken back; what a unit is, --counter "
        "tells. Without it, the share of time that the new code takes is compared, by samples.\n\n"
        "The new code lies in files below --state-dir, which have to stay there as long as the "
        "process runs. Addresses of functions stay what they were; exceptions, signals and system "
        "calls go on as before.",
    .options = options,
    .examples = "anneal live -p $(pidof mariadbd) --record 30s --rounds 2\n"
                "anneal live -p $(pidof server) --counter 'curl -s localhost/requests'\n"
                "anneal live -p $(pidof mariadbd) --status\n"
                "anneal live -p $(pidof mariadbd) --revert\n",
    .see_also = "anneal-record(1), anneal-doctor(1), anneal-translate(1), llvm-bolt(1)",
    .run = run,
};
