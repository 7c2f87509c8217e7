/* Finding places that other code names; see inner_places.h. */
#include "branch/inner_places.h"

#include "elf/fragments.h"

struct search {
    const struct an_elf *elf;
    const struct an_functions *functions;
    const struct an_arch *arch;
    void (*mark)(void *context, size_t function);
    void *context;
};

/* A place that code of a function names: of interest in another one, behind its entry, and not in padding or data behind it. */
static void look_at(const struct search *search, size_t from, uint64_t place)
{
    const struct an_functions *functions = search->functions;
    size_t number = an_functions_containing(functions, place);
    if (number == AN_NO_FUNCTION || number == from || functions->items[number].in_plt)
        return;
    uint64_t inside = place - functions->items[number].address;
    if (inside > 0 && inside < functions->items[number].size &&
        an_fragments_root(functions, number) != an_fragments_root(functions, from))
        search->mark(search->context, number);
}

static void read_function(const struct search *search, size_t number)
{
    const struct an_function *function = &search->functions->items[number];
    const uint8_t *bytes = an_elf_at(search->elf, function->address, function->size);
    for (uint64_t at = 0; bytes && at < function->size;) {
        struct an_instruction instruction;
        bool is_one = search->arch->decode(bytes + at, function->size - at, function->address + at,
                                           &instruction);
        if (is_one && instruction.has_address)
            look_at(search, number, instruction.address);
        at += is_one ? instruction.length : 1;
    }
}

/* A Rela entry is address 8, type 4, symbol 4, addend 8; a symbol has its value behind 8 bytes of 24. */
static void read_relocations(const struct search *search, const struct an_elf_section *section,
                             struct an_bytes symbols)
{
    enum { RELA = 24, SYMBOL = 24 };
    struct an_bytes bytes = an_elf_section_bytes(search->elf, section);
    for (size_t at = 0; at + RELA <= bytes.size; at += RELA) {
        struct an_relocation relocation =
            search->arch->relocation(an_get32(bytes.data + at + 8, false));
        uint64_t symbol = an_get32(bytes.data + at + 12, false);
        size_t from = an_functions_containing(search->functions, an_get64(bytes.data + at, false));
        if (relocation.form == AN_RELOCATION_ADDRESS && symbol < symbols.size / SYMBOL &&
            from != AN_NO_FUNCTION)
            look_at(search, from,
                    an_get64(symbols.data + symbol * SYMBOL + 8, false) +
                        an_get64(bytes.data + at + 16, false));
    }
}

static bool is_of_code(const struct an_elf *elf, const struct an_elf_section *section)
{
    const struct an_elf_section *target = an_elf_section_at(elf, section->info);
    return section->type == SHT_RELA && !(section->flags & SHF_ALLOC) && target &&
           (target->flags & SHF_EXECINSTR);
}

void an_inner_places_each(const struct an_elf *elf, const struct an_functions *functions,
                          const struct an_arch *arch, void (*mark)(void *context, size_t function),
                          void *context)
{
    const struct search search = {elf, functions, arch, mark, context};
    size_t count;
    const struct an_elf_section *sections = an_elf_sections(elf, &count);
    for (size_t i = 0; i < functions->count; i++)
        if (!functions->items[i].in_plt)
            read_function(&search, i);
    for (size_t i = 0; i < count; i++) {
        const struct an_elf_section *symbols = an_elf_section_at(elf, sections[i].link);
        if (is_of_code(elf, &sections[i]) && symbols && symbols->type == SHT_SYMTAB)
            read_relocations(&search, &sections[i], an_elf_section_bytes(elf, symbols));
    }
}
