/* Finding a binary's functions; see functions.h. */
#include "elf/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vector.h"
#include "elf/fragments.h"
#include "elf/function_index.h"
#include "elf/function_names.h"
#include "elf/plt.h"

struct sorted_symbol {
    const struct an_elf_symbol *symbol;
    const char *file; /* of a local symbol, or NULL */
    bool is_entry;    /* of the function that it lies in */
};

struct search {
    struct an_elf *elf;
    struct an_functions *found;
    struct {
        AN_VECTOR(struct sorted_symbol);
    } symbols;
    struct {
        AN_VECTOR(struct an_function);
    } functions;
    struct {
        AN_VECTOR(struct an_object);
    } objects;
    struct {
        AN_VECTOR(uint64_t);
    } entries; /* address of the function, since indexes change; address */
    struct an_function_names names;
    struct an_error *error;
};

/* --- the symbols, in the order in which they are looked at --- */

static bool in_memory(const struct an_elf *elf, const struct an_elf_symbol *symbol)
{
    if (symbol->type == STT_FILE || symbol->section == SHN_UNDEF)
        return false;
    if (symbol->section == SHN_ABS)
        return true;
    const struct an_elf_section *section = an_elf_section_at(elf, symbol->section);
    return section && (section->flags & SHF_ALLOC);
}

static int kind_rank(const struct an_elf_symbol *symbol)
{
    return symbol->type == STT_FUNC ? 0 : symbol->type == STT_SECTION ? 2 : 1;
}

static int by_address(const void *a, const void *b)
{
    const struct sorted_symbol *left = a, *right = b;
    if (left->symbol->address != right->symbol->address)
        return left->symbol->address < right->symbol->address ? -1 : 1;
    int order = kind_rank(left->symbol) - kind_rank(right->symbol);
    if (order)
        return order;
    return (left->symbol > right->symbol) - (left->symbol < right->symbol);
}

/* What the name of its source adds to the names of a file's symbols: on average, no more than this. */
enum { LONG_SOURCE = 512 };

static enum an_code fail_sources(const struct search *search)
{
    an_fail(search->error, AN_MALFORMED,
            "the symbols' source files have names of more than %d bytes on average", LONG_SOURCE);
    return an_error_in(search->error, an_elf_path(search->elf));
}

/* A FILE symbol stands before the local symbols of its source. */
static enum an_code sort_symbols(struct search *search)
{
    const struct an_elf_symbol *symbols;
    size_t count, file_length = 0;
    const char *file = NULL;
    enum an_code code = an_elf_symbols(search->elf, &symbols, &count, search->error);
    uint64_t left = LONG_SOURCE * (uint64_t)count;
    for (size_t i = 0; i < count && code == AN_OK; i++) {
        const struct an_elf_symbol *symbol = &symbols[i];
        /* what clang's link-time optimization calls its own file is sometimes there, sometimes not
         */
        if (symbol->type == STT_FILE && strcmp(symbol->name, "ld-temp.o") != 0) {
            file = symbol->name;
            file_length = strlen(file);
        }
        if (!in_memory(search->elf, symbol))
            continue;
        struct sorted_symbol *sorted = an_vector_push(&search->symbols);
        if (!sorted)
            return an_fail_memory(search->error);
        bool has_file =
            file && *file && !an_elf_symbol_is_global(symbol) && symbol->type == STT_FUNC;
        *sorted = (struct sorted_symbol){symbol, has_file ? file : NULL, false};
        if (has_file && file_length > left)
            return fail_sources(search);
        left -= has_file ? file_length : 0;
    }
    if (search->symbols.count)
        qsort(search->symbols.items, search->symbols.count, sizeof *search->symbols.items,
              by_address);
    return code;
}

/* --- functions --- */

static bool holds(const struct an_function *function, uint64_t address)
{
    return address - function->address < function->size;
}

