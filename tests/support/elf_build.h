/*
 * Made-up binaries: an ELF file of the sections and symbols that a test asks for, each where it
 * wants them, so that code of a few bytes can be looked at. Nothing of lib/elf is used here.
 *
 *     struct elf_builder b = {0};
 *     unsigned text = elf_section(&b, ".text", 0x1000, SHF_EXECINSTR, code, sizeof code);
 *     elf_symbol(&b, "f", STB_GLOBAL, STT_FUNC, text, 0x1000, sizeof code);
 *     struct an_elf *elf = elf_open(&b);     // the builder is used up
 *
 * Local symbols have to be added before global ones.
 */
#ifndef AN_TEST_ELF_BUILD_H
#define AN_TEST_ELF_BUILD_H

#include "elf/elf.h"

enum { ELF_BUILD_SECTIONS = 16, ELF_BUILD_SYMBOLS = 64, ELF_BUILD_RELOCATIONS = 32 };

struct elf_builder {
    bool independent; /* ET_DYN */
    uint64_t entry;
    struct elf_build_section {
        const char *name;
        uint64_t address, flags;
        const void *bytes;
        size_t size;
        uint64_t claimed; /* what the file says of the size, when it is not this */
        uint32_t type;    /* 0: SHT_PROGBITS */
    } sections[ELF_BUILD_SECTIONS];
    unsigned section_count;
    struct elf_build_symbol {
        const char *name;
        unsigned char binding, type;
        uint16_t section;
        uint64_t address, size;
    } symbols[ELF_BUILD_SYMBOLS];
    unsigned symbol_count;
    struct elf_build_relocation {
        unsigned section, symbol;
        uint64_t address, addend;
        uint32_t type;
    } relocations[ELF_BUILD_RELOCATIONS];
    unsigned relocation_count;
};

/* SHF_ALLOC is added. Returns the index that symbols name it by. The bytes are not copied. */
unsigned elf_section(struct elf_builder *b, const char *name, uint64_t address, uint64_t flags,
                     const void *bytes, size_t size);

/* Returns the index that relocations name it by. A file: STT_FILE, section SHN_ABS. */
unsigned elf_symbol(struct elf_builder *b, const char *name, unsigned binding, unsigned type,
                    unsigned section, uint64_t address, uint64_t size);

/* A static relocation, as --emit-relocs leaves it. */
void elf_relocation(struct elf_builder *b, unsigned section, uint64_t address, uint32_t type,
                    unsigned symbol, uint64_t addend);

/* Makes the file, in memory; the caller closes it. It can be opened as /proc/self/fd/NUMBER. */
int elf_file(const struct elf_builder *b);

/* Makes the file and opens it; fails the test if that does not work. */
struct an_elf *elf_open(const struct elf_builder *b);

#endif
