/* Finding what f.cold is a part of; see fragments.h. The rules are BOLT's: registerFragments() in
 * lib/Rewrite/RewriteInstance.cpp of LLVM 19. */
#include "elf/fragments.h"

#include <string.h>

#include "base/map.h"
#include "base/vector.h"

struct place { /* of a symbol that has a certain name */
    size_t name, symbol, function;
    bool is_global;
};

struct parts {
    struct an_functions *functions;
    const struct an_elf_symbol *symbols;
    size_t count;
    struct an_names names; /* of parents */
    struct {
        AN_VECTOR(struct place);
    } fragments, parents;
    struct {
        AN_VECTOR(size_t);
    } files; /* symbols that name a source file: the local ones of it follow */
};

/* Length of the name before the last .cold or .warm; 0 when it has none. */
static size_t parent_length(const char *name)
{
    size_t length = 0;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
        if (strncmp(dot, ".cold", 5) == 0 || strncmp(dot, ".warm", 5) == 0)
            length = (size_t)(dot - name);
    return length;
}

static size_t function_of(const struct parts *parts, size_t symbol)
{
    const struct an_elf_symbol *at = &parts->symbols[symbol];
    bool is_code = at->section != SHN_UNDEF && (at->type == STT_FUNC || at->type == STT_NOTYPE);
    return is_code ? an_functions_at(parts->functions, at->address) : AN_NO_FUNCTION;
}

static bool find_fragments(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const char *name = parts->symbols[i].name;
        if (parts->symbols[i].type == STT_FILE) {
            size_t *file = an_vector_push(&parts->files);
            if (!file)
                return false;
            *file = i;
            continue;
        }
        size_t length = parent_length(name), function;
        if (!length || (function = function_of(parts, i)) == AN_NO_FUNCTION)
            continue;
        bool is_new;
        size_t parent = an_names_insert(&parts->names, name, length, &is_new);
        struct place *place = parent == AN_NO_NAME ? NULL : an_vector_push(&parts->fragments);
        if (!place)
            return false;
        *place = (struct place){parent, i, function, false};
    }
    return true;
}

static bool find_parents(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const char *text = parts->symbols[i].name;
        size_t name = an_names_find(&parts->names, text, strlen(text)), function;
        if (name == AN_NO_NAME || (function = function_of(parts, i)) == AN_NO_FUNCTION)
            continue;
        struct place *place = an_vector_push(&parts->parents);
        if (!place)
            return false;
        *place = (struct place){name, i, function, parts->symbols[i].binding != STB_LOCAL};
    }
    return true;
}

/* By name; the local ones first. */
static int by_place(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    if (left->name != right->name)
        return left->name < right->name ? -1 : 1;
    if (left->is_global != right->is_global)
        return left->is_global ? 1 : -1;
    return (left->symbol > right->symbol) - (left->symbol < right->symbol);
}

/* The symbols of the source file that one belongs to: from *first on, before *end. */
static void file_around(const struct parts *parts, size_t symbol, size_t *first, size_t *end)
{
    size_t low = 0, high = parts->files.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (parts->files.items[middle] <= symbol)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low ? parts->files.items[low - 1] : 0;
    *end = low < parts->files.count ? parts->files.items[low] : parts->count;
}

/* The first parent that is not before the key. */
static size_t parents_from(const struct parts *parts, struct place key)
{
    size_t low = 0, high = parts->parents.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_place(&parts->parents.items[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The local one of the same file, else the last global one, else the only one. */
static size_t parent_of(const struct parts *parts, const struct place *fragment)
{
    size_t first, end, name = fragment->name;
    file_around(parts, fragment->symbol, &first, &end);
    const struct place *places = parts->parents.items;
    size_t locals = parents_from(parts, (struct place){.name = name});
    size_t globals = parents_from(parts, (struct place){.name = name, .is_global = true});
    size_t others = parents_from(parts, (struct place){.name = name + 1});
    size_t own = parents_from(parts, (struct place){.name = name, .symbol = first});
    if (own < globals && places[own].symbol < end)
        return places[own].function;
    if (globals < others)
        return places[others - 1].function;
    return globals - locals == 1 ? places[locals].function : AN_NO_FUNCTION;
}

static bool find(struct parts *parts)
{
    if (!find_fragments(parts))
        return false;
    if (parts->fragments.count == 0)
        return true;
    if (!find_parents(parts))
        return false;
    if (parts->parents.count)
        qsort(parts->parents.items, parts->parents.count, sizeof *parts->parents.items, by_place);
    for (size_t i = 0; i < parts->fragments.count; i++) {
        struct place *fragment = &parts->fragments.items[i];
        size_t parent = parent_of(parts, fragment);
        if (parent == AN_NO_FUNCTION || parent == fragment->function || parent >= UINT32_MAX)
            continue;
        parts->functions->items[fragment->function].parent = (uint32_t)parent + 1;
        parts->functions->items[parent].has_fragments = true;
    }
    return true;
}

bool an_fragments_find(struct an_functions *functions, const struct an_elf_symbol *symbols,
                       size_t count)
{
    struct parts parts = {.functions = functions, .symbols = symbols, .count = count};
    bool done = find(&parts);
    an_names_free(&parts.names);
    an_vector_free(&parts.fragments);
    an_vector_free(&parts.parents);
    an_vector_free(&parts.files);
    return done;
}

/* A compiler makes a part of a part at most; several names of one function might make a circle. */
size_t an_fragments_root(const struct an_functions *functions, size_t function)
{
    enum { DEEPEST = 8 };
    for (int i = 0; i < DEEPEST && functions->items[function].parent; i++)
        function = functions->items[function].parent - 1;
    return function;
}

bool an_fragments_related(const struct an_functions *functions, size_t one, size_t other)
{
    return functions->items[one].parent == other + 1 || functions->items[other].parent == one + 1;
}
