/* anneal translate */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/branch.h>

#include "base/percent.h"
#include "cli/aggregate/aggregating.h"
#include "cli/core/amounts.h"
#include "cli/core/command.h"
#include "cli/core/output.h"

enum {
    RECORDING = 1,
    OUTPUT,
    LAYOUT,
    STATE,
    CALL_STACK,
    TARGET,
    COUNTED,
    TO_COUNTS,
    PID,
    IGNORE_BUILD_ID,
    FAILURE_MODE,
    THREADS,
    JSON,
    QUIET,
};

struct request {
    struct an_translate_options options;
    struct an_translate_layout *layouts;
    char **owned; /* texts taken apart */
    size_t layout_count, owned_count;
    enum an_aggregate_output form;
    const char *recording, *output;
    unsigned failure_mode; /* enum an_failure_mode; of the one recording */
    bool json, quiet;
};

#define TRANSLATE_EACH_RECORDING                                                                   \
    "translate each recording, and add the profiles up with 'anneal merge'"

static const struct option_spec options[] = {
    {RECORDING, 'p', "perfdata", "FILE",
     "the recording: perf.data, text from perf script, or pre-aggregated (-: standard input)",
     SINGLE_OF(struct request, recording, TRANSLATE_EACH_RECORDING)},
    {OUTPUT, 'o', "output", "FILE", "write the profile to FILE (-: standard output)",
     VALUE_OF(struct request, output)},
    {LAYOUT, 'l', "layout", "FILE[@ADDRESS]",
     "also translate from FILE, a layout with an address translation (BAT) by llvm-bolt; repeat "
     "for each layout, oldest first. ADDRESS says where its first new segment was loaded, if the "
     "recording does not show it and it was not the link address",
     TAKEN_EACH},
    {STATE, 0, "state", "FILE", "read layouts and call stack from the state file FILE", TAKEN},
    {CALL_STACK, 0, "call-stack", "FILE",
     "read the functions that were on a call stack when code was replaced from FILE, one per line",
     VALUE_OF(struct request, options.call_stack)},
    {TARGET, 0, "to", "FILE",
     "translate into addresses of the layout FILE, for perf2bolt on that binary (pre-aggregated)",
     TAKEN},
    {COUNTED, 0, "pa", NULL, "the recording is pre-aggregated", TAKEN},
    {TO_COUNTS, 0, "to-pa", NULL, "write the pre-aggregated format instead of fdata", TAKEN},
    {PID, 0, "pid", "N", "use only the samples of process N",
     NUMBER_OF(struct request, options.pid, 0, UINT32_MAX)},
    {IGNORE_BUILD_ID, 0, "ignore-build-id", NULL, "accept files of another build",
     VALUE_OF(struct request, options.ignore_build_id)},
    {FAILURE_MODE, 0, "failure-mode", "MODE",
     "fail on a truncated recording (any, the default; all), or use it as far as it goes (warn)",
     WORD_OF(struct request, failure_mode, failure_modes)},
    {FAILURE_MODE, 0, "allow-truncated", NULL, NULL, MEANS("warn")},
    THREADS_ROWS(THREADS, THREADS_OF(struct request, options.threads)),
    JSON_ROW(JSON, "print the summary as JSON", VALUE_OF(struct request, json)),
    QUIET_ROW(QUIET, VALUE_OF(struct request, quiet)),
    {0},
};

static const struct option_rule rules[] = {
    {EXCLUDES, COUNTED, {PID, FAILURE_MODE}, {0}},
    {EXCLUDES, STATE, {LAYOUT, CALL_STACK}, {0}},
    {0},
};

static char *keep(struct request *request, const char *text, size_t length)
{
    char **grown = realloc(request->owned, (request->owned_count + 1) * sizeof *grown);
    char *copy = grown ? strndup(text, length) : NULL;
    if (grown)
        request->owned = grown;
    if (copy)
        request->owned[request->owned_count++] = copy;
    else
        say_error("out of memory");
    return copy;
}

static bool take_address(const char *text, uint64_t *address)
{
    char *end;
    errno = 0;
    *address = strtoull(text, &end, 16);
    if (end != text && !*end && !errno)
        return true;
    say_error("'%s' is not an address (expected a hexadecimal number)", text);
    return false;
}

static bool add_layout(struct request *request, const char *path, size_t length,
                       const char *address)
{
    struct an_translate_layout *grown =
        realloc(request->layouts, (request->layout_count + 1) * sizeof *grown);
    if (!grown) {
        say_error("out of memory");
        return false;
    }
    request->layouts = grown;
    struct an_translate_layout *layout = &grown[request->layout_count];
    *layout = (struct an_translate_layout){.path = keep(request, path, length)};
    if (!layout->path || (address && !take_address(address, &layout->address)))
        return false;
    request->layout_count++;
    return true;
}

