/*
 * The merge-gcda personality: what the software kit of a multi-core board calls its merge of GCC's counter
 * files, with its three forms and its options.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <anneal/version.h>

#include "cli/core/command.h"
#include "cli/family/gcc_merging.h"
#include "cli/family/gcc_modules.h"

enum { OUTPUT = 1, FACTORS, LEDGER, QUIET, VERSION };

struct request {
    struct merge_request merge;
    bool version;
};

static const struct option_spec options[] = {
    {OUTPUT, 'o', "output", "OUTPUT",
     "write the result of files to this file, other results below this folder", TAKEN},
    {FACTORS, 'f', "factors", "F1:F2:...",
     "count the first file, folder or core F1 times, the second one F2 times, and so on "
     "(default: once); fractions such as 0.5 and 2/3 are allowed",
     VALUE_OF(struct request, merge.factors)},
    {LEDGER, 0, "ledger", "FILE", "write what became of each input to FILE, as JSON",
     VALUE_OF(struct request, merge.ledger)},
    QUIET_ROW(QUIET, TAKEN),
    {VERSION, 0, "version", NULL, "print the version", VALUE_OF(struct request, version)},
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
            say_error("%s: is an input and would be replaced (name another file with -o)", *name);
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

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct request *request = values;
    (void)command;
    if (id == OUTPUT)
        request->merge.output = request->merge.inputs.output = value;
    else if (id == QUIET)
        request->merge.tells_files = !(request->merge.quiet = true);
    return true;
}

static int act(void *values, const struct option_parser *parser)
{
    struct request *request = values;
    struct inputs *inputs = &request->merge.inputs;
    if (request->version) {
        printf("anneal %s, in place of merge-gcda\n", an_version());
        return EXIT_DONE;
    }
    for (size_t i = 0; i < parser->operand_count && !inputs->failed; i++)
        inputs_add(inputs, parser->operands[i], 1);
    if (parser->operand_count == 0)
        gcc_modules_add_cores(inputs);
    return merge(&request->merge);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct request request = {.merge = {MERGE_SIZES, .tells_files = true}};
    int status = option_run(command, argc, argv, &request, take, act);
    inputs_free(&request.merge.inputs);
    return status;
}

const struct command command_merge_gcda = {
    .name = "merge-gcda",
    .operands = "[FILE...|DIR...]",
    .summary = "drop-in replacement for merge-gcda, for the cores of a board",
    .description =
        "Merges GCC's counter files (gcda) in one of three ways. Files become one; without -o, "
        "it has the name of the first file without the number at its end. From folders, one for "
        "each run, files of the same name are merged into a file of that name in the current "
        "folder, or in that of -o. Without operands, the files MODULE.gcda0, MODULE.gcda1 and so "
        "on of the current folder, from the cores of a board, become MODULE.gcda for each "
        "module. A link named merge-gcda to anneal does the same.\n\n"
        "Factors are the weights of runs. Fractions become whole numbers in the same ratio, such "
        "as 1:4 for 0.5:2: divided counts would no longer add up, and GCC would take the profile "
        "for damaged.\n\n"
        "A file that is damaged or from another build is refused, with the name of a function "
        "that proves it, and nothing is written. A result never replaces an input, unless that "
        "was asked for.",
    .options = options,
    .examples = "merge-gcda\n"
                "    merge the files of all cores, module by module\n"
                "merge-gcda -o total -f 3:1 run1 run2\n"
                "    merge two runs, the first one counting three times, below total\n"
                "merge-gcda a.gcda0 a.gcda7\n"
                "    merge two cores into a.gcda\n",
    .see_also = "anneal-merge(1), gcov-tool(1)",
    .run = run,
    .stands_in = true,
};
