/*
 * The probes that a program's author has put into it (USDT: systemtap's sys/sdt.h, dtrace), for others to place
 * breakpoints at. The section .note.stapsdt names them:
 *
 *     note     name size 4, description size 4, type 4 = 3, "stapsdt" and 0, description, padded to 4
 *     described  address 8, that of .stapsdt.base when it was linked 8, semaphore 8, provider, name, arguments: texts
 *
 * Source: https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation
 */
#ifndef AN_ELF_USDT_H
#define AN_ELF_USDT_H

#include "elf/elf.h"

struct an_usdt {
    uint64_t address;            /* of an instruction that does nothing; as linked */
    const char *provider, *name; /* in the file: they live as long as the binary is open */
};

/* Calls a function for each probe of a binary. False when the section is not of that shape. */
bool an_usdt_each(const struct an_elf *elf,
                  void (*call)(void *context, const struct an_usdt *probe), void *context);

#endif
