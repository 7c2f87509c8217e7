/* Looking at how a binary was made; see traits.h. */
#include "elf/traits.h"
#include "arch/arch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "elf/functions.h"

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- the dynamic section ---- */

/*
 * Elf64_Dyn: tag 8, value 8; ended by tag 0.
 */
struct dynamic {
    bool needed, is_pie, binds_now;
    uint64_t relocations, relocations_size;
    uint64_t packed, packed_size;       /* DT_RELR */
    uint64_t plt_relocations, plt_size; /* may be a part of the ones above */
};

/* In glibc's elf.h from 2.36 on. */
enum { AN_DT_RELRSZ = 35, AN_DT_RELR = 36 };

static void take_entry(struct dynamic *dynamic, uint64_t tag, uint64_t value)
{
    switch (tag) {
    case DT_NEEDED:
        dynamic->needed = true;
        break;
    case DT_RELA:
        dynamic->relocations = value;
        break;
    case DT_RELASZ:
        dynamic->relocations_size = value;
        break;
    case AN_DT_RELR:
        dynamic->packed = value;
        break;
    case AN_DT_RELRSZ:
        dynamic->packed_size = value;
        break;
    case DT_JMPREL:
        dynamic->plt_relocations = value;
        break;
    case DT_PLTRELSZ:
        dynamic->plt_size = value;
        break;
    case DT_BIND_NOW:
        dynamic->binds_now = true;
        break;
    case DT_FLAGS:
        dynamic->binds_now |= (value & DF_BIND_NOW) != 0;
        break;
    case DT_FLAGS_1:
        dynamic->binds_now |= (value & DF_1_NOW) != 0;
        dynamic->is_pie = (value & DF_1_PIE) != 0;
        break;
    default:
        break;
    }
}

static struct dynamic read_dynamic(const struct an_elf *elf)
{
    struct dynamic dynamic = {0};
    const struct an_elf_section *section = an_elf_section(elf, ".dynamic");
    if (!section)
        return dynamic;
    struct an_cursor cursor = an_cursor_at(an_elf_section_bytes(elf, section), 0, false);
    while (an_cursor_left(&cursor) >= 16) {
        uint64_t tag = an_cursor_u64(&cursor), value = an_cursor_u64(&cursor);
        if (tag == DT_NULL)
            break;
        take_entry(&dynamic, tag, value);
    }
    return dynamic;
}

/* ---- relocations of indirect functions ---- */

enum { RELA_SIZE = 24 };

/* Elf64_Rela: address 8, type 4, symbol 4, addend 8. */
struct slot {
    uint64_t address;
    uint32_t type;
};

static struct an_bytes relocations_at(const struct an_elf *elf, uint64_t address, uint64_t size)
{
    const uint8_t *data = size && size <= SIZE_MAX ? an_elf_at(elf, address, (size_t)size) : NULL;
    return data ? (struct an_bytes){data, (size_t)size} : (struct an_bytes){0};
}

static struct slot slot_at(struct an_bytes table, size_t at)
{
    return (struct slot){an_get64(table.data + at, false), an_get32(table.data + at + 8, false)};
}

static bool has_ifuncs(const struct an_arch *arch, struct an_bytes table)
{
    for (size_t at = 0; at + RELA_SIZE <= table.size; at += RELA_SIZE)
        if (arch->relocation(slot_at(table, at).type).form == AN_RELOCATION_RESOLVER)
            return true;
    return false;
}

/*
 * An entry of the PLT names its relocation by the number in the table. llvm-bolt writes the table
 * anew, in the order of addresses: is the place of a function's relocation another one then?
 */
static bool is_unordered(const struct an_arch *arch, struct an_bytes table)
{
    uint64_t highest = 0, highest_function = 0;
    for (size_t at = 0; at + RELA_SIZE <= table.size; at += RELA_SIZE) {
        struct slot slot = slot_at(table, at);
        bool is_function = arch->relocation(slot.type).form == AN_RELOCATION_SLOT;
        if (slot.address < (is_function ? highest : highest_function))
            return true;
        if (slot.address > highest)
            highest = slot.address;
        if (is_function && slot.address > highest_function)
            highest_function = slot.address;
    }
    return false;
}

static void find_ifuncs(const struct an_elf *elf, const struct an_arch *arch,
                        const struct dynamic *dynamic, struct an_elf_traits *traits)
{
    uint64_t size = dynamic->relocations_size, end;
    struct an_bytes plt = relocations_at(elf, dynamic->plt_relocations, dynamic->plt_size);
    bool inside = !__builtin_add_overflow(dynamic->relocations, size, &end) &&
                  dynamic->plt_relocations >= dynamic->relocations &&
                  dynamic->plt_relocations < end;
    if (inside)
        size = dynamic->plt_relocations - dynamic->relocations;
    struct an_bytes others = relocations_at(elf, dynamic->relocations, size);
    traits->scattered_ifuncs = has_ifuncs(arch, plt) && has_ifuncs(arch, others);
    traits->unordered_plt = !dynamic->binds_now && is_unordered(arch, plt);
}

