/* The command line of a merge, under whatever names a command has its options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "family.h"
#include "fdata_merging.h"
#include "gcc_convert.h"
#include "gcc_merging.h"
#include "gcc_modules.h"
#include "llvm_personality.h"
#include "merging.h"
#include "output.h"

static bool parse_failure_mode(const struct command *command, const char *text,
                               enum an_llvm_failure_mode *mode)
{
    static const char *const words[] = {"any", "all", "warn", NULL};
    int choice = option_choice(command, "failure-mode", text, words);
    if (choice >= 0)
        *mode = (enum an_llvm_failure_mode)choice;
    return choice >= 0;
}

/* An input that is added when all options are known. */
struct given {
    int id;
    const char *value;
};

static bool take(struct merge_request *request, const struct command *command, int id,
                 const char *value)
{
    unsigned long long number = 0;
    switch (id) {
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
        if (!option_number_of(command, id, value, 1024, &number))
            return false;
        request->merge.threads = (unsigned)number;
        return true;
    case MERGE_FAILURE_MODE:
        return parse_failure_mode(command, value, &request->merge.failure_mode);
    case MERGE_FORMAT_VERSION:
        if (!option_range(command, id, value, AN_LLVM_OLDEST_WRITTEN, AN_LLVM_DEFAULT_VERSION,
                          &number))
            return false;
        request->write.format_version = (unsigned)number;
        return true;
    case MERGE_PREVIOUS_VERSION:
        request->write.format_version = 11;
        return true;
    case MERGE_LEDGER:
        request->ledger = value;
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
    case MERGE_RESERVOIR:
        if (!option_number_of(command, id, value, 1u << 30, &number))
            return false;
        request->merge.trace_reservoir = number;
        return true;
    case MERGE_TRACE_LENGTH:
        if (!option_number_of(command, id, value, 1u << 30, &number))
            return false;
        request->merge.trace_length = number;
        return true;
    case MERGE_TRACE_SEED:
        if (!option_range(command, id, value, 1, UINT32_MAX, &number))
            return false;
        request->merge.trace_seed = (uint32_t)number;
        return true;
    case MERGE_DUMP_INPUTS:
        request->dump_inputs = true;
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

static int convert_llvm(struct merge_request *request)
{
    const struct an_gcc_convert_options *gcc = &request->convert;
    if (!gcc->major && gcc->order == AN_GCC_ORDER_KEPT)
        return merge_run(request);
    say_error("%s applies only to GCC profiles (gcda)", gcc->major ? "--gcc-version"
                                                        : gcc->order == AN_GCC_BIG_ENDIAN
                                                            ? "--big-endian"
                                                            : "--little-endian");
    return EXIT_USAGE;
}

static int merge_inputs(struct merge_request *request, bool nothing_named)
{
    if (request->inputs.count == 0 && !request->inputs.failed && nothing_named && !request->as_llvm)
        gcc_modules_add_cores(&request->inputs);
    if (request->inputs.failed)
        return EXIT_FAILED;
    if (request->inputs.count == 0) {
        say_error("no inputs (name profiles, or folders that hold some)");
        return request->as_llvm || !nothing_named ? EXIT_FAILED : EXIT_USAGE;
    }
    for (size_t i = 0; request->dump_inputs && i < request->inputs.count; i++)
        printf("%llu,%s\n", (unsigned long long)request->inputs.items[i].weight,
               request->inputs.items[i].path);
    if (request->dump_inputs)
        return EXIT_DONE;
    enum family family = request->as_llvm ? FAMILY_LLVM : inputs_family(&request->inputs);
    if (request->one_input && family == FAMILY_FDATA) {
        say_error("%s: is a BOLT profile (fdata), of which there is one format only",
                  input_name(request->inputs.items[0].path));
        return EXIT_FAILED;
    }
    if (request->one_input)
        return family == FAMILY_GCDA ? gcc_convert(request) : convert_llvm(request);
    return family == FAMILY_FDATA  ? fdata_merge_run(request)
           : family == FAMILY_GCDA ? gcc_merge_run(request)
                                   : merge_run(request);
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

int merge_command(const struct command *command, int argc, char **argv,
                  struct merge_request *request)
{
    struct given *given = calloc((size_t)argc + 1, sizeof *given);
    struct option_parser parser;
    const char *value;
    size_t count = 0;
    int id, status = request->as_llvm ? EXIT_FAILED : EXIT_USAGE;
    if (!option_start(&parser, command, argc, argv) || !given)
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0) {
        if (id == MERGE_WEIGHTED && !inputs_weight_is_right(value))
            break;
        if (id == MERGE_WEIGHTED || id == MERGE_INPUT_FILES)
            given[count++] = (struct given){id, value};
        else if (!take(request, command, id, value))
            break;
    }
    if (id == OPTION_HELP) {
        status = EXIT_DONE;
    } else if (id == OPTION_END && (!request->one_input || one_file(&parser))) {
        add_inputs(&request->inputs, &parser, given, count);
        status = merge_inputs(request, parser.operand_count + count == 0);
    }
    option_finish(&parser);
    free(given);
    inputs_free(&request->inputs);
    return status;
}
