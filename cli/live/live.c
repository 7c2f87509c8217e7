/* anneal live: the command line. */
#include "live.h"

#include <stdlib.h>

#include "cli/core/amounts.h"
#include "cli/core/tracer.h"

enum live_option {
    LIVE_PID = 1,
    LIVE_ROUNDS,
    LIVE_CONTINUOUS,
    LIVE_RECORD,
    LIVE_PROFILE,
    LIVE_THIN,
    LIVE_METHOD,
    LIVE_OVERHEAD,
    LIVE_BINARY,
    LIVE_COUNTER,
    LIVE_CLOCK,
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

enum { MOST_ROUNDS = 1000000, USUAL_WORTH_TIME = 20 /* seconds */ };

static const struct option_spec options[] = {
    {LIVE_PID, 'p', "pid", "PID", "give process PID a new layout",
     NUMBER_OF(struct live_request, options.pid, 1, INT32_MAX)},
    {LIVE_ROUNDS, 'n', "rounds", "N", "record and lay out N times (default: 1)",
     NUMBER_OF(struct live_request, rounds, 1, MOST_ROUNDS)},
    {LIVE_CONTINUOUS, 0, "continuous", NULL,
     "keep watching, and do another round when the process changes its behaviour",
     VALUE_OF(struct live_request, continuous)},
    {LIVE_RECORD, 'd', "duration", "TIME",
     "record for so long at most in each round, or until llvm-bolt knows enough (default: 30s)",
     SECONDS_OF(struct live_request, record.duration)},
    {LIVE_RECORD, 0, "record", "TIME", NULL, TAKEN},
    {LIVE_PROFILE, 0, "profile", "FILE",
     "use this profile (fdata, of the original binary) instead of recording",
     VALUE_OF(struct live_request, profile)},
    {LIVE_THIN, 0, "thin", NULL, "go on when that was not long enough for llvm-bolt to know enough",
     VALUE_OF(struct live_request, thin)},
    {LIVE_METHOD, 0, "method", "METHOD",
     "record by this method, as in anneal record (default: "
     "auto)",
     WORD_OF(struct live_request, record.method, record_methods)},
    {LIVE_OVERHEAD, 0, "overhead", "PERCENT",
     "limit the cost of recording, as in anneal record (default: 2%)",
     SHARE_OF(struct live_request, record.overhead)},
    {LIVE_BINARY, 0, "binary", "FILE",
     "use this file of the program, with symbols and relocations, if the running one lacks them",
     VALUE_OF(struct live_request, options.binary)},
    {LIVE_COUNTER, 0, "counter", "COUNTER",
     "count work by what tells how much has been done, instead of by the process itself: a "
     "shell command, in which $1 is the PID, file:PATH, or a URL",
     VALUE_OF(struct live_request, counter)},
    CLOCK_ROW(LIVE_CLOCK, WORD_OF(struct live_request, clock, work_clocks)),
    {LIVE_WORTH_TIME, 0, "worth-time", "TIME",
     "let the new layout and the original code take turns for at most this long, to measure the "
     "gain (default: 20s)",
     SECONDS_OF(struct live_request, worth_time)},
    {LIVE_KEEP, 0, "keep-anyway", NULL,
     "keep the new layout whatever it is worth; measured only with --worth-time or --counter",
     VALUE_OF(struct live_request, keep_anyway)},
    {LIVE_INTERVAL, 0, "interval", "TIME", "with --continuous: time between checks (default: 60s)",
     SECONDS_OF(struct live_request, interval)},
    {LIVE_THRESHOLD, 0, "threshold", "PERCENT",
     "with --continuous: do a round when less than this share of the profile is unchanged "
     "(default: 50%)",
     SHARE_OF(struct live_request, threshold)},
    {LIVE_MAX_PAUSE, 0, "max-pause", "TIME",
     "never stop the process for longer: give up, and try again later (default: 50ms)",
     SECONDS_OF(struct live_request, options.max_pause)},
    {LIVE_HUGE_PAGES, 0, "huge-pages", NULL,
     "use 2 MiB pages for the new code; tools cannot name its functions then",
     VALUE_OF(struct live_request, options.huge_pages)},
    {LIVE_SLOW_EXCEPTIONS, 0, "slow-exceptions", NULL,
     "go on where exceptions in several threads will have to wait for each other from now on",
     VALUE_OF(struct live_request, options.slow_exceptions)},
    {LIVE_REVERT, 0, "revert", NULL, "return the process to its original code",
     VALUE_OF(struct live_request, revert)},
    {LIVE_STATUS, 0, "status", NULL, "show which layouts are mapped into the process",
     VALUE_OF(struct live_request, status)},
    {LIVE_DRY_RUN, 0, "dry-run", NULL, "do everything but the last step, and change nothing",
     VALUE_OF(struct live_request, options.dry_run)},
    {LIVE_BOLT, 0, "bolt", "PATH",
     "call this llvm-bolt (default: the newest below /usr/lib/llvm-*)",
     VALUE_OF(struct live_request, options.bolt)},
    {LIVE_BOLT_OPTION, 0, "bolt-option", "OPTION", "pass OPTION to llvm-bolt; may be repeated",
     VALUE_OF(struct live_request, bolt_options)},
    {LIVE_STATE_DIR, 0, "state-dir", "DIR",
     "keep layouts and state in DIR (default: /var/tmp/anneal-UID)",
     VALUE_OF(struct live_request, options.state_dir)},
    JSON_ROW(LIVE_JSON, "print the summary as JSON", VALUE_OF(struct live_request, json)),
    QUIET_ROW(LIVE_QUIET, VALUE_OF(struct live_request, quiet)),
    {0},
};

/* clang-format off */
static const struct option_rule rules[] = {
    {ALONE, LIVE_REVERT, {LIVE_PID, LIVE_BINARY, LIVE_STATE_DIR, LIVE_DRY_RUN, LIVE_MAX_PAUSE, LIVE_JSON,
        LIVE_QUIET}, {0}},
    {ALONE, LIVE_STATUS, {LIVE_PID, LIVE_BINARY, LIVE_STATE_DIR, LIVE_JSON, LIVE_QUIET}, {0}},
    {EXCLUDES, LIVE_CONTINUOUS, {LIVE_PROFILE, LIVE_ROUNDS, LIVE_DRY_RUN}, {0}},
    {EXCLUDES, LIVE_THIN, {LIVE_PROFILE}, {0}},
    {EXCLUDES, LIVE_COUNTER, {LIVE_CLOCK}, {0}},
    {NEEDS, LIVE_INTERVAL, {LIVE_CONTINUOUS}, {0}},
    {NEEDS, LIVE_THRESHOLD, {LIVE_CONTINUOUS}, {0}},
    {EXCLUDES, LIVE_DRY_RUN, {LIVE_KEEP, LIVE_ROUNDS, LIVE_WORTH_TIME}, {0}},
    {0},
};
/* clang-format on */

static bool is_complete(const struct live_request *request)
{
    if (!request->options.pid)
        say_error("no process named (use -p PID)");
    else if (an_live_refused_option(request->bolt_options.items))
        say_error("llvm-bolt's option %s cannot be used here: old and new code must do the same",
                  an_live_refused_option(request->bolt_options.items));
    else
        return true;
    usage_hint(&command_live);
    return false;
}

static int work(void *context)
{
    return live_run(context);
}

static int act(void *values, const struct option_parser *parser)
{
    struct live_request *request = values;
    if (parser->operand_count) {
        say_error("'%s': live takes no operands", parser->operands[0]);
        return EXIT_USAGE;
    }
    if (!is_complete(request))
        return EXIT_USAGE;
    request->has_worth_time = request->worth_time > 0;
    if (!request->has_worth_time)
        request->worth_time = USUAL_WORTH_TIME;
    request->options.bolt_options = request->bolt_options.items;
    request->options.stop = request->record.stop = &tracer_stop;
    return tracer_run("an-tracer", work, request);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct live_request request = {
        .rounds = 1,
        .interval = 60,
        .threshold = 0.5,
        .options = {.size = sizeof(struct an_live_options)},
        .record = {.size = sizeof(struct an_record_options), .duration = 30, .until_dense = true}};
    return option_run(command, argc, argv, &request, NULL, act);
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
        "The new layout and the original code then take turns, and what the process reads and "
        "writes, or else entries into functions of it, count the work it does in each ('anneal "
        "worth'). A layout that is no gain is taken back. Where neither counts work, sampling "
        "compares the share of time spent in the new "
        "code.\n\n"
        "The new code is in files below --state-dir, which must stay there as long as the "
        "process, or a child that it forked, runs. Children begin with the layouts of the process; "
        "a round or --revert is about one process. Functions keep their addresses; exceptions, "
        "signals and system calls work "
        "as before.",
    .options = options,
    .rules = rules,
    .examples = "anneal live -p $(pidof mariadbd) --duration 30s --rounds 2\n"
                "anneal live -p $(pidof server) --counter 'curl -s localhost/requests'\n"
                "anneal live -p $(pidof mariadbd) --status\n"
                "anneal live -p $(pidof mariadbd) --revert\n",
    .see_also =
        "anneal-record(1), anneal-worth(1), anneal-doctor(1), anneal-translate(1), llvm-bolt(1)",
    .run = run,
    .dashed_option = LIVE_BOLT_OPTION,
};
