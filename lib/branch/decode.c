/* Sorting instructions by what they do to control flow; see decode.h. */
#include "branch/decode.h"

#include <string.h>

void an_decoder_init(ZydisDecoder *decoder)
{
    ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static bool is_counting(ZydisMnemonic mnemonic)
{
    return mnemonic == ZYDIS_MNEMONIC_LOOP || mnemonic == ZYDIS_MNEMONIC_LOOPE ||
           mnemonic == ZYDIS_MNEMONIC_LOOPNE || mnemonic == ZYDIS_MNEMONIC_JRCXZ ||
           mnemonic == ZYDIS_MNEMONIC_JECXZ || mnemonic == ZYDIS_MNEMONIC_JCXZ;
}

static enum an_instruction_kind kind_of(const ZydisDecodedInstruction *decoded)
{
    bool relative = decoded->raw.imm[0].is_relative;
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_XABORT: /* of a transaction: the way on is where it began */
    case ZYDIS_MNEMONIC_XEND:
        return AN_ORDINARY;
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
        return AN_STOP;
    default:
        break;
    }
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_CALL:
        return relative ? AN_CALL : AN_INDIRECT_CALL;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return relative ? AN_JUMP : AN_INDIRECT_JUMP;
    case ZYDIS_CATEGORY_COND_BR:
        return is_counting(decoded->mnemonic) ? AN_COUNTING_JUMP : AN_CONDITIONAL_JUMP;
    case ZYDIS_CATEGORY_RET:
        return AN_RETURN;
    default:
        return AN_ORDINARY;
    }
}

/* LLVM's disassembler, which llvm-bolt's blocks come from, takes a lock in front as an instruction
 * of its own (and xacquire, xrelease before it). Code does jump behind it, to do without. */
static bool is_lock(const uint8_t *bytes, size_t size)
{
    bool hint = bytes[0] == 0xf2 || bytes[0] == 0xf3;
    return size > 1 && (bytes[0] == 0xf0 || (hint && bytes[1] == 0xf0));
}

bool an_decode(const ZydisDecoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
               struct an_instruction *instruction)
{
    ZydisDecodedInstruction decoded;
    ZydisDecoderContext context;
    if (size && is_lock(bytes, size)) {
        *instruction = (struct an_instruction){.length = 1};
        return true;
    }
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, &context, bytes, size, &decoded)))
        return false;
    uint64_t next = address + decoded.length;
    *instruction = (struct an_instruction){
        .length = decoded.length,
        .kind = (uint8_t)kind_of(&decoded),
        .is_pop =
            decoded.meta.category == ZYDIS_CATEGORY_POP || decoded.mnemonic == ZYDIS_MNEMONIC_LEAVE,
        /* mod 0, rm 5: disp32 from the next instruction (Intel SDM 2, table 2-7) */
        .has_address = (decoded.attributes & ZYDIS_ATTRIB_HAS_MODRM) &&
                       decoded.raw.modrm.mod == 0 && decoded.raw.modrm.rm == 5,
        .address_at = decoded.raw.disp.offset,
        .target = next + (uint64_t)decoded.raw.imm[0].value.s,
    };
    instruction->address = next + (uint64_t)decoded.raw.disp.value;
    return true;
}

/* What the binary has at an address, as many bytes as an instruction may have; fewer at an end. */
static const uint8_t *bytes_of(const struct an_elf *elf, uint64_t address, size_t *size)
{
    const uint8_t *bytes = NULL;
    for (*size = ZYDIS_MAX_INSTRUCTION_LENGTH; *size; --*size)
        if ((bytes = an_elf_at(elf, address, *size)))
            break;
    return bytes;
}

/* Where one of them has the distance to what it refers to, the other's may differ. */
static bool has_same_bytes(const uint8_t *here, const uint8_t *there,
                           const struct an_instruction *instruction)
{
    enum { DISTANCE = 4 };
    size_t before = instruction->has_address ? instruction->address_at : instruction->length;
    size_t behind = instruction->has_address ? before + DISTANCE : before;
    return memcmp(here, there, before) == 0 &&
           memcmp(here + behind, there + behind, instruction->length - behind) == 0;
}

uint8_t an_decode_same(const ZydisDecoder *decoder, const struct an_elf *one, uint64_t first,
                       const struct an_elf *other, uint64_t second)
{
    struct an_instruction a, b;
    size_t size, other_size;
    const uint8_t *here = bytes_of(one, first, &size);
    const uint8_t *there = bytes_of(other, second, &other_size);
    bool read = here && there && an_decode(decoder, here, size, first, &a) &&
                an_decode(decoder, there, other_size, second, &b);
    bool same = read && !is_lock(here, size) && a.kind == AN_ORDINARY && a.length == b.length &&
                a.has_address == b.has_address && a.address_at == b.address_at &&
                (!a.has_address || a.address == b.address) && has_same_bytes(here, there, &a);
    return same ? a.length : 0;
}

bool an_decode_is_return(const ZydisDecoder *decoder, const struct an_elf *elf, uint64_t address)
{
    struct an_instruction instruction;
    size_t size;
    const uint8_t *bytes = bytes_of(elf, address, &size);
    return bytes && an_decode(decoder, bytes, size, address, &instruction) &&
           instruction.kind == AN_RETURN;
}
