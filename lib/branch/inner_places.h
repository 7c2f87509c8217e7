/*
 * Places in the middle of functions that code of other functions names.
 *
 *     f    ... | int3 | x: ...            g    ... | lea x(%rip), %rax | ... | cmp %rax, where it was trapped | ...
 *
 * A handler of signals compares them with where the program was interrupted; a runtime looks up whether a place is between
 * two of them. A copy of such a function elsewhere has other places. Compilers name none of other functions, and those
 * of the same one are labels.
 *
 * What instructions refer to relative to themselves is read from the code; addresses in instructions are told by the
 * relocations that the linker was asked to keep (return_tables.c), since other numbers look the same.
 */
#ifndef AN_BRANCH_INNER_PLACES_H
#define AN_BRANCH_INNER_PLACES_H

#include "arch/arch.h"
#include "elf/functions.h"

/* The function that a place is in the middle of, not in padding behind it, if code of function `from` names it; AN_NO_FUNCTION
 * when that is the same function, another part of it, or none. */
size_t an_inner_place(const struct an_functions *functions, size_t from, uint64_t place);

/* Calls `mark` with the index of each function that code refers to the middle of relative to itself, as often as it does. */
void an_inner_places_each(const struct an_elf *elf, const struct an_functions *functions,
                          const struct an_arch *arch, void (*mark)(void *context, size_t function),
                          void *context);

#endif
