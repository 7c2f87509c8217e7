/* The command line of a merge, under whatever names a command has its options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/core/amounts.h"
#include "cli/core/llvm_release.h"
#include "cli/core/output.h"
#include "cli/family/commands.h"
#include "cli/family/gcc_convert.h"
#include "cli/family/gcc_modules.h"
#include "llvm_refused.h"
#include "merge.h"

static bool parse_failure_mode(const struct command *command, const char *text,
                               enum an_failure_mode *mode)
{
    int choice = option_choice(command, "failure-mode", text, failure_modes);
    if (choice >= 0)
        *mode = (enum an_failure_mode)choice;
    return choice >= 0;
}

/* An input that is added when all options are known. */
struct given {
    int id;
    const char *value;
};

struct merging {
    struct merge_request *request;
    struct given *given;
    size_t given_count;
};

static void forget_lists(struct merging *merging)
{
    size_t kept = 0;
    for (size_t i = 0; i < merging->given_count; i++)
        if (merging->given[i].id != MERGE_INPUT_FILES)
            merging->given[kept++] = merging->given[i];
    merging->given_count = kept;
}

/* Of the option of a tool that takes one file, the last one counts. */
static void forget_correlating(const struct command *command, struct merge_request *request,
                               enum an_llvm_correlation_kind kind)
{
    size_t kept = 0;
    if (!command->last_counts)
        return;
    for (size_t i = 0; i < request->correlating_count; i++)
        if (request->correlating[i].kind != kind)
            request->correlating[kept++] = request->correlating[i];
    request->correlating_count = kept;
}

static void add_correlating(const struct command *command, struct merge_request *request, int id,
                            const char *path)
{
    enum an_llvm_correlation_kind kind = id == MERGE_BINARY_FILE  ? AN_LLVM_BY_BINARY
                                         : id == MERGE_DEBUG_INFO ? AN_LLVM_BY_DEBUG_INFO
                                                                  : AN_LLVM_MEMORY_OF;
    forget_correlating(command, request, kind);
    request->correlating[request->correlating_count++] = (struct correlating){kind, path};
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct merging *merging = values;
    struct merge_request *request = merging->request;
    unsigned long long number = 0;
    switch (id) {
    case MERGE_WEIGHTED:
    case MERGE_INPUT_FILES:
        if (id == MERGE_INPUT_FILES && command->last_counts)
            forget_lists(merging);
        merging->given[merging->given_count++] = (struct given){id, value};
        return id == MERGE_INPUT_FILES || request->as_llvm || inputs_weight_is_right(value);
    case MERGE_OUTPUT:
        request->output = request->inputs.output = value;
        return true;
    case MERGE_SPARSE:
        request->write.sparse = true;
        return true;
    case MERGE_TEXT:
        request->write.text = true;
        return true;
    case MERGE_THREADS:
        if (!option_number_of(command, id, value, MOST_THREADS, &number))
            return false;
        request->merge.threads = (unsigned)number;
        return true;
    case MERGE_FAILURE_MODE:
        return parse_failure_mode(command, value, &request->merge.failure_mode);
    case MERGE_FORMAT_VERSION:
        if (!option_range(command, id, value, AN_LLVM_OLDEST_WRITTEN, AN_LLVM_NEWEST_WRITTEN,
                          &number))
            return false;
        request->write.format_version = (unsigned)number;
        return true;
    case MERGE_FOR:
        request->compiler = value;
        return true;
    case MERGE_PREVIOUS_VERSION:
        request->write.format_version = 11;
        return true;
    case MERGE_LEDGER:
        request->ledger = value;
        return true;
    case MERGE_JSON:
        request->json = request->quiet = true;
        return true;
    case MERGE_FUNCTION:
        request->keep = value;
        return true;
    case MERGE_NO_FUNCTION:
        request->drop = value;
        return true;
    case MERGE_REMAPPING:
        request->remapping = value;
        return true;
    case MERGE_VTABLES:
        request->merge.keep_vtable_names = true;
        return true;
    case MERGE_BINARY_FILE:
    case MERGE_DEBUG_INFO:
    case MERGE_PROFILED_BINARY:
        add_correlating(command, request, id, value);
        return true;
    case MERGE_MEMORY_VERSION:
        if (!option_range(command, id, value, 0, AN_LLVM_NEWEST_MEMORY_VERSION, &number))
            return false;
        request->write.has_memory_version = true;
        request->write.memory_version_of_raw = false;
        request->write.memory_version = (unsigned)number;
        return true;
    case MERGE_MEMORY_FULL:
        request->write.memory_in_full = true;
        return true;
    case MERGE_RESERVOIR:
        if (!option_number_of(command, id, value, 1u << 30, &number))
            return false;
        request->merge.trace_reservoir = number ? number : AN_LLVM_NONE;
        return true;
    case MERGE_TRACE_LENGTH:
        if (!option_number_of(command, id, value, 1u << 30, &number))
            return false;
        request->merge.trace_length = number ? number : AN_LLVM_NONE;
        return true;
    case MERGE_TRACE_SEED:
        if (!option_range(command, id, value, 1, UINT32_MAX, &number))
            return false;
        request->merge.trace_seed = (uint32_t)number;
        return true;
    case MERGE_PARTIAL:
        request->merge.partial = true;
        return true;
    case MERGE_COUNT_COPIES:
        request->merge.count_copies = true;
        return true;
    case MERGE_DUMP_INPUTS:
        request->dump_inputs = true;
        return true;
    case MERGE_NO_FORMAT:
        request->no_format = true;
        return true;
    case MERGE_RESUME:
        request->resume = value;
        return true;
    case MERGE_QUIET:
        request->quiet = true;
        return true;
    case MERGE_GCC_VERSION:
        return gcc_convert_version(value, &request->convert);
    case MERGE_BIG_ENDIAN:
        request->convert.order = AN_GCC_BIG_ENDIAN;
        return true;
    case MERGE_LITTLE_ENDIAN:
        request->convert.order = AN_GCC_LITTLE_ENDIAN;
        return true;
    default:
        return !llvm_option_refused(id);
    }
}

