/* anneal bat: BOLT's address translation tables, for people and for scripts. */
#include "bat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/output.h"

enum {
    DUMP_ALL = 1,
    TRANSLATE,
    FROM_ORIGINAL,
    FUNCTION,
    MAKE_MAP,
    EMBED,
    SHOW_MAP,
    JSON,
    OUTPUT,
};

static const struct option_spec options[] = {
    {DUMP_ALL, 'a', "dump-all", NULL, "print all tables, as llvm-bat-dump does",
     VALUE_OF(struct bat_request, dump_all)},
    {FUNCTION, 0, "function", "NAME|ADDRESS", "print the tables of this function",
     VALUE_OF(struct bat_request, function)},
    {TRANSLATE, 0, "translate", "ADDRESS",
     "translate an address of the BOLTed binary to the original, as llvm-bat-dump does; may be "
     "repeated",
     TAKEN_EACH},
    {FROM_ORIGINAL, 0, "from-original", "ADDRESS",
     "translate an address of the original binary to the BOLTed one (requires a function map); "
     "may be repeated",
     TAKEN_EACH},
    {MAKE_MAP, 'm', "function-map", NULL,
     "make the function map of two binaries: the one that llvm-bolt read and the one it wrote",
     VALUE_OF(struct bat_request, make_map)},
    {EMBED, 'e', "embed", NULL,
     "with --function-map: write a copy of the BOLTed binary with the map in it, instead of the "
     "map alone",
     VALUE_OF(struct bat_request, embed)},
    {SHOW_MAP, 0, "show-function-map", NULL, "print the function map in a binary or a file",
     VALUE_OF(struct bat_request, show_map)},
    JSON_ROWS(JSON, "print JSON", VALUE_OF(struct bat_request, json)),
    {OUTPUT, 'o', "output", "FILE", "write to FILE", VALUE_OF(struct bat_request, output)},
    {0},
};

static const struct option_rule rules[] = {
    {ALONE, MAKE_MAP, {EMBED, OUTPUT}, {0}},
    {ALONE, SHOW_MAP, {JSON, OUTPUT}, {0}},
    {NEEDS, EMBED, {MAKE_MAP}, {0}},
    {EXCLUDES, DUMP_ALL, {FUNCTION}, {0}},
    {0},
};

static bool take_address(uint64_t *addresses, size_t *count, const char *option, const char *text)
{
    if (*count == MOST_ADDRESSES) {
        say_error("--%s: more than %d addresses", option, MOST_ADDRESSES);
        return false;
    }
    if (bat_number(text, &addresses[*count])) {
        ++*count;
        return true;
    }
    say_error("--%s=%s: not an address", option, text);
    return false;
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct bat_request *request = values;
    (void)command;
    if (id == TRANSLATE)
        return take_address(request->translate, &request->translate_count, "translate", value);
    return take_address(request->originals, &request->original_count, "from-original", value);
}

static int by_address(const void *left, const void *right)
{
    const struct bat_symbol *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Of several symbols at one address the last is known, and undefined ones count as 0: all as in
 * llvm-bat-dump. */
static bool load_symbols(struct bat_file *file, struct an_error *error)
{
    const struct an_elf_symbol *symbols;
    size_t count, kept = 0;
    if (an_elf_symbols(file->elf, &symbols, &count, error) != AN_OK)
        return false;
    file->symbols = calloc(count + 1, sizeof *file->symbols);
    if (!file->symbols) {
        *error = (struct an_error){.code = AN_NO_MEMORY, .offset = AN_NO_OFFSET};
        snprintf(error->what, sizeof error->what, "out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (symbols[i].type == STT_FUNC)
            file->symbols[kept++] = (struct bat_symbol){symbols[i].address, symbols[i].name, i};
    if (kept)
        qsort(file->symbols, kept, sizeof *file->symbols, by_address);
    for (size_t i = 0; i < kept; i++) {
        size_t last = file->symbol_count;
        if (last && file->symbols[last - 1].address == file->symbols[i].address)
            file->symbols[last - 1] = file->symbols[i];
        else
            file->symbols[file->symbol_count++] = file->symbols[i];
    }
    return true;
}

static bool load_map(struct bat_file *file, bool is_needed, struct an_error *error)
{
    if (!is_needed && !an_elf_section(file->elf, AN_FUNCMAP_SECTION))
        return true;
    if (an_funcmap_open(file->elf, &file->map, error) != AN_OK)
        return false;
    return !is_needed || an_bat_reverse_build(file->bat, file->map, &file->reverse, error) == AN_OK;
}

static void unload(struct bat_file *file)
{
    an_bat_reverse_free(file->reverse);
    an_funcmap_free(file->map);
    an_bat_free(file->bat);
    an_elf_close(file->elf);
    free(file->symbols);
}

static int print(const struct bat_request *request, const char *path)
{
    struct bat_file file = {.path = path};
    struct an_error error;
    int status = EXIT_FAILED;
    if (an_elf_open(path, &file.elf, &error) != AN_OK ||
        an_bat_open(file.elf, &file.bat, &error) != AN_OK || !load_symbols(&file, &error) ||
        !load_map(&file, request->original_count != 0, &error)) {
        report_error(&error);
    } else if (redirect_start(request->output)) {
        int printed = (request->json ? bat_print_json : bat_print_text)(request, &file);
        if (redirect_finish(printed == EXIT_DONE))
            status = EXIT_DONE;
    }
    unload(&file);
    return status;
}

static int act(void *values, const struct option_parser *parser)
{
    const struct bat_request *request = values;
    size_t expected = request->make_map ? 2 : 1;
    if (parser->operand_count != expected) {
        say_error("expected %s, got %zu",
                  request->make_map ? "the original and the BOLTed binary" : "one BOLTed binary",
                  parser->operand_count);
        return EXIT_USAGE;
    }
    if (request->make_map)
        return bat_make_map(request, parser->operands[0], parser->operands[1]);
    if (request->show_map)
        return bat_show_map(request, parser->operands[0]);
    return print(request, parser->operands[0]);
}

static int run(const struct command *command, int argc, char **argv)
{
    static struct bat_request request;
    request = (struct bat_request){0};
    return option_run(command, argc, argv, &request, take, act);
}

const struct command command_bat = {
    .name = "bat",
    .operands = "[ORIGINAL] BOLTED",
    .summary = "show BOLT's address translation, and make function maps",
    .description =
        "Shows the address translation (BAT) that llvm-bolt --enable-bat leaves in a binary, as "
        "written by LLVM 13 and later. Without options, it prints a summary.\n\n"
        "With --function-map, it finds where the functions of a BOLTed binary were in the "
        "original one. The map completes the translation: with it, addresses translate between "
        "the two binaries in both directions.",
    .options = options,
    .rules = rules,
    .examples = "anneal bat --dump-all app.bolt\n"
                "    print what llvm-bat-dump --dump-all prints\n"
                "anneal bat --function=main app.bolt\n"
                "    show the tables of main and of its cold part\n"
                "anneal bat --function-map app app.bolt -o app.mapped --embed\n"
                "    write a copy of app.bolt that has the function map in it\n"
                "anneal bat --from-original=0x401234 app.mapped\n"
                "    find where that instruction of app is in app.bolt\n",
    .see_also = "anneal-aggregate(1), anneal-translate(1), llvm-bolt(1)",
    .run = run,
};
