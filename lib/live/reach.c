/* Reading code for what leads where; see reach.h. */
#include "live/reach.h"

#include <stdlib.h>

#include "base/bits.h"
#include "elf/instructions.h"
#include "record/memory.h"

static void set_bit(const struct an_reach *reach, uint64_t *bits, uint64_t address)
{
    if (address >= reach->start && address < reach->end)
        an_bit_set(bits, address - reach->start);
}

static bool bit(const struct an_reach *reach, const uint64_t *bits, uint64_t address)
{
    return address >= reach->start && address < reach->end && an_bit(bits, address - reach->start);
}

void an_reach_lead(struct an_reach *reach, uint64_t address)
{
    set_bit(reach, reach->leads, address);
}

/* As if something led there and, for one that the jump would begin with, behind its first byte. */
void an_reach_probe(struct an_reach *reach, uint64_t address)
{
    an_reach_lead(reach, address);
    an_reach_lead(reach, address + 1);
}

static bool make_room(struct an_reach *reach)
{
    size_t words = (size_t)((reach->end - reach->start) / 64 + 1);
    reach->leads = an_alloc_zero(words, sizeof *reach->leads);
    reach->returns = an_alloc_zero(words, sizeof *reach->returns);
    reach->linked = an_alloc_zero(words, sizeof *reach->linked);
    return reach->leads && reach->returns && reach->linked;
}

static bool read_instruction(struct an_reach *reach, uint64_t address,
                             const struct an_instruction *instruction, bool keep_calls)
{
    uint64_t next = address + instruction->length;
    bool is_call = instruction->kind == AN_CALL || instruction->kind == AN_INDIRECT_CALL;
    bool is_direct = instruction->kind == AN_CALL || instruction->kind == AN_JUMP ||
                     instruction->kind == AN_CONDITIONAL_JUMP ||
                     instruction->kind == AN_COUNTING_JUMP;
    if (is_call)
        set_bit(reach, reach->returns, next);
    if (instruction->is_system_call) { /* the kernel may let a thread begin with it again */
        set_bit(reach, reach->leads, address);
        set_bit(reach, reach->returns, next);
    }
    if (!is_direct)
        return true;
    set_bit(reach, reach->leads, instruction->target);
    if (!keep_calls || !instruction->has_far_target)
        return true;
    struct an_reach_call *call = an_vector_push(&reach->calls);
    if (call)
        *call = (struct an_reach_call){next - 4, instruction->target};
    return call != NULL;
}

/* Instruction by instruction; what is none is skipped byte by byte. */
static bool read_range(struct an_reach *reach, const struct an_arch *arch, const struct an_elf *elf,
                       uint64_t start, uint64_t size, bool keep_calls)
{
    const uint8_t *bytes = an_elf_at(elf, start, size);
    for (uint64_t at = 0; bytes && at < size;) {
        struct an_instruction instruction;
        if (!arch->decode(bytes + at, size - at, start + at, &instruction)) {
            at++;
            continue;
        }
        if (!read_instruction(reach, start + at, &instruction, keep_calls))
            return false;
        at += instruction.length;
    }
    return true;
}

/* ---- the original ---- */

/* A distance that the linker has computed, if it is what it was asked for: another linker may have changed the code. */
static void read_distance(struct an_reach *reach, const struct an_elf *elf, uint64_t place,
                          uint64_t distance)
{
    const uint8_t *here = an_elf_at(elf, place, 4);
    if (here && an_get32(here, false) == (uint32_t)distance)
        set_bit(reach, reach->linked, place);
}

/* Absolute addresses in data and in code, and distances in code: what the linker was asked to keep, .rela.*. A Rela
 * entry is address 8, type 4, symbol 4, addend 8. */
static void read_relocations(struct an_reach *reach, const struct an_arch *arch,
                             const struct an_elf *elf, const struct an_elf_section *section,
                             struct an_bytes symbols)
{
    enum { RELA = 24, SYMBOL = 24 };
    struct an_bytes bytes = an_elf_section_bytes(elf, section);
    for (size_t at = 0; at + RELA <= bytes.size; at += RELA) {
        const struct an_relocation relocation =
            arch->relocation(an_get32(bytes.data + at + 8, false));
        const bool is_distance = (relocation.form == AN_RELOCATION_DISTANCE ||
                                  relocation.form == AN_RELOCATION_BRANCH) &&
                                 relocation.size == 4;
        uint64_t place = an_get64(bytes.data + at, false);
        uint64_t symbol = an_get32(bytes.data + at + 12, false);
        uint64_t value = an_get64(bytes.data + at + 16, false);
        if (relocation.form != AN_RELOCATION_ADDRESS && relocation.form != AN_RELOCATION_BASE &&
            !is_distance)
            continue;
        if (symbol && (symbol + 1) * SYMBOL <= symbols.size)
            value += an_get64(symbols.data + symbol * SYMBOL + 8, false);
        else if (symbol)
            continue;
        if (is_distance)
            read_distance(reach, elf, place, value - place);
        else
            an_reach_lead(reach, value);
    }
}