/* FILE, or FILE@ADDRESS: what is behind the last @ counts if it begins like a number. */
static bool take_layout(struct request *request, const char *value)
{
    const char *at = strrchr(value, '@');
    if (at && strncmp(at, "@0x", 3) == 0)
        return add_layout(request, value, (size_t)(at - value), at + 1);
    return add_layout(request, value, strlen(value), NULL);
}

/* Lines of "layout PATH [0xADDRESS]" and "call-stack PATH"; # begins a comment. */
static bool take_state_line(struct request *request, char *line, const char *path, size_t number)
{
    line[strcspn(line, "\r\n")] = '\0';
    if (!*line || *line == '#')
        return true;
    if (strncmp(line, "call-stack ", 11) == 0) {
        request->options.call_stack = keep(request, line + 11, strlen(line + 11));
        return request->options.call_stack != NULL;
    }
    if (strncmp(line, "layout ", 7) == 0) {
        char *address = strrchr(line + 7, ' ');
        bool has = address && strncmp(address, " 0x", 3) == 0;
        size_t length = has ? (size_t)(address - line - 7) : strlen(line + 7);
        return add_layout(request, line + 7, length, has ? address + 1 : NULL);
    }
    say_error("%s:%zu: expected 'layout PATH [0xADDRESS]' or 'call-stack PATH'", path, number);
    return false;
}

static bool take_state(struct request *request, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0, number = 1;
    bool good = file != NULL;
    if (!file)
        say_error("%s: %s", path, strerror(errno));
    while (good && getline(&line, &size, file) >= 0)
        good = take_state_line(request, line, path, number++);
    if (file) {
        if (good && ferror(file)) {
            say_error("%s: cannot read", path);
            good = false;
        }
        fclose(file);
    }
    free(line);
    return good;
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct request *request = values;
    (void)command;
    switch (id) {
    case LAYOUT:
        return take_layout(request, value);
    case STATE:
        return take_state(request, value);
    case TARGET:
        request->options.target = value;
        request->form = AN_AGGREGATE_PREAGGREGATED;
        return true;
    case COUNTED:
        request->options.input = AN_AGGREGATE_COUNTS;
        return true;
    default:
        request->form = AN_AGGREGATE_PREAGGREGATED;
        return true;
    }
}

static void tell_json(const struct request *request, const struct an_translate_counts *counts)
{
    struct json_object *object = json_document();
    struct json_object *layouts = json_object_new_array();
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"processes", counts->processes},
        {"samples", counts->samples},
        {"matching_samples", counts->matching},
        {"branches", counts->branches},
        {"translated_branches", counts->translated},
        {"returns", counts->returns},
        {"entry_jumps", counts->entry_jumps},
        {"elsewhere", counts->elsewhere},
        {"in_no_function", counts->no_function},
        {"in_no_fragment", counts->no_fragment},
        {"without_origin", counts->no_origin},
        {"traces", counts->runs},
        {"translated_traces", counts->runs_translated},
        {"out_of_range_traces", counts->runs_out_of_range},
        {"traces_across", counts->runs_across},
        {"untraceable_traces", counts->runs_untraceable},
        {"illegal_before", counts->illegal_before},
        {"old_code", counts->old_code},
        {"old_code_unexpected", counts->old_code_unexpected},
        {"gone", counts->gone},
        {"records", counts->records},
        {"samples_without_process", counts->homeless},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_add_number(object, numbers[i].name, numbers[i].value);
    for (size_t i = 0; i < counts->layout_count; i++) {
        struct json_object *layout = json_object_new_object();
        const char *path = i ? request->layouts[i - 1].path : request->options.original;
        json_object_object_add(layout, "path", json_text(path, strlen(path)));
        json_add_number(layout, "branches", counts->by_layout[i]);
        json_object_array_add(layouts, layout);
    }
    json_object_object_add(object, "layouts", layouts);
    json_print(strcmp(request->output, "-") == 0 ? stderr : stdout, object);
}

static void tell_reason(uint64_t count, uint64_t whole, const char *reason)
{
    if (count)
        say("  %s (%.2f%%) %s", with_commas(count), an_percent(count, whole, 2), reason);
}

