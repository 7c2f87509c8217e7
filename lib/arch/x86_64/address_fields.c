/* Operands of x86-64 instructions that may be addresses: distances from the instruction pointer, words of 32 bits, and
 * immediates that are as long as an address. */
#include "arch/x86_64/x86_64.h"

struct fields {
    struct an_address_field *items;
    size_t count;
    uint64_t next; /* address of the next instruction */
};

static void add(struct fields *fields, struct an_address_field field)
{
    if (fields->count < AN_MOST_ADDRESS_FIELDS)
        fields->items[fields->count++] = field;
}

static void take_memory(struct fields *fields, const ZydisDecodedInstruction *instruction,
                        const ZydisDecodedOperand *operand)
{
    bool is_relative = operand->mem.base == ZYDIS_REGISTER_RIP;
    uint64_t distance = (uint64_t)operand->mem.disp.value;
    if (instruction->raw.disp.size != 32)
        return;
    add(fields, (struct an_address_field){
                    .at = instruction->raw.disp.offset,
                    .size = 4,
                    .value = is_relative ? fields->next + distance : (uint32_t)distance,
                    .base = is_relative ? fields->next : 0,
                });
}

static void take_immediate(struct fields *fields, const ZydisDecodedInstruction *instruction,
                           const ZydisDecodedOperand *operand)
{
    unsigned bits = instruction->raw.imm[0].size;
    if (operand->imm.is_relative || (bits != 32 && bits != 64))
        return;
    add(fields, (struct an_address_field){
                    .at = instruction->raw.imm[0].offset,
                    .size = (uint8_t)(bits / 8),
                    .value = bits == 32 ? (uint32_t)operand->imm.value.u : operand->imm.value.u,
                });
}

uint8_t an_x86_64_address_fields(const struct an_bytes_at *code,
                                 struct an_address_field fields[AN_MOST_ADDRESS_FIELDS],
                                 size_t *count)
{
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    *count = 0;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&an_x86_64_decoder, code->bytes, code->size,
                                             &instruction, operands)))
        return 0;
    struct fields found = {.items = fields, .next = code->address + instruction.length};
    for (unsigned i = 0; i < instruction.operand_count_visible; i++) {
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            take_memory(&found, &instruction, &operands[i]);
        else if (operands[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
            take_immediate(&found, &instruction, &operands[i]);
    }
    *count = found.count;
    return instruction.length;
}
