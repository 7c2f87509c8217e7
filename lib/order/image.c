/*
 * The functions of a binary by its symbols. Several symbols at one address are one function: it moves
 * as a whole.
 *
 * What a linker can move is a section. In an object file they are to be seen. A linked program has only
 * one of them left; but lld fills the room between two sections with int3 (0xcc), which is never run,
 * while an assembler that aligns a function within its section puts nop there.
 */
#include "order/image.h"

#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "order/names.h"

enum { MOST_ALIGNMENT = 64 };

/* No code model reaches further. */
#define MOST_TEXT (UINT64_C(1) << 36)

/* A symbol with what it is sorted by. */
struct found {
    uint64_t section, address, size;
    uint32_t symbol; /* in the symbol table */
    const char *file;
};

static int by_place(const void *a, const void *b)
{
    const struct found *left = a, *right = b;
    if (left->section != right->section)
        return left->section < right->section ? -1 : 1;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return left->symbol < right->symbol ? -1 : 1;
}

/* The section of code that a symbol lies in and the file has, or NULL. */
static const struct an_elf_section *code_of(const struct an_elf *elf,
                                            const struct an_elf_symbol *symbol, bool is_object)
{
    bool is_function = symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
    if (!is_function || !symbol->name[0] || symbol->section == SHN_UNDEF ||
        symbol->section >= SHN_LORESERVE)
        return NULL;
    const struct an_elf_section *section = an_elf_section_at(elf, symbol->section);
    if (!section || !(section->flags & SHF_EXECINSTR) || !an_elf_section_bytes(elf, section).data)
        return NULL;
    uint64_t offset = symbol->address - (is_object ? 0 : section->address);
    return offset < section->size ? section : NULL;
}

/* A function does not leave its section, whatever its symbol says. */
static uint64_t size_within(const struct an_elf_section *section,
                            const struct an_elf_symbol *symbol, bool is_object)
{
    uint64_t left = section->size - (symbol->address - (is_object ? 0 : section->address));
    return symbol->size < left ? symbol->size : left;
}

/* Symbols of functions with the files of local ones: a file's symbol stands in front of its own. */
static struct found *collect(const struct an_elf *elf, const struct an_elf_symbol *symbols,
                             size_t symbol_count, bool is_object, size_t *count)
{
    struct found *found = an_alloc(symbol_count + 1, sizeof *found);
    const char *file = NULL;
    size_t at = 0;
    for (size_t i = 0; found && i < symbol_count; i++) {
        const struct an_elf_symbol *symbol = &symbols[i];
        const struct an_elf_section *section = code_of(elf, symbol, is_object);
        if (symbol->type == STT_FILE)
            file = symbol->name[0] ? symbol->name : NULL;
        else if (section)
            found[at++] = (struct found){is_object ? symbol->section : 0, symbol->address,
                                         size_within(section, symbol, is_object), (uint32_t)i,
                                         symbol->binding == STB_LOCAL ? file : NULL};
    }
    if (found)
        qsort(found, at, sizeof *found, by_place);
    *count = at;
    return found;
}

static uint64_t alignment_of(uint64_t address)
{
    uint64_t alignment = address & -address;
    return alignment && alignment < MOST_ALIGNMENT ? alignment : MOST_ALIGNMENT;
}

/* In an object file: a function has a section of its own when no other begins in it. */
static void look_at_sections(struct an_image *image, const struct found *found,
                             const uint32_t *first_found)
{
    for (size_t f = 0; f < image->functions.count; f++) {
        uint64_t section = found[first_found[f]].section;
        bool shared =
            (f && found[first_found[f - 1]].section == section) ||
            (f + 1 < image->functions.count && found[first_found[f + 1]].section == section);
        image->is_joined[f] =
            f + 1 < image->functions.count && found[first_found[f + 1]].section == section;
        image->functions.items[f].movable = shared ? AN_IMMOVABLE : AN_MOVABLE;
        image->functions.items[f].alignment = 16;
    }
}

static bool is_linked_by_lld(const struct an_elf *elf)
{
    const struct an_elf_section *comment = an_elf_section(elf, ".comment");
    struct an_bytes text = {0};
    if (comment)
        text = an_elf_section_bytes(elf, comment);
    const uint8_t *linker = text.size ? memmem(text.data, text.size, "Linker: ", 8) : NULL;
    return linker && memmem(linker, text.size - (size_t)(linker - text.data), "LLD ", 4);
}

