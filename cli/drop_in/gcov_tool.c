/*
 * The gcov-tool personality: the commands and options of GCC's tool for counter files (gcda), its output and its
 * exit codes.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/version.h>

#include "cli/core/command.h"
#include "gcov_tool.h"

enum {
    OUTPUT = 1,
    VERBOSE,
    WEIGHTS,
    SCALE,
    NORMALIZE,
    FUNCTIONS,
    FULL_NAMES,
    ONLY_HOT,
    OBJECTS,
    THRESHOLD,
};

/* ---- options ---- */

/* "3" or "3,1" */
static bool take_weights(struct gcov_tool_request *request, const char *text)
{
    const char *at = text;
    for (unsigned i = 0; i < 2; i++) {
        char *end;
        errno = 0;
        request->weights[i] = strtoull(at, &end, 10);
        if (errno || *at < '0' || *at > '9' || (*end && (*end != ',' || i)))
            break;
        if (!*end)
            return true;
        at = end + 1;
    }
    say_error("--weight=%s: expected one or two whole numbers, such as 3,1", text);
    return false;
}

static bool take_scale(struct gcov_tool_request *request, const char *text)
{
    struct an_gcc_scale *scale = &request->scale;
    bool is_number = *text >= '0' && *text <= '9', is_fraction = strchr(text, '/') != NULL;
    char *end;
    errno = 0;
    request->is_scaled = true;
    scale->how = is_fraction ? AN_GCC_BY_FRACTION : AN_GCC_BY_FACTOR;
    if (is_fraction) {
        scale->numerator = strtoull(text, &end, 10);
        is_number &= *end == '/' && end[1] >= '0' && end[1] <= '9';
        scale->denominator = is_number ? strtoull(end + 1, &end, 10) : 0;
        is_number &= scale->denominator != 0;
    } else {
        scale->factor = strtof(text, &end);
        is_number |= *text == '.';
        is_number &= isfinite(scale->factor) && scale->factor >= 0;
    }
    if (is_number && !*end && !errno)
        return true;
    say_error("--scale=%s: expected a number of at least 0, or a fraction such as 2/3", text);
    return false;
}

static bool take_greatest(struct gcov_tool_request *request, const struct command *command,
                          const char *text)
{
    unsigned long long greatest;
    if (!option_number(command, "normalize", text, INT64_MAX, &greatest))
        return false;
    request->is_normalised = true;
    request->scale.how = AN_GCC_TO_GREATEST;
    request->scale.numerator = greatest;
    return true;
}

static bool take_threshold(struct gcov_tool_request *request, const char *text)
{
    char *end;
    request->hot = strtod(text, &end);
    if (end != text && !*end && isfinite(request->hot) && request->hot >= 0)
        return true;
    say_error("--hot_threshold=%s: expected a number of at least 0", text);
    return false;
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct gcov_tool_request *request = values;
    switch (id) {
    case OUTPUT:
        request->output = value;
        return true;
    case WEIGHTS:
        return take_weights(request, value);
    case SCALE:
        return take_scale(request, value);
    case NORMALIZE:
        return take_greatest(request, command, value);
    case THRESHOLD:
        return take_threshold(request, value);
    case FUNCTIONS:
        request->functions = true;
        return true;
    case FULL_NAMES:
        request->full_names = true;
        return true;
    case ONLY_HOT:
        request->only_hot = true;
        return true;
    case OBJECTS:
        request->objects = true;
        return true;
    default:
        request->verbose = true;
        return true;
    }
}

/* ---- commands ---- */

struct subcommand {
    struct command command;
    size_t least, most; /* operands */
    int (*act)(const struct gcov_tool_request *request, char **operands);
};

static const struct subcommand *subcommand_of(const struct command *command);

static int act(void *values, const struct option_parser *parser)
{
    const struct gcov_tool_request *request = values;
    const struct subcommand *subcommand = subcommand_of(parser->command);
    if (parser->operand_count < subcommand->least || parser->operand_count > subcommand->most) {
        say_error("expected %s", subcommand->command.operands);
        usage_hint(&subcommand->command);
        return EXIT_FAILED;
    }
    if (request->is_scaled && request->is_normalised) {
        say_error("--scale and --normalize cannot be used together");
        return EXIT_FAILED;
    }
    return subcommand->act(request, parser->operands);
}

