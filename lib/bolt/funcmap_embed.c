/*
 * Adding a section to a binary without touching what is loaded.
 *
 *     the binary as it was                 only the ELF header's e_shoff and e_shnum change
 *     zeros up to a multiple of 4
 *     the note                             a new section, .note.anneal.funcmap
 *     the section names and one more       .shstrtab moves here
 *     zeros up to a multiple of 8
 *     the section headers and one more
 *
 * If the section headers were the last of the file, as BOLT writes them, they give way to the note.
 */
#include <string.h>

#include "bolt/funcmap.h"

enum { HEADER = sizeof(Elf64_Ehdr), ENTRY = sizeof(Elf64_Shdr) };

struct layout {
    struct an_bytes file;
    uint64_t headers; /* where the section headers were */
    size_t count;
    size_t names;      /* index of .shstrtab */
    size_t note_index; /* index of the section; count if it is new */
    struct an_bytes name_bytes;
    uint64_t name_at; /* of the section's name, in the new .shstrtab */
    uint64_t note_offset, names_offset;
};

static enum an_code look(const struct an_elf *elf, struct layout *l, struct an_error *error)
{
    l->file = an_elf_bytes(elf);
    struct an_cursor cursor = an_cursor_at(l->file, offsetof(Elf64_Ehdr, e_shoff), false);
    l->headers = an_cursor_u64(&cursor);
    cursor = an_cursor_at(l->file, offsetof(Elf64_Ehdr, e_shentsize), false);
    uint16_t entry = an_cursor_u16(&cursor);
    l->count = an_cursor_u16(&cursor);
    l->names = an_cursor_u16(&cursor);
    const struct an_elf_section *names = an_elf_section_at(elf, l->names);
    if (cursor.short_read || entry != ENTRY || l->count == 0 || l->count + 1 >= SHN_LORESERVE ||
        l->headers > l->file.size || l->count > (l->file.size - l->headers) / ENTRY || !names ||
        names->type != SHT_STRTAB) {
        an_fail_at(error, AN_UNSUPPORTED, offsetof(Elf64_Ehdr, e_shoff),
                   "section headers that cannot be extended");
        an_error_hint(error, "write the map to a file of its own, without --embed");
        return an_error_in(error, an_elf_path(elf));
    }
    l->name_bytes = an_elf_section_bytes(elf, names);
    const struct an_elf_section *old = an_elf_section(elf, AN_FUNCMAP_SECTION);
    size_t all;
    l->note_index = old ? (size_t)(old - an_elf_sections(elf, &all)) : l->count;
    return AN_OK;
}

static void pad(struct an_buffer *buffer, size_t start, size_t to)
{
    static const uint8_t zeros[8];
    size_t size = (to - (buffer->size - start) % to) % to;
    an_buffer_put(buffer, zeros, size);
}

static void put_section(struct an_buffer *buffer, const Elf64_Shdr *section)
{
    an_buffer_le(buffer, section->sh_name, 4);
    an_buffer_le(buffer, section->sh_type, 4);
    an_buffer_le64(buffer, section->sh_flags);
    an_buffer_le64(buffer, section->sh_addr);
    an_buffer_le64(buffer, section->sh_offset);
    an_buffer_le64(buffer, section->sh_size);
    an_buffer_le(buffer, section->sh_link, 4);
    an_buffer_le(buffer, section->sh_info, 4);
    an_buffer_le64(buffer, section->sh_addralign);
    an_buffer_le64(buffer, section->sh_entsize);
}

static void put_headers(struct an_buffer *buffer, const struct layout *l, struct an_bytes note,
                        size_t names_size)
{
    Elf64_Shdr added = {
        .sh_name = (Elf64_Word)l->name_at,
        .sh_type = SHT_NOTE,
        .sh_offset = l->note_offset,
        .sh_size = note.size,
        .sh_addralign = 4,
    };
    for (size_t i = 0; i < l->count; i++) {
        const uint8_t *old = l->file.data + l->headers + i * ENTRY;
        uint8_t *to = i == l->note_index ? NULL : an_buffer_extend(buffer, ENTRY);
        if (i == l->note_index)
            put_section(buffer, &added);
        if (!to)
            continue;
        memcpy(to, old, ENTRY);
        if (i == l->names) {
            size_t at = buffer->size - ENTRY;
            an_buffer_patch_le64(buffer, at + offsetof(Elf64_Shdr, sh_offset), l->names_offset);
            an_buffer_patch_le64(buffer, at + offsetof(Elf64_Shdr, sh_size), names_size);
        }
    }
    if (l->note_index == l->count)
        put_section(buffer, &added);
}

/* The names, with one more unless the section was there. */
static void put_names(struct an_buffer *buffer, struct layout *l)
{
    static const char name[] = AN_FUNCMAP_SECTION;
    an_buffer_put(buffer, l->name_bytes.data, l->name_bytes.size);
    l->name_at = l->name_bytes.size;
    if (l->note_index < l->count) {
        struct an_bytes old = {l->file.data + l->headers + l->note_index * ENTRY, ENTRY};
        struct an_cursor cursor = an_cursor_at(old, offsetof(Elf64_Shdr, sh_name), false);
        l->name_at = an_cursor_u32(&cursor);
        return;
    }
    if (l->name_bytes.size && l->name_bytes.data[l->name_bytes.size - 1] != 0) {
        an_buffer_put(buffer, "", 1);
        l->name_at++;
    }
    an_buffer_put(buffer, name, sizeof name);
}

enum an_code an_funcmap_embed(const struct an_elf *elf, struct an_bytes note,
                              struct an_buffer *buffer, struct an_error *error)
{
    struct layout l = {0};
    enum an_code code = look(elf, &l, error);
    if (code != AN_OK)
        return code;
    size_t start = buffer->size, kept = l.file.size;
    if (l.headers + l.count * ENTRY == kept)
        kept = (size_t)l.headers;
    an_buffer_put(buffer, l.file.data, kept);
    pad(buffer, start, 4);
    l.note_offset = buffer->size - start;
    an_buffer_put(buffer, note.data, note.size);
    l.names_offset = buffer->size - start;
    put_names(buffer, &l);
    size_t names_size = buffer->size - start - l.names_offset;
    pad(buffer, start, 8);
    size_t headers = buffer->size - start;
    put_headers(buffer, &l, note, names_size);
    if (buffer->failed)
        return an_fail_memory(error);
    an_buffer_patch_le64(buffer, start + offsetof(Elf64_Ehdr, e_shoff), headers);
    uint16_t count = (uint16_t)(l.count + (l.note_index == l.count));
    buffer->data[start + offsetof(Elf64_Ehdr, e_shnum)] = (uint8_t)count;
    buffer->data[start + offsetof(Elf64_Ehdr, e_shnum) + 1] = (uint8_t)(count >> 8);
    return AN_OK;
}
