/* Finding tables of return addresses; see return_tables.h. */
#include "branch/return_tables.h"

#include <stdlib.h>
#include <string.h>

#include "branch/inner_places.h"
#include "elf/fragments.h"
#include "elf/instructions.h"

enum { SWEPT = 1, JUMPS = 2, STAYS = 4 }; /* of a function */

struct word { /* of data, that names a place in code */
    uint64_t place, value;
    const struct an_object *object; /* that it is in, or NULL */
    size_t function;                /* whose inside it names, or AN_NO_FUNCTION */
    uint8_t size;
    bool is_relative;
    bool is_return; /* the place is behind a call */
};

struct finder {
    const struct an_elf *elf;
    const struct an_functions *functions;
    const struct an_arch *arch;
    struct {
        AN_VECTOR(struct word);
    } words;
    uint8_t *flags; /* for each function */
    struct an_error *error;
};

/* ---- words ---- */

/*
 * Elf64_Rela: address 8, type 4, symbol 4, addend 8. Elf64_Sym: name 4, type 1, visibility 1, section 2, value
 * 8, size 8.
 */
enum {
    RELA = 24,
    SYMBOL = 24,
};

/* Not an entry, but a place behind one. */
static size_t function_inside(const struct finder *finder, uint64_t value)
{
    size_t function = an_functions_containing(finder->functions, value);
    bool is_inside = function != AN_NO_FUNCTION && !finder->functions->items[function].in_plt &&
                     value > finder->functions->items[function].address;
    return is_inside ? function : AN_NO_FUNCTION;
}

/* Distances count whatever code they lead to: those of a jump table are from its start, which is not known. */
static enum an_code add(struct finder *finder, uint64_t place, uint64_t value, uint8_t size,
                        bool is_relative)
{
    size_t function = function_inside(finder, value);
    if (function == AN_NO_FUNCTION && !is_relative)
        return AN_OK;
    struct word *word = an_vector_push(&finder->words);
    if (!word)
        return an_fail_memory(finder->error);
    *word = (struct word){.place = place,
                          .value = value,
                          .object = an_functions_object(finder->functions, place),
                          .function = function,
                          .size = size,
                          .is_relative = is_relative};
    return AN_OK;
}

static bool is_code(const struct an_elf *elf, size_t section)
{
    const struct an_elf_section *found = an_elf_section_at(elf, section);
    return found && (found->flags & SHF_EXECINSTR);
}

static void stay(void *context, size_t function)
{
    struct finder *finder = context;
    finder->flags[function] |= STAYS;
    finder->flags[an_fragments_root(finder->functions, function)] |= STAYS;
}

/* An address in an instruction */
static void add_operand(struct finder *finder, uint64_t place, uint64_t value)
{
    size_t from = an_functions_containing(finder->functions, place);
    size_t named = an_inner_place(finder->functions, from, value);
    if (named != AN_NO_FUNCTION)
        stay(finder, named);
}

static enum an_code read_relocation(struct finder *finder, const uint8_t *bytes,
                                    struct an_relocation relocation, bool in_code,
                                    struct an_bytes symbols)
{
    uint64_t place = an_get64(bytes, false);
    uint64_t symbol = an_get32(bytes + 12, false), value = an_get64(bytes + 16, false);
    bool is_relative = relocation.form == AN_RELOCATION_DISTANCE;
    if (in_code && relocation.form != AN_RELOCATION_ADDRESS)
        return AN_OK;
    if (!is_relative && relocation.form != AN_RELOCATION_ADDRESS &&
        relocation.form != AN_RELOCATION_BASE)
        return AN_OK;
    if (relocation.form != AN_RELOCATION_BASE) {
        if (symbol >= symbols.size / SYMBOL)
            return an_fail(finder->error, AN_MALFORMED, "a relocation names symbol %llu of %zu",
                           (unsigned long long)symbol, symbols.size / SYMBOL);
        const uint8_t *of = symbols.data + symbol * SYMBOL;
        if (!is_code(finder->elf, an_get16(of + 6, false)))
            return AN_OK;
        value += an_get64(of + 8, false);
    }
    if (!in_code)
        return add(finder, place, value, relocation.size, is_relative);
    add_operand(finder, place, value);
    return AN_OK;
}

