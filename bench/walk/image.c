/* Reading the ELF file; see image.h. */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- errors and memory ---- */

void must_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("walk: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
    va_end(arguments);
}

_Noreturn void must_end(void)
{
    exit(1);
}

void *must_grow(void *old, size_t count, size_t size)
{
    void *memory = reallocarray(old, count ? count : 1, size);
    if (!memory)
        must_fail("out of memory");
    return memory;
}

void *must_alloc(size_t count, size_t size)
{
    void *memory = must_grow(NULL, count, size);
    return memset(memory, 0, count * size);
}

/* A file that is being read. */
struct input {
    Elf *elf;
    uint8_t file;
    uint64_t behind; /* what counts of it: at and behind this address */
};

/* ---- sections and segments ---- */

static const char *name_of(Elf *elf, const GElf_Shdr *header)
{
    size_t names;
    const char *name = NULL;
    if (elf_getshdrstrndx(elf, &names) == 0)
        name = elf_strptr(elf, names, header->sh_name);
    return name ? name : "";
}

static void add_section(struct image *image, const struct input *input, Elf_Scn *section)
{
    Elf *elf = input->elf;
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
        header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_TLS) ||
        header.sh_addr < input->behind)
        return;
    Elf_Data *data = elf_rawdata(section, NULL);
    if (!data || !data->d_buf)
        return;
    image->sections =
        must_grow(image->sections, image->section_number + 1, sizeof *image->sections);
    image->sections[image->section_number++] =
        (struct image_section){.address = header.sh_addr,
                               .size = data->d_size,
                               .bytes = data->d_buf,
                               .file = input->file,
                               .code = header.sh_flags & SHF_EXECINSTR,
                               .linkage = strncmp(name_of(elf, &header), ".plt", 4) == 0};
}

static void read_segments(struct image *image, const struct input *input)
{
    enum { PAGE = 4096 };
    size_t number = 0;
    elf_getphdrnum(input->elf, &number);
    for (size_t i = 0; i < number; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(input->elf, (int)i, &header) || header.p_type != PT_LOAD ||
            header.p_vaddr < input->behind)
            continue;
        uint64_t start = header.p_vaddr / PAGE * PAGE;
        uint64_t end = (header.p_vaddr + header.p_memsz + PAGE - 1) / PAGE * PAGE;
        image->low = start < image->low ? start : image->low;
        image->high = end > image->high ? end : image->high;
        if (!(header.p_flags & PF_X))
            continue;
        image->segments =
            must_grow(image->segments, image->segment_number + 1, sizeof *image->segments);
        image->segments[image->segment_number++] =
            (struct image_segment){start, end - start, header.p_offset / PAGE * PAGE, input->file};
    }
}

static const struct image_section *section_at(const struct image *image, uint64_t address)
{
    for (size_t i = 0; i < image->section_number; i++)
        if (address - image->sections[i].address < image->sections[i].size)
            return &image->sections[i];
    return NULL;
}

const uint8_t *image_bytes(const struct image *image, uint64_t address, size_t *size)
{
    const struct image_section *section = section_at(image, address);
    if (!section)
        return NULL;
    *size = section->size - (address - section->address);
    return section->bytes + (address - section->address);
}

/* ---- functions ---- */

static void add_function(struct image *image, struct image_function function)
{
    if (image->function_number % 1024 == 0)
        image->functions =
            must_grow(image->functions, image->function_number + 1024, sizeof *image->functions);
    image->functions[image->function_number++] = function;
}

static void add_symbol(struct image *image, struct image_symbol symbol)
{
    if (image->symbol_number % 1024 == 0)
        image->symbols =
            must_grow(image->symbols, image->symbol_number + 1024, sizeof *image->symbols);
    symbol.number = (uint32_t)image->symbol_number;
    image->symbols[image->symbol_number++] = symbol;
}

static void read_symbols(struct image *image, const struct input *input, Elf_Scn *section,
                         const GElf_Shdr *header)
{
    size_t entry_size = header->sh_entsize;
    Elf_Data *data = elf_getdata(section, NULL);
    size_t number = data && entry_size ? data->d_size / entry_size : 0;
    for (size_t i = 0; i < number; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
            symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_strptr(input->elf, header->sh_link, symbol.st_name);
        name = name ? name : "";
        add_symbol(image, (struct image_symbol){name, symbol.st_value, 0, input->file,
                                                GELF_ST_BIND(symbol.st_info) == STB_LOCAL});
        const struct image_section *home = section_at(image, symbol.st_value);
        if (home && home->code && !home->linkage && symbol.st_value >= input->behind &&
            symbol.st_size <= home->size - (symbol.st_value - home->address))
            add_function(image, (struct image_function){.start = symbol.st_value,
                                                        .end = symbol.st_value + symbol.st_size,
                                                        .name = name,
                                                        .file = input->file});
    }
}

static int by_start(const void *a, const void *b)
{
    const struct image_function *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return (left->end < right->end) - (left->end > right->end);
}

/* Of those that overlap the first one stays. */
static void sort_functions(struct image *image)
{
    size_t kept = 0;
    qsort(image->functions, image->function_number, sizeof *image->functions, by_start);
    for (size_t i = 0; i < image->function_number; i++)
        if (kept == 0 || image->functions[i].start >= image->functions[kept - 1].end)
            image->functions[kept++] = image->functions[i];
    image->function_number = kept;
    while (image->own_function_number < kept &&
           image->functions[image->own_function_number].file == 0)
        image->own_function_number++;
}

