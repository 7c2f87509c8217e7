/* Reading a binary for what completes raw profiles; see correlated.h. Any ELF file: of 32 or 64 bits, in either order. */
#include "llvm/correlated.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/kind.h"

/* The first note of the section is the only one, as linkers make it. */
static enum an_code find_build_id(struct correlated *correlated,
                                  const struct elf_sections *sections, struct an_error *error)
{
    struct correlated_section notes;
    enum an_code code = an_correlated_section(sections, ".note.gnu.build-id", &notes, error);
    if (code != AN_OK)
        return code;
    struct an_cursor cursor = an_cursor_at(notes.bytes, 0, correlated->big);
    uint32_t name = an_cursor_u32(&cursor), size = an_cursor_u32(&cursor);
    uint32_t type = an_cursor_u32(&cursor);
    const uint8_t *owner = an_cursor_take(&cursor, 4);
    const uint8_t *id = owner ? an_cursor_take(&cursor, size) : NULL;
    if (id && name == 4 && type == NT_GNU_BUILD_ID && memcmp(owner, "GNU", 4) == 0)
        correlated->build_id = (struct an_bytes){id, size};
    return AN_OK;
}

/* Linker scripts of boards put counters among other data, and their limits into symbols. */
static enum an_code find_by_symbols(const struct elf_sections *sections,
                                    struct correlated_section *counters, struct an_error *error)
{
    uint64_t start = 0, stop = 0;
    Elf_Scn *at = NULL;
    GElf_Shdr header;
    while ((at = elf_nextscn(sections->handle, at)) && gelf_getshdr(at, &header)) {
        if (header.sh_type != SHT_SYMTAB)
            continue;
        Elf_Data *data = elf_getdata(at, NULL);
        if (!data)
            return an_fail_at(error, AN_MALFORMED, header.sh_offset, "a damaged symbol table");
        GElf_Sym symbol;
        for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
            const char *name = elf_strptr(sections->handle, header.sh_link, symbol.st_name);
            if (name && strcmp(name, "__start___llvm_prf_cnts") == 0)
                start = symbol.st_value;
            else if (name && strcmp(name, "__stop___llvm_prf_cnts") == 0)
                stop = symbol.st_value;
        }
    }
    if (start < stop)
        *counters = (struct correlated_section){.address = start, .size = stop - start};
    return AN_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct correlated_function *left = a, *right = b;
    return (left->counters_at > right->counters_at) - (left->counters_at < right->counters_at);
}

/* A function that is in several objects is described by each of them. */
static void unite(struct correlated *correlated)
{
    size_t kept = 0, count = correlated->functions.count;
    struct correlated_function *functions = correlated->functions.items;
    if (count)
        qsort(functions, count, sizeof *functions, by_place);
    for (size_t i = 0; i < count; i++)
        if (!kept || functions[kept - 1].counters_at != functions[i].counters_at)
            functions[kept++] = functions[i];
    correlated->functions.count = kept;
}

static enum an_code read_functions(struct correlated *correlated,
                                   const struct elf_sections *sections,
                                   enum an_llvm_correlation_kind kind, struct an_error *error)
{
    struct correlated_section counters;
    enum an_code code = find_build_id(correlated, sections, error);
    if (code == AN_OK)
        code = an_correlated_section(sections, "__llvm_prf_cnts", &counters, error);
    if (code == AN_OK && !counters.size)
        code = find_by_symbols(sections, &counters, error);
    if (code != AN_OK)
        return code;
    if (!counters.size) {
        an_fail(error, AN_UNSUPPORTED, "no section __llvm_prf_cnts, nor symbols for its limits");
        return an_error_hint(error, "name the instrumented program, or its debug information");
    }
    correlated->counters_address = counters.address;
    correlated->counters_size = counters.size;
    code = kind == AN_LLVM_BY_BINARY ? an_correlated_from_binary(correlated, sections, error)
                                     : an_correlated_from_dwarf(correlated, sections, error);
    if (code != AN_OK)
        return code;
    unite(correlated);
    if (correlated->functions.count)
        return correlated->names.failed ? an_fail_memory(error) : AN_OK;
    an_fail(error, AN_UNSUPPORTED, "no descriptions of instrumented functions in it");
    return an_error_hint(error, kind == AN_LLVM_BY_BINARY
                                    ? "build it with -mllvm -profile-correlate=binary, or try "
                                      "--debug-info"
                                    : "build it with -g -mllvm -profile-correlate=debug-info, or "
                                      "try --binary-file");
}

static enum an_code read_elf(struct correlated *correlated, enum an_llvm_correlation_kind kind,
                             struct an_error *error)
{
    struct an_bytes bytes = correlated->file.bytes;
    if (bytes.size < EI_NIDENT || memcmp(bytes.data, ELFMAG, SELFMAG) != 0) {
        const char *what = an_kind_describe(bytes);
        an_fail_at(error, AN_UNKNOWN, 0, "not an ELF file%s%s", what ? " but " : "",
                   what ? what : "");
        return an_error_hint(error, "name the instrumented program, or its debug information");
    }
    correlated->wide = bytes.data[EI_CLASS] == ELFCLASS64;
    correlated->big = bytes.data[EI_DATA] == ELFDATA2MSB;
    elf_version(EV_CURRENT);
    struct elf_sections sections = {.correlated = correlated, .arena = &correlated->arena};
    sections.handle = elf_memory((char *)bytes.data, bytes.size);
    if (!sections.handle || elf_getshdrstrndx(sections.handle, &sections.names) != 0) {
        an_fail_at(error, AN_MALFORMED, 0, "a damaged ELF header (%s)", elf_errmsg(-1));
        elf_end(sections.handle);
        return AN_MALFORMED;
    }
    enum an_code code = read_functions(correlated, &sections, kind, error);
    elf_end(sections.handle);
    return code;
}

enum an_code an_correlated_read(struct correlated *correlated, const char *path,
                                enum an_llvm_correlation_kind kind, struct an_error *error)
{
    *correlated = (struct correlated){0};
    enum an_code code = an_file_load(&correlated->file, path, error);
    if (code == AN_OK) {
        correlated->path = an_arena_copy(&correlated->arena, path, strlen(path));
        code = correlated->path ? read_elf(correlated, kind, error) : an_fail_memory(error);
    }
    if (code != AN_OK)
        an_correlated_free(correlated);
    return code;
}

void an_correlated_free(struct correlated *correlated)
{
    an_vector_free(&correlated->functions);
    an_buffer_free(&correlated->names);
    an_file_close(&correlated->file);
    an_arena_free(&correlated->arena);
}
