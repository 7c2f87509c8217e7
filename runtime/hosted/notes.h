/* Notes: records that the linker puts where a loaded program or library can be asked for them. */
#ifndef AN_RT_NOTES_H
#define AN_RT_NOTES_H

#include <elf.h>

#include "core/port.h"

/*
 * What the first note of that owner and type holds, in a file that is loaded at `base` (0 for programs that
 * are not moved) with these segments. begin NULL: there is none.
 */
struct an_rt_span an_rt_note(uintptr_t base, const Elf64_Phdr *segments, size_t count,
                             const char *owner, uint32_t type);

#endif