struct image_function *image_function_at(const struct image *image, uint64_t address)
{
    size_t low = 0, high = image->function_number;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (image->functions[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == image->function_number || address < image->functions[low].start)
        return NULL;
    return &image->functions[low];
}

/* ---- words that hold addresses ---- */

static void add_pointer(struct image *image, uint64_t value)
{
    if (image->pointer_number % 4096 == 0)
        image->pointers =
            must_grow(image->pointers, image->pointer_number + 4096, sizeof *image->pointers);
    image->pointers[image->pointer_number++] = value;
}

static void add_slot(struct image *image, uint64_t address, const char *name)
{
    image->slots = must_grow(image->slots, image->slot_number + 1, sizeof *image->slots);
    image->slots[image->slot_number++] = (struct image_slot){address, name ? name : ""};
}

static void read_relocations(struct image *image, Elf *elf, Elf_Scn *section,
                             const GElf_Shdr *header)
{
    Elf_Scn *symbols_section = elf_getscn(elf, header->sh_link);
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Data *symbols = symbols_section ? elf_getdata(symbols_section, NULL) : NULL;
    GElf_Shdr symbols_header = {0};
    if (symbols_section)
        gelf_getshdr(symbols_section, &symbols_header);
    size_t number = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 0; i < number; i++) {
        GElf_Rela entry;
        GElf_Sym symbol;
        if (!gelf_getrela(data, (int)i, &entry))
            continue;
        if (GELF_R_TYPE(entry.r_info) == R_X86_64_RELATIVE)
            add_pointer(image, (uint64_t)entry.r_addend);
        else if (symbols && gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &symbol) &&
                 symbol.st_shndx != SHN_UNDEF && symbol.st_value)
            add_pointer(image, symbol.st_value);
        else if (symbols && gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &symbol))
            add_slot(image, entry.r_offset,
                     elf_strptr(elf, symbols_header.sh_link, symbol.st_name));
    }
}

/* In a file that is loaded where it says, pointers are in place. */
static void read_data(struct image *image)
{
    for (size_t i = 0; image->fixed && i < image->section_number; i++) {
        const struct image_section *section = &image->sections[i];
        for (size_t at = 0; !section->code && section->file == 0 && at + 8 <= section->size;
             at += 8) {
            uint64_t value;
            memcpy(&value, section->bytes + at, sizeof value);
            const struct image_function *function = image_function_at(image, value);
            if (function && function->start == value)
                add_pointer(image, value);
        }
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void sort_words(struct image *image)
{
    size_t kept = 0;
    if (image->pointer_number)
        qsort(image->pointers, image->pointer_number, sizeof *image->pointers, by_number);
    for (size_t i = 0; i < image->pointer_number; i++)
        if (i == 0 || image->pointers[i] != image->pointers[i - 1])
            image->pointers[kept++] = image->pointers[i];
    image->pointer_number = kept;
    if (image->slot_number)
        qsort(image->slots, image->slot_number, sizeof *image->slots, by_number);
}

const char *image_slot_name(const struct image *image, uint64_t address)
{
    const struct image_slot *slot =
        image->slot_number
            ? bsearch(&address, image->slots, image->slot_number, sizeof *image->slots, by_number)
            : NULL;
    return slot ? slot->name : NULL;
}

/* ---- the whole ---- */

/* Symbols and relocations of one section; of relocations only what the dynamic linker does. */
static void read_section(struct image *image, const struct input *input, Elf_Scn *section)
{
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header))
        return;
    if (header.sh_type == SHT_SYMTAB)
        read_symbols(image, input, section, &header);
    else if (header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC) && input->file == 0)
        read_relocations(image, input->elf, section, &header);
}

static Elf *open_elf(const char *path)
{
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        must_fail("%s: %s", path, strerror(errno));
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    GElf_Ehdr header;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
        header.e_machine != EM_X86_64)
        must_fail("%s is no ELF file for x86-64", path);
    elf_cntl(elf, ELF_C_FDREAD);
    close(fd);
    return elf;
}

/* Sections and symbols of one file; for a layout those behind the program's end. */
static void add_file(struct image *image, const char *path, uint64_t behind)
{
    if (image->file_number == MOST_FILES)
        must_fail("%d layouts are the most", MOST_FILES - 1);
    struct input input = {open_elf(path), (uint8_t)image->file_number, behind};
    size_t functions = image->function_number;
    image->files[image->file_number++] = input.elf;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(input.elf, section));)
        add_section(image, &input, section);
    read_segments(image, &input);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(input.elf, section));)
        read_section(image, &input, section);
    if (image->function_number == functions)
        must_fail("%s has no symbols of %s", path,
                  behind ? "functions behind the end of the program: is it a layout of that?"
                         : "functions: it must not be stripped");
}

struct image *image_open_layouts(const char *path, const char *const *layouts, size_t number)
{
    struct image *image = must_alloc(1, sizeof *image);
    image->low = UINT64_MAX;
    add_file(image, path, 0);
    GElf_Ehdr header;
    image->fixed = gelf_getehdr(image->files[0], &header) && header.e_type == ET_EXEC;
    uint64_t end = image->high;
    for (size_t i = 0; i < image->section_number; i++)
        if (image->sections[i].linkage)
            add_function(image, (struct image_function){.start = image->sections[i].address,
                                                        .end = image->sections[i].address +
                                                               image->sections[i].size,
                                                        .linkage = true});
    for (size_t i = 0; i < number; i++)
        add_file(image, layouts[i], end);
    sort_functions(image);
    read_data(image);
    sort_words(image);
    return image;
}

struct image *image_open(const char *path)
{
    return image_open_layouts(path, NULL, 0);
}

void image_free(struct image *image)
{
    for (size_t i = 0; i < image->file_number; i++)
        elf_end(image->files[i]);
    free(image->sections);
    free(image->functions);
    free(image->slots);
    free(image->pointers);
    free(image->segments);
    free(image->symbols);
    free(image);
}