/* Inputs come in LLVM's order: operands, weighted ones, lists. */
static void add_inputs(struct inputs *inputs, const struct option_parser *parser,
                       const struct given *given, size_t count)
{
    for (size_t i = 0; i < parser->operand_count && !inputs->failed; i++)
        inputs_add(inputs, parser->operands[i], 1);
    for (size_t i = 0; i < count && !inputs->failed; i++)
        if (given[i].id == MERGE_WEIGHTED)
            inputs_add_weighted(inputs, given[i].value);
    for (size_t i = 0; i < count && !inputs->failed; i++)
        if (given[i].id == MERGE_INPUT_FILES)
            inputs_add_list(inputs, given[i].value);
}

static int merge_inputs(struct merge_request *request, bool nothing_named)
{
    if (request->inputs.count == 0 && !request->inputs.failed && nothing_named && !request->as_llvm)
        gcc_modules_add_cores(&request->inputs);
    if (request->inputs.failed)
        return EXIT_FAILED;
    if (request->inputs.count == 0 && request->as_llvm) {
        say_error("no input files specified. See %s merge -help", program_name);
        return EXIT_FAILED;
    }
    if (request->inputs.count == 0) {
        say_error("no inputs (name profiles, or folders that hold some)");
        return nothing_named ? EXIT_USAGE : EXIT_FAILED;
    }
    for (size_t i = 0; request->dump_inputs && i < request->inputs.count; i++)
        printf("%llu,%s\n", (unsigned long long)request->inputs.items[i].weight,
               request->inputs.items[i].path);
    if (request->dump_inputs)
        return EXIT_DONE;
    if (request->no_format) {
        say_error("unknown format is specified");
        return EXIT_FAILED;
    }
    const struct family *family = request->as_llvm ? &family_llvm : inputs_family(&request->inputs);
    const struct family_commands *commands = family_commands(family);
    /* It may be a program that has to be run: not for a request that is refused. */
    if (family == &family_llvm && request->compiler &&
        !llvm_release_of("for", request->compiler, &request->write.release))
        return EXIT_USAGE;
    if (request->write.release)
        request->merge.memory_release = request->write.release;
    if (request->spread)
        return request->spread(request, commands);
    return (request->one_input ? commands->convert : commands->merge)(request);
}

static bool one_file(const struct option_parser *parser)
{
    struct stat info;
    if (parser->operand_count != 1)
        say_error("expected one profile, got %zu", parser->operand_count);
    else if (stat(parser->operands[0], &info) == 0 && S_ISDIR(info.st_mode))
        say_error("%s: is a folder (use 'anneal merge' to make one profile of many)",
                  parser->operands[0]);
    else
        return true;
    return false;
}

static int act(void *values, const struct option_parser *parser)
{
    struct merging *merging = values;
    struct merge_request *request = merging->request;
    if (request->one_input && !one_file(parser))
        return EXIT_USAGE;
    add_inputs(&request->inputs, parser, merging->given, merging->given_count);
    return merge_inputs(request, parser->operand_count + merging->given_count == 0);
}

int merge_command(const struct command *command, int argc, char **argv,
                  struct merge_request *request)
{
    struct merging merging = {.request = request,
                              .given = calloc((size_t)argc + 1, sizeof(struct given))};
    int status = EXIT_FAILED;
    request->correlating = calloc((size_t)argc + 1, sizeof *request->correlating);
    if (merging.given && request->correlating)
        status = option_run(command, argc, argv, &merging, take, act);
    else
        say_error("out of memory");
    free(merging.given);
    free(request->correlating);
    inputs_free(&request->inputs);
    return status;
}