/* Whether a symbol may lie inside a function without being one. */
static bool tolerated(const struct search *search, const struct an_function *function,
                      const struct an_elf_symbol *symbol)
{
    if (an_elf_section_containing(search->elf, symbol->address) !=
        an_elf_section_containing(search->elf, function->address))
        return false;
    if (symbol->size == 0 && holds(function, symbol->address))
        return true;
    return symbol->type == STT_NOTYPE && !an_elf_symbol_is_global(symbol);
}

/* .eh_frame may know better how long a function is; false: it contradicts the symbol. */
static bool consult_frames(const struct search *search, uint64_t address, uint64_t *size)
{
    const struct an_elf_fdes *fdes = &search->found->fdes;
    size_t at = an_elf_fde_from(fdes, address);
    if (at == fdes->count)
        return true;
    if (fdes->items[at].start == address) {
        if (fdes->items[at].size > *size)
            *size = fdes->items[at].size;
        return true;
    }
    return at == 0 || address - fdes->items[at - 1].start >= fdes->items[at - 1].size;
}

static struct an_function *add_function(struct search *search, uint64_t address, uint64_t size,
                                        const char *name)
{
    struct an_function *function = an_vector_push(&search->functions);
    if (function)
        *function = (struct an_function){.address = address, .size = size, .name = name};
    return function;
}

static bool add_entry(struct search *search, uint64_t function, uint64_t address)
{
    uint64_t *owner = an_vector_push(&search->entries);
    if (owner)
        *owner = function;
    uint64_t *entry = owner ? an_vector_push(&search->entries) : NULL;
    if (entry)
        *entry = address;
    return entry != NULL;
}

static bool is_code_symbol(const struct search *search, const struct an_elf_symbol *symbol)
{
    const struct an_elf_section *section = an_elf_section_at(search->elf, symbol->section);
    return symbol->section != SHN_ABS && section && (section->flags & SHF_EXECINSTR) &&
           section->size && symbol->address - section->address < section->size;
}

/* The function that the symbol makes or adds to; false when memory runs out. */
static bool take_function(struct search *search, const struct an_elf_symbol *symbol,
                          const struct an_function_name *names)
{
    uint64_t size = symbol->size;
    bool agreed = consult_frames(search, symbol->address, &size);
    size_t count = search->functions.count;
    struct an_function *function = count ? &search->functions.items[count - 1] : NULL;
    if (function && function->address == symbol->address) {
        if (size > function->size)
            function->size = size;
    } else {
        function = add_function(search, symbol->address, size, names->unique);
        if (!function)
            return false;
        function->conflicting = !agreed;
    }
    if (!function->file_name)
        function->file_name = names->with_file;
    return true;
}

static bool is_plt_section(const struct search *search, const struct an_elf_symbol *symbol)
{
    const struct an_elf_section *section = an_elf_section_containing(search->elf, symbol->address);
    return symbol->type == STT_SECTION && section && an_plt_is_section(section);
}

static bool take_object(struct search *search, const struct an_elf_symbol *symbol, const char *name)
{
    size_t count = search->objects.count;
    if (symbol->type != STT_OBJECT || symbol->size == 0 ||
        (count && search->objects.items[count - 1].address == symbol->address))
        return true;
    struct an_object *object = an_vector_push(&search->objects);
    if (object)
        *object = (struct an_object){symbol->address, symbol->size, name};
    return object != NULL;
}

static bool take_symbol(struct search *search, struct sorted_symbol *sorted)
{
    const struct an_elf_symbol *symbol = sorted->symbol;
    if (symbol->address == 0 || strcmp(symbol->name, "__hot_start") == 0 ||
        strcmp(symbol->name, "__hot_end") == 0 || is_plt_section(search, symbol))
        return true;
    struct an_function_name names =
        an_function_names_make(&search->names, sorted->symbol, sorted->file);
    if (names.failed || names.duplicate)
        return !names.failed;
    if (!is_code_symbol(search, symbol))
        return take_object(search, symbol, names.unique);
    size_t count = search->functions.count;
    const struct an_function *previous = count ? &search->functions.items[count - 1] : NULL;
    bool inside = previous && holds(previous, symbol->address);
    if (previous && symbol->type != STT_FUNC &&
        (inside || (previous->size == 0 && tolerated(search, previous, symbol))))
        return true;
    if (inside && previous->address != symbol->address) {
        sorted->is_entry = !tolerated(search, previous, symbol);
        return !sorted->is_entry || add_entry(search, previous->address, symbol->address);
    }
    return take_function(search, symbol, &names);
}