/* ---- labels in data ---- */

/* Functions whose inside data points to, in the order in which they were found. */
struct labels {
    const struct an_functions *functions;
    struct an_elf_traits *traits;
    bool *is_known; /* of each function */
};

static bool is_entry(const struct an_functions *functions, const struct an_function *function,
                     uint64_t address)
{
    if (function->address == address)
        return true;
    for (uint32_t i = 0; i < function->entry_count; i++)
        if (functions->entries[function->entry + i] == address)
            return true;
    return false;
}

static void name_function(struct an_elf_traits *traits, const char *name)
{
    size_t length = strlen(traits->computed_goto_names), size = strlen(name);
    size_t comma = length != 0;
    if (length + comma + size >= sizeof traits->computed_goto_names)
        return;
    memcpy(traits->computed_goto_names + length, ",", comma);
    memcpy(traits->computed_goto_names + length + comma, name, size + 1);
    traits->computed_gotos_named++;
}

static void take_pointer(struct labels *labels, uint64_t address)
{
    size_t index = an_functions_with_code(labels->functions, address);
    if (index == AN_NO_FUNCTION || labels->is_known[index])
        return;
    const struct an_function *function = &labels->functions->items[index];
    if (function->in_plt || is_entry(labels->functions, function, address))
        return;
    labels->is_known[index] = true;
    labels->traits->computed_gotos++;
    name_function(labels->traits, function->name);
}

static void take_relocations(struct labels *labels, const struct an_arch *arch,
                             struct an_bytes table)
{
    for (size_t at = 0; at + RELA_SIZE <= table.size; at += RELA_SIZE)
        if (arch->relocation(slot_at(table, at).type).form == AN_RELOCATION_BASE)
            take_pointer(labels, an_get64(table.data + at + 16, false));
}

static void take_word(struct labels *labels, const struct an_elf *elf, uint64_t address)
{
    const uint8_t *word = an_elf_at(elf, address, sizeof(uint64_t));
    if (word)
        take_pointer(labels, an_get64(word, false));
}

/*
 * Elf64_Relr: words. An even one is the address of a word of data that has a pointer; an odd one says in its 63 upper
 * bits which of the 63 words of data behind have one, too.
 */
static void take_packed(struct labels *labels, const struct an_elf *elf, struct an_bytes table)
{
    enum { WORD = sizeof(uint64_t), BITS = 63 };
    uint64_t next = 0;
    for (size_t at = 0; at + WORD <= table.size; at += WORD) {
        uint64_t entry = an_get64(table.data + at, false);
        if (entry % 2 == 0) {
            take_word(labels, elf, entry);
            next = entry + WORD;
            continue;
        }
        for (unsigned bit = 0; bit < BITS; bit++)
            if (entry >> (bit + 1) & 1)
                take_word(labels, elf, next + (uint64_t)bit * WORD);
        next += (uint64_t)BITS * WORD;
    }
}

static enum an_code find_labels(const struct an_elf *elf, const struct an_arch *arch,
                                const struct dynamic *dynamic, const struct an_functions *functions,
                                struct an_elf_traits *traits, struct an_error *error)
{
    struct labels labels = {functions, traits, an_alloc_zero(functions->count + 1, sizeof(bool))};
    if (!labels.is_known)
        return an_fail_memory(error);
    take_relocations(&labels, arch,
                     relocations_at(elf, dynamic->relocations, dynamic->relocations_size));
    take_packed(&labels, elf, relocations_at(elf, dynamic->packed, dynamic->packed_size));
    free(labels.is_known);
    return AN_OK;
}

/* ---- what it is, what it has ---- */

static enum an_elf_kind kind_of(const struct an_elf *elf, const struct dynamic *dynamic)
{
    switch (an_get16(an_elf_bytes(elf).data + offsetof(Elf64_Ehdr, e_type), false)) {
    case ET_REL:
        return AN_ELF_OBJECT;
    case ET_CORE:
        return AN_ELF_CORE;
    case ET_EXEC:
        return AN_ELF_FIXED;
    case ET_DYN:
        return dynamic->is_pie || an_elf_section(elf, ".interp") ? AN_ELF_PIE : AN_ELF_LIBRARY;
    default:
        return AN_ELF_OTHER;
    }
}

/* The start files of a C library may be another compiler's: GCC's name counts when it is alone. */
static enum an_elf_compiler compiler_of(const struct an_elf *elf)
{
    static const struct {
        const char *sign;
        enum an_elf_compiler compiler;
    } signs[] = {{"rustc version", AN_COMPILER_RUST},
                 {"clang version", AN_COMPILER_CLANG},
                 {"GCC: ", AN_COMPILER_GCC}};
    const struct an_elf_section *section = an_elf_section(elf, ".comment");
    struct an_bytes text = section ? an_elf_section_bytes(elf, section) : (struct an_bytes){0};
    for (size_t i = 0; i < sizeof signs / sizeof *signs && text.size; i++)
        if (memmem(text.data, text.size, signs[i].sign, strlen(signs[i].sign)))
            return signs[i].compiler;
    return AN_COMPILER_UNKNOWN;
}

