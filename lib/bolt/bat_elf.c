/*
 * BAT of a binary: its section, and what the symbols add to it.
 *
 * Symbols tell how large a fragment is: BOLT gives every fragment one, NAME or NAME.cold.N. They
 * also tell whose part a cold fragment is when the section does not (see bat_deltas.c):
 * NAME.cold.N stands in the symbol table right before the function NAME that it was cut from, but
 * local symbols are moved in front of global ones; so a NAME is looked for behind it first, and
 * among the global symbols then.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "bolt/bat.h"

struct symbols {
    const struct an_elf_symbol *all;
    size_t count;
};

static bool is_function(const struct an_elf_symbol *symbol)
{
    return symbol->type == STT_FUNC && symbol->section != SHN_UNDEF;
}

/* The range of what may be executed: all segments that are, first to last. */
static struct an_bat_range code_of(const struct an_elf *elf)
{
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(elf, &count);
    struct an_bat_range range = {UINT64_MAX, 0};
    for (size_t i = 0; i < count; i++) {
        const struct an_elf_segment *segment = &segments[i];
        uint64_t end;
        if (!(segment->flags & PF_X) ||
            __builtin_add_overflow(segment->address, segment->memory_size, &end))
            continue;
        if (segment->address < range.start)
            range.start = segment->address;
        if (end > range.end)
            range.end = end;
    }
    return range;
}

static void take_sizes(struct an_bat *bat, const struct symbols *symbols)
{
    uint32_t *size = an_alloc_zero(bat->function_count, sizeof *size);
    if (!size) /* the estimates remain */
        return;
    for (size_t i = 0; i < symbols->count; i++) {
        const struct an_elf_symbol *symbol = &symbols->all[i];
        if (!is_function(symbol))
            continue;
        const struct an_bat_function *function = an_bat_find(bat, symbol->address);
        if (function && symbol->size <= function->size &&
            symbol->size > size[function - bat->functions])
            size[function - bat->functions] = (uint32_t)symbol->size;
    }
    for (size_t i = 0; i < bat->function_count; i++)
        if (size[i])
            bat->functions[i].size = size[i];
    free(size);
}

/* The length of NAME in NAME.cold.N, NAME.cold and NAME.warm; 0 when it is none of these. */
static size_t base_length(const char *name)
{
    const char *end = NULL;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
        if ((strncmp(dot, ".cold", 5) == 0 || strncmp(dot, ".warm", 5) == 0) &&
            (dot[5] == '\0' || dot[5] == '.'))
            end = dot;
    return end ? (size_t)(end - name) : 0;
}

/* The hot fragment that a symbol other than that of a cold fragment names, or NULL. */
static const struct an_bat_function *named(const struct an_bat *bat,
                                           const struct an_elf_symbol *symbol)
{
    const struct an_bat_function *function =
        is_function(symbol) ? an_bat_find(bat, symbol->address) : NULL;
    return function && !function->is_cold ? function : NULL;
}

/* Global functions by their names; the value is an index in the symbols. */
static bool collect_globals(const struct an_bat *bat, const struct symbols *symbols,
                            struct an_names *names, uint32_t *numbers)
{
    for (size_t i = 0; i < symbols->count; i++) {
        const struct an_elf_symbol *symbol = &symbols->all[i];
        const struct an_bat_function *function = named(bat, symbol);
        if (!function || symbol->binding == STB_LOCAL)
            continue;
        bool is_new;
        size_t number = an_names_insert(names, symbol->name, strlen(symbol->name), &is_new);
        if (number == AN_NO_NAME)
            return false;
        numbers[number] = (uint32_t)(function - bat->functions);
    }
    return true;
}

/* The function whose symbol follows that of its cold fragment, or is a global one. */
static uint32_t parent_of(const struct an_bat *bat, const struct symbols *symbols, size_t place,
                          const struct an_names *names, const uint32_t *numbers)
{
    const char *name = symbols->all[place].name;
    size_t length = base_length(name);
    /* Other fragments of the same function stand between them; so may markers of data. */
    for (size_t i = place + 1; i < symbols->count && i < place + 8; i++) {
        const struct an_elf_symbol *symbol = &symbols->all[i];
        const struct an_bat_function *function = named(bat, symbol);
        if (strlen(symbol->name) == length && memcmp(symbol->name, name, length) == 0 && function)
            return (uint32_t)(function - bat->functions);
    }
    size_t number = an_names_find(names, name, length);
    return number == AN_NO_NAME ? UINT32_MAX : numbers[number];
}

static enum an_code find_parents(struct an_bat *bat, const struct symbols *symbols,
                                 struct an_error *error)
{
    struct an_names names = {0};
    uint32_t *numbers = an_alloc(symbols->count + 1, sizeof *numbers);
    bool done = numbers && collect_globals(bat, symbols, &names, numbers);
    for (size_t i = 0; done && i < symbols->count; i++) {
        const struct an_elf_symbol *symbol = &symbols->all[i];
        const struct an_bat_function *function =
            is_function(symbol) ? an_bat_find(bat, symbol->address) : NULL;
        if (!function || !function->is_cold || !base_length(symbol->name))
            continue;
        uint32_t parent = parent_of(bat, symbols, i, &names, numbers);
        if (parent != UINT32_MAX)
            bat->functions[function - bat->functions].parent = parent;
    }
    an_names_free(&names);
    free(numbers);
    return done ? AN_OK : an_fail_memory(error);
}

/* See bat_deltas.c: LLVM 18 is always wrong, LLVM 19 when a cold fragment lies before a hot one. */
static bool parents_are_doubtful(const struct an_bat *bat)
{
    bool after_cold = false;
    for (size_t i = 0; bat->encoding == AN_BAT_HASHES && i < bat->function_count; i++) {
        if (after_cold && !bat->functions[i].is_cold)
            return true;
        after_cold = after_cold || bat->functions[i].is_cold;
    }
    return bat->encoding == AN_BAT_DELTAS;
}

static enum an_code ask_symbols(struct an_bat *bat, struct an_elf *elf, struct an_error *error)
{
    struct symbols symbols;
    enum an_code code = an_elf_symbols(elf, &symbols.all, &symbols.count, error);
    if (code != AN_OK)
        return code;
    take_sizes(bat, &symbols);
    return parents_are_doubtful(bat) ? find_parents(bat, &symbols, error) : AN_OK;
}

enum an_code an_bat_open(struct an_elf *elf, struct an_bat **bat, struct an_error *error)
{
    *bat = NULL;
    const struct an_elf_section *section = an_elf_section(elf, AN_BAT_SECTION);
    if (!section) {
        an_fail(error, AN_UNSUPPORTED, "no address translation (section %s)", AN_BAT_SECTION);
        an_error_hint(error, "run llvm-bolt with --enable-bat to get one");
        return an_error_in(error, an_elf_path(elf));
    }
    struct an_bat_range text = code_of(elf);
    enum an_code code = an_bat_parse(an_elf_section_bytes(elf, section), &text, bat, error);
    if (code == AN_OK)
        code = ask_symbols(*bat, elf, error);
    else if (error->offset != AN_NO_OFFSET)
        error->offset += section->offset;
    if (code == AN_OK)
        return AN_OK;
    an_bat_free(*bat);
    *bat = NULL;
    return an_error_in(error, an_elf_path(elf));
}
