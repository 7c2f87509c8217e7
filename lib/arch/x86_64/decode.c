/* Sorting x86-64 instructions by what they do to control flow. */
#include <string.h>

#include "arch/x86_64/x86_64.h"

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

/* A distance of 32 bits is what e8, e9 and 0f 8x end with. */
static bool has_far_target(const uint8_t *bytes, enum an_instruction_kind kind, unsigned length)
{
    if (kind == AN_CONDITIONAL_JUMP)
        return length == 6 && bytes[0] == 0x0f;
    return (kind == AN_CALL || kind == AN_JUMP) && length == 5 &&
           (bytes[0] == 0xe8 || bytes[0] == 0xe9);
}

/* syscall, and int $0x80 */
static bool is_system_call(const uint8_t *bytes, unsigned length)
{
    return length == 2 &&
           ((bytes[0] == 0x0f && bytes[1] == 0x05) || (bytes[0] == 0xcd && bytes[1] == 0x80));
}

bool an_x86_64_decode(const uint8_t *bytes, size_t size, uint64_t address,
                      struct an_instruction *instruction)
{
    ZydisDecodedInstruction decoded;
    ZydisDecoderContext context;
    if (size && is_lock(bytes, size)) {
        *instruction = (struct an_instruction){.length = 1};
        return true;
    }
    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeInstruction(&an_x86_64_decoder, &context, bytes, size, &decoded)))
        return false;
    uint64_t next = address + decoded.length;
    enum an_instruction_kind kind = kind_of(&decoded);
    *instruction = (struct an_instruction){
        .length = decoded.length,
        .kind = (uint8_t)kind,
        .is_pop =
            decoded.meta.category == ZYDIS_CATEGORY_POP || decoded.mnemonic == ZYDIS_MNEMONIC_LEAVE,
        .is_nop = decoded.mnemonic == ZYDIS_MNEMONIC_NOP,
        .is_breakpoint = decoded.mnemonic == ZYDIS_MNEMONIC_INT3,
        .is_landing = decoded.mnemonic == ZYDIS_MNEMONIC_ENDBR64,
        .is_system_call = is_system_call(bytes, decoded.length),
        .has_far_target = has_far_target(bytes, kind, decoded.length),
        /* mod 0, rm 5: disp32 from the next instruction (Intel SDM 2, table 2-7) */
        .has_address = (decoded.attributes & ZYDIS_ATTRIB_HAS_MODRM) &&
                       decoded.raw.modrm.mod == 0 && decoded.raw.modrm.rm == 5,
        .address_at = decoded.raw.disp.offset,
        .target = next + (uint64_t)decoded.raw.imm[0].value.s,
    };
    instruction->address = next + (uint64_t)decoded.raw.disp.value;
    return true;
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

uint8_t an_x86_64_same(const struct an_bytes_at *one, const struct an_bytes_at *other)
{
    struct an_instruction a, b;
    bool read = an_x86_64_decode(one->bytes, one->size, one->address, &a) &&
                an_x86_64_decode(other->bytes, other->size, other->address, &b);
    bool same = read && !is_lock(one->bytes, one->size) && a.kind == AN_ORDINARY &&
                a.length == b.length && a.has_address == b.has_address &&
                a.address_at == b.address_at && (!a.has_address || a.address == b.address) &&
                has_same_bytes(one->bytes, other->bytes, &a);
    return same ? a.length : 0;
}
