/*
 * What a binary is: segments, sections, symbols, build-id. ELF, 64 bits, little-endian: what BOLT
 * and the code layouts made by it are about.
 *
 * libelf finds the way through the headers; the contents are slices of the file, checked against
 * its size. Everything handed out lives as long as the struct an_elf.
 */
#ifndef AN_ELF_ELF_H
#define AN_ELF_ELF_H

#include <elf.h>

#include "base/bytes.h"
#include "base/error.h"

struct an_elf;

struct an_elf_segment { /* PT_LOAD */
    uint64_t address, offset, file_size, memory_size, alignment;
    uint32_t flags; /* PF_X... */
};

struct an_elf_section {
    const char *name;
    uint64_t address, offset, size, flags, entry_size;
    uint32_t type, link, info;
};

struct an_elf_symbol {
    const char *name; /* "" when it has none; a section symbol has its section's name */
    uint64_t address, size;
    uint8_t type, binding, visibility;
    uint16_t section; /* SHN_UNDEF, SHN_ABS, or an index for an_elf_section_at() */
};

/* Opens a binary. The caller closes it. On failure *out is NULL. */
enum an_code an_elf_open(const char *path, struct an_elf **out, struct an_error *error);
void an_elf_close(struct an_elf *elf);

const char *an_elf_path(const struct an_elf *elf);
uint16_t an_elf_machine(const struct an_elf *elf); /* EM_X86_64... */

/* Whether its addresses are what they say (ET_EXEC), or get a bias when loaded (ET_DYN). */
bool an_elf_is_fixed(const struct an_elf *elf);

const struct an_elf_segment *an_elf_segments(const struct an_elf *elf, size_t *count);

/* All sections; the first is the empty one that ELF begins with. */
const struct an_elf_section *an_elf_sections(const struct an_elf *elf, size_t *count);
const struct an_elf_section *an_elf_section_at(const struct an_elf *elf, size_t index);
const struct an_elf_section *an_elf_section(const struct an_elf *elf, const char *name);

/* The allocated section that contains the address, or NULL. */
const struct an_elf_section *an_elf_section_containing(const struct an_elf *elf, uint64_t address);

/* What the file has for a section: no bytes for SHT_NOBITS and for one that leaves the file. */
struct an_bytes an_elf_section_bytes(const struct an_elf *elf,
                                     const struct an_elf_section *section);

/* `size` bytes that are loaded at the address, or NULL when the file does not have them. */
const uint8_t *an_elf_at(const struct an_elf *elf, uint64_t address, size_t size);

/* The whole file. */
struct an_bytes an_elf_bytes(const struct an_elf *elf);

/* The symbols of .symtab in their order, without the empty first one. None is no error. */
enum an_code an_elf_symbols(struct an_elf *elf, const struct an_elf_symbol **symbols, size_t *count,
                            struct an_error *error);

/* The symbols of .dynsym, all of them, so that relocations find theirs by index. */
enum an_code an_elf_dynamic_symbols(struct an_elf *elf, const struct an_elf_symbol **symbols,
                                    size_t *count, struct an_error *error);

/* The GNU build-id; no bytes when there is none. */
struct an_bytes an_elf_build_id(const struct an_elf *elf);

#endif
