/* Recognising jump tables; see tables.h. */
#include "tables.h"

#include <string.h>

bool decode_whole(const ZydisDecoder *decoder, const struct image *image, uint64_t address,
                  ZydisDecodedInstruction *instruction, ZydisDecodedOperand *operands)
{
    size_t size;
    const uint8_t *bytes = image_bytes(image, address, &size);
    return bytes &&
           ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, size, instruction, operands));
}

struct past {
    uint64_t address;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* The instruction so many before the jump. */
static bool look_back(const ZydisDecoder *decoder, const struct image *image,
                      const struct table_history *history, size_t back, struct past *past)
{
    if (back >= history->count || back >= TABLE_HISTORY)
        return false;
    past->address = history->addresses[(history->count - 1 - back) % TABLE_HISTORY];
    return decode_whole(decoder, image, past->address, &past->instruction, past->operands);
}

static ZydisRegister whole(ZydisRegister reg)
{
    return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
}

static bool writes(const struct past *past, ZydisRegister reg)
{
    const ZydisDecodedOperand *first = &past->operands[0];
    return past->instruction.operand_count > 0 && first->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           (first->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) && whole(first->reg.value) == reg;
}

/* The number of entries, from the comparison before the table is used. */
static uint32_t limit_before(const ZydisDecoder *decoder, const struct image *image,
                             const struct table_history *history)
{
    struct past past;
    bool above = false;
    for (size_t back = 0; back < 16 && look_back(decoder, image, history, back, &past); back++) {
        ZydisMnemonic mnemonic = past.instruction.mnemonic;
        if (mnemonic == ZYDIS_MNEMONIC_JNBE)
            above = true;
        else if (mnemonic == ZYDIS_MNEMONIC_CMP && above &&
                 past.operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
                 past.operands[1].imm.value.u < TABLE_MOST_ENTRIES)
            return (uint32_t)past.operands[1].imm.value.u + 1;
    }
    return 0;
}

/* disp32(,%index,8) */
static bool is_table_of_addresses(const struct image *image, const ZydisDecodedOperand *operand,
                                  struct table *table)
{
    if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.base != ZYDIS_REGISTER_NONE ||
        operand->mem.scale != 8)
        return false;
    size_t size;
    uint64_t address = (uint64_t)operand->mem.disp.value;
    if (!image_bytes(image, address, &size))
        return false;
    *table = (struct table){.address = address};
    return true;
}

/* The address that a register was given by the last `lea` before. */
static uint64_t lea_before(const ZydisDecoder *decoder, const struct image *image,
                           const struct table_history *history, size_t back, ZydisRegister base)
{
    struct past past;
    for (; look_back(decoder, image, history, back, &past); back++) {
        ZyanU64 address;
        if (!writes(&past, base))
            continue;
        if (past.instruction.mnemonic != ZYDIS_MNEMONIC_LEA ||
            past.operands[1].mem.base != ZYDIS_REGISTER_RIP ||
            !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&past.instruction, &past.operands[1],
                                                   past.address, &address)))
            return 0;
        return address;
    }
    return 0;
}

/* A jump to what is in a register: how did it get there? */
static struct table table_in_register(const ZydisDecoder *decoder, const struct image *image,
                                      const struct table_history *history, ZydisRegister reg)
{
    struct table table = {0};
    struct past past;
    bool added = false;
    for (size_t back = 0; back < 12 && look_back(decoder, image, history, back, &past); back++) {
        const ZydisDecodedOperand *source = &past.operands[1];
        if (!writes(&past, reg))
            continue;
        if (past.instruction.mnemonic == ZYDIS_MNEMONIC_ADD) {
            added = true;
        } else if (past.instruction.mnemonic == ZYDIS_MNEMONIC_MOVSXD && added &&
                   source->type == ZYDIS_OPERAND_TYPE_MEMORY && source->mem.scale == 4) {
            table.offsets = true;
            table.address = lea_before(decoder, image, history, back + 1, whole(source->mem.base));
            break;
        } else {
            if (past.instruction.mnemonic == ZYDIS_MNEMONIC_MOV)
                is_table_of_addresses(image, source, &table);
            break;
        }
    }
    table.unknown = added && !table.address;
    return table;
}

struct table table_of(const ZydisDecoder *decoder, const struct image *image,
                      const struct table_history *history, const ZydisDecodedOperand *operand)
{
    struct table table = {0};
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
        table = table_in_register(decoder, image, history, whole(operand->reg.value));
    else if (!is_table_of_addresses(image, operand, &table))
        table.unknown = operand->mem.index != ZYDIS_REGISTER_NONE;
    if (table.address)
        table.limit = limit_before(decoder, image, history);
    return table;
}

bool table_entry(const struct image *image, const struct table *table, uint32_t index,
                 uint64_t *address)
{
    size_t width = table->offsets ? 4 : 8, size;
    const uint8_t *bytes = image_bytes(image, table->address + index * width, &size);
    if (!bytes || size < width)
        return false;
    int32_t offset;
    if (table->offsets) {
        memcpy(&offset, bytes, sizeof offset);
        *address = table->address + (uint64_t)(int64_t)offset;
    } else {
        memcpy(address, bytes, sizeof *address);
    }
    return true;
}