static int by_function_address(const void *a, const void *b)
{
    const struct an_function *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static void sort_functions(struct search *search)
{
    struct an_functions *found = search->found;
    found->items = search->functions.items;
    found->count = search->functions.count;
    if (found->count)
        qsort(found->items, found->count, sizeof *found->items, by_function_address);
}

/* Functions that no symbol marks. */
static bool take_frames(struct search *search)
{
    struct an_functions *found = search->found;
    size_t known = found->count;
    for (size_t i = 0; i < found->fdes.count; i++) {
        const struct an_elf_fde *fde = &found->fdes.items[i];
        const struct an_elf_section *section = an_elf_section_containing(search->elf, fde->start);
        /* only those known before are searched: the new ones do not overlap what comes later */
        found->count = known;
        bool taken = an_functions_at(found, fde->start) != AN_NO_FUNCTION ||
                     an_functions_with_code(found, fde->start) != AN_NO_FUNCTION;
        if (taken || !section || !(section->flags & SHF_EXECINSTR))
            continue;
        char name[40];
        int length =
            snprintf(name, sizeof name, "__BOLT_FDE_FUNCat%llx", (unsigned long long)fde->start);
        const char *copy = an_arena_copy(&found->arena, name, (size_t)length);
        if (!copy || !add_function(search, fde->start, fde->size, copy))
            return false;
        found->items = search->functions.items;
    }
    return true;
}

/* --- where they end --- */

static bool keep_entries(struct search *search);

/* The symbols behind a function's start: further entries while they are tolerated in it; the first
 * that is neither tolerated nor known as an entry ends it. */
static bool bound_function(struct search *search, size_t index, size_t *mark)
{
    struct an_functions *found = search->found;
    struct an_function *function = &found->items[index];
    const struct an_function *next = index + 1 < found->count ? function + 1 : NULL;
    const struct an_elf_section *section =
        an_elf_section_containing(search->elf, function->address);
    size_t count = search->symbols.count;
    const struct sorted_symbol *symbols = search->symbols.items;
    while (*mark < count && symbols[*mark].symbol->address <= function->address)
        ++*mark;
    size_t at = *mark;
    for (; at < count; at++) {
        const struct an_elf_symbol *symbol = symbols[at].symbol;
        if (next && symbol->address >= next->address)
            break;
        if (symbols[at].is_entry)
            continue;
        if (!tolerated(search, function, symbol))
            break;
        if (!add_entry(search, function->address, symbol->address))
            return false;
    }
    uint64_t end = function->address;
    if (section && __builtin_add_overflow(section->address, section->size, &end))
        end = UINT64_MAX;
    if (at < count && symbols[at].symbol->address < end)
        end = symbols[at].symbol->address;
    if (next && next->address < end)
        end = next->address;
    function->reach = end - function->address;
    if (function->reach < function->size) {
        function->conflicting = true;
        function->reach = function->size;
    }
    if (function->size == 0 && !function->conflicting)
        function->size = function->reach;
    return true;
}

static bool bound_functions(struct search *search)
{
    size_t mark = 0;
    for (size_t i = 0; i < search->found->count; i++)
        if (!bound_function(search, i, &mark))
            return false;
    return keep_entries(search);
}

struct entry {
    uint64_t function, address;
};

static int by_entry(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->function != right->function)
        return left->function < right->function ? -1 : 1;
    return (left->address > right->address) - (left->address < right->address);
}

