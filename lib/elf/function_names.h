/*
 * What symbols are called in profiles: global ones by their name; local ones with a number, name/1,
 * name/2, in the order in which they are given here, and once more with their source file,
 * name/file.c/1; those without a name ANONYMOUS.0, ANONYMOUS.1.
 */
#ifndef AN_ELF_FUNCTION_NAMES_H
#define AN_ELF_FUNCTION_NAMES_H

#include "base/map.h"
#include "base/vector.h"
#include "elf/elf.h"

struct an_function_names {
    struct an_arena *arena; /* of the names */
    struct an_names local;
    struct {
        AN_VECTOR(uint32_t);
    } counts; /* of each local one */
    struct an_names global;
    unsigned nameless;
};

struct an_function_name {
    const char *unique;
    const char *with_file; /* or NULL */
    bool duplicate;        /* a global symbol that was there before */
    bool failed;           /* no memory */
};

static inline bool an_elf_symbol_is_global(const struct an_elf_symbol *symbol)
{
    return symbol->binding != STB_LOCAL;
}

/* The next symbol's names. `file`: its source, if it is a local function and that is known. */
struct an_function_name an_function_names_make(struct an_function_names *names,
                                               const struct an_elf_symbol *symbol,
                                               const char *file);
void an_function_names_free(struct an_function_names *names);

#endif
