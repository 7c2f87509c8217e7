/* Reading a binary's headers by libelf, its contents as checked slices; see elf.h. */
#include "elf/elf.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/kind.h"
#include "base/memory.h"

struct symbol_table {
    struct an_elf_symbol *symbols;
    size_t count;
};

struct an_elf {
    struct an_file file;
    struct an_arena arena;
    char *path;
    Elf *handle;
    GElf_Ehdr header;
    struct an_elf_segment *segments;
    size_t segment_count;
    struct an_elf_section *sections;
    size_t section_count;
    const struct an_elf_section **by_address; /* allocated ones, sorted */
    size_t by_address_count;
    struct symbol_table symbols, dynamic;
    struct an_bytes build_id;
};

/* Linux runs no program with more headers: they have to fit into 64 KiB (fs/binfmt_elf.c). */
enum { MOST_SEGMENTS = 65536 / sizeof(Elf64_Phdr) };

void an_elf_close(struct an_elf *elf)
{
    if (!elf)
        return;
    if (elf->handle)
        elf_end(elf->handle);
    an_arena_free(&elf->arena);
    an_file_close(&elf->file);
    free(elf);
}

static bool in_file(const struct an_elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->file.bytes.size && size <= elf->file.bytes.size - offset;
}

static enum an_code check_kind(struct an_elf *elf, struct an_error *error)
{
    struct an_bytes bytes = elf->file.bytes;
    if (bytes.size < EI_NIDENT || memcmp(bytes.data, ELFMAG, SELFMAG) != 0) {
        const char *what = an_kind_describe(bytes);
        an_fail_at(error, AN_UNKNOWN, 0, "not an ELF file%s%s", what ? " but " : "",
                   what ? what : "");
        return an_error_hint(error, "name the binary that was profiled");
    }
    if (bytes.data[EI_CLASS] != ELFCLASS64 || bytes.data[EI_DATA] != ELFDATA2LSB)
        return an_fail_at(error, AN_UNSUPPORTED, EI_CLASS,
                          "an ELF file of another kind: expected 64 bits, little-endian");
    elf_version(EV_CURRENT);
    elf->handle = elf_memory((char *)bytes.data, bytes.size);
    if (!elf->handle || !gelf_getehdr(elf->handle, &elf->header))
        return an_fail_at(error, AN_MALFORMED, 0, "a damaged ELF header (%s)", elf_errmsg(-1));
    return AN_OK;
}

static enum an_code read_segments(struct an_elf *elf, struct an_error *error)
{
    size_t count;
    if (elf_getphdrnum(elf->handle, &count) != 0 || count > elf->file.bytes.size)
        return an_fail_at(error, AN_MALFORMED, elf->header.e_phoff, "a damaged program header");
    if (elf->header.e_type == ET_CORE) /* has one for each mapping, and nobody asks for them */
        return AN_OK;
    if (count > MOST_SEGMENTS)
        return an_fail_at(error, AN_MALFORMED, elf->header.e_phoff,
                          "%zu program headers, expected at most %d", count, (int)MOST_SEGMENTS);
    elf->segments = an_arena_alloc(&elf->arena, count, sizeof *elf->segments);
    if (!elf->segments)
        return an_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf->handle, (int)i, &header))
            return an_fail_at(error, AN_MALFORMED, elf->header.e_phoff, "a damaged program header");
        if (header.p_type != PT_LOAD)
            continue;
        elf->segments[elf->segment_count++] =
            (struct an_elf_segment){header.p_vaddr, header.p_offset, header.p_filesz,
                                    header.p_memsz, header.p_align,  header.p_flags};
    }
    return AN_OK;
}

static int by_address(const void *a, const void *b)
{
    const struct an_elf_section *left = *(const struct an_elf_section *const *)a;
    const struct an_elf_section *right = *(const struct an_elf_section *const *)b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return (left > right) - (left < right);
}