/* What is between a function and the next one: nothing, what a linker puts there, or an assembler. */
static enum an_movable look_at_gap(const struct an_elf *elf, uint64_t from, uint64_t to)
{
    const uint8_t *gap = to > from && to - from < 2 * MOST_ALIGNMENT
                             ? an_elf_at(elf, from, (size_t)(to - from))
                             : NULL;
    if (!gap)
        return AN_MOVABLE_UNKNOWN;
    return gap[to - from - 1] == 0xcc ? AN_MOVABLE : AN_IMMOVABLE;
}

/* Both neighbours of an assembler's gap are in one section; between two sections there is a linker's. */
static void look_at_padding(struct an_image *image)
{
    if (an_elf_machine(image->elf) != EM_X86_64 || !is_linked_by_lld(image->elf))
        return;
    struct an_image_function *items = image->functions.items;
    for (size_t f = 0; f + 1 < image->functions.count; f++) {
        enum an_movable seen = AN_MOVABLE_UNKNOWN;
        bool same_section = an_elf_section_containing(image->elf, items[f].address) ==
                            an_elf_section_containing(image->elf, items[f + 1].address);
        if (items[f].size && same_section) /* without a size, what follows may be its code */
            seen = look_at_gap(image->elf, items[f].address + items[f].size, items[f + 1].address);
        image->is_joined[f] |= seen == AN_IMMOVABLE;
        if (seen == AN_IMMOVABLE)
            items[f].movable = items[f + 1].movable = AN_IMMOVABLE;
        else if (seen == AN_MOVABLE && items[f].movable == AN_MOVABLE_UNKNOWN)
            items[f].movable = AN_MOVABLE;
    }
}

/*
 * Functions without sizes are an assembler's, or the compiler's own (crtbegin.o): those of one file are in one section, and
 * end where the next one begins. Of the last one it is not known; the next multiple of 16 will do.
 */
static void look_at_sizeless(struct an_image *image, const struct found *found,
                             const uint32_t *first_found)
{
    struct an_image_function *items = image->functions.items;
    for (size_t f = 0; f < image->functions.count; f++) {
        if (items[f].size)
            continue;
        const struct an_elf_section *section =
            an_elf_section_containing(image->elf, items[f].address);
        uint64_t end = section ? section->address + section->size : items[f].address;
        const char *file = found[first_found[f]].file;
        if (f + 1 < image->functions.count && items[f + 1].address < end) {
            end = items[f + 1].address;
            image->is_joined[f] = file && found[first_found[f + 1]].file == file;
        }
        uint64_t most = 16 - items[f].address % 16, size = end - items[f].address;
        items[f].size = image->is_joined[f] || size < most ? size : most;
    }
}

static bool add_functions(struct an_image *image, const struct an_elf_symbol *symbols,
                          const struct found *found, size_t count)
{
    uint32_t *first_found = an_alloc(count + 1, sizeof *first_found);
    bool has_memory = first_found && an_vector_reserve(&image->functions, count + 1) &&
                      an_vector_reserve(&image->symbols, count + 1);
    for (size_t i = 0; has_memory && i < count; i++) {
        bool same = i && found[i].section == found[i - 1].section &&
                    found[i].address == found[i - 1].address;
        if (!same) {
            first_found[image->functions.count] = (uint32_t)i;
            *an_vector_push(&image->functions) = (struct an_image_function){
                .name = symbols[found[i].symbol].name,
                .address = found[i].address,
                .alignment = alignment_of(found[i].address),
            };
        }
        struct an_image_function *function = &image->functions.items[image->functions.count - 1];
        if (found[i].size > function->size)
            function->size = found[i].size;
        if (!an_name_is_cold(symbols[found[i].symbol].name))
            *an_vector_push(&image->symbols) =
                (struct image_symbol){symbols[found[i].symbol].name, found[i].file,
                                      (uint32_t)(image->functions.count - 1),
                                      symbols[found[i].symbol].binding == STB_LOCAL};
    }
    image->is_joined = an_alloc_zero(image->functions.count + 1, sizeof *image->is_joined);
    has_memory = has_memory && image->is_joined;
    if (has_memory && image->is_object)
        look_at_sections(image, found, first_found);
    else if (has_memory) {
        look_at_padding(image);
        look_at_sizeless(image, found, first_found);
    }
    free(first_found);
    return has_memory;
}

