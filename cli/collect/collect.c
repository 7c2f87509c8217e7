/* anneal collect: the command line. */
#include "collect.h"

#include "cli/core/amounts.h"
#include "cli/core/command.h"

enum {
    COLLECT_OUTPUT = 1,
    COLLECT_SHIP,
    COLLECT_TIMEOUT,
    COLLECT_EVERY,
    COLLECT_SPAN,
    COLLECT_ONCE,
    COLLECT_LIMIT,
    COLLECT_HOST,
    COLLECT_THREADS,
    COLLECT_JSON,
    COLLECT_QUIET,
};

static const struct option_spec options[] = {
    {COLLECT_OUTPUT, 'o', "output", "PARTIALS",
     "keep partial results in the folder PARTIALS, one for each build and hour",
     VALUE_OF(struct collect_request, output)},
    {COLLECT_SHIP, 0, "ship", "COMMAND",
     "hand each partial result that is complete to 'sh -c COMMAND', as \"$1\", with a name for it "
     "as "
     "\"$2\"; status 0 acknowledges it, and it is removed; otherwise it is tried again",
     VALUE_OF(struct collect_request, ship)},
    {COLLECT_TIMEOUT, 0, "ship-timeout", "TIME", "end a COMMAND that takes longer (default: 10m)",
     SECONDS_OF(struct collect_request, patience)},
    {COLLECT_EVERY, 0, "every", "TIME",
     "take what is in SPOOL and add it to the partial results every TIME, or when it has 256 MB "
     "(default: 1m)",
     SECONDS_FROM_0_OF(struct collect_request, every)},
    {COLLECT_SPAN, 0, "span", "TIME",
     "a partial result is complete after TIME (default: when the hour is over, and up to ten "
     "minutes later, so that not all hosts send at once)",
     SECONDS_OF(struct collect_request, span)},
    {COLLECT_ONCE, 0, "once", NULL,
     "take what is there, add and ship it, and end: for cron, or when a host goes away",
     VALUE_OF(struct collect_request, once)},
    {COLLECT_LIMIT, 0, "limit", "SIZE",
     "take nothing more while partial results have SIZE bytes, as 500M or 2G (default: 1G)", TAKEN},
    {COLLECT_HOST, 0, "host", "NAME", "the host's name in accounts (default: the system's)",
     VALUE_OF(struct collect_request, host)},
    {COLLECT_THREADS, 'j', "threads", "N", "use N threads (default: 1)",
     NUMBER_OF(struct collect_request, threads, 1, MOST_THREADS)},
    JSON_ROW(COLLECT_JSON, "print an account as JSON in the end",
             VALUE_OF(struct collect_request, json)),
    QUIET_ROW(COLLECT_QUIET, VALUE_OF(struct collect_request, quiet)),
    {0},
};

static const struct option_rule rules[] = {
    {NEEDS, COLLECT_TIMEOUT, {COLLECT_SHIP}, {0}},
    {EXCLUDES, COLLECT_ONCE, {COLLECT_EVERY, COLLECT_SPAN}, {0}},
    {0},
};

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct collect_request *request = values;
    (void)command;
    (void)id; /* COLLECT_LIMIT */
    return amount_size("limit", value, &request->limit);
}

static int act(void *values, const struct option_parser *parser)
{
    struct collect_request *request = values;
    if (parser->operand_count != 1 || !request->output) {
        say_error("expected a folder of profiles, and -o with one for partial results");
        usage_hint(parser->command);
        return EXIT_USAGE;
    }
    request->spool = parser->operands[0];
    return collect_run(request);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct collect_request request = {
        .every = 60, .patience = 600, .limit = 1ull << 30, .threads = 1};
    return option_run(command, argc, argv, &request, take, act);
}

const struct command command_collect = {
    .name = "collect",
    .operands = "SPOOL",
    .summary = "collect the profiles of one host, as they appear",
    .description =
        "Takes the profiles that programs write into the folder SPOOL, and into its folders, and "
        "adds "
        "them to partial results (anneal merge --partial): one for each build and hour, in "
        "PARTIALS/BUILD/. LLVM's profiles are told apart by the build-id of the program; fdata, "
        "and "
        "GCC's counter files, by the folder of SPOOL that they are in. Files that are no profiles "
        "stay "
        "where they are.\n\n"
        "A profile that programs add to is taken under the lock of anneal's runtime, and one that "
        "is "
        "written otherwise when nobody has it open for writing any more. Each profile is in one "
        "partial "
        "result, and counts once, whenever the service is killed or the power fails. Damaged ones "
        "are "
        "named in the account, and the last 100 are kept in SPOOL/.anneal/rejected.\n\n"
        "A partial result is complete (NAME.partial) when its hour is over (--span) or it has "
        "16,384 inputs. With --ship, it is handed to a command then, which takes it elsewhere by "
        "whatever means the "
        "site has. "
        "A command that fails is tried again, after pauses that grow from a second to ten minutes. "
        "It "
        "may find $ANNEAL_PARTIAL (the same as \"$1\"), $ANNEAL_BUILD and $ANNEAL_HOST of use.\n\n"
        "The service ends in order at SIGTERM, SIGINT and SIGHUP.",
    .options = options,
    .rules = rules,
    .examples = "anneal collect /var/spool/profiles -o parts\n"
                "    keep partial results on this host\n"
                "anneal collect spool -o parts --ship 'rsync --mkpath \"$1\" \"server::p/$2\"'\n"
                "    send each to an rsync server\n"
                "anneal collect --once spool -o parts --ship 'rclone copyto \"$1\" store:\"$2\"'\n"
                "    send what is there to an object store, and end\n",
    .see_also = "anneal-fleet(1), anneal-merge(1), anneal-rt(1), anneal-record(1)",
    .run = run,
};