static void read_all_relocations(struct an_reach *reach, const struct an_arch *arch,
                                 const struct an_elf *elf)
{
    size_t count;
    const struct an_elf_section *sections = an_elf_sections(elf, &count);
    for (size_t i = 0; i < count; i++) {
        const struct an_elf_section *target = an_elf_section_at(elf, sections[i].info);
        bool is_of_program = (sections[i].flags | (target ? target->flags : 0)) & SHF_ALLOC;
        if (sections[i].type != SHT_RELA || !is_of_program) /* others are of debug information */
            continue;
        const struct an_elf_section *symbols = an_elf_section_at(elf, sections[i].link);
        read_relocations(reach, arch, elf, &sections[i],
                         symbols ? an_elf_section_bytes(elf, symbols) : (struct an_bytes){0});
    }
}

static void lead_to_landing_pad(void *context, uint64_t landing_pad)
{
    an_reach_lead(context, landing_pad);
}

enum an_code an_reach_of_original(struct an_elf *elf, const struct an_functions *functions,
                                  struct an_reach *reach, struct an_error *error)
{
    const struct an_arch *arch;
    *reach = (struct an_reach){.start = UINT64_MAX};
    enum an_code code = an_elf_arch(elf, &arch, error);
    if (code != AN_OK)
        return code;
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(elf, &count);
    for (size_t i = 0; i < count; i++)
        if (segments[i].flags & PF_X) {
            uint64_t end = segments[i].address + segments[i].file_size;
            reach->start = segments[i].address < reach->start ? segments[i].address : reach->start;
            reach->end = end > reach->end ? end : reach->end;
        }
    if (reach->start >= reach->end || reach->end - reach->start > (uint64_t)4 << 30)
        return an_fail(error, AN_UNSUPPORTED, "has no code, or more than 4 GiB of it");
    if (!make_room(reach))
        return an_fail_memory(error);
    for (size_t i = 0; i < functions->count; i++) {
        const struct an_function *function = &functions->items[i];
        an_reach_lead(reach, function->address);
        for (uint32_t k = 0; k < function->entry_count; k++)
            an_reach_lead(reach, functions->entries[function->entry + k]);
        if (function->lsda)
            an_elf_landing_pads(elf, function->address, function->lsda, lead_to_landing_pad, reach);
        if (!function->in_plt &&
            !read_range(reach, arch, elf, function->address, function->reach, true))
            return an_fail_memory(error);
    }
    read_all_relocations(reach, arch, elf);
    return AN_OK;
}

/* ---- a layout ---- */

enum an_code an_reach_of_layout(struct an_elf *elf, const struct an_bat *bat, uint64_t start,
                                uint64_t end, struct an_reach *reach, struct an_error *error)
{
    const struct an_arch *arch;
    *reach = (struct an_reach){.start = start, .end = end};
    enum an_code code = an_elf_arch(elf, &arch, error);
    if (code != AN_OK)
        return code;
    if (!make_room(reach))
        return an_fail_memory(error);
    for (size_t i = 0; i < bat->function_count; i++) {
        const struct an_bat_function *function = &bat->functions[i];
        if (function->address < start || function->address >= end)
            continue;
        const struct an_bat_entry *entries = an_bat_entries(bat, function);
        for (uint32_t k = 0; k < function->entry_count; k++)
            if (!an_bat_entry_is_branch(entries[k]))
                an_reach_lead(reach, function->address + entries[k].output);
        if (!read_range(reach, arch, elf, function->address, function->size, false))
            return an_fail_memory(error);
    }
    return AN_OK;
}

void an_reach_free(struct an_reach *reach)
{
    free(reach->leads);
    free(reach->returns);
    free(reach->linked);
    an_vector_free(&reach->calls);
    *reach = (struct an_reach){0};
}

bool an_reach_is_linked(const struct an_reach *reach, const struct an_reach_call *call)
{
    return bit(reach, reach->linked, call->distance);
}

const char *an_reach_objection(const struct an_reach *reach, uint64_t entry, uint64_t size,
                               uint8_t first)
{
    uint64_t place = entry + first;
    if (!first)
        return "a first instruction of its own";
    if (size < (uint64_t)first + AN_JUMP_SIZE)
        return "too short for a jump";
    if (place / AN_PAGE != (place + AN_JUMP_SIZE - 1) / AN_PAGE)
        return "across two pages";
    for (uint64_t at = place + 1; at < place + AN_JUMP_SIZE; at++) {
        if (bit(reach, reach->leads, at))
            return "a branch into its first bytes";
        if (bit(reach, reach->returns, at))
            return "a call in its first bytes";
    }
    return NULL;
}