/* Chains symbols of one name. */
static bool find_alike(struct an_image *image)
{
    size_t count = image->symbols.count;
    struct an_names names = {0};
    uint32_t *last = an_alloc(count + 1, sizeof *last); /* of each name */
    image->first_alike = an_alloc(count + 1, sizeof *image->first_alike);
    image->next_alike = an_alloc(count + 1, sizeof *image->next_alike);
    bool has_memory = last && image->first_alike && image->next_alike;
    for (uint32_t s = 0; has_memory && s < count; s++) {
        const char *text = image->symbols.items[s].name;
        bool is_new;
        size_t name = an_names_insert(&names, text, strlen(text), &is_new);
        has_memory = name != AN_NO_NAME;
        if (!has_memory)
            break;
        if (!is_new)
            image->next_alike[last[name]] = s;
        image->first_alike[s] = is_new ? s : image->first_alike[last[name]];
        image->next_alike[s] = AN_NO_SYMBOL;
        last[name] = s;
    }
    an_names_free(&names);
    free(last);
    return has_memory;
}

/* What is before the text (.init, .plt) stays there. Scripts for GNU ld have an output section of their own in front. */
static uint64_t start_of(const struct an_image *image)
{
    size_t count;
    const struct an_elf_section *sections = an_elf_sections(image->elf, &count), *text = NULL;
    for (size_t s = 0; s < count; s++)
        if (sections[s].flags & SHF_EXECINSTR && strncmp(sections[s].name, ".text", 5) == 0 &&
            (!text || sections[s].address < text->address))
            text = &sections[s];
    for (size_t i = 0; text && i < image->functions.count; i++)
        if (image->functions.items[i].address >= text->address)
            return image->functions.items[i].address - text->address < MOST_TEXT
                       ? text->address
                       : image->functions.items[0].address;
    return image->functions.items[0].address;
}

static enum an_code read_functions(struct an_image *image, struct an_error *error)
{
    const struct an_elf_symbol *symbols;
    size_t symbol_count, count;
    enum an_code code = an_elf_symbols(image->elf, &symbols, &symbol_count, error);
    if (code != AN_OK)
        return code;
    struct found *found = collect(image->elf, symbols, symbol_count, image->is_object, &count);
    bool has_memory = found && add_functions(image, symbols, found, count) && find_alike(image);
    free(found);
    if (!has_memory)
        return an_fail_memory(error);
    if (!count) {
        an_fail(error, AN_UNSUPPORTED, "a binary without function symbols");
        return an_error_hint(error, "name the one that is not stripped");
    }
    image->start = start_of(image);
    const struct an_image_function *last = &image->functions.items[image->functions.count - 1];
    if (!image->is_object && last->address - image->functions.items[0].address > MOST_TEXT)
        return an_fail(error, AN_MALFORMED, "functions more than %u GB apart",
                       (unsigned)(MOST_TEXT >> 30));
    return AN_OK;
}

enum an_code an_image_open(struct an_image **out, const char *path, struct an_error *error)
{
    *out = NULL;
    struct an_image *image = an_alloc_zero(1, sizeof *image);
    if (!image)
        return an_fail_memory(error);
    enum an_code code = an_elf_open(path, &image->elf, error);
    if (code == AN_OK) {
        const uint8_t *header = an_elf_bytes(image->elf).data;
        image->is_object = an_get16(header + offsetof(Elf64_Ehdr, e_type), false) == ET_REL;
        code = read_functions(image, error);
        if (code != AN_OK)
            an_error_in(error, path);
    }
    if (code == AN_OK)
        *out = image;
    else
        an_image_close(image);
    return code;
}

void an_image_close(struct an_image *image)
{
    if (!image)
        return;
    an_elf_close(image->elf);
    an_vector_free(&image->functions);
    an_vector_free(&image->symbols);
    free(image->is_joined);
    free(image->first_alike);
    free(image->next_alike);
    free(image);
}

bool an_image_is_fixed(const struct an_image *image)
{
    return an_elf_is_fixed(image->elf);
}

const struct an_image_function *an_image_functions(const struct an_image *image, size_t *count)
{
    *count = image->functions.count;
    return image->functions.items;
}

bool an_image_is_object(const struct an_image *image)
{
    return image->is_object;
}