static enum an_code index_sections(struct an_elf *elf, struct an_error *error)
{
    elf->by_address =
        an_arena_alloc(&elf->arena, elf->section_count, sizeof(struct an_elf_section *));
    if (!elf->by_address)
        return an_fail_memory(error);
    for (size_t i = 1; i < elf->section_count; i++) {
        const struct an_elf_section *section = &elf->sections[i];
        bool in_memory = (section->flags & SHF_ALLOC) && section->size &&
                         !(section->flags & SHF_TLS && section->type == SHT_NOBITS);
        if (in_memory)
            elf->by_address[elf->by_address_count++] = section;
    }
    if (elf->by_address_count)
        qsort(elf->by_address, elf->by_address_count, sizeof *elf->by_address, by_address);
    return AN_OK;
}

/*
 * A table of strings. Names may share their ends, and many symbols have the same one; but if a file
 * has all of them share long ones, it says far more than its size. So there is a limit to the sum.
 */
struct strings {
    struct an_bytes bytes; /* up to the last zero: what begins in them ends in them */
    uint64_t left;         /* of what all names may be long */
};

static struct strings strings_of(struct an_bytes bytes, size_t names)
{
    enum { TIMES_SHARED = 8, LONG_NAME = 256 };
    const uint8_t *last = bytes.size ? memrchr(bytes.data, 0, bytes.size) : NULL;
    struct strings strings = {.bytes = {bytes.data, last ? (size_t)(last - bytes.data) + 1 : 0}};
    strings.left = TIMES_SHARED * (uint64_t)bytes.size + LONG_NAME * (uint64_t)names;
    return strings;
}

static bool spend(struct strings *strings, const char *name)
{
    size_t length = strlen(name);
    if (length > strings->left)
        return false;
    strings->left -= length;
    return true;
}

static const char *string_at(const struct strings *strings, uint32_t at)
{
    return at < strings->bytes.size ? (const char *)strings->bytes.data + at : "";
}

static enum an_code fail_names(uint64_t offset, const char *of, struct an_error *error)
{
    an_fail_at(error, AN_MALFORMED, offset,
               "the names of %s are far longer together than the table that they are in", of);
    return an_error_hint(error, "no compiler and no linker makes such a file");
}

/* `places`: where the names begin in section `table`. */
static enum an_code name_sections(struct an_elf *elf, size_t table, const uint32_t *places,
                                  struct an_error *error)
{
    const struct an_elf_section *section = table ? an_elf_section_at(elf, table) : NULL;
    struct an_bytes bytes = {0};
    if (section && section->type == SHT_STRTAB)
        bytes = an_elf_section_bytes(elf, section);
    struct strings strings = strings_of(bytes, elf->section_count);
    for (size_t i = 0; i < elf->section_count; i++) {
        elf->sections[i].name = string_at(&strings, places[i]);
        if (!spend(&strings, elf->sections[i].name))
            return fail_names(elf->header.e_shoff, "sections", error);
    }
    return AN_OK;
}

/* What is in several sections would be worked on as often: headers alone could ask for any amount of
 * work. */
static enum an_code check_overlaps(const struct an_elf *elf, struct an_error *error)
{
    enum { TIMES_SHARED = 4 };
    uint64_t left = TIMES_SHARED * (uint64_t)elf->file.bytes.size;
    for (size_t i = 0; i < elf->section_count; i++) {
        size_t size = an_elf_section_bytes(elf, &elf->sections[i]).size;
        if (size > left) {
            an_fail_at(error, AN_MALFORMED, elf->header.e_shoff,
                       "the sections are far larger together than the file: they overlap");
            return an_error_hint(error, "no compiler and no linker makes such a file");
        }
        left -= size;
    }
    return AN_OK;
}

