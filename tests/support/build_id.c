/* Reading build-ids; see build_id.h. */
#include "support/build_id.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

static size_t id_in_notes(Elf_Data *data, uint8_t *id)
{
    GElf_Nhdr note;
    size_t name_at, id_at;
    for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name_at, &id_at)) > 0;) {
        const char *bytes = data->d_buf;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
            memcmp(bytes + name_at, "GNU", 4) != 0)
            continue;
        size_t size = note.n_descsz < LONGEST_BUILD_ID ? note.n_descsz : LONGEST_BUILD_ID;
        memcpy(id, bytes + id_at, size);
        return size;
    }
    return 0;
}

static size_t id_in_segments(Elf *elf, uint8_t *id)
{
    size_t segments = 0, size = 0;
    elf_getphdrnum(elf, &segments);
    for (size_t i = 0; i < segments && size == 0; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_NOTE)
            continue;
        Elf_Type type = segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
        Elf_Data *data =
            elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, type);
        size = data ? id_in_notes(data, id) : 0;
    }
    return size;
}

size_t build_id_of(const char *path, uint8_t id[LONGEST_BUILD_ID])
{
    elf_version(EV_CURRENT);
    memset(id, 0, LONGEST_BUILD_ID);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    size_t size = elf ? id_in_segments(elf, id) : 0;
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return size;
}
