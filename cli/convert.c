/* anneal convert */
#include <string.h>

#include "command.h"
#include "merging.h"

enum { OUTPUT = 1, SPARSE, TEXT, FORMAT_VERSION, QUIET };

static const struct option_spec options[] = {
    {OUTPUT, 'o', "output", "FILE", "write to FILE (default: -, the standard output)"},
    {TEXT, 't', "text", NULL, "write the text format"},
    {FORMAT_VERSION, 0, "format-version", "N",
     "write indexed version N, 5 to 12 (default: 12, for LLVM 19)"},
    {SPARSE, 0, "sparse", NULL, "leave out functions that never ran"},
    {QUIET, 'q', "quiet", NULL, "print errors only"},
    {0},
};

static int run(const struct command *command, int argc, char **argv)
{
    struct merge_request request = {.output = "-", .merge.keep_vtable_names = true};
    struct option_parser parser;
    const char *value;
    unsigned long long number = 0;
    int id, status = EXIT_USAGE;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0) {
        if (id == OUTPUT)
            request.output = value;
        else if (id == SPARSE)
            request.write.sparse = true;
        else if (id == TEXT)
            request.write.text = true;
        else if (id == QUIET)
            request.quiet = true;
        else if (!option_number(command, "format-version", value, 12, &number))
            break;
        else
            request.write.format_version = (unsigned)number;
    }
    if (id == OPTION_HELP) {
        status = EXIT_DONE;
    } else if (id == OPTION_END && number && number < AN_LLVM_OLDEST_WRITTEN) {
        say_error("--format-version=%llu: expected 5 to 12", number);
    } else if (id == OPTION_END && parser.operand_count != 1) {
        say_error("expected one profile to convert, got %zu", parser.operand_count);
    } else if (id == OPTION_END) {
        inputs_add(&request.inputs, parser.operands[0], 1);
        if (!request.inputs.failed && request.inputs.count != 1)
            say_error("%s: is a folder (anneal merge makes one profile of many)",
                      parser.operands[0]);
        else
            status = request.inputs.failed ? EXIT_FAILED : merge_run(&request);
    }
    option_finish(&parser);
    inputs_free(&request.inputs);
    return status;
}

const struct command command_convert = {
    .name = "convert",
    .operands = "PROFILE",
    .summary = "write a profile in another format or version",
    .description =
        "Reads any LLVM instrumentation profile and writes it as an indexed profile of any "
        "version from 5 to 12, or as text. What an older version cannot hold (MC/DC bitmaps, "
        "virtual tables, temporal traces, binary ids) is named when it is left out.",
    .options = options,
    .examples = "anneal convert --text app.profdata | less\n"
                "    read a profile\n"
                "anneal convert --format-version=7 -o old.profdata app.profdata\n"
                "    for clang 13 or 14\n",
    .see_also = "anneal-merge(1), anneal-show(1)",
    .run = run,
};