static enum an_code read_sections(struct an_elf *elf, struct an_error *error)
{
    size_t count, names;
    if (elf_getshdrnum(elf->handle, &count) != 0 || count > elf->file.bytes.size)
        return an_fail_at(error, AN_MALFORMED, elf->header.e_shoff, "a damaged section header");
    if (elf_getshdrstrndx(elf->handle, &names) != 0)
        names = 0;
    elf->sections = an_arena_alloc(&elf->arena, count, sizeof *elf->sections);
    uint32_t *places = an_arena_alloc(&elf->arena, count, sizeof *places); /* of names */
    if (!elf->sections || !places)
        return an_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        GElf_Shdr header;
        Elf_Scn *handle = elf_getscn(elf->handle, i);
        if (!handle || !gelf_getshdr(handle, &header))
            return an_fail_at(error, AN_MALFORMED, elf->header.e_shoff, "a damaged section header");
        places[i] = header.sh_name;
        elf->sections[elf->section_count++] = (struct an_elf_section){
            .address = header.sh_addr,
            .offset = header.sh_offset,
            .size = header.sh_size,
            .flags = header.sh_flags,
            .entry_size = header.sh_entsize,
            .type = header.sh_type,
            .link = header.sh_link,
            .info = header.sh_info,
        };
    }
    enum an_code code = name_sections(elf, names, places, error);
    if (code == AN_OK)
        code = check_overlaps(elf, error);
    return code == AN_OK ? index_sections(elf, error) : code;
}

/* A note: name size 4, content size 4, type 4, name and content, each padded to 4. */
static struct an_bytes find_build_id(const struct an_elf *elf)
{
    for (size_t i = 1; i < elf->section_count; i++) {
        if (elf->sections[i].type != SHT_NOTE)
            continue;
        struct an_cursor cursor =
            an_cursor_at(an_elf_section_bytes(elf, &elf->sections[i]), 0, false);
        while (an_cursor_left(&cursor) >= 12) {
            uint32_t name_size = an_cursor_u32(&cursor), size = an_cursor_u32(&cursor);
            uint32_t type = an_cursor_u32(&cursor);
            const uint8_t *name = an_cursor_take(&cursor, ((size_t)name_size + 3) & ~(size_t)3);
            const uint8_t *content = an_cursor_take(&cursor, ((size_t)size + 3) & ~(size_t)3);
            if (!name || !content)
                break;
            if (type == NT_GNU_BUILD_ID && name_size == 4 && memcmp(name, "GNU", 4) == 0)
                return (struct an_bytes){content, size};
        }
    }
    return (struct an_bytes){0};
}

enum an_code an_elf_open(const char *path, struct an_elf **out, struct an_error *error)
{
    *out = NULL;
    struct an_elf *elf = an_alloc_zero(1, sizeof *elf);
    if (!elf)
        return an_fail_memory(error);
    enum an_code code = an_file_load(&elf->file, path, error);
    if (code == AN_OK) {
        elf->path = an_arena_copy(&elf->arena, path, strlen(path));
        code = elf->path ? check_kind(elf, error) : an_fail_memory(error);
        if (code == AN_OK)
            code = read_segments(elf, error);
        if (code == AN_OK)
            code = read_sections(elf, error);
        if (code != AN_OK)
            an_error_in(error, path);
        elf->build_id = find_build_id(elf);
    }
    if (code == AN_OK)
        *out = elf;
    else
        an_elf_close(elf);
    return code;
}

const char *an_elf_path(const struct an_elf *elf)
{
    return elf->path;
}

uint16_t an_elf_machine(const struct an_elf *elf)
{
    return elf->header.e_machine;
}

bool an_elf_is_fixed(const struct an_elf *elf)
{
    return elf->header.e_type == ET_EXEC;
}

const struct an_elf_segment *an_elf_segments(const struct an_elf *elf, size_t *count)
{
    *count = elf->segment_count;
    return elf->segments;
}

const struct an_elf_section *an_elf_sections(const struct an_elf *elf, size_t *count)
{
    *count = elf->section_count;
    return elf->sections;
}

const struct an_elf_section *an_elf_section_at(const struct an_elf *elf, size_t index)
{
    return index < elf->section_count ? &elf->sections[index] : NULL;
}

const struct an_elf_section *an_elf_section(const struct an_elf *elf, const char *name)
{
    for (size_t i = 1; i < elf->section_count; i++)
        if (strcmp(elf->sections[i].name, name) == 0)
            return &elf->sections[i];
    return NULL;
}