/* By the names of sections that llvm-bolt 16 and 19 look at, too. */
static void look_at_sections(const struct an_elf *elf, struct an_elf_traits *traits)
{
    size_t count;
    const struct an_elf_section *sections = an_elf_sections(elf, &count);
    for (size_t i = 1; i < count; i++) {
        const struct an_elf_section *section = &sections[i];
        if (section->flags & SHF_ALLOC && section->flags & SHF_EXECINSTR)
            traits->code_size += section->size;
        if (strcmp(section->name, ".rela.text") == 0)
            traits->has_relocations = true;
        if (strcmp(section->name, ".debug_info") == 0 || strcmp(section->name, ".zdebug_info") == 0)
            traits->has_debug_info = true;
        if (starts_with(section->name, ".bolt.org.") ||
            strcmp(section->name, ".note.bolt_info") == 0)
            traits->is_bolted = true;
        if (strcmp(section->name, ".note.bolt_bat") == 0)
            traits->has_bat = true;
        if (strcmp(section->name, ".note.GNU-split-stack") == 0)
            traits->has_split_stacks = true;
    }
}

static void take_build_id(struct an_bytes id, struct an_elf_traits *traits)
{
    size_t most = (sizeof traits->build_id - 1) / 2;
    for (size_t i = 0; i < id.size && i < most; i++)
        snprintf(traits->build_id + 2 * i, 3, "%02x", id.data[i]);
}

static enum an_code look_at_symbols(struct an_elf *elf, struct an_elf_traits *traits,
                                    struct an_error *error)
{
    const struct an_elf_symbol *symbols;
    size_t count;
    enum an_code code = an_elf_symbols(elf, &symbols, &count, error);
    for (size_t i = 0; i < count && code == AN_OK; i++) {
        if (symbols[i].type == STT_FUNC && symbols[i].section != SHN_UNDEF)
            traits->has_symbols = true;
        if (starts_with(symbols[i].name, "__asan_init"))
            traits->is_sanitized = true;
        if (strcmp(symbols[i].name, "__morestack") == 0) /* gold leaves no section */
            traits->has_split_stacks = true;
    }
    return code;
}

static enum an_code look_at_functions(struct an_elf *elf, const struct an_arch *arch,
                                      const struct dynamic *dynamic, struct an_elf_traits *traits,
                                      struct an_error *error)
{
    struct an_functions functions;
    enum an_code code = an_functions_find(elf, &functions, error);
    if (code != AN_OK)
        return code;
    for (size_t i = 0; i < functions.count; i++) {
        bool is_fragment = functions.items[i].parent != 0;
        traits->fragments += is_fragment;
        traits->functions += !is_fragment && !functions.items[i].in_plt;
    }
    code = find_labels(elf, arch, dynamic, &functions, traits, error);
    an_functions_free(&functions);
    return code;
}

enum an_code an_elf_traits_find(struct an_elf *elf, struct an_elf_traits *traits,
                                struct an_error *error)
{
    struct dynamic dynamic = read_dynamic(elf);
    *traits = (struct an_elf_traits){
        .kind = kind_of(elf, &dynamic),
        .compiler = compiler_of(elf),
        .dynamic = dynamic.needed || an_elf_section(elf, ".interp"),
        .machine = an_elf_machine(elf),
    };
    take_build_id(an_elf_build_id(elf), traits);
    look_at_sections(elf, traits);
    const struct an_arch *arch = an_arch_of(traits->machine);
    if (arch)
        find_ifuncs(elf, arch, &dynamic, traits);
    enum an_code code = look_at_symbols(elf, traits, error);
    if (code == AN_OK)
        code = an_elf_runtime_find(elf, &traits->runtime, error);
    bool linked = traits->kind != AN_ELF_OBJECT && traits->kind != AN_ELF_CORE;
    if (code == AN_OK && linked && arch)
        code = look_at_functions(elf, arch, &dynamic, traits, error);
    return code;
}

const char *an_elf_machine_name(uint16_t machine)
{
    static const struct {
        uint16_t machine;
        const char *name;
    } names[] = {
        {EM_386, "Intel 80386"}, {EM_X86_64, "x86-64"},
        {EM_AARCH64, "AArch64"}, {EM_ARM, "ARM"},
        {EM_RISCV, "RISC-V"},    {EM_PPC64, "PowerPC"},
        {EM_PPC, "PowerPC"},     {EM_S390, "S/390"},
        {EM_MIPS, "MIPS"},       {EM_LOONGARCH, "LoongArch"},
        {EM_BPF, "BPF"},         {EM_SPARCV9, "SPARC"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].machine == machine)
            return names[i].name;
    return "unknown";
}
