/* anneal bat for people: the summary, the tables, the translations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bat.h"
#include "cli/core/output.h"

const struct bat_symbol *bat_symbol_below(const struct bat_file *file, uint64_t address)
{
    size_t low = 0, high = file->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &file->symbols[low - 1] : NULL;
}

const char *bat_name_at(const struct bat_file *file, uint64_t address)
{
    const struct bat_symbol *symbol = bat_symbol_below(file, address);
    return symbol && symbol->address == address ? symbol->name : NULL;
}

/* Functions and their cold fragments, each once, in the order in which they are asked for. */
struct families {
    const struct an_bat *bat;
    uint32_t *next;  /* for each fragment, the next one of its family + 1 */
    uint32_t *first; /* for each parent, the first of the others + 1 */
    bool *taken;     /* for each parent */
    size_t count;    /* of fragments that were taken */
    void (*take)(void *, const struct an_bat_function *);
    void *context;
};

static bool link_families(struct families *families)
{
    const struct an_bat *bat = families->bat;
    families->next = calloc(bat->function_count + 1, sizeof *families->next);
    families->first = calloc(bat->function_count + 1, sizeof *families->first);
    families->taken = calloc(bat->function_count + 1, sizeof *families->taken);
    if (!families->next || !families->first || !families->taken)
        return false;
    for (size_t i = bat->function_count; i-- > 0;) {
        uint32_t parent = bat->functions[i].parent;
        if (parent == i)
            continue;
        families->next[i] = families->first[parent];
        families->first[parent] = (uint32_t)i + 1;
    }
    return true;
}

static void release_families(struct families *families)
{
    free(families->next);
    free(families->first);
    free(families->taken);
}

/* Whichever fragment of a family is given. */
static void take_family(struct families *families, const struct an_bat_function *fragment)
{
    const struct an_bat_function *all = families->bat->functions;
    if (families->taken[fragment->parent])
        return;
    families->taken[fragment->parent] = true;
    families->take(families->context, &all[fragment->parent]);
    families->count++;
    for (uint32_t i = families->first[fragment->parent]; i; i = families->next[i - 1]) {
        families->take(families->context, &all[i - 1]);
        families->count++;
    }
}

static void take_named(struct families *families, const struct bat_file *file, const char *function)
{
    const struct an_elf_symbol *symbols;
    struct an_error error;
    size_t count;
    if (an_elf_symbols(file->elf, &symbols, &count, &error) != AN_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        if (symbols[i].type != STT_FUNC || strcmp(symbols[i].name, function) != 0)
            continue;
        const struct an_bat_function *fragment = an_bat_find(file->bat, symbols[i].address);
        if (fragment)
            take_family(families, fragment);
    }
}

size_t bat_select(const struct bat_file *file, const char *function,
                  void (*take)(void *context, const struct an_bat_function *fragment),
                  void *context)
{
    struct families families = {.bat = file->bat, .take = take, .context = context};
    uint64_t address;
    bool is_address = bat_number(function, &address);
    const struct an_bat_function *fragment =
        is_address ? an_bat_function_at(file->bat, address) : NULL;
    if (!link_families(&families))
        say_error("out of memory");
    else if (fragment)
        take_family(&families, fragment);
    else if (!is_address)
        take_named(&families, file, function);
    release_families(&families);
    return families.count;
}

struct dump {
    const struct an_bat *bat;
    struct an_buffer buffer;
};

static void dump_fragment(void *context, const struct an_bat_function *fragment)
{
    struct dump *dump = context;
    an_bat_dump_function(dump->bat, fragment, &dump->buffer);
}

static int flush(struct an_buffer *buffer)
{
    int status = EXIT_DONE;
    if (buffer->failed) {
        say_error("out of memory");
        status = EXIT_FAILED;
    } else {
        fwrite(buffer->data, 1, buffer->size, stdout);
    }
    an_buffer_free(buffer);
    return status;
}

/* The lines that BOLT's reader prints. */
static void print_parsed(const struct an_bat *bat)
{
    printf("BOLT-INFO: Parsed %zu BAT entries\n", bat->function_count);
    if (bat->encoding == AN_BAT_WORDS)
        printf("BOLT-INFO: Parsed %zu BAT cold-to-hot entries\n", bat->cold_count);
}

static int print_function(const struct bat_request *request, const struct bat_file *file)
{
    struct dump dump = {.bat = file->bat};
    if (bat_select(file, request->function, dump_fragment, &dump) == 0) {
        say_error("%s: no function '%s' that BOLT has translated", file->path, request->function);
        return EXIT_FAILED;
    }
    return flush(&dump.buffer);
}

static void print_translations(const struct bat_request *request, const struct bat_file *file)
{
    printf("Translating addresses according to parsed BAT tables:\n");
    for (size_t i = 0; i < request->translate_count; i++) {
        uint64_t address = request->translate[i];
        const struct bat_symbol *symbol = bat_symbol_below(file, address);
        if (!symbol) {
            printf("No function symbol found for 0x%llx\n", (unsigned long long)address);
            continue;
        }
        const struct an_bat_function *function = an_bat_find(file->bat, symbol->address);
        uint64_t offset = address - symbol->address;
        if (function)
            offset = an_bat_to_input(file->bat, function, offset, false);
        printf("0x%llx -> %s + 0x%llx\n", (unsigned long long)address, symbol->name,
               (unsigned long long)offset);
    }
}

static void print_originals(const struct bat_request *request, const struct bat_file *file)
{
    for (size_t i = 0; i < request->original_count; i++) {
        unsigned long long address = request->originals[i];
        uint64_t output;
        enum an_bat_found found = an_bat_from_input(file->reverse, address, false, &output);
        if (found == AN_BAT_FOUND)
            printf("0x%llx -> 0x%llx\n", address, (unsigned long long)output);
        else
            printf("0x%llx -> nowhere: %s\n", address,
                   found == AN_BAT_GONE ? "the block is gone" : "not in a known function");
    }
}

static void print_summary(const struct bat_file *file)
{
    const struct an_bat *bat = file->bat;
    size_t branches = 0;
    for (size_t i = 0; i < bat->entry_count; i++)
        branches += an_bat_entry_is_branch(bat->entries[i]);
    printf("Binary:          %s\n", file->path);
    printf("Written by:      %s\n", an_bat_encoding_name(bat->encoding));
    printf("Section size:    %s\n", as_size(an_elf_section(file->elf, AN_BAT_SECTION)->size));
    printf("Functions:       %s\n", with_commas(bat->function_count - bat->cold_count));
    printf("Cold fragments:  %s\n", with_commas(bat->cold_count));
    printf("Entries:         %s (%s branches)\n", with_commas(bat->entry_count),
           with_commas(branches));
    printf("Function map:    ");
    if (file->map)
        printf("%s records\n", with_commas(file->map->count));
    else
        printf("none\n");
}

int bat_print_text(const struct bat_request *request, const struct bat_file *file)
{
    int status = EXIT_DONE;
    if (request->dump_all || request->translate_count)
        print_parsed(file->bat);
    if (request->dump_all) {
        struct an_buffer buffer = {0};
        an_bat_dump(file->bat, &buffer);
        status = flush(&buffer);
    }
    if (status == EXIT_DONE && request->function)
        status = print_function(request, file);
    if (request->translate_count)
        print_translations(request, file);
    if (request->original_count)
        print_originals(request, file);
    if (!request->dump_all && !request->function && !request->translate_count &&
        !request->original_count)
        print_summary(file);
    return status;
}
