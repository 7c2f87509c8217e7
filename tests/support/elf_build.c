/* Putting ELF files together; see elf_build.h. */
#include "support/elf_build.h"

#include <sys/mman.h>
#include <unistd.h>

#include "support/test.h"

unsigned elf_section(struct elf_builder *b, const char *name, uint64_t address, uint64_t flags,
                     const void *bytes, size_t size)
{
    assert_true(b->section_count < ELF_BUILD_SECTIONS);
    b->sections[b->section_count++] = (struct elf_build_section){
        .name = name, .address = address, .flags = flags | SHF_ALLOC, .bytes = bytes, .size = size};
    return b->section_count;
}

unsigned elf_symbol(struct elf_builder *b, const char *name, unsigned binding, unsigned type,
                    unsigned section, uint64_t address, uint64_t size)
{
    assert_true(b->symbol_count < ELF_BUILD_SYMBOLS);
    b->symbols[b->symbol_count++] = (struct elf_build_symbol){
        name, (unsigned char)binding, (unsigned char)type, (uint16_t)section, address, size};
    return b->symbol_count;
}

void elf_relocation(struct elf_builder *b, unsigned section, uint64_t address, uint32_t type,
                    unsigned symbol, uint64_t addend)
{
    assert_true(b->relocation_count < ELF_BUILD_RELOCATIONS);
    b->relocations[b->relocation_count++] =
        (struct elf_build_relocation){section, symbol, address, addend, type};
}

struct file {
    const struct elf_builder *b;
    struct an_buffer bytes, names;
    Elf64_Shdr headers[2 * ELF_BUILD_SECTIONS + 4];
    unsigned header_count;
};

static uint32_t put_name(struct an_buffer *names, const char *name)
{
    size_t at = names->size;
    an_buffer_put(names, name, strlen(name) + 1);
    return (uint32_t)at;
}

static Elf64_Shdr *put_section(struct file *file, const char *name, uint32_t type,
                               const void *bytes, size_t size)
{
    Elf64_Shdr *header = &file->headers[file->header_count++];
    *header = (Elf64_Shdr){.sh_name = put_name(&file->names, name),
                           .sh_type = type,
                           .sh_offset = file->bytes.size,
                           .sh_size = size,
                           .sh_addralign = 1};
    if (size)
        an_buffer_put(&file->bytes, bytes, size);
    return header;
}

static void put_contents(struct file *file)
{
    for (unsigned i = 0; i < file->b->section_count; i++) {
        const struct elf_build_section *section = &file->b->sections[i];
        Elf64_Shdr *header =
            put_section(file, section->name, section->type ? section->type : SHT_PROGBITS,
                        section->bytes, section->size);
        header->sh_addr = section->address;
        header->sh_flags = section->flags;
        if (section->claimed)
            header->sh_size = section->claimed;
    }
}

static void put_symbols(struct file *file)
{
    struct an_buffer symbols = {0}, strings = {0};
    uint32_t first_global = 1;
    an_buffer_put(&symbols, &(Elf64_Sym){0}, sizeof(Elf64_Sym));
    put_name(&strings, "");
    for (unsigned i = 0; i < file->b->symbol_count; i++) {
        const struct elf_build_symbol *symbol = &file->b->symbols[i];
        Elf64_Sym entry = {.st_name = put_name(&strings, symbol->name),
                           .st_info = ELF64_ST_INFO(symbol->binding, symbol->type),
                           .st_shndx = symbol->section,
                           .st_value = symbol->address,
                           .st_size = symbol->size};
        an_buffer_put(&symbols, &entry, sizeof entry);
        if (symbol->binding == STB_LOCAL)
            first_global = i + 2;
    }
    Elf64_Shdr *table = put_section(file, ".symtab", SHT_SYMTAB, symbols.data, symbols.size);
    table->sh_entsize = sizeof(Elf64_Sym);
    table->sh_info = first_global;
    table->sh_link = file->header_count;
    put_section(file, ".strtab", SHT_STRTAB, strings.data, strings.size);
    an_buffer_free(&symbols);
    an_buffer_free(&strings);
}

