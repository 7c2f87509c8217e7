/*
 * Whether a binary is fit for a new layout by llvm-bolt, and what has to be built otherwise.
 *
 * What counts as a problem and what as a loss was tried with llvm-bolt 16 and 19; docs/reference/doctor.md
 * tells how.
 */
#ifndef AN_ELF_FITNESS_H
#define AN_ELF_FITNESS_H

#include "base/diagnostics.h"
#include "elf/traits.h"

/* What a diagnostic of functions with computed gotos is about. A caller that tells llvm-bolt to skip what it names in its
 * refusal, as `anneal live` does, need not mind. */
#define AN_COMPUTED_GOTO "computed goto"

struct an_fitness {
    struct an_diagnostics diagnostics;
    bool is_known; /* the traits are: of an ELF file that is not of 64 bits, only the machine is */
    struct an_elf_traits traits;
    /* What a compiler has to be called with in addition, e.g. "-Wl,-q -Wl,--build-id"; "": nothing,
     * or nothing that would help. */
    char flags[160];
};

/* Fails when the file cannot be read or is no ELF file; whatever else is wrong is a diagnostic. */
enum an_code an_fitness_judge(const char *path, struct an_fitness *fitness, struct an_error *error);

/* Whether functions could be given new places: all of them, or all but those with computed gotos. */
bool an_fitness_lets_move(const struct an_fitness *fitness);

#endif
