/* What the readers of binaries and of debug information share: sections, and the list of functions. See correlated.h. */
#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "llvm/correlated.h"

/* zlib makes nothing more than about a thousand times smaller. */
enum { MOST_PACKED = 1100 };

static enum an_code unpack(const struct elf_sections *sections, Elf_Scn *section,
                           const GElf_Shdr *header, struct correlated_section *into,
                           struct an_error *error)
{
    GElf_Chdr packed;
    if (!gelf_getchdr(section, &packed) || packed.ch_size / MOST_PACKED > header->sh_size ||
        elf_compress(section, 0, 0) < 0)
        return an_fail_at(error, AN_MALFORMED, header->sh_offset,
                          "a compressed section that cannot be unpacked");
    Elf_Data *data = elf_rawdata(section, NULL);
    char *copy = data ? an_arena_copy(sections->arena, data->d_buf, data->d_size) : NULL;
    if (!copy)
        return an_fail_memory(error);
    into->bytes = (struct an_bytes){(uint8_t *)copy, data->d_size};
    into->size = data->d_size;
    return AN_OK;
}

enum an_code an_correlated_section(const struct elf_sections *sections, const char *name,
                                   struct correlated_section *into, struct an_error *error)
{
    struct an_bytes file = sections->correlated->file.bytes;
    *into = (struct correlated_section){0};
    for (Elf_Scn *at = elf_nextscn(sections->handle, NULL); at;
         at = elf_nextscn(sections->handle, at)) {
        GElf_Shdr header;
        if (!gelf_getshdr(at, &header))
            return an_fail_at(error, AN_MALFORMED, 0, "a damaged section header");
        const char *its = elf_strptr(sections->handle, sections->names, header.sh_name);
        if (!its || strcmp(its, name) != 0)
            continue;
        into->address = header.sh_addr;
        into->size = header.sh_size;
        if (header.sh_type == SHT_NOBITS)
            return AN_OK;
        if (header.sh_offset > file.size || header.sh_size > file.size - header.sh_offset)
            return an_fail_at(error, AN_TRUNCATED, file.size,
                              "file ends before its section %s ends", name);
        if (header.sh_flags & SHF_COMPRESSED)
            return unpack(sections, at, &header, into, error);
        into->bytes = (struct an_bytes){file.data + header.sh_offset, (size_t)header.sh_size};
        return AN_OK;
    }
    return AN_OK;
}

bool an_correlated_add(struct correlated *correlated, struct correlated_function function,
                       uint64_t address)
{
    uint64_t at = address - correlated->counters_address;
    if (address < correlated->counters_address || at >= correlated->counters_size) {
        correlated->skipped++;
        return true;
    }
    struct correlated_function *place = an_vector_push(&correlated->functions);
    if (!place)
        return false;
    *place = function;
    place->counters_at = at;
    return true;
}
