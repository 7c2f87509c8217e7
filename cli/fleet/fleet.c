/* anneal fleet: the command line. */
#include "fleet.h"

#include <string.h>

#include "cli/core/amounts.h"
#include "cli/core/command.h"

enum { FLEET_STALE = 1, FLEET_BRANCHES, FLEET_RUNS, FLEET_JSON };

struct values {
    double stale;
    uint64_t branches, runs;
    bool json;
};

static const struct option_spec options[] = {
    {FLEET_STALE, 0, "stale", "TIME",
     "call builds and hosts stale from which nothing came for TIME (default: 24h)",
     SECONDS_OF(struct values, stale)},
    {FLEET_BRANCHES, 0, "branches", "N",
     "call a profile of branches (fdata) with fewer than N counts thin (default: 20000)",
     NUMBER_OF(struct values, branches, 0, UINT64_MAX)},
    {FLEET_RUNS, 0, "runs", "N",
     "call a profile of instrumentation of fewer than N runs thin (default: 10)",
     NUMBER_OF(struct values, runs, 0, UINT64_MAX)},
    JSON_ROW(FLEET_JSON, "print as JSON: all hosts, and 48 hours", VALUE_OF(struct values, json)),
    {0},
};

static int act(void *opaque, const struct option_parser *parser)
{
    const struct values *values = opaque;
    struct fleet fleet = {.now = (int64_t)time(NULL),
                          .stale = values->stale,
                          .branches = values->branches,
                          .runs = values->runs};
    if (parser->operand_count < 2 || strcmp(parser->operands[0], "status") != 0) {
        say_error("expected 'status' and a folder of partial results");
        usage_hint(parser->command);
        return EXIT_USAGE;
    }
    bool good = fleet_read(&fleet, parser->operands + 1, parser->operand_count - 1);
    if (good && values->json)
        good = fleet_tell_json(&fleet);
    else if (good)
        fleet_tell(&fleet);
    good = good && !fleet.unreadable;
    fleet_free(&fleet);
    return good ? EXIT_DONE : EXIT_FAILED;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = {.stale = 86400, .branches = 20000, .runs = 10};
    return option_run(command, argc, argv, &values, NULL, act);
}

const struct command command_fleet = {
    .name = "fleet",
    .operands = "status PARTIALS...",
    .summary = "show which hosts and builds partial results are of",
    .description = "Reads the accounts of partial results, as anneal collect leaves or ships them: "
                   "files named "
                   ".partial or .open in the folders PARTIALS, where each build has a folder, or "
                   "single files. For each build, and for the hosts with the most of its inputs, "
                   "it prints how many inputs there are, "
                   "when the last one was taken, and how many came in each of the last 24 hours. "
                   "An input that is in several files "
                   "counts once, as in a merge.\n\n"
                   "A build is stale when nothing came for a day, and thin when there is too "
                   "little for a good layout: "
                   "llvm-bolt has most of what there is to win from some 20,000 branches on; of "
                   "instrumentation, "
                   "a few runs are exact, but do not show what other users do.",
    .options = options,
    .examples = "anneal fleet status /var/lib/anneal\n"
                "    what this host has collected\n"
                "anneal fleet status --stale=6h --json profiles/\n"
                "    what all hosts have sent, for a script\n",
    .see_also = "anneal-collect(1), anneal-merge(1)",
    .run = run,
};