static int run_subcommand(const struct command *command, int argc, char **argv)
{
    struct gcov_tool_request request = {
        .weights = {1, 1}, .scale = {AN_GCC_BY_FRACTION, 1, 1, 0}, .hot = 0.005};
    return option_run(command, argc, argv, &request, take, act);
}

static int rewrite(const struct gcov_tool_request *request, char **operands)
{
    return gcov_tool_rewrite(request, operands[0]);
}

static int merge_stream(const struct gcov_tool_request *request, char **operands)
{
    return gcov_tool_merge_stream(request, operands[0] ? operands[0] : "-");
}

static const struct option_spec merge_options[] = {
    {OUTPUT, 'o', "output", "DIR", "write to DIR (default: merged_profile)", TAKEN},
    {VERBOSE, 'v', "verbose", NULL, "print the names of the files read", TAKEN},
    {WEIGHTS, 'w', "weight", "W1,W2",
     "count the first folder W1 times, the second one W2 times; 0 ignores it", TAKEN},
    {0},
};

static const struct option_spec stream_options[] = {
    {VERBOSE, 'v', "verbose", NULL, "print the names of the files read", TAKEN},
    {WEIGHTS, 'w', "weight", "W1,W2",
     "count the existing files W1 times, the stream W2 times; 0 ignores it", TAKEN},
    {0},
};

static const struct option_spec rewrite_options[] = {
    {NORMALIZE, 'n', "normalize", "N", "scale all counts so that the largest one of an arc is N",
     TAKEN},
    {OUTPUT, 'o', "output", "DIR", "write to DIR (default: rewrite_profile)", TAKEN},
    {SCALE, 's', "scale", "FACTOR",
     "multiply all counts by FACTOR, a number such as 0.5 or a fraction such as 2/3", TAKEN},
    {VERBOSE, 'v', "verbose", NULL, "print the names of the files read", TAKEN},
    {0},
};

static const struct option_spec overlap_options[] = {
    {FUNCTIONS, 'f', "function", NULL, "list the functions", TAKEN},
    {FULL_NAMES, 'F', "fullname", NULL, "print full paths of files", TAKEN},
    {ONLY_HOT, 'h', "hotonly", NULL, "list only hot functions and files", TAKEN},
    {OBJECTS, 'o', "object", NULL, "list the files", TAKEN},
    {THRESHOLD, 't', "hot_threshold", "SHARE",
     "treat functions and files with this share of all counts as hot (default: 0.005)", TAKEN},
    {VERBOSE, 'v', "verbose", NULL, "print the names of the files read", TAKEN},
    {0},
};

static const struct subcommand subcommands[] = {
    {{.name = "merge",
      .operands = "DIR1 DIR2",
      .summary = "merge two profiles",
      .description = "Merges the counter files (gcda) of two folders, file by file.",
      .options = merge_options,
      .examples = "",
      .see_also = "",
      .run = run_subcommand,
      .usage_status = EXIT_FAILED,
      .stands_in = true,
      .last_counts = true},
     2,
     2,
     gcov_tool_merge},
    {{.name = "merge-stream",
      .operands = "[FILE]",
      .summary = "merge a stream into the counter files that it names",
      .description =
          "Merges the output of __gcov_filename_to_gcfn() and __gcov_info_to_gcda() in a "
          "freestanding program into the counter files that it names. Without FILE, it reads "
          "standard input.",
      .options = stream_options,
      .examples = "",
      .see_also = "",
      .run = run_subcommand,
      .usage_status = EXIT_FAILED,
      .stands_in = true,
      .last_counts = true},
     0,
     1,
     merge_stream},
    {{.name = "rewrite",
      .operands = "DIR",
      .summary = "change the counts of a profile",
      .description = "Multiplies the counts of all counter files (gcda) in a folder.",
      .options = rewrite_options,
      .examples = "",
      .see_also = "",
      .run = run_subcommand,
      .usage_status = EXIT_FAILED,
      .stands_in = true,
      .last_counts = true},
     1,
     1,
     rewrite},
    {{.name = "overlap",
      .operands = "DIR1 DIR2",
      .summary = "show how similar two profiles are",
      .description = "Adds up, for each arc, the smaller of its shares of all counts in the two "
                     "profiles. The exit status is 1 if nothing overlaps.",
      .options = overlap_options,
      .examples = "",
      .see_also = "",
      .run = run_subcommand,
      .usage_status = EXIT_FAILED,
      .stands_in = true,
      .last_counts = true},
     2,
     2,
     gcov_tool_overlap},
};

enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static const struct subcommand *subcommand_of(const struct command *command)
{
    size_t i = 0;
    while (&subcommands[i].command != command)
        i++;
    return &subcommands[i];
}

/* ---- the personality ---- */

static bool is_one_of(const char *word, const char *letter, const char *name)
{
    return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

static int run(const struct command *command, int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < SUBCOMMANDS; i++) {
        if (strcmp(argv[1], subcommands[i].command.name) != 0)
            continue;
        return run_subcommand(&subcommands[i].command, argc - 1, argv + 1);
    }
    if (argc > 1 && is_one_of(argv[1], "-h", "--help")) {
        print_help(command);
        return EXIT_DONE;
    }
    if (argc > 1 && is_one_of(argv[1], "-v", "--version")) {
        printf("anneal %s, in place of gcov-tool\n", an_version());
        return EXIT_DONE;
    }
    say_error("expected merge, merge-stream, rewrite or overlap%s%s", argc > 1 ? ", not " : "",
              argc > 1 ? argv[1] : "");
    return EXIT_FAILED;
}

static const struct option_spec options[] = {
    {VERBOSE, 'v', "version", NULL, "print the version and exit", TAKEN},
    {0},
};

const struct command command_gcov_tool = {
    .name = "gcov-tool",
    .operands = "COMMAND [ARGUMENT]...",
    .summary = "drop-in replacement for GCC's gcov-tool",
    .description =
        "Takes the options of gcov-tool and prints what gcov-tool prints. Counter files may be "
        "of any GCC from 4.7 on, in either byte order. A link named gcov-tool to anneal does the "
        "same.\n\n"
        "'merge DIR1 DIR2' merges the counter files (gcda) of two folders file by file, 'rewrite "
        "DIR' multiplies counts, 'overlap DIR1 DIR2' shows how similar two profiles are, and "
        "'merge-stream [FILE]' merges the output of a freestanding program into the files that "
        "it names. The first two replace all counter files of the output folder: merged_profile "
        "or rewrite_profile, or that of -o. 'gcov-tool COMMAND --help' lists the options.\n\n"
        "It differs from gcov-tool in these points: a file that is damaged, or from another "
        "build than its counterpart, is refused with a message, and nothing is written; weights "
        "also apply to runs and frequent values; frequent values are scaled, too, where "
        "gcov-tool ends with an internal error; --normalize, which has no effect in gcov-tool, "
        "works; the overlap is computed, where gcov-tool has divided by zero since GCC 9; "
        "functions are compared by identity; options that require numbers refuse other words; no "
        "input is deleted because it is inside the output folder; --verbose names the files but "
        "no functions.",
    .options = options,
    .examples = "anneal gcov-tool merge -o total -w 3,1 run1 run2\n"
                "    merge two runs, the first one counting three times\n"
                "anneal gcov-tool rewrite -s 1/2 -o half total\n"
                "    halve all counts\n"
                "anneal gcov-tool overlap -o monday tuesday\n"
                "    show how similar two profiles are, file by file\n",
    .see_also = "anneal-merge(1), anneal-diff(1), gcov-tool(1)",
    .run = run,
    .stands_in = true,
    .response = RESPONSE_OF_GCC,
    .last_counts = true,
};
