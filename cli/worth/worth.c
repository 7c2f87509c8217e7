/* anneal worth: the command line. */
#include "worth.h"

#include "cli/core/amounts.h"

enum {
    WORTH_PID = 1,
    WORTH_FUNCTION,
    WORTH_DURATION,
    WORTH_INTERVAL,
    WORTH_OVERHEAD,
    WORTH_LAYOUTS,
    WORTH_COUNTER,
    WORTH_CLOCK,
    WORTH_JSON,
    WORTH_QUIET
};

static const struct option_spec options[] = {
    {WORTH_PID, 'p', "pid", "PID",
     "measure process PID; given twice, compare the second process with the first", TAKEN_EACH},
    {WORTH_FUNCTION, 'f', "function", "NAME",
     "count entries into this function; up to three (default: functions are chosen)", TAKEN_EACH},
    {WORTH_DURATION, 'd', "duration", "TIME", "measure for this long (default: 10s)",
     SECONDS_OF(struct worth_request, duration)},
    {WORTH_INTERVAL, 0, "interval", "TIME", "length of a slice of the measurement (default: 250ms)",
     SECONDS_OF(struct worth_request, interval)},
    {WORTH_OVERHEAD, 0, "overhead", "PERCENT",
     "limit the cost of counting to this share of the process's CPU time (default: 1%)",
     SHARE_OF(struct worth_request, overhead)},
    {WORTH_LAYOUTS, 0, "layouts", NULL,
     "compare the layout that anneal live has given the process with its original code: they take "
     "turns",
     VALUE_OF(struct worth_request, layouts)},
    {WORTH_COUNTER, 0, "counter", "COUNTER",
     "count work by what tells how much has been done, instead of by the process itself: a "
     "shell command, in which $1 is the PID, file:PATH, or a URL; given twice, the second one is "
     "that of the second process",
     TAKEN_EACH},
    CLOCK_ROW(WORTH_CLOCK, WORD_OF(struct worth_request, clock, work_clocks)),
    JSON_ROWS(WORTH_JSON, "print JSON", VALUE_OF(struct worth_request, json)),
    {WORTH_QUIET, 'q', "quiet", NULL, "print the figure only, with its interval",
     VALUE_OF(struct worth_request, quiet)},
    {0},
};

static const struct option_rule rules[] = {
    {EXCLUDES, WORTH_JSON, {WORTH_QUIET}, {0}},
    {EXCLUDES, WORTH_LAYOUTS, {WORTH_INTERVAL}, {0}},
    {EXCLUDES, WORTH_COUNTER, {WORTH_FUNCTION, WORTH_OVERHEAD, WORTH_CLOCK}, {0}},
    {EXCLUDES, WORTH_CLOCK, {WORTH_FUNCTION}, {0}},
    {0},
};

static bool take_pid(struct worth_request *request, const struct command *command, int id,
                     const char *value)
{
    unsigned long long number;
    if (!option_range(command, id, value, 1, INT32_MAX, &number))
        return false;
    if (request->process_count == WORTH_PROCESSES) {
        say_error("more than two processes");
        return false;
    }
    if (request->process_count && request->pids[0] == (int32_t)number) {
        say_error("process %llu is named twice", number);
        return false;
    }
    request->pids[request->process_count++] = (int32_t)number;
    return true;
}

static bool take_function(struct worth_request *request, const char *name)
{
    if (request->function_count == AN_WORK_MOST) {
        say_error("more than %d functions: each requires a debug register, of which one is left to "
                  "debuggers",
                  AN_WORK_MOST);
        return false;
    }
    request->functions[request->function_count++] = name;
    return true;
}

static bool take_counter(struct worth_request *request, const char *counter)
{
    if (request->counter_count == WORTH_PROCESSES) {
        say_error("more than two counters");
        return false;
    }
    request->counters[request->counter_count++] = counter;
    return true;
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    switch (id) {
    case WORTH_PID:
        return take_pid(values, command, id, value);
    case WORTH_COUNTER:
        return take_counter(values, value);
    default:
        return take_function(values, value);
    }
}

static bool is_complete(const struct command *command, const struct worth_request *request)
{
    const double shortest = 0.01, most = 1e6;
    if (request->process_count == 0)
        say_error("no process named (use -p PID)");
    else if (request->layouts && request->process_count > 1)
        say_error("--layouts: of one process only");
    else if (request->counter_count > request->process_count)
        say_error("--counter: more counters than processes");
    else if (request->interval < shortest)
        say_error("--interval: at least 10ms");
    else if (request->duration / request->interval < AN_WORK_FEWEST_SLICES)
        say_error("--duration: at least %d times --interval", AN_WORK_FEWEST_SLICES);
    else if (request->duration / request->interval > most)
        say_error("--duration: at most a million times --interval");
    else
        return true;
    usage_hint(command);
    return false;
}

static int act(void *values, const struct option_parser *parser)
{
    struct worth_request *request = values;
    if (parser->operand_count)
        say_error("'%s': worth takes no operands", parser->operands[0]);
    else if (is_complete(parser->command, request))
        return request->layouts ? worth_layouts(request) : worth_run(request);
    return EXIT_USAGE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct worth_request request = {.duration = 10, .interval = 0.25};
    return option_run(command, argc, argv, &request, take, act);
}

const struct command command_worth = {
    .name = "worth",
    .operands = "-p PID [-p PID]",
    .summary = "measure the work that a process does for its CPU time",
    .description =
        "Measures how much work a running process does for each second of CPU time, to see whether "
        "new "
        "code, another build or another setting is worth it. What a server reads and writes counts "
        "its work, by the second of CPU time: the kernel knows these bytes. Of a program that "
        "hardly reads or writes, entries into functions do, which are counted by execution "
        "breakpoints that neither stop the process nor change it. The program needs no "
        "preparation.\n\n"
        "Without --function, functions are chosen that are entered some ten to some hundred times "
        "a "
        "second, steadily. The result has an interval that contains the true mean with a "
        "probability of 95%, also when neighbouring slices resemble each other.\n\n"
        "Where neither will do, a counter of the program's own counts (--counter): a command "
        "that prints how much has been done, a file (file:PATH), or a page of a server "
        "(http://HOST/PATH), with #WORDS behind it when the number is behind these words. A "
        "counter "
        "that stands still and then moves by much is read where it moves.\n\n"
        "With two processes, such as the old and the new release under one load balancer, both are "
        "measured "
        "at the same time by the same measure, and the difference has an interval of its "
        "own. Both must do the same kind of work.\n\n"
        "With --layouts, the layout that anneal live has put in force and the original code take "
        "turns, which stops the process for a moment each time; in the end it runs what it ran "
        "before.",
    .options = options,
    .rules = rules,
    .examples = "anneal worth -p $(pidof server)\n"
                "    work for each second of CPU time, over ten seconds\n"
                "anneal worth -p $(pidof server) -f handle_request -d 1m\n"
                "    count entries into this function, for a minute\n"
                "anneal worth -p $(pidof server-old) -p $(pidof server-new)\n"
                "    compare two releases\n"
                "anneal worth -p OLD -p NEW --counter file:/run/1 --counter file:/run/2\n"
                "    the same by counters of their own\n"
                "anneal worth -p $(pidof server) --layouts\n"
                "    what the new layout gains now\n",
    .see_also = "anneal-live(1), anneal-record(1), anneal-doctor(1), perf-stat(1)",
    .run = run,
};