/* Hands the further entries to their functions, each once. */
static bool keep_entries(struct search *search)
{
    struct an_functions *found = search->found;
    size_t count = search->entries.count / 2, kept = 0;
    struct entry *entries = (struct entry *)search->entries.items;
    if (count == 0)
        return true;
    qsort(entries, count, sizeof *entries, by_entry);
    found->entries = an_alloc(count, sizeof *found->entries);
    if (!found->entries)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (i && by_entry(&entries[i], &entries[i - 1]) == 0)
            continue;
        size_t index = an_functions_at(found, entries[i].function);
        if (index == AN_NO_FUNCTION)
            continue;
        struct an_function *function = &found->items[index];
        if (function->entry_count++ == 0)
            function->entry = (uint32_t)kept;
        found->entries[kept++] = entries[i].address;
    }
    return true;
}

/* Functions with the same code may share their table; but not all of a file can share a large one. */
static enum an_code take_landing_pads(struct search *search)
{
    enum { TIMES_SHARED = 8 };
    struct an_functions *found = search->found;
    uint64_t left = TIMES_SHARED * (uint64_t)an_elf_bytes(search->elf).size;
    for (size_t i = 0; i < found->fdes.count; i++) {
        const struct an_elf_fde *fde = &found->fdes.items[i];
        size_t index = an_functions_at(found, fde->start);
        if (index == AN_NO_FUNCTION)
            continue;
        size_t size = fde->lsda ? an_elf_calls_size(search->elf, fde->lsda) : 0;
        if (size > left) {
            an_fail(search->error, AN_MALFORMED,
                    "the functions' tables of landing pads overlap: together they are far larger "
                    "than the file");
            return an_error_in(search->error, an_elf_path(search->elf));
        }
        left -= size;
        found->items[index].lsda = fde->lsda;
    }
    return AN_OK;
}

static bool take_plt(void *context, uint64_t address, const char *name)
{
    struct search *search = context;
    struct an_function *function = add_function(search, address, 0, name);
    if (!function)
        return false;
    function->in_plt = true;
    search->found->items = search->functions.items; /* what is known, at its new place */
    return true;
}

static enum an_code find(struct search *search)
{
    enum an_code code = an_elf_fdes_read(search->elf, &search->found->fdes, search->error);
    if (code == AN_OK)
        code = sort_symbols(search);
    if (code != AN_OK)
        return code;
    bool done = true;
    for (size_t i = 0; i < search->symbols.count && done; i++)
        done = take_symbol(search, &search->symbols.items[i]);
    sort_functions(search);
    if (done)
        code = an_plt_entries(search->elf, search->found, &search->found->arena, take_plt, search,
                              search->error);
    if (code != AN_OK)
        return code;
    sort_functions(search);
    done = done && take_frames(search);
    sort_functions(search);
    const struct an_elf_symbol *symbols;
    size_t count;
    done = done && bound_functions(search) && an_functions_make_index(search->found);
    if (done) /* read before: cannot fail */
        code = an_elf_symbols(search->elf, &symbols, &count, search->error);
    done = done && code == AN_OK && an_fragments_find(search->found, symbols, count);
    if (code != AN_OK)
        return code;
    if (!done)
        return an_fail_memory(search->error);
    return take_landing_pads(search);
}

enum an_code an_functions_find(struct an_elf *elf, struct an_functions *functions,
                               struct an_error *error)
{
    *functions = (struct an_functions){0};
    struct search search = {
        .elf = elf, .found = functions, .names.arena = &functions->arena, .error = error};
    enum an_code code = find(&search);
    functions->items = search.functions.items;
    functions->count = search.functions.count;
    functions->objects = search.objects.items;
    functions->object_count = search.objects.count;
    an_vector_free(&search.symbols);
    an_vector_free(&search.entries);
    an_function_names_free(&search.names);
    if (code != AN_OK)
        an_functions_free(functions);
    return code;
}

void an_functions_free(struct an_functions *functions)
{
    free(functions->items);
    free(functions->entries);
    free(functions->index);
    free(functions->objects);
    an_elf_fdes_free(&functions->fdes);
    an_arena_free(&functions->arena);
    *functions = (struct an_functions){0};
}
