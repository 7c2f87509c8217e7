/*
 * Parts of functions that a compiler put elsewhere: GCC moves what it thinks is rarely run out of f
 * into f.cold. They are functions of their own by their symbols, but jumps lead from each into the
 * middle of the other, and a switch of one may lead into the other.
 */
#ifndef AN_ELF_FRAGMENTS_H
#define AN_ELF_FRAGMENTS_H

#include "elf/functions.h"

/*
 * Sets the parent of each function that is such a part. It is what has the name before .cold or
 * .warm; of several local ones, that of the same source file, as the order of the symbol table
 * tells. False when memory runs out.
 */
bool an_fragments_find(struct an_functions *functions, const struct an_elf_symbol *symbols,
                       size_t count);

/* What a function is a part of in the end; most are it themselves. */
size_t an_fragments_root(const struct an_functions *functions, size_t function);

/* Whether one of two functions is a part of the other. */
bool an_fragments_related(const struct an_functions *functions, size_t one, size_t other);

#endif
