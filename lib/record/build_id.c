/* Finding the note of the linker; see build_id.h. */
#include "record/build_id.h"

#include <gelf.h>
#include <string.h>

/* The GNU build-id among the notes of a segment. */
static size_t find_note(Elf_Data *notes, uint8_t id[AN_BUILD_ID_MOST])
{
    GElf_Nhdr head;
    size_t at = 0, next, name, content;
    while (notes && (next = gelf_getnote(notes, at, &head, &name, &content)) > 0) {
        const char *bytes = notes->d_buf;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof "GNU" &&
            memcmp(bytes + name, "GNU", sizeof "GNU") == 0 && head.n_descsz <= AN_BUILD_ID_MOST) {
            memcpy(id, bytes + content, head.n_descsz);
            return head.n_descsz;
        }
        at = next;
    }
    return 0;
}

enum { MOST_NOTES = 1 << 20 }; /* bytes, which are read into memory */

size_t an_build_id_read(int file, uint8_t id[AN_BUILD_ID_MOST])
{
    size_t count = 0, found = 0;
    GElf_Phdr segment;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    if (!elf)
        return 0;
    if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) != 0)
        count = 0;
    for (size_t i = 0; i < count && !found; i++)
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_NOTE &&
            segment.p_filesz <= MOST_NOTES)
            found = find_note(elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
                                                   segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
                              id);
    elf_end(elf);
    return found;
}