/* Sections that name places in code for reasons of their own, none of which are return addresses. */
static bool is_harmless(const struct an_elf_section *section)
{
    static const char *const names[] = {".eh_frame", ".gcc_except_table",
                                        "__patchable_function_entries", "xray_instr_map"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(section->name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/*
 * What the linker kept is about one section each; what the loader gets is about all. Of the latter only
 * those without a symbol: others are among the former, too.
 */
static bool is_of_program(const struct an_elf *elf, const struct an_elf_section *section)
{
    if (section->type != SHT_RELA || (section->flags & SHF_ALLOC))
        return section->type == SHT_RELA;
    const struct an_elf_section *target = an_elf_section_at(elf, section->info);
    return target && (target->flags & SHF_ALLOC) && !is_harmless(target);
}

static enum an_code read_section(struct finder *finder, const struct an_elf_section *section)
{
    bool for_loader = section->flags & SHF_ALLOC;
    bool in_code = !for_loader && is_code(finder->elf, section->info);
    const struct an_elf_section *table = an_elf_section_at(finder->elf, section->link);
    struct an_bytes bytes = an_elf_section_bytes(finder->elf, section), symbols = {0};
    if (!for_loader && table && table->type == SHT_SYMTAB)
        symbols = an_elf_section_bytes(finder->elf, table);
    if (bytes.size != section->size || bytes.size % RELA)
        return an_fail(finder->error, AN_MALFORMED, "the relocations in %.60s cannot be read",
                       section->name);
    for (size_t at = 0; at < bytes.size; at += RELA) {
        struct an_relocation relocation =
            finder->arch->relocation(an_get32(bytes.data + at + 8, false));
        if ((relocation.form == AN_RELOCATION_BASE) != for_loader)
            continue;
        enum an_code code = read_relocation(finder, bytes.data + at, relocation, in_code, symbols);
        if (code != AN_OK)
            return code;
    }
    return AN_OK;
}

static enum an_code read_all(struct finder *finder)
{
    size_t count;
    const struct an_elf_section *sections = an_elf_sections(finder->elf, &count);
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < count; i++)
        if (is_of_program(finder->elf, &sections[i]))
            code = read_section(finder, &sections[i]);
    return code;
}

/* ---- places behind calls ---- */

static int by_value(const void *one, const void *other)
{
    const struct word *a = one, *b = other;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* Reads a function, instruction by instruction, and marks which of the words about it, by value, are behind its
 * calls: all that could be, if its code is not in the file. */
static void sweep(struct finder *finder, size_t number, struct word *words, size_t count)
{
    const struct an_function *function = &finder->functions->items[number];
    const uint8_t *bytes = an_elf_at(finder->elf, function->address, function->reach);
    uint8_t *root = &finder->flags[an_fragments_root(finder->functions, number)];
    finder->flags[number] |= SWEPT;
    for (size_t i = 0; !bytes && i < count; i++)
        words[i].is_return = true;
    for (uint64_t at = 0; bytes && at < function->reach;) {
        struct an_instruction instruction;
        bool is_one = finder->arch->decode(bytes + at, function->reach - at, function->address + at,
                                           &instruction);
        at += is_one ? instruction.length : 1;
        if (!is_one)
            continue;
        if (instruction.kind == AN_INDIRECT_JUMP)
            *root |= JUMPS;
        if (instruction.kind != AN_CALL && instruction.kind != AN_INDIRECT_CALL)
            continue;
        for (; count && words->value <= function->address + at; words++, count--)
            words->is_return = words->value == function->address + at;
    }
}

static void sweep_all(struct finder *finder)
{
    struct word *words = finder->words.items;
    size_t count = finder->words.count, next;
    qsort(words, count, sizeof *words, by_value);
    for (size_t i = 0; i < count && words[i].function != AN_NO_FUNCTION; i = next) {
        for (next = i + 1; next < count && words[next].function == words[i].function; next++)
            ;
        sweep(finder, words[i].function, &words[i], next - i);
    }
    for (size_t i = 0; i < count && words[i].function != AN_NO_FUNCTION; i++) {
        size_t root = an_fragments_root(finder->functions, words[i].function);
        if (!(finder->flags[root] & SWEPT))
            sweep(finder, root, NULL, 0);
    }
}

/* ---- tables ---- */

static int by_place(const void *one, const void *other)
{
    const struct word *a = one, *b = other;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Words of one variable, or without a name side by side; one place is not counted twice. */
static bool goes_on(const struct word *word, const struct word *next)
{
    return word->size == next->size && word->is_relative == next->is_relative &&
           word->object == next->object &&
           (word->object || next->place - word->place <= word->size);
}

/* Whether the function that a word names may have it for a jump. For all that is known, it may if there is none. */
static bool may_be_label(const struct finder *finder, const struct word *word)
{
    return word->function == AN_NO_FUNCTION ||
           (finder->flags[an_fragments_root(finder->functions, word->function)] & JUMPS);
}

/* Of distances only the first one is known to be about the function that it seems to be about. */
static void judge_table(struct finder *finder, const struct word *words, size_t count)
{
    size_t returns = 0;
    for (size_t i = 0; i < count; i++)
        returns += words[i].is_return;
    for (size_t i = 0; i < count && returns; i++)
        if (words[i].is_return &&
            (returns == count || !may_be_label(finder, words[i].is_relative ? words : &words[i])))
            stay(finder, words[i].function);
}

static void judge_all(struct finder *finder)
{
    struct word *words = finder->words.items;
    size_t count = finder->words.count, next;
    qsort(words, count, sizeof *words, by_place);
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count && goes_on(&words[next - 1], &words[next]); next++)
            ;
        judge_table(finder, &words[i], next - i);
    }
}

static enum an_code list(const struct finder *finder, struct an_named_functions *named)
{
    for (size_t i = 0; i < finder->functions->count; i++) {
        uint32_t *index = finder->flags[i] & STAYS ? an_vector_push(named) : NULL;
        if (index)
            *index = (uint32_t)i;
        else if (finder->flags[i] & STAYS)
            return an_fail_memory(finder->error);
    }
    return AN_OK;
}

enum an_code an_return_tables_find(const struct an_elf *elf, const struct an_functions *functions,
                                   struct an_named_functions *named, struct an_error *error)
{
    struct finder finder = {.elf = elf, .functions = functions, .error = error};
    *named = (struct an_named_functions){0};
    enum an_code code = an_elf_arch(elf, &finder.arch, error);
    if (code != AN_OK)
        return code;
    finder.flags = an_alloc_zero(functions->count + 1, sizeof *finder.flags);
    code = finder.flags ? read_all(&finder) : an_fail_memory(error);
    if (code == AN_OK && finder.words.count) {
        sweep_all(&finder);
        judge_all(&finder);
    }
    if (code == AN_OK) {
        an_inner_places_each(elf, functions, finder.arch, stay, &finder);
        code = list(&finder, named);
    }
    an_vector_free(&finder.words);
    free(finder.flags);
    return code == AN_OK ? AN_OK : an_error_in(error, an_elf_path(elf));
}

/* ---- for people ---- */

static void tell(const struct an_functions *functions, const struct an_named_functions *named,
                 struct an_diagnostics *diagnostics)
{
    bool one = named->count == 1;
    an_diagnostics_add(diagnostics, "return tables", AN_LOSS,
                       "the program names places within %zu function%s, such as what calls return "
                       "to, %.60s%s: anneal live "
                       "leaves %s where %s",
                       named->count, one ? "" : "s", functions->items[named->items[0]].name,
                       one ? "" : " among them", one ? "it" : "them", one ? "it is" : "they are");
}

enum an_code an_return_tables_judge(const char *path, struct an_diagnostics *diagnostics,
                                    struct an_error *error)
{
    struct an_elf *elf;
    struct an_functions functions = {0};
    struct an_named_functions named = {0};
    enum an_code code = an_elf_open(path, &elf, error);
    if (code != AN_OK)
        return code;
    code = an_functions_find(elf, &functions, error);
    if (code == AN_OK)
        code = an_return_tables_find(elf, &functions, &named, error);
    if (code == AN_OK && named.count)
        tell(&functions, &named, diagnostics);
    an_vector_free(&named);
    an_functions_free(&functions);
    an_elf_close(elf);
    return code;
}
