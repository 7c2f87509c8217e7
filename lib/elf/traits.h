/*
 * What a binary is made like, as far as that decides what llvm-bolt can do with it: how it was
 * linked, what it has besides its code, and who had it in hands before.
 */
#ifndef AN_ELF_TRAITS_H
#define AN_ELF_TRAITS_H

#include "elf/elf.h"
#include "elf/runtime.h"

enum an_elf_kind {
    AN_ELF_OTHER,
    AN_ELF_OBJECT, /* not linked yet */
    AN_ELF_CORE,
    AN_ELF_FIXED,   /* an executable at addresses of its own */
    AN_ELF_PIE,     /* an executable at any address */
    AN_ELF_LIBRARY, /* a shared one */
};

enum an_elf_compiler { AN_COMPILER_UNKNOWN, AN_COMPILER_GCC, AN_COMPILER_CLANG, AN_COMPILER_RUST };

struct an_elf_traits {
    uint16_t machine; /* EM_X86_64... */
    enum an_elf_kind kind;
    enum an_elf_compiler compiler; /* by what it left in .comment */
    bool dynamic;                  /* the dynamic linker has to load it */
    bool has_symbols;              /* of functions */
    bool has_relocations;          /* of the code, as the linker found them */
    bool has_debug_info;
    bool is_bolted;    /* made by llvm-bolt */
    bool has_bat;      /* with its address translation */
    bool is_sanitized; /* with the address sanitizer */
    enum an_elf_runtime runtime;
    /* Relocations of indirect functions (ifunc, target_clones) lie among those of the procedure
     * linkage table and elsewhere, both. */
    bool scattered_ifuncs;
    /* The table's relocations are not in the order of the addresses, and the order matters, since
     * functions are bound when they are first called. */
    bool unordered_plt;
    bool has_split_stacks; /* functions ask for more stack as they need it (-fsplit-stack) */
    /* Functions with places inside that the loader writes into data: labels of computed gotos, in what may be loaded at
     * any address. Their names as profiles have them, as many as there is room for, with commas between. */
    size_t computed_gotos, computed_gotos_named;
    char computed_goto_names[80];
    uint64_t code_size;
    size_t functions;  /* without fragments and entries of the PLT */
    size_t fragments;  /* parts of functions that stand elsewhere (fragments.h) */
    char build_id[65]; /* hexadecimal; "" when there is none */
};

enum an_code an_elf_traits_find(struct an_elf *elf, struct an_elf_traits *traits,
                                struct an_error *error);

/* "AArch64" and the like, by the number in the ELF header; never NULL. */
const char *an_elf_machine_name(uint16_t machine);

#endif