static void put_relocations(struct file *file, unsigned symbol_table)
{
    const struct elf_builder *b = file->b;
    for (unsigned section = 1; section <= b->section_count; section++) {
        struct an_buffer entries = {0};
        char name[64];
        for (unsigned i = 0; i < b->relocation_count; i++) {
            const struct elf_build_relocation *relocation = &b->relocations[i];
            Elf64_Rela entry = {.r_offset = relocation->address,
                                .r_info =
                                    ELF64_R_INFO((uint64_t)relocation->symbol, relocation->type),
                                .r_addend = (int64_t)relocation->addend};
            if (relocation->section == section)
                an_buffer_put(&entries, &entry, sizeof entry);
        }
        snprintf(name, sizeof name, ".rela%s", b->sections[section - 1].name);
        if (entries.size) {
            Elf64_Shdr *header = put_section(file, name, SHT_RELA, entries.data, entries.size);
            header->sh_entsize = sizeof(Elf64_Rela);
            header->sh_link = symbol_table;
            header->sh_info = section;
        }
        an_buffer_free(&entries);
    }
}

/* One segment for each section, since they lie anywhere. */
static void put_segments(const struct file *file, uint8_t *to)
{
    for (unsigned i = 0; i < file->b->section_count; i++) {
        const struct elf_build_section *section = &file->b->sections[i];
        Elf64_Phdr segment = {.p_type = PT_LOAD,
                              .p_flags = PF_R | (section->flags & SHF_EXECINSTR ? PF_X : 0),
                              .p_offset = file->headers[i + 1].sh_offset,
                              .p_vaddr = section->address,
                              .p_filesz = section->size,
                              .p_memsz = section->size,
                              .p_align = 1};
        memcpy(to + i * sizeof segment, &segment, sizeof segment);
    }
}

static void build(struct file *file)
{
    const struct elf_builder *b = file->b;
    size_t heads = sizeof(Elf64_Ehdr) + b->section_count * sizeof(Elf64_Phdr);
    assert_non_null(an_buffer_extend(&file->bytes, heads));
    file->header_count = 1;
    put_name(&file->names, "");
    put_contents(file);
    unsigned symbol_table = file->header_count;
    put_symbols(file);
    put_relocations(file, symbol_table);
    Elf64_Shdr *names = put_section(file, ".shstrtab", SHT_STRTAB, NULL, 0);
    names->sh_size = file->names.size;
    an_buffer_put(&file->bytes, file->names.data, file->names.size);
    Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = b->independent ? ET_DYN : ET_EXEC,
        .e_entry = b->entry,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof head,
        .e_shoff = file->bytes.size,
        .e_ehsize = sizeof head,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = (uint16_t)b->section_count,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)file->header_count,
        .e_shstrndx = (uint16_t)(file->header_count - 1)};
    an_buffer_put(&file->bytes, file->headers, file->header_count * sizeof(Elf64_Shdr));
    assert_false(file->bytes.failed || file->names.failed);
    memcpy(file->bytes.data, &head, sizeof head);
    put_segments(file, file->bytes.data + sizeof head);
}

int elf_file(const struct elf_builder *b)
{
    struct file file = {.b = b};
    build(&file);
    int fd = memfd_create("made-up", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, file.bytes.data, file.bytes.size), (ssize_t)file.bytes.size);
    an_buffer_free(&file.bytes);
    an_buffer_free(&file.names);
    return fd;
}

struct an_elf *elf_open(const struct elf_builder *b)
{
    char path[40], text[400];
    struct an_elf *elf;
    struct an_error error;
    int fd = elf_file(b);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (an_elf_open(path, &elf, &error) != AN_OK) {
        an_error_format(&error, text, sizeof text);
        print_error("%s\n", text);
        fail();
    }
    close(fd);
    return elf;
}
