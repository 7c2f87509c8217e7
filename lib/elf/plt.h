/*
 * The entries of the procedure linkage table: code without symbols, named after what they lead to
 * (memcpy@PLT). An entry of .plt, .plt.sec or .plt.got jumps through a slot of the global offset
 * table, and a dynamic relocation says whose address the loader puts there.
 */
#ifndef AN_ELF_PLT_H
#define AN_ELF_PLT_H

#include "elf/elf.h"
#include "elf/functions.h"

bool an_plt_is_section(const struct an_elf_section *section);

/*
 * Calls found() for each entry that is not among `known` functions, with its address and name (in the arena),
 * and for the beginning of each section, which is shared by all entries. found() returns false when
 * memory runs out.
 */
enum an_code an_plt_entries(struct an_elf *elf, const struct an_functions *known,
                            struct an_arena *arena,
                            bool (*found)(void *context, uint64_t address, const char *name),
                            void *context, struct an_error *error);

#endif
