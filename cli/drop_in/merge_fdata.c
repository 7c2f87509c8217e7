/*
 * The merge-fdata personality: the options of LLVM 19's tool, its sentences and its exit codes, so
 * that anneal drops into scripts that call it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/fdata.h>
#include <anneal/version.h>

#include "base/file.h"
#include "cli/core/command.h"
#include "cli/core/memory.h"
#include "cli/core/output.h"
#include "cli/family/fdata_merging.h"
#include "merge_fdata_yaml.h"

enum { OUTPUT = 1, QUIET, PRINT, VERSION };

struct request {
    const char *output;
    struct inputs inputs;
    bool version, quiet;
    enum merge_fdata_print print;
};

static const struct option_spec options[] = {
    {OUTPUT, 'o', "o", "FILE", "write the result to FILE (default: standard output)", TAKEN},
    {QUIET, 'q', "q", NULL, "write no YAML profile; ignored for fdata, as in merge-fdata",
     VALUE_OF(struct request, quiet)},
    {PRINT, 0, "print", "WHAT",
     "list functions by exec (executions) or branches, or none, on stderr; ignored for fdata, as "
     "in merge-fdata",
     TAKEN},
    {VERSION, 0, "version", NULL, "print the version", VALUE_OF(struct request, version)},
    {0},
};

/* Operands are lists with commas. */
static bool add_operands(struct inputs *inputs, char **operands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (char *rest = operands[i], *path; (path = strsep(&rest, ",")) && !inputs->failed;)
            if (*path)
                inputs_add(inputs, path, 1);
    return !inputs->failed;
}

static void complain(const struct an_ledger *ledger, const struct an_error *error)
{
    char text[2048];
    bool told = false;
    for (size_t i = 0; ledger && i < ledger->count; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        if (entry->status != AN_INPUT_REJECTED || !entry->error)
            continue;
        told = true;
        if (merge_fdata_is_yaml(entry->path))
            merge_fdata_refuse_mixture(entry->path);
        else
            say_error("%s", an_error_format(entry->error, text, sizeof text));
    }
    if (!told)
        report_error(error);
}

static int write_profile(const struct request *request, const struct an_fdata_profile *profile)
{
    size_t size;
    if (!write_pieces(request->output, fdata_write, profile, &size))
        return EXIT_FAILED;
    fprintf(stderr, "Profile from %zu files merged.\n", request->inputs.count);
    return EXIT_DONE;
}

static int merge(const struct request *request)
{
    static const struct an_fdata_merge_options as_the_peer = {.size = sizeof as_the_peer,
                                                              .whole_lines = true};
    struct an_fdata_input *inputs = fdata_inputs(&request->inputs);
    struct an_fdata_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    int status = EXIT_FAILED;
    if (!inputs) {
        say_error("out of memory");
        return EXIT_FAILED;
    }
    fprintf(stderr, "Using legacy profile format.\n");
    memory_give_back();
    if (an_fdata_merge(&as_the_peer, inputs, request->inputs.count, &profile, &ledger, &error) ==
        AN_OK)
        status = write_profile(request, profile);
    else
        complain(ledger, &error);
    an_fdata_profile_free(profile);
    an_ledger_free(ledger);
    free(inputs);
    return status;
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    static const char *const lists[] = {
        [PRINT_NONE] = "none", [PRINT_EXECUTIONS] = "exec", [PRINT_BRANCHES] = "branches"};
    struct request *request = values;
    (void)command;
    if (id == OUTPUT)
        request->output = *value ? value : "-";
    if (id != PRINT)
        return true;
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(value, lists[i]) == 0) {
            request->print = i;
            return true;
        }
    fprintf(stderr, "%s: for the --print option: Cannot find option named '%s'!\n", program_name,
            value);
    return false;
}

static int run_operands(struct request *request, const struct option_parser *parser)
{
    if (parser->operand_count == 0) {
        fprintf(stderr,
                "%s: Not enough positional command line arguments specified!\nMust specify at "
                "least 1 positional argument: See: %s --help\n",
                program_name, command_call(parser->command));
        return EXIT_FAILED;
    }
    if (!add_operands(&request->inputs, parser->operands, parser->operand_count))
        return EXIT_FAILED;
    if (request->inputs.count == 0) {
        say_error("no files in the folders");
        return EXIT_FAILED;
    }
    if (inputs_family(&request->inputs) == &family_yaml)
        return merge_fdata_yaml(&request->inputs, request->quiet ? NULL : request->output,
                                request->print);
    return merge(request);
}

static int act(void *values, const struct option_parser *parser)
{
    struct request *request = values;
    if (!request->version)
        return run_operands(request, parser);
    printf("anneal %s, in place of merge-fdata\n", an_version());
    return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct request request = {.output = "-", .inputs.take_everything = true};
    int status = option_run(command, argc, argv, &request, take, act);
    inputs_free(&request.inputs);
    return status;
}

const struct command command_merge_fdata = {
    .name = "merge-fdata",
    .operands = "FDATA...",
    .summary = "drop-in replacement for BOLT's merge-fdata",
    .description =
        "Takes the options of merge-fdata 19 for profiles in text form (fdata) or in YAML. Of "
        "fdata it writes the lines that merge-fdata writes, sorted; of YAML, what merge-fdata 21 "
        "to "
        "23 write. Folders are searched for files; an operand may be a comma-separated list. A "
        "link "
        "named merge-fdata to anneal does the same.\n\n"
        "In fdata, as in merge-fdata, everything before the last number of a line is the key, so a "
        "branch can have several lines with different numbers of mispredictions; 'anneal merge' "
        "makes "
        "one of them.\n\n"
        "It differs from merge-fdata in these points: every line is checked, and a file with a "
        "torn line is refused, with its name and the line number; profiles without branch "
        "records (no_lbr) can be merged; the output file is written as a whole or not at all, "
        "with its lines in order; a sum that is too large stays at 2^64 - 1. YAML profiles "
        "keep the header's dfs-order and hash-func, which merge-fdata 19 forgets; all targets of "
        "an indirect call count; new calls are in order; extern is added up; a text that "
        "profile-origin or profile-events has already is not added again.",
    .options = options,
    .examples = "ln -s anneal merge-fdata\n"
                "./merge-fdata -o app.fdata *.fdata\n",
    .see_also = "anneal-merge(1), anneal-show(1)",
    .run = run,
    .usage_status = EXIT_FAILED,
    .single_dash = true,
    .stands_in = true,
    .response = RESPONSE_OF_LLVM,
    .last_counts = true,
};
