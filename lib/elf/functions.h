/*
 * The functions of a binary, and the names that profiles know them by.
 *
 * Two tools that exchange a profile must agree on where functions begin and end and on what each
 * is called; the profile of BOLT names them. So this follows BOLT's rules (observed with llvm-bolt
 * 16 and 19; lib/Rewrite/RewriteInstance.cpp there):
 *
 *   - a function begins at each symbol in executable sections that is of type function, and at each
 *     other one that does not lie in a function; at each entry of .eh_frame that no symbol marks
 *     (__BOLT_FDE_FUNCat<address>); at each entry of the PLT (<name>@PLT);
 *   - its name is that of its first symbol in the order of the symbol table, function symbols
 *     first. A local symbol gets a number, in the order of addresses over all symbols of that name:
 *     name/1, name/2; and, as a second name, its source file: name/file.c/1;
 *   - its size is what the symbol or .eh_frame says, the greater of both; when neither knows, up to
 *     the next symbol. `reach` extends to the next symbol in any case: padding belongs to it;
 *   - symbols inside it are further entries.
 */
#ifndef AN_ELF_FUNCTIONS_H
#define AN_ELF_FUNCTIONS_H

#include "base/memory.h"
#include "elf/eh_frame.h"
#include "elf/elf.h"

struct an_function {
    uint64_t address, size;
    uint64_t reach;        /* size with the padding behind it */
    const char *name;      /* as profiles name it */
    const char *file_name; /* name/file/number of a local function whose source file is known */
    uint64_t lsda;         /* address of its table of landing pads, or 0 */
    uint32_t entry;        /* further entries: entries[entry], entry_count of them */
    uint32_t entry_count;
    uint32_t parent; /* 1 + index of the function that it is a part of (fragments.h), or 0 */
    bool has_fragments;
    bool conflicting; /* symbols and .eh_frame disagree about it: not to be decoded */
    bool in_plt;
};

struct an_object { /* data with a symbol */
    uint64_t address, size;
    const char *name; /* made as those of functions */
};

struct an_functions {
    struct an_function *items; /* by address */
    size_t count;
    uint64_t *entries;         /* addresses, ascending for each function */
    struct an_object *objects; /* by address */
    size_t object_count;
    struct an_arena arena; /* names */
    struct an_elf_fdes fdes;
    /* For every 2^shift bytes from the first function on, the first one that begins there or later,
     * so that a look-up searches a few and not all. */
    uint32_t *index;
    size_t index_count;
    unsigned shift;
};

/* Finds the functions of a binary, whose names stay valid as long as both live. */
enum an_code an_functions_find(struct an_elf *elf, struct an_functions *functions,
                               struct an_error *error);
void an_functions_free(struct an_functions *functions);

#define AN_NO_FUNCTION SIZE_MAX

/* The function whose code, or padding, contains the address; AN_NO_FUNCTION when there is none. */
size_t an_functions_containing(const struct an_functions *functions, uint64_t address);

/* The same for code alone. */
size_t an_functions_with_code(const struct an_functions *functions, uint64_t address);

/* The one that begins at the address. */
size_t an_functions_at(const struct an_functions *functions, uint64_t address);

/* The object that contains the address, or NULL. */
const struct an_object *an_functions_object(const struct an_functions *functions, uint64_t address);

#endif
