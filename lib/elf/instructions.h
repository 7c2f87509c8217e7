/* Instructions of a binary, by address. */
#ifndef AN_ELF_INSTRUCTIONS_H
#define AN_ELF_INSTRUCTIONS_H

#include "arch/arch.h"
#include "elf/elf.h"

/* The instruction set of a binary. AN_UNSUPPORTED, about the file, when it is none that is known. */
enum an_code an_elf_arch(const struct an_elf *elf, const struct an_arch **arch,
                         struct an_error *error);

/*
 * The length of the instruction at `first` of one binary, if the other one, of the same instruction set, has one at
 * `second` that does the same, wherever each lies, and both lead to the next one; 0 otherwise.
 */
uint8_t an_elf_same_instruction(const struct an_arch *arch, const struct an_elf *one,
                                uint64_t first, const struct an_elf *other, uint64_t second);

/* Whether the binary has a return at the address. */
bool an_elf_is_return(const struct an_arch *arch, const struct an_elf *elf, uint64_t address);

#endif
