/* The build id of this program or library, out of its own headers in memory. */
#include "core/port.h"
#include "hosted/notes.h"

/* The linker defines it: where the file begins in memory. */
extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

struct an_rt_span an_rt_build_id(void)
{
    uintptr_t start = (uintptr_t)&__ehdr_start;
    if (!start)
        return (struct an_rt_span){0};
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(start + __ehdr_start.e_phoff);
    const Elf64_Phdr *first = NULL;
    for (unsigned i = 0; i < __ehdr_start.e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && (!first || segments[i].p_vaddr < first->p_vaddr))
            first = &segments[i];
    if (!first)
        return (struct an_rt_span){0};
    return an_rt_note(start - first->p_vaddr, segments, __ehdr_start.e_phnum, "GNU",
                      NT_GNU_BUILD_ID);
}
