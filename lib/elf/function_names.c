/* Making names of symbols; see function_names.h. */
#include "elf/function_names.h"

#include <stdio.h>
#include <string.h>

static char *joined(struct an_arena *arena, const char *left, const char *middle, const char *right)
{
    size_t size = strlen(left) + strlen(middle) + strlen(right) + 1;
    char *text = an_arena_alloc(arena, size, 1);
    if (text)
        snprintf(text, size, "%s%s%s", left, middle, right);
    return text;
}

static const char *numbered(struct an_function_names *names, const char *text)
{
    size_t length = strlen(text);
    bool is_new;
    size_t index = an_names_insert(&names->local, text, length, &is_new);
    if (index == AN_NO_NAME)
        return NULL;
    if (is_new) {
        uint32_t *count = an_vector_push(&names->counts);
        if (!count)
            return NULL;
        *count = 0;
    }
    char number[16];
    snprintf(number, sizeof number, "/%u", ++names->counts.items[index]);
    return joined(names->arena, text, "", number);
}

/* Symbols that begin like labels would be taken for such: BOLT puts PG before them. */
struct an_function_name an_function_names_make(struct an_function_names *names,
                                               const struct an_elf_symbol *symbol, const char *file)
{
    struct an_arena *arena = names->arena;
    struct an_function_name made = {0};
    const char *name = symbol->name;
    if (strncmp(name, ".L", 2) == 0)
        name = joined(arena, "PG", name, "");
    if (!name) {
        made.failed = true;
    } else if (!*name) {
        char number[16];
        snprintf(number, sizeof number, "%u", names->nameless++);
        made.unique = joined(arena, "ANONYMOUS.", number, "");
        made.failed = !made.unique;
    } else if (an_elf_symbol_is_global(symbol)) {
        bool is_new;
        made.failed = an_names_insert(&names->global, name, strlen(name), &is_new) == AN_NO_NAME;
        made.duplicate = !made.failed && !is_new;
        made.unique = name;
    } else {
        made.unique = numbered(names, name);
        const char *prefix = file ? joined(arena, name, "/", file) : NULL;
        if (prefix)
            made.with_file = numbered(names, prefix);
        made.failed = !made.unique || (file && !made.with_file);
    }
    return made;
}

void an_function_names_free(struct an_function_names *names)
{
    an_vector_free(&names->counts);
    an_names_free(&names->local);
    an_names_free(&names->global);
}
