/*
 * How an indirect jump of x86-64 finds its target, told by the instructions before it.
 *
 *     jmp *table(,%index,8)                         addresses
 *     mov table(,%index,8), %r1 ... jmp *%r1        the same in two steps
 *     lea table(%rip), %r1 ... movslq (%r1,%index,4), %r2 ... add %r1, %r2 ... jmp *%r2
 *                                                   distances from the table, of PIC code
 *     jmp *word(%rip)                               one word
 *
 * Any number of unrelated instructions may lie between.
 */
#include "arch/x86_64/x86_64.h"

struct full {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    uint64_t address;
};

struct walk {
    const struct an_bytes_at *function;
    const struct an_site *sites;
    uint32_t site; /* the one to be looked at next is site - 1 */
    struct full full;
};

static bool look_at(struct walk *walk, uint32_t site)
{
    const struct an_site *at = &walk->sites[site];
    walk->full.address = walk->function->address + at->offset;
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&an_x86_64_decoder,
                                               walk->function->bytes + at->offset, at->length,
                                               &walk->full.instruction, walk->full.operands));
}

static ZydisRegister whole(ZydisRegister part)
{
    return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
}

static bool writes(const struct full *full, ZydisRegister wanted)
{
    for (int i = 0; i < full->instruction.operand_count; i++) {
        const ZydisDecodedOperand *operand = &full->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
            whole(operand->reg.value) == wanted)
            return true;
    }
    return false;
}

/* Goes back to the instruction that last wrote one of two registers; false: there is none. */
static bool back_to_write(struct walk *walk, ZydisRegister one, ZydisRegister other)
{
    while (walk->site > 0) {
        walk->site--;
        if (!look_at(walk, walk->site))
            return false;
        if (writes(&walk->full, one) || writes(&walk->full, other))
            return true;
    }
    return false;
}

static bool is_load(const struct full *full)
{
    return full->instruction.mnemonic == ZYDIS_MNEMONIC_MOV &&
           full->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           full->operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY && full->operands[0].size >= 16;
}

static bool is_rip_relative(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.base == ZYDIS_REGISTER_RIP &&
           operand->mem.index == ZYDIS_REGISTER_NONE;
}

static bool has_segment(const struct full *full)
{
    return (full->instruction.attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS) ||
           (full->instruction.attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS);
}

static uint64_t displaced(const struct full *full, const ZydisDecodedOperand *operand)
{
    uint64_t base =
        operand->mem.base == ZYDIS_REGISTER_RIP ? full->address + full->instruction.length : 0;
    return base + (uint64_t)operand->mem.disp.value;
}

/* A load, or the jump itself, that goes through memory. */
static struct an_jump_source through_memory(const struct walk *walk,
                                            const ZydisDecodedOperand *operand, bool is_jump)
{
    struct an_jump_source source = {.first_site = walk->site};
    bool based =
        operand->mem.base != ZYDIS_REGISTER_NONE && operand->mem.base != ZYDIS_REGISTER_RIP;
    if (based || has_segment(&walk->full))
        return source;
    source.address = displaced(&walk->full, operand);
    if (is_jump && operand->mem.index == ZYDIS_REGISTER_NONE)
        source.through = AN_THROUGH_WORD;
    else if (operand->mem.index != ZYDIS_REGISTER_NONE && operand->mem.scale == 8)
        source.through = AN_THROUGH_ADDRESSES;
    return source;
}

/* The walk stands at `add %second, %target`. */
static struct an_jump_source through_distances(struct walk *walk, ZydisRegister target,
                                               ZydisRegister second)
{
    struct an_jump_source none = {0};
    if (!back_to_write(walk, target, second))
        return none;
    const struct full *full = &walk->full;
    const ZydisDecodedOperand *memory = &full->operands[1];
    if (full->instruction.mnemonic != ZYDIS_MNEMONIC_MOVSXD ||
        memory->type != ZYDIS_OPERAND_TYPE_MEMORY)
        return none;
    ZydisRegister loaded = full->operands[0].reg.value;
    ZydisRegister base = loaded == target ? second : target;
    if (loaded != target && loaded != second)
        return none;
    if (memory->mem.base != base || memory->mem.index == ZYDIS_REGISTER_NONE ||
        memory->mem.scale != 4 || memory->mem.disp.value != 0 || has_segment(full))
        return none;
    if (!back_to_write(walk, base, base) || full->instruction.mnemonic != ZYDIS_MNEMONIC_LEA ||
        full->operands[0].reg.value != base || !is_rip_relative(&full->operands[1]))
        return none;
    return (struct an_jump_source){AN_THROUGH_DISTANCES, displaced(full, &full->operands[1]),
                                   walk->site};
}

struct an_jump_source an_x86_64_jump_source(const struct an_bytes_at *function,
                                            const struct an_site *sites, uint32_t site)
{
    struct an_jump_source none = {0};
    struct walk walk = {.function = function, .sites = sites, .site = site};
    if (!look_at(&walk, site))
        return none;
    const struct full *full = &walk.full;
    if (full->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
        return through_memory(&walk, &full->operands[0], true);
    if (full->operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
        return none;
    ZydisRegister target = full->operands[0].reg.value;
    if (!back_to_write(&walk, target, target))
        return none;
    if (is_load(full))
        return through_memory(&walk, &full->operands[1], false);
    bool adds = full->instruction.mnemonic == ZYDIS_MNEMONIC_ADD &&
                full->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                full->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                full->operands[0].size == 64 && full->operands[1].reg.value != target;
    return adds ? through_distances(&walk, target, full->operands[1].reg.value) : none;
}
