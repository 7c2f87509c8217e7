/* Finding the entries of the procedure linkage table; see plt.h. */
#include "elf/plt.h"

#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/map.h"

static const struct {
    const char *name;
    uint64_t entry_size;
} sections[] = {{".plt", 16}, {".plt.got", 8}, {".plt.sec", 8}};

enum { SECTIONS = sizeof sections / sizeof *sections, RELA_SIZE = 24 };

bool an_plt_is_section(const struct an_elf_section *section)
{
    for (size_t i = 0; i < SECTIONS; i++)
        if (strcmp(section->name, sections[i].name) == 0)
            return true;
    return false;
}

struct plt {
    struct an_elf *elf;
    const struct an_functions *known;
    const struct an_elf_symbol *symbols;
    size_t symbol_count;
    struct an_map slots; /* address in the global offset table -> dynamic symbol */
    struct an_map names; /* of symbols that have entries -> the entry's name: made once */
    struct an_arena *arena;
    bool (*found)(void *context, uint64_t address, const char *name);
    void *context;
    const struct an_arch *arch;
};

/* Elf64_Rela: address 8, type 4, symbol 4, addend 8. */
static bool read_slots(struct plt *plt)
{
    size_t count;
    const struct an_elf_section *section = an_elf_sections(plt->elf, &count);
    for (size_t i = 0; i < count; i++) {
        if (section[i].type != SHT_RELA || !(section[i].flags & SHF_ALLOC))
            continue;
        struct an_bytes bytes = an_elf_section_bytes(plt->elf, &section[i]);
        for (size_t at = 0; at + RELA_SIZE <= bytes.size; at += RELA_SIZE) {
            uint32_t symbol = an_get32(bytes.data + at + 12, false);
            if (symbol == 0 || symbol >= plt->symbol_count)
                continue;
            bool is_new;
            uint64_t *slot = an_map_insert(&plt->slots, an_get64(bytes.data + at, false), &is_new);
            if (!slot)
                return false;
            *slot = symbol;
        }
    }
    return true;
}

/* Follows the code of one entry to its indirect jump; *slot is 0 when there is none that can be
 * followed. An entry that begins with endbr64 is twice as long as those without. */
static void decode_entry(const struct plt *plt, struct an_bytes bytes, uint64_t address, size_t at,
                         uint64_t *entry_size, uint64_t *slot)
{
    *slot = 0;
    for (size_t here = at; here < at + *entry_size && here < bytes.size;) {
        struct an_instruction instruction;
        if (!plt->arch->decode(bytes.data + here, bytes.size - here, address + here, &instruction))
            return;
        if (at == 0 && instruction.is_landing && *entry_size == 8)
            *entry_size = 16;
        if (instruction.kind == AN_INDIRECT_JUMP && instruction.has_address) {
            if (here + instruction.length <= at + *entry_size)
                *slot = instruction.address;
            return;
        }
        here += instruction.length;
    }
}

/* NULL: of a symbol whose name is too long. False when memory runs out. */
static bool make_name(struct plt *plt, uint64_t symbol, const char **name)
{
    char text[4096];
    bool is_new;
    uint64_t *known = an_map_insert(&plt->names, symbol, &is_new);
    *name = NULL;
    if (!known)
        return false;
    if (is_new) {
        int length = snprintf(text, sizeof text, "%s@PLT", plt->symbols[symbol].name);
        if (length >= (int)sizeof text)
            return true;
        *known = (uintptr_t)an_arena_copy(plt->arena, text, (size_t)length);
        *name = (const char *)(uintptr_t)*known;
        return *name != NULL;
    }
    *name = (const char *)(uintptr_t)*known;
    return true;
}

static bool take_entry(struct plt *plt, uint64_t address, uint64_t slot)
{
    const uint64_t *symbol = slot ? an_map_find(&plt->slots, slot) : NULL;
    if (!symbol || !*plt->symbols[*symbol].name ||
        an_functions_at(plt->known, address) != AN_NO_FUNCTION)
        return true;
    const char *name;
    return make_name(plt, *symbol, &name) && (!name || plt->found(plt->context, address, name));
}

static bool take_section(struct plt *plt, const struct an_elf_section *section, uint64_t entry_size)
{
    struct an_bytes bytes = an_elf_section_bytes(plt->elf, section);
    bool begins_with_entry = false;
    for (size_t at = 0; at + entry_size <= bytes.size; at += entry_size) {
        uint64_t slot;
        decode_entry(plt, bytes, section->address, at, &entry_size, &slot);
        if (!take_entry(plt, section->address + at, slot))
            return false;
        if (at == 0)
            begins_with_entry = slot && an_map_find(&plt->slots, slot);
    }
    if (begins_with_entry || an_functions_at(plt->known, section->address) != AN_NO_FUNCTION)
        return true;
    char name[64];
    int length = snprintf(name, sizeof name, "__BOLT_PSEUDO_%s", section->name);
    const char *copy = an_arena_copy(plt->arena, name, (size_t)length);
    return copy && plt->found(plt->context, section->address, copy);
}

enum an_code an_plt_entries(struct an_elf *elf, const struct an_functions *known,
                            struct an_arena *arena,
                            bool (*found)(void *context, uint64_t address, const char *name),
                            void *context, struct an_error *error)
{
    struct plt plt = {
        .elf = elf, .known = known, .arena = arena, .found = found, .context = context};
    enum an_code code = an_elf_dynamic_symbols(elf, &plt.symbols, &plt.symbol_count, error);
    plt.arch = an_arch_of(an_elf_machine(elf));
    if (code != AN_OK || !plt.arch)
        return code;
    bool done = read_slots(&plt);
    for (size_t i = 0; i < SECTIONS && done; i++) {
        const struct an_elf_section *section = an_elf_section(elf, sections[i].name);
        if (section && section->size)
            done = take_section(&plt, section, sections[i].entry_size);
    }
    an_map_free(&plt.slots);
    an_map_free(&plt.names);
    return done ? AN_OK : an_fail_memory(error);
}
