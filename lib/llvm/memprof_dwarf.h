/* What a program's debug information says of addresses. */
#ifndef AN_LLVM_MEMPROF_DWARF_H
#define AN_LLVM_MEMPROF_DWARF_H

#include "llvm/memprof_frame.h"

/* Adds, for each of these addresses, which are new and ascending, a place from debug information. */
enum an_code an_memprof_dwarf_locate(struct memprof_binary *binary, const uint64_t *addresses,
                                     size_t count, struct an_error *error);

/* Closes what that has opened, for good. */
void an_memprof_dwarf_close(struct memprof_debug *debug);

#endif
