/*
 * The merge-gcda personality: what the software kit of a multi-core board calls its merge of GCC's counter
 * files, with its three forms and its options.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <anneal/version.h>

#include "command.h"
#include "gcc_merging.h"
#include "gcc_modules.h"

enum { OUTPUT = 1, FACTORS, LEDGER, QUIET, VERSION };

static const struct option_spec options[] = {
    {OUTPUT, 'o', "output", "OUTPUT",
     "of files: write the result to this file; else write the results below this folder"},
    {FACTORS, 'f', "factors", "F1:F2:...",
     "count the first file, folder or core F1 times, the second one F2 times, and so on (default: "
     "once); fractions such as 0.5 and 2/3 will do"},
    {LEDGER, 0, "ledger", "FILE", "write what became of each input to FILE, as JSON"},
    {QUIET, 'q', "quiet", NULL, "print errors only"},
    {VERSION, 0, "version", NULL, "print the version"},
    {0},
};

static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Files without an -o: the first one's name without its number, unless that is one of them. */
static bool name_output(const struct inputs *inputs, char **name)
{
    const char *first = inputs->items[0].path;
    *name = strndup(first, gcc_modules_stem(first));
    for (size_t i = 0; *name && i < inputs->count; i++)
        if (is_same_file(*name, inputs->items[i].path)) {
            say_error("%s: is an input, and would be replaced (-o FILE names another place)",
                      *name);
            return false;
        }
    if (!*name)
        say_error("out of memory");
    return *name != NULL;
}

static int merge(struct merge_request *request)
{
    const struct inputs *inputs = &request->inputs;
    char *name = NULL;
    int status = EXIT_USAGE;
    if (inputs->failed)
        return EXIT_FAILED;
    if (inputs->count == 0) {
        say_error("no files MODULE.gcda0, MODULE.gcda1, ... here (name files, or folders of them)");
        return EXIT_USAGE;
    }
    if (!request->output && !inputs->are_cores && inputs->roots[0] == 0) {
        if (!name_output(inputs, &name)) {
            free(name);
            return EXIT_USAGE;
        }
        request->output = name;
    } else if (!request->output) {
        request->output = inputs->are_cores ? "-" : ".";
    }
    status = gcc_merge_run(request);
    free(name);
    return status;
}

static void take(struct merge_request *request, int id, const char *value, bool *version)
{
    if (id == OUTPUT)
        request->output = request->inputs.output = value;
    if (id == FACTORS)
        request->factors = value;
    if (id == LEDGER)
        request->ledger = value;
    if (id == QUIET)
        request->tells_files = !(request->quiet = true);
    if (id == VERSION)
        *version = true;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct merge_request request = {.tells_files = true};
    struct option_parser parser;
    const char *value;
    bool version = false;
    int id, status = EXIT_USAGE;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0)
        take(&request, id, value, &version);
    if (id == OPTION_END && version) {
        printf("anneal %s, in the place of merge-gcda\n", an_version());
    } else if (id == OPTION_END) {
        for (size_t i = 0; i < parser.operand_count && !request.inputs.failed; i++)
            inputs_add(&request.inputs, parser.operands[i], 1);
        if (parser.operand_count == 0)
            gcc_modules_add_cores(&request.inputs);
        status = merge(&request);
    }
    if (id == OPTION_HELP || (id == OPTION_END && version))
        status = EXIT_DONE;
    option_finish(&parser);
    inputs_free(&request.inputs);
    return status;
}

const struct command command_merge_gcda = {
    .name = "merge-gcda",
    .operands = "[FILE...|FOLDER...]",
    .summary = "take the place of merge-gcda, for the cores of a board",
    .description =
        "Merges GCC's counter files (gcda) in one of three forms. Files become one; without -o it "
        "has "
        "the name of the first one without the number at its end. Folders, one for each run, are "
        "merged file by file: what has the same name below each of them becomes one file of that "
        "name in the present folder, or in that of -o. When nothing is named, the files "
        "MODULE.gcda0, MODULE.gcda1 and so on of the present folder, which the cores of a board "
        "left, become MODULE.gcda for each module. A link named merge-gcda to anneal does the "
        "same.\n\n"
        "Factors weigh runs. Those that are fractions become whole numbers that stand to each "
        "other "
        "alike, as 0.5:2 becomes 1:4: divided counts would not add up any more, and GCC would "
        "take the profile for damaged.\n\n"
        "A file that is damaged or of another build is refused, with the function that tells, and "
        "then nothing is written; nor is a result ever put in the place of an input that it was "
        "not told to replace.",
    .options = options,
    .examples = "merge-gcda\n"
                "    merges what all cores left, module by module\n"
                "merge-gcda -o total -f 3:1 run1 run2\n"
                "    merges two runs, the first one counting three times, below total\n"
                "merge-gcda a.gcda0 a.gcda7\n"
                "    merges two cores into a.gcda\n",
    .see_also = "anneal-merge(1), gcov-tool(1)",
    .run = run,
};
