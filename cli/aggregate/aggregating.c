/* Running an aggregation from the command line; see aggregating.h. */
#include "aggregating.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/output.h"

/* --ignore-interrupt-lbr=0 and the like, as LLVM's tools take them. */
static bool take_switch(const char *name, const char *value, bool *on)
{
    if (!value || strcmp(value, "1") == 0 || strcmp(value, "true") == 0)
        *on = true;
    else if (strcmp(value, "0") == 0 || strcmp(value, "false") == 0)
        *on = false;
    else {
        say_error("--%s=%s: expected 0 or 1", name, value);
        return false;
    }
    return true;
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct aggregate_request *request = values;
    bool on;
    (void)command;
    switch (id) {
    case AGGREGATE_COUNTED:
        request->options.input = AN_AGGREGATE_COUNTS;
        return true;
    case AGGREGATE_TO_COUNTS:
        request->form = AN_AGGREGATE_PREAGGREGATED;
        return true;
    case AGGREGATE_INTERRUPTS:
        if (!take_switch("ignore-interrupt-lbr", value, &on))
            return false;
        request->options.keep_interrupts = !on;
        return true;
    case AGGREGATE_FORMAT:
        request->output_is_yaml = strcmp(value, "yaml") == 0;
        if (request->output_is_yaml || strcmp(value, "fdata") == 0)
            return true;
        say_error("--profile-format=%s: expected fdata or yaml", value);
        return false;
    case AGGREGATE_DEFAULT:
        return true;
    default:
        say_error("anneal does not support this option of perf2bolt");
        return false;
    }
}

static int write_output(const struct an_aggregate *aggregate,
                        const struct aggregate_request *request)
{
    void *bytes = NULL;
    size_t size = 0;
    struct an_error error;
    enum an_code code = an_aggregate_write(aggregate, request->form, &bytes, &size, &error);
    return aggregate_write(request->output, code, bytes, size, &error);
}

/* The YAML profile first: there may be no llvm-bolt. */
static int write_all(const struct an_aggregate *aggregate, const struct aggregate_request *request)
{
    int status = EXIT_DONE;
    if (request->yaml)
        status = aggregate_write_yaml(request, aggregate, request->yaml);
    if (status != EXIT_DONE || !request->output)
        return status;
    return request->output_is_yaml ? aggregate_write_yaml(request, aggregate, request->output)
                                   : write_output(aggregate, request);
}

static int aggregate(struct aggregate_request *request)
{
    struct an_aggregate *aggregate;
    struct an_error error;
    struct an_buffer log = {0};
    enum an_code code = an_aggregate_run(&request->options, request->recording, request->binary,
                                         &aggregate, &error);
    progress_clear();
    if (code != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    request->bolt_log = &log;
    int status = write_all(aggregate, request);
    if (status == EXIT_DONE)
        request->tell(request, an_aggregate_counts(aggregate));
    an_buffer_free(&log);
    an_aggregate_free(aggregate);
    return status;
}

static int run(struct aggregate_request *request)
{
    char *original = NULL;
    struct an_error error;
    if (request->is_replacement && aggregate_find_original(request, &original, &error) != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    int status = original ? aggregate_replaced(request, original) : aggregate(request);
    free(original);
    return status;
}

static bool complete(const struct aggregate_request *request, const struct command *command,
                     size_t operands)
{
    if (operands != 1)
        say_error("expected one binary, got %zu", operands);
    else if (!request->recording)
        say_error("no recording (name one with -p FILE)");
    else if (!request->output && !request->yaml)
        say_error("no output (name one with -o FILE; - is standard output)");
    else
        return true;
    usage_hint(command);
    return false;
}

static int act(void *values, const struct option_parser *parser)
{
    struct aggregate_request *request = values;
    if (!complete(request, parser->command, parser->operand_count))
        return EXIT_USAGE;
    request->binary = parser->operands[0];
    request->options.for_fdata = request->form == AN_AGGREGATE_FDATA;
    request->options.allow_truncated = request->failure_mode == AN_FAIL_WARN;
    if (!request->quiet)
        request->options.progress = progress_show;
    return run(request);
}

int aggregate_command(const struct command *command, int argc, char **argv,
                      void (*tell)(const struct aggregate_request *request,
                                   const struct an_aggregate_counts *counts))
{
    struct aggregate_request request = {.options = {.size = sizeof(struct an_aggregate_options),
                                                    .keep_outside = command->stands_in},
                                        .tell = tell};
    return option_run(command, argc, argv, &request, take, act);
}

void aggregate_warn_homeless(uint64_t samples)
{
    if (samples)
        say_warning("%s samples left out: the text has thread ids only, and nothing tells their "
                    "processes (print both, with perf script -F +pid,+tid, or add "
                    "--show-task-events)",
                    with_commas(samples));
}
