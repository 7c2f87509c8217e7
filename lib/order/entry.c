/*
 * What a program runs before main(), and no profile has seen: its entry point, and the functions that .init_array
 * lists for the loader to call. They are the C library's and the compiler's, and not instrumented. But the first page
 * that a start takes from the disk is theirs, and where linkers leave them it is far from what runs next.
 *
 *     e_entry       -> _start          of crt1.o
 *     .init_array   -> frame_dummy     of crtbegin.o, and constructors
 *
 * Entries of .init_array stand there, or, if the program may be loaded anywhere, in relative relocations.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "order/behaviour.h"
#include "order/image.h"

struct beginning {
    const struct an_image *image;
    bool *is_known; /* for each function of the image: it is in a run, or in the list */
    struct {
        AN_VECTOR(uint32_t);
    } functions; /* as they are called */
    bool no_memory;
};

/* ---- which they are ---- */

static int by_address(const void *key, const void *item)
{
    uint64_t address = *(const uint64_t *)key;
    const struct an_image_function *function = item;
    return address < function->address ? -1 : address > function->address;
}

static void add(struct beginning *beginning, uint64_t address)
{
    const struct an_image *image = beginning->image;
    const struct an_image_function *items = image->functions.items;
    const struct an_image_function *function =
        bsearch(&address, items, image->functions.count, sizeof *items, by_address);
    if (!function || beginning->is_known[function - items])
        return;
    uint32_t *place = an_vector_push(&beginning->functions);
    if (place)
        *place = (uint32_t)(function - items);
    else
        beginning->no_memory = true;
    beginning->is_known[function - items] = true;
}

/* Relative relocations of a table of pointers: the addends, by the place in the table. */
static void relocate(const struct an_elf *elf, const struct an_elf_section *table,
                     uint64_t *pointers)
{
    size_t count;
    const struct an_elf_section *sections = an_elf_sections(elf, &count);
    for (size_t s = 0; s < count; s++) {
        struct an_bytes bytes = {0};
        if (sections[s].type == SHT_RELA && sections[s].flags & SHF_ALLOC)
            bytes = an_elf_section_bytes(elf, &sections[s]);
        for (size_t at = 0; at + sizeof(Elf64_Rela) <= bytes.size; at += sizeof(Elf64_Rela)) {
            const uint8_t *entry = bytes.data + at;
            uint64_t place =
                an_get64(entry + offsetof(Elf64_Rela, r_offset), false) - table->address;
            uint64_t info = an_get64(entry + offsetof(Elf64_Rela, r_info), false);
            if (place < table->size / 8 * 8 && place % 8 == 0 && ELF64_R_SYM(info) == 0)
                pointers[place / 8] = an_get64(entry + offsetof(Elf64_Rela, r_addend), false);
        }
    }
}

static void add_table(struct beginning *beginning, const struct an_elf_section *table)
{
    const struct an_elf *elf = beginning->image->elf;
    struct an_bytes bytes = an_elf_section_bytes(elf, table);
    size_t count = bytes.size / 8;
    uint64_t *pointers = bytes.size == table->size ? an_alloc(count, sizeof *pointers) : NULL;
    beginning->no_memory |= bytes.size == table->size && !pointers;
    for (size_t i = 0; pointers && i < count; i++)
        pointers[i] = an_get64(bytes.data + 8 * i, false);
    if (pointers)
        relocate(elf, table, pointers);
    for (size_t i = 0; pointers && i < count; i++)
        add(beginning, pointers[i]);
    free(pointers);
}

/* The table of that type; linkers make one. */
static void add_table_of(struct beginning *beginning, uint32_t type)
{
    size_t count, s = 0;
    const struct an_elf_section *sections = an_elf_sections(beginning->image->elf, &count);
    while (s < count && sections[s].type != type)
        s++;
    if (s < count)
        add_table(beginning, &sections[s]);
}

static bool find_known(struct beginning *beginning, const struct an_behaviour *behaviour,
                       struct an_error *error)
{
    struct an_matches *matches;
    beginning->is_known =
        an_alloc_zero(beginning->image->functions.count + 1, sizeof *beginning->is_known);
    if (!beginning->is_known ||
        an_matches_find(behaviour, beginning->image, &matches, error) != AN_OK)
        return false;
    for (size_t e = 0; e < behaviour->entries.count; e++) {
        uint32_t function = behaviour->entries.items[e];
        for (uint32_t m = matches->first[function]; m < matches->first[function + 1]; m++)
            beginning->is_known[matches->images[m]] = true;
    }
    an_matches_free(matches);
    return true;
}

/* ---- runs that begin with them ---- */

/* The behaviour's numbers in the place of the image's. */
static bool number(struct beginning *beginning, struct an_behaviour *behaviour)
{
    const struct an_image *image = beginning->image;
    const struct image_symbol **symbol_of =
        an_alloc_zero(image->functions.count + 1, sizeof *symbol_of);
    size_t kept = 0;
    for (size_t s = image->symbols.count; symbol_of && s-- > 0;) /* the first one stays */
        symbol_of[image->symbols.items[s].function] = &image->symbols.items[s];
    bool done = symbol_of;
    for (size_t i = 0; done && i < beginning->functions.count; i++) {
        const struct image_symbol *symbol = symbol_of[beginning->functions.items[i]];
        if (!symbol)
            continue;
        uint32_t number =
            an_behaviour_number(behaviour, symbol->file, symbol->file ? strlen(symbol->file) : 0,
                                symbol->name, strlen(symbol->name));
        beginning->functions.items[kept++] = number;
        done = number != AN_NO_NUMBER;
    }
    beginning->functions.count = kept;
    free(symbol_of);
    return done;
}

static bool prepend(const struct beginning *beginning, struct an_behaviour *behaviour)
{
    size_t more = beginning->functions.count;
    size_t all = behaviour->entries.count + more * behaviour->runs.count;
    if (!an_vector_reserve(&behaviour->entries, all))
        return false;
    uint32_t *items = behaviour->entries.items;
    for (size_t r = behaviour->runs.count; r-- > 0;) {
        struct stretch *run = &behaviour->runs.items[r];
        size_t first = run->first + r * more;
        memmove(items + first + more, items + run->first, run->count * sizeof *items);
        memcpy(items + first, beginning->functions.items, more * sizeof *items);
        *run = (struct stretch){first, run->count + more, run->weight};
    }
    behaviour->entries.count = all;
    return true;
}

enum an_code an_behaviour_add_entry(struct an_behaviour *behaviour, const struct an_image *image,
                                    struct an_error *error)
{
    struct beginning beginning = {.image = image};
    if (image->is_object || !behaviour->runs.count)
        return AN_OK;
    an_behaviour_begin_run(behaviour); /* nothing is left of one that failed */
    bool done = find_known(&beginning, behaviour, error);
    if (done) {
        const uint8_t *header = an_elf_bytes(image->elf).data;
        add(&beginning, an_get64(header + offsetof(Elf64_Ehdr, e_entry), false));
        add_table_of(&beginning, SHT_PREINIT_ARRAY);
        add_table_of(&beginning, SHT_INIT_ARRAY);
        done = !beginning.no_memory &&
               (!beginning.functions.count ||
                (number(&beginning, behaviour) && prepend(&beginning, behaviour)));
    }
    free(beginning.is_known);
    an_vector_free(&beginning.functions);
    return done ? AN_OK : an_fail_memory(error);
}
