/* The build id of this program or library, out of its own headers in memory. */
#include <elf.h>
#include <string.h>

#include "core/port.h"

/* The linker defines it: where the file begins in memory. */
extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

static size_t to_4(size_t size)
{
    return (size + 3) / 4 * 4;
}

static struct an_rt_span find_in(const uint8_t *note, size_t size)
{
    const uint8_t *end = note + size;
    while ((size_t)(end - note) >= sizeof(Elf64_Nhdr)) {
        const Elf64_Nhdr *head = (const Elf64_Nhdr *)(const void *)note;
        const uint8_t *name = note + sizeof *head, *id = name + to_4(head->n_namesz);
        if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 && !memcmp(name, "GNU", 4))
            return (struct an_rt_span){(uint8_t *)(uintptr_t)id, head->n_descsz};
        note = id + to_4(head->n_descsz);
    }
    return (struct an_rt_span){0};
}

struct an_rt_span an_rt_build_id(void)
{
    struct an_rt_span found = {0};
    const uint8_t *base = (const uint8_t *)&__ehdr_start;
    if (!base)
        return found;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(const void *)(base + __ehdr_start.e_phoff);
    const Elf64_Phdr *first = NULL;
    for (unsigned i = 0; i < __ehdr_start.e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && (!first || segments[i].p_vaddr < first->p_vaddr))
            first = &segments[i];
    for (unsigned i = 0; first && found.size == 0 && i < __ehdr_start.e_phnum; i++)
        if (segments[i].p_type == PT_NOTE)
            found = find_in(base + (segments[i].p_vaddr - first->p_vaddr), segments[i].p_memsz);
    return found;
}
