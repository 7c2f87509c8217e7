/*
 * Labels from the static relocations that `-Wl,--emit-relocs` leaves in a binary.
 *
 *     Elf64_Rela: address 8, type 4, symbol 4, addend 8
 *
 * An absolute one against code says that its target is the start of a block: a computed goto, or
 * an entry of a jump table. A relative one in data says no more than that there may be a jump
 * table of distances: what it was computed from is lost after linking. Where the dynamic loader
 * will write, the static relocation is not looked at, as llvm-bolt does.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "branch/body.h"

enum {
    RELA_SIZE = 24,
};

struct relocations {
    struct an_flow_program *program;
    const uint8_t *symbols; /* Elf64_Sym of .symtab */
    size_t symbol_count;
    const struct an_elf_section *target; /* the section that is relocated */
    struct an_map dynamic;               /* addresses that the loader writes to */
    struct {
        AN_VECTOR(uint64_t);
    } places;
};

struct relocation {
    uint64_t address, value; /* value: that of the symbol and the addend */
    enum an_relocation_form form;
    uint16_t section; /* of the symbol */
};

static bool read_relocation(const struct relocations *relocations, const uint8_t *bytes,
                            struct relocation *relocation)
{
    enum { SYMBOL_SIZE = 24 };
    uint32_t index = an_get32(bytes + 12, false);
    if (index >= relocations->symbol_count)
        return false;
    const uint8_t *symbol = relocations->symbols + (size_t)index * SYMBOL_SIZE;
    *relocation = (struct relocation){
        .address = an_get64(bytes, false),
        .value = an_get64(symbol + 8, false) + an_get64(bytes + 16, false),
        .form = relocations->program->arch->relocation(an_get32(bytes + 8, false)).form,
        .section = an_get16(symbol + 6, false),
    };
    return true;
}

static bool points_to_code(const struct relocations *relocations,
                           const struct relocation *relocation)
{
    const struct an_elf_section *section =
        an_elf_section_at(relocations->program->elf, relocation->section);
    return section && (section->flags & SHF_EXECINSTR);
}

/* Code that refers to a place in itself makes no entry of it; other code does, and data as well. */
static bool take(struct relocations *relocations, const struct relocation *relocation)
{
    struct an_flow_program *program = relocations->program;
    bool from_code = relocations->target->flags & SHF_EXECINSTR;
    switch (relocation->form) {
    case AN_RELOCATION_ADDRESS: {
        if (!points_to_code(relocations, relocation) ||
            an_map_find(&relocations->dynamic, relocation->address))
            return true;
        const struct an_functions *functions = program->functions;
        bool own = from_code && an_functions_containing(functions, relocation->address) ==
                                    an_functions_containing(functions, relocation->value);
        an_flow_program_label(program, relocation->value,
                              own         ? AN_LABEL_OWN
                              : from_code ? AN_LABEL_ENTRY
                                          : AN_LABEL_DATA);
        return true;
    }
    case AN_RELOCATION_DISTANCE:
        if (!from_code && points_to_code(relocations, relocation)) {
            uint64_t *place = an_vector_push(&relocations->places);
            if (!place)
                return false;
            *place = relocation->address;
        }
        return true;
    default:
        return true;
    }
}

static bool read_section(struct relocations *relocations, const struct an_elf_section *section)
{
    struct an_bytes bytes = an_elf_section_bytes(relocations->program->elf, section);
    struct relocation relocation;
    for (size_t at = 0; at + RELA_SIZE <= bytes.size; at += RELA_SIZE)
        if (read_relocation(relocations, bytes.data + at, &relocation) &&
            !take(relocations, &relocation))
            return false;
    return true;
}

/* What llvm-bolt leaves out: these refer to code for other reasons than control flow. */
static bool is_of_interest(const struct an_elf_section *target)
{
    static const char *const left_out[] = {".plt", ".got.plt", ".eh_frame", ".gcc_except_table"};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(target->name, left_out[i]) == 0)
            return false;
    return target->flags & SHF_ALLOC;
}

static bool read_dynamic(struct relocations *relocations)
{
    size_t count;
    const struct an_elf_section *section = an_elf_sections(relocations->program->elf, &count);
    for (size_t i = 0; i < count; i++) {
        if (section[i].type != SHT_RELA || !(section[i].flags & SHF_ALLOC))
            continue;
        struct an_bytes bytes = an_elf_section_bytes(relocations->program->elf, &section[i]);
        for (size_t at = 0; at + RELA_SIZE <= bytes.size; at += RELA_SIZE) {
            bool is_new;
            if (!an_map_insert(&relocations->dynamic, an_get64(bytes.data + at, false), &is_new))
                return false;
        }
    }
    return true;
}

static bool read_all(struct relocations *relocations)
{
    const struct an_elf *elf = relocations->program->elf;
    size_t count;
    const struct an_elf_section *section = an_elf_sections(elf, &count);
    for (size_t i = 0; i < count; i++) {
        if (section[i].type != SHT_RELA || (section[i].flags & SHF_ALLOC))
            continue;
        const struct an_elf_section *symbols = an_elf_section_at(elf, section[i].link);
        relocations->target = an_elf_section_at(elf, section[i].info);
        if (!relocations->target || !symbols || symbols->type != SHT_SYMTAB ||
            !is_of_interest(relocations->target))
            continue;
        struct an_bytes bytes = an_elf_section_bytes(elf, symbols);
        relocations->symbols = bytes.data;
        relocations->symbol_count = bytes.size / 24;
        if (!read_section(relocations, &section[i]))
            return false;
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

enum an_code an_relocations_label(struct an_flow_program *program, struct an_error *error)
{
    if (!program->has_relocations)
        return AN_OK;
    struct relocations relocations = {.program = program};
    bool done = read_dynamic(&relocations) && read_all(&relocations);
    an_map_free(&relocations.dynamic);
    program->relative_places = relocations.places.items;
    program->relative_count = relocations.places.count;
    if (program->relative_count)
        qsort(program->relative_places, program->relative_count, sizeof(uint64_t), by_number);
    return done ? AN_OK : an_fail_memory(error);
}
