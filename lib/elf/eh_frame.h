/*
 * What .eh_frame and .gcc_except_table say about code: where functions begin and end, even those
 * without a symbol, and where exceptions land in them.
 *
 *   .eh_frame: entries of     length 4 (0xffffffff: then 8), id 4, content
 *     id 0: a CIE             version 1, augmentation string, code and data alignment (LEB128),
 *                             return register, then what the letters of the string ask for:
 *                             z: size of the rest; L: encoding of LSDA pointers; R: of addresses;
 *                             P: encoding and pointer of the personality routine
 *     else an FDE             its CIE lies id bytes before the id itself; start and length of the
 *                             code, then (z) a size and, with L, the pointer to the LSDA
 *
 *   LSDA: encoding of the landing pads' base and the base (omitted: the function's start),
 *         encoding and offset of the type table, encoding and size of the call site table, whose
 *         rows are: start, length, landing pad (0: none), action
 *
 * Source: Linux Standard Base, Core, 10.6 (exception frames); Itanium C++ ABI: exception handling.
 */
#ifndef AN_ELF_EH_FRAME_H
#define AN_ELF_EH_FRAME_H

#include "elf/elf.h"

struct an_elf_fde {
    uint64_t start, size;
    uint64_t lsda; /* address, or 0 */
};

struct an_elf_fdes {
    struct an_elf_fde *items; /* by start; owned */
    size_t count;
};

/* Reads .eh_frame; none is no error, nor is an entry of a kind that is not understood: it is left
 * out. A section that contradicts itself ends the list there. */
enum an_code an_elf_fdes_read(const struct an_elf *elf, struct an_elf_fdes *fdes,
                              struct an_error *error);
void an_elf_fdes_free(struct an_elf_fdes *fdes);

/* The entry that begins at or after the address, as an index; count when there is none. */
size_t an_elf_fde_from(const struct an_elf_fdes *fdes, uint64_t address);

/* Calls found() with the address of each landing pad of the function at `start`. */
void an_elf_landing_pads(const struct an_elf *elf, uint64_t start, uint64_t lsda,
                         void (*found)(void *context, uint64_t landing_pad), void *context);

/* How many bytes it reads for that. */
size_t an_elf_calls_size(const struct an_elf *elf, uint64_t lsda);

#endif