static void tell(const struct request *request, const struct an_translate_counts *counts)
{
    if (request->json) {
        tell_json(request, counts);
        return;
    }
    if (request->quiet)
        return;
    if (counts->cut)
        say_warning("%s is truncated: ignored everything from byte %llu on", request->recording,
                    (unsigned long long)counts->cut_at);
    aggregate_warn_homeless(counts->homeless);
    say("%s %s, %s of them from the program", with_commas(counts->samples),
        counts->counted ? "entries" : "samples", with_commas(counts->matching));
    say("%s branches, %s translated:", with_commas(counts->branches),
        with_commas(counts->translated));
    for (size_t i = 0; i < counts->layout_count; i++)
        say("  %s (%.2f%%) from %s", with_commas(counts->by_layout[i]),
            an_percent(counts->by_layout[i], counts->branches, 2),
            i ? request->layouts[i - 1].path : request->options.original);
    tell_reason(counts->returns, counts->branches, "returns, which are not counted");
    tell_reason(counts->entry_jumps, counts->branches, "from old entries of functions to new ones");
    tell_reason(counts->elsewhere, counts->branches, "outside the program");
    tell_reason(counts->no_function, counts->branches, "in no function of the original");
    tell_reason(counts->no_fragment, counts->branches, "in new code that has no translation");
    tell_reason(counts->no_origin, counts->branches,
                "in functions that the original does not have");
    say("%s traces, %s translated:", with_commas(counts->runs),
        with_commas(counts->runs_translated));
    tell_reason(counts->runs_out_of_range, counts->runs, "leave the program");
    tell_reason(counts->runs_across, counts->runs, "cross from one layout or function to another");
    tell_reason(counts->runs_untraceable, counts->runs, "are impossible in the code");
    tell_reason(counts->illegal_before, counts->runs, "were impossible before the translation");
    if (counts->old_code)
        say("%s branches from the old code of moved functions", with_commas(counts->old_code));
    if (counts->old_code_unexpected)
        say("%s of them from functions that were on no call stack: recorded before their code "
            "was replaced, or reached in another way",
            with_commas(counts->old_code_unexpected));
    if (counts->gone)
        say("%s counts are for blocks that %s lacks", with_commas(counts->gone),
            request->options.target);
    say("wrote %s records to %s", with_commas(counts->records), request->output);
}

static int write_all(const struct an_translation *translation, const struct request *request)
{
    void *bytes = NULL;
    size_t size = 0;
    struct an_error error;
    enum an_code code = an_translation_write(translation, request->form, &bytes, &size, &error);
    return aggregate_write(request->output, code, bytes, size, &error);
}

static int translate(struct request *request)
{
    struct an_translation *translation;
    struct an_error error;
    request->options.layouts = request->layouts;
    request->options.layout_count = request->layout_count;
    if (!request->quiet)
        request->options.progress = progress_show;
    enum an_code code =
        an_translate_run(&request->options, request->recording, &translation, &error);
    progress_clear();
    if (code != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    int status = write_all(translation, request);
    if (status == EXIT_DONE)
        tell(request, an_translation_counts(translation));
    an_translation_free(translation);
    return status;
}

static bool complete(const struct request *request, const struct command *command, size_t operands)
{
    if (operands != 1)
        say_error("expected one binary, the original, got %zu", operands);
    else if (!request->recording)
        say_error("no recording (name one with -p FILE)");
    else if (!request->output)
        say_error("no output (name one with -o FILE; - is standard output)");
    else
        return true;
    usage_hint(command);
    return false;
}

static int act(void *values, const struct option_parser *parser)
{
    struct request *request = values;
    if (!complete(request, parser->command, parser->operand_count))
        return EXIT_USAGE;
    request->options.original = parser->operands[0];
    request->options.for_fdata = request->form == AN_AGGREGATE_FDATA;
    request->options.allow_truncated = request->failure_mode == AN_FAIL_WARN;
    return translate(request);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct request request = {.options = {.size = sizeof(struct an_translate_options)}};
    int status = option_run(command, argc, argv, &request, take, act);
    for (size_t i = 0; i < request.owned_count; i++)
        free(request.owned[i]);
    free(request.owned);
    free(request.layouts);
    return status;
}

const struct command command_translate = {
    .name = "translate",
    .operands = "-p RECORDING -o PROFILE ORIGINAL",
    .summary = "translate a profile between code layouts of a program",
    .description =
        "A process whose code was optimized while it ran executes a mixture: the text of the "
        "ORIGINAL binary, and new text from llvm-bolt, perhaps of several rounds. This command "
        "reads a recording of such a process, finds the layout of each branch, and translates "
        "all of them into addresses of the original, ready for llvm-bolt -data. Fall-throughs "
        "are followed in the layout in which they ran.\n\n"
        "With --to, everything is translated into addresses of one of the layouts instead, in "
        "pre-aggregated form, for perf2bolt -pa with that binary.\n\n"
        "The place of a layout is where the recording shows that its file was mapped; otherwise "
        "its link address, if the program has fixed addresses; otherwise its link address plus "
        "the offset of the original. @ADDRESS overrides this.\n\n"
        "A state file has lines of 'layout PATH [0xADDRESS]' and 'call-stack PATH'. Nothing is "
        "lost silently: what cannot be translated is counted by its reason.",
    .options = options,
    .rules = rules,
    .examples = "anneal translate -p perf.data -o app.fdata --layout app.c1 app\n"
                "    translate a recording of a process that runs app and the code of app.c1\n"
                "anneal translate -p perf.data -o app.pa --layout app.c1 --to app.c1 app\n"
                "perf2bolt -pa -p app.pa -o app.fdata app.c1\n"
                "    do the same with perf2bolt and the address translation in app.c1\n",
    .see_also = "anneal-aggregate(1), anneal-bat(1)",
    .run = run,
};