const struct an_elf_section *an_elf_section_containing(const struct an_elf *elf, uint64_t address)
{
    size_t low = 0, high = elf->by_address_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (elf->by_address[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address - elf->by_address[low - 1]->address >= elf->by_address[low - 1]->size)
        return NULL;
    return elf->by_address[low - 1];
}

struct an_bytes an_elf_section_bytes(const struct an_elf *elf, const struct an_elf_section *section)
{
    if (section->type == SHT_NOBITS || !in_file(elf, section->offset, section->size))
        return (struct an_bytes){0};
    return (struct an_bytes){elf->file.bytes.data + section->offset, (size_t)section->size};
}

const uint8_t *an_elf_at(const struct an_elf *elf, uint64_t address, size_t size)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct an_elf_segment *segment = &elf->segments[i];
        uint64_t inside = address - segment->address;
        if (address < segment->address || inside > segment->file_size ||
            size > segment->file_size - inside)
            continue;
        uint64_t offset;
        if (__builtin_add_overflow(segment->offset, inside, &offset) || !in_file(elf, offset, size))
            return NULL;
        return elf->file.bytes.data + offset;
    }
    return NULL;
}

struct an_bytes an_elf_bytes(const struct an_elf *elf)
{
    return elf->file.bytes;
}

static const char *symbol_name(const struct an_elf *elf, const struct strings *strings, uint32_t at,
                               const struct an_elf_symbol *symbol)
{
    if (at == 0 && symbol->type == STT_SECTION) {
        const struct an_elf_section *section = an_elf_section_at(elf, symbol->section);
        return section ? section->name : "";
    }
    return string_at(strings, at);
}

/*
 * Elf64_Sym: name 4, info 1, other 1, section 2, value 8, size 8.
 */
enum { SYMBOL_SIZE = 24 };

static enum an_code read_symbols(struct an_elf *elf, uint32_t type, size_t skip,
                                 struct symbol_table *table, struct an_error *error)
{
    const struct an_elf_section *section = NULL;
    for (size_t i = 1; i < elf->section_count && !section; i++)
        if (elf->sections[i].type == type)
            section = &elf->sections[i];
    if (!section || table->symbols)
        return AN_OK;
    const struct an_elf_section *names = an_elf_section_at(elf, section->link);
    struct an_bytes bytes = an_elf_section_bytes(elf, section);
    if (section->size && !bytes.size) {
        an_fail_at(error, AN_MALFORMED, section->offset,
                   "the symbol table extends beyond the "
                   "file");
        return an_error_in(error, elf->path);
    }
    size_t count = bytes.size / SYMBOL_SIZE;
    struct strings strings =
        strings_of(names ? an_elf_section_bytes(elf, names) : (struct an_bytes){0}, count);
    table->symbols = an_arena_alloc(&elf->arena, count, sizeof *table->symbols);
    if (!table->symbols)
        return an_fail_memory(error);
    for (size_t i = skip; i < count; i++) {
        const uint8_t *at = bytes.data + i * SYMBOL_SIZE;
        struct an_elf_symbol *symbol = &table->symbols[table->count++];
        *symbol = (struct an_elf_symbol){
            .address = an_get64(at + 8, false),
            .size = an_get64(at + 16, false),
            .type = ELF64_ST_TYPE(at[4]),
            .binding = ELF64_ST_BIND(at[4]),
            .visibility = ELF64_ST_VISIBILITY(at[5]),
            .section = an_get16(at + 6, false),
        };
        symbol->name = symbol_name(elf, &strings, an_get32(at, false), symbol);
        if (!spend(&strings, symbol->name)) {
            fail_names(section->offset, "symbols", error);
            return an_error_in(error, elf->path);
        }
    }
    return AN_OK;
}

enum an_code an_elf_symbols(struct an_elf *elf, const struct an_elf_symbol **symbols, size_t *count,
                            struct an_error *error)
{
    enum an_code code = read_symbols(elf, SHT_SYMTAB, 1, &elf->symbols, error);
    *symbols = elf->symbols.symbols;
    *count = elf->symbols.count;
    return code;
}

enum an_code an_elf_dynamic_symbols(struct an_elf *elf, const struct an_elf_symbol **symbols,
                                    size_t *count, struct an_error *error)
{
    enum an_code code = read_symbols(elf, SHT_DYNSYM, 0, &elf->dynamic, error);
    *symbols = elf->dynamic.symbols;
    *count = elf->dynamic.count;
    return code;
}

struct an_bytes an_elf_build_id(const struct an_elf *elf)
{
    return elf->build_id;
}
