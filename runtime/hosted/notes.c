/* See notes.h. */
#include "hosted/notes.h"

#include <string.h>

static size_t to_4(size_t size)
{
    return (size + 3) / 4 * 4;
}

static struct an_rt_span find_in(const uint8_t *note, size_t size, const char *owner, uint32_t type)
{
    while (size >= sizeof(Elf64_Nhdr)) {
        const Elf64_Nhdr *head = (const Elf64_Nhdr *)(const void *)note;
        size_t contents = sizeof *head + to_4(head->n_namesz);
        if (contents > size || head->n_descsz > size - contents)
            break;
        if (head->n_type == type && head->n_namesz == strlen(owner) + 1 &&
            !memcmp(note + sizeof *head, owner, head->n_namesz))
            return (struct an_rt_span){(uint8_t *)(uintptr_t)(note + contents), head->n_descsz};
        size_t next = contents + to_4(head->n_descsz);
        if (next > size)
            break;
        note += next;
        size -= next;
    }
    return (struct an_rt_span){0};
}

struct an_rt_span an_rt_note(uintptr_t base, const Elf64_Phdr *segments, size_t count,
                             const char *owner, uint32_t type)
{
    struct an_rt_span found = {0};
    for (size_t i = 0; !found.begin && i < count; i++)
        if (segments[i].p_type == PT_NOTE && segments[i].p_align <= 4)
            found = find_in((const uint8_t *)base + segments[i].p_vaddr, segments[i].p_memsz, owner,
                            type);
    return found;
}
