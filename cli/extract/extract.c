/* anneal extract */
#include <anneal/console.h>

#include <stdio.h>
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/output.h"
#include "extract.h"

enum { MOST_PARTS = 1000 };
enum { DIRECTORY = 1, OUTPUT, STRIP, LIST, REQUIRE, FORCE, JSON, QUIET };

static const struct option_spec options[] = {
    {DIRECTORY, 'C', "directory", "DIR", "write the files below DIR (default: the current folder)",
     VALUE_OF(struct extract_request, sink.directory)},
    {OUTPUT, 'o', "output", "FILE", "write the only file of the log to FILE (-: standard output)",
     VALUE_OF(struct extract_request, output)},
    {STRIP, 'p', "strip", "N", "strip N leading parts from names, as patch -p does",
     NUMBER_OF(struct extract_request, sink.strip, 0, MOST_PARTS)},
    {LIST, 'l', "list", NULL, "list the files, and write none",
     VALUE_OF(struct extract_request, list)},
    {REQUIRE, 0, "require-checksum", NULL, "set unverified files aside, as if they were damaged",
     VALUE_OF(struct extract_request, options.require_checksum)},
    {FORCE, 'f', "force", NULL, "replace existing files",
     VALUE_OF(struct extract_request, sink.force)},
    JSON_ROW(JSON, "print the list or the summary as JSON", VALUE_OF(struct extract_request, json)),
    QUIET_ROW(QUIET, VALUE_OF(struct extract_request, quiet)),
    {0},
};

static const struct option_rule rules[] = {
    {EXCLUDES, OUTPUT, {LIST, JSON, DIRECTORY, STRIP, FORCE}, {0}},
    {EXCLUDES, LIST, {DIRECTORY, STRIP, FORCE}, {0}},
    {0},
};

/* The only file of the log, to where the user said. */
static void write_one(const struct extract_request *request, const struct an_console *console,
                      struct extract_account *account)
{
    const struct an_console_file *file = an_console_file(console, 0);
    bool is_damaged = file->status == AN_CONSOLE_DAMAGED;
    struct extract_result result = {
        .file = file, .outcome = is_damaged ? AN_CONSOLE_NOTHING : AN_CONSOLE_WRITTEN};
    if (!is_damaged && !write_result(request->output, file->bytes, file->size, false))
        account->is_good = false;
    else
        extract_tell(request, account, &result);
    account->in_log = 1;
}

static void write_files(const struct extract_request *request, const struct an_console *console,
                        struct extract_account *account)
{
    size_t count = an_console_count(console);
    if (request->output && count > 1) {
        say_error("%s: found %s files; --output takes one", account->log, with_commas(count));
        say("--list shows them; without --output, all are written below a folder");
        account->in_log = count;
        account->is_good = false;
        return;
    }
    if (request->output && count == 1) {
        write_one(request, console, account);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct extract_result result = {.file = an_console_file(console, i)};
        if (!request->list)
            result.outcome = an_console_write(result.file, &request->sink, result.path,
                                              sizeof result.path, &result.error);
        extract_tell(request, account, &result);
    }
}

static bool extract_log(const struct extract_request *request, const char *path,
                        struct extract_account *account)
{
    struct an_console *console;
    struct an_error error;
    enum an_code code = an_console_read(&request->options, path, &console, &error);
    progress_clear();
    if (code != AN_OK) {
        report_error(&error);
        return false;
    }
    account->log = input_name(path);
    account->in_log = 0;
    write_files(request, console, account);
    extract_end_log(account, console);
    an_console_free(console);
    return true;
}

static int act(void *values, const struct option_parser *parser)
{
    struct extract_request *request = values;
    struct extract_account account = {.is_good = true};
    if (parser->operand_count == 0) {
        say_error("no log (name one, or - for standard input)");
        usage_hint(parser->command);
        return EXIT_USAGE;
    }
    if (!request->quiet)
        request->options.progress = progress_show;
    extract_begin(request, &account);
    for (size_t i = 0; i < parser->operand_count; i++)
        if (!extract_log(request, parser->operands[i], &account))
            account.is_good = false;
    extract_end(request, &account);
    return account.is_good ? EXIT_DONE : EXIT_FAILED;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct extract_request request = {.options = {.size = sizeof(struct an_console_options)},
                                      .sink.directory = "."};
    return option_run(command, argc, argv, &request, NULL, act);
}

const struct command command_extract = {
    .name = "extract",
    .operands = "LOG...",
    .summary = "extract files that a program printed on its console",
    .description =
        "A program on a machine without a file system prints its profiles on the console when it "
        "ends, uuencoded or as digits. This command finds them in the captured log: all files, "
        "between messages, prompts and other output, and from several processor cores at once if "
        "a prefix on each line identifies the core. LOG may be -, for standard input.\n\n"
        "A file is 'verified' if something in the log proves it: a line 'crc32 SUM SIZE NAME' "
        "after it, RTEMS' SHA-256, or a second, identical copy. Other files are 'not verified': "
        "they are well-formed, but uuencode has no checksum. A damaged file is reported with the "
        "line at fault, and what could be saved of it is kept as NAME.partial.\n\n"
        "Besides uuencode, also in base64 ('uuencode -m'), these formats are recognized: the "
        "stream of libgcov for freestanding programs, as hexadecimal digits, as the letters a to "
        "p, or as the base64 of RTEMS; and the dumps of Zephyr, NuttX and embedded-gcov. "
        "Absolute names in these are placed below DIR.\n\n"
        "The exit status is 0 if all files of the logs were extracted, and 1 if one is damaged, "
        "one was refused, or there was none.",
    .options = options,
    .rules = rules,
    .examples = "anneal extract session.log\n"
                "    extract the files of a captured session below this folder\n"
                "anneal extract -C profiles --require-checksum session.log\n"
                "    extract only files that a checksum verifies\n"
                "anneal extract --list --json session.log\n"
                "    list the files for a script\n"
                "uuencode -m queue.gcda queue.gcda | anneal extract -o - -\n"
                "    write a single file to standard output\n"
                "anneal merge -o queue.gcda obj/queue.gcda[0-9]*\n"
                "    then: merge the profiles of all cores\n",
    .see_also = "anneal-merge(1), uudecode(1), gcov-tool(1)",
    .run = run,
};
