/* Making native code for single instructions; see thunk.h. */
#include "record/thunk.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

enum { CODE_SIZE = 16 << 20, LONGEST_THUNK = 1024 };

/* ---- executable memory ---- */

bool an_thunks_open(struct an_thunks *thunks)
{
    *thunks = (struct an_thunks){.size = CODE_SIZE};
    int fd = an_fault() ? -1 : memfd_create("anneal", MFD_CLOEXEC);
    if (fd < 0)
        return false;
    void *writable = MAP_FAILED, *code = MAP_FAILED;
    if (ftruncate(fd, CODE_SIZE) == 0) {
        writable = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    }
    close(fd);
    thunks->writable = writable != MAP_FAILED ? writable : NULL;
    thunks->code = code != MAP_FAILED ? code : NULL;
    if (thunks->code && thunks->writable)
        return true;
    an_thunks_close(thunks);
    return false;
}

void an_thunks_close(struct an_thunks *thunks)
{
    if (thunks->code)
        munmap(thunks->code, thunks->size);
    if (thunks->writable)
        munmap(thunks->writable, thunks->size);
    *thunks = (struct an_thunks){0};
}

void an_thunks_clear(struct an_thunks *thunks)
{
    thunks->used = 0;
}

/* ---- which registers ---- */

struct registers {
    uint16_t used, written; /* general ones: bit n is register n */
    uint32_t vectors, vectors_written;
    uint8_t masks, masks_written;
    bool flags, x87, legacy_vectors;
    uint8_t cpu, memory; /* C and M */
    uint8_t for_rsp;     /* what stands in for rsp, or AN_NO_REGISTER */
};

static uint8_t general_number(ZydisRegister name)
{
    return (uint8_t)ZydisRegisterGetId(
        ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name));
}

static void note_register(struct registers *registers, const ZydisDecodedOperand *operand)
{
    bool written = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    unsigned number = (unsigned)ZydisRegisterGetId(operand->reg.value);
    switch (ZydisRegisterGetClass(operand->reg.value)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
        number = general_number(operand->reg.value);
        registers->used |= (uint16_t)(1u << number);
        registers->written |= (uint16_t)((unsigned)written << number);
        break;
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
        registers->vectors |= 1u << number;
        registers->vectors_written |= (uint32_t)written << number;
        break;
    case ZYDIS_REGCLASS_MASK:
        registers->masks |= (uint8_t)(1u << number);
        registers->masks_written |= (uint8_t)((unsigned)written << number);
        break;
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX:
        registers->x87 = true;
        break;
    default:
        break;
    }
}

static bool uses_flags(const ZydisDecodedInstruction *decoded)
{
    const ZydisAccessedFlags *flags = decoded->cpu_flags;
    return flags &&
           (flags->tested | flags->modified | flags->set_0 | flags->set_1 | flags->undefined) != 0;
}

/* A register of the first eight, which no prefix is needed for, that is not among `taken`. */
static uint8_t find_free(uint16_t taken)
{
    static const uint8_t candidates[] = {AN_RDI, AN_RSI, AN_RDX, AN_RCX, AN_RAX, AN_RBX};
    for (size_t i = 0; i < sizeof candidates; i++)
        if (!(taken >> candidates[i] & 1))
            return candidates[i];
    return AN_NO_REGISTER;
}

/* False when there are not enough registers. */
static bool choose_helpers(struct registers *registers)
{
    enum { RSP_BIT = 1 << AN_RSP };
    uint16_t taken = registers->used;
    registers->for_rsp = AN_NO_REGISTER;
    if (registers->used & RSP_BIT) {
        registers->for_rsp = find_free(taken);
        if (registers->for_rsp == AN_NO_REGISTER)
            return false;
        taken |= (uint16_t)(1u << registers->for_rsp);
    }
    /* rsi first, where the argument is already */
    registers->memory = taken >> AN_RSI & 1 ? find_free((uint16_t)(taken | 1u << AN_RDI)) : AN_RSI;
    if (registers->memory == AN_NO_REGISTER)
        registers->memory = find_free(taken);
    if (registers->memory == AN_NO_REGISTER)
        return false;
    taken |= (uint16_t)(1u << registers->memory);
    registers->cpu = find_free(taken);
    for (uint8_t other = 8; registers->cpu == AN_NO_REGISTER && other < AN_GPRS; other++)
        if (other != 12 && !(taken >> other & 1)) /* 12 would need another byte, as rsp does */
            registers->cpu = other;
    return registers->cpu != AN_NO_REGISTER;
}

static bool find_registers(struct registers *registers, const ZydisDecodedInstruction *decoded,
                           const ZydisDecodedOperand *operands)
{
    *registers = (struct registers){.flags = uses_flags(decoded)};
    for (size_t i = 0; i < decoded->operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            note_register(registers, &operands[i]);
    registers->x87 |=
        decoded->meta.isa_ext == ZYDIS_ISA_EXT_X87 || decoded->meta.isa_ext == ZYDIS_ISA_EXT_MMX;
    registers->legacy_vectors = decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    return choose_helpers(registers);
}

/* ---- bytes ---- */

struct code {
    uint8_t bytes[LONGEST_THUNK];
    size_t size;
};

static void put(struct code *code, uint8_t byte)
{
    code->bytes[code->size++] = byte;
}

static void put_bytes(struct code *code, const void *bytes, size_t size)
{
    memcpy(code->bytes + code->size, bytes, size);
    code->size += size;
}

/* The operand [base + displacement] (mod 2) and a register or a digit; base is not rsp or r12. */
static void put_operand(struct code *code, unsigned reg, unsigned base, size_t displacement)
{
    uint32_t value = (uint32_t)displacement;
    put(code, (uint8_t)(0x80 | (reg & 7) << 3 | (base & 7)));
    put_bytes(code, &value, sizeof value);
}

static uint8_t rex(bool wide, unsigned reg, unsigned base)
{
    return (uint8_t)(0x40 | wide << 3 | (reg >> 3 & 1) << 2 | (base >> 3 & 1));
}

static void put_move(struct code *code, unsigned to, unsigned from)
{
    if (to == from)
        return;
    put(code, rex(true, from, to));
    put(code, 0x89);
    put(code, (uint8_t)(0xc0 | (from & 7) << 3 | (to & 7)));
}

enum { LOAD = 0x8b, STORE = 0x89 };

static void put_general(struct code *code, uint8_t opcode, unsigned reg, unsigned base, size_t at)
{
    put(code, rex(true, reg, base));
    put(code, opcode);
    put_operand(code, reg, base, at);
}

/* push or pop of [base + at] */
static void put_stack(struct code *code, uint8_t opcode, unsigned digit, unsigned base, size_t at)
{
    put(code, rex(false, 0, base));
    put(code, opcode);
    put_operand(code, digit, base, at);
}

enum { VECTOR_LOAD = 0x10, VECTOR_STORE = 0x11 };

/* movups, or vmovups with what this machine has */
static void put_vector(struct code *code, const struct an_cpu_features *features, bool legacy,
                       uint8_t opcode, unsigned number, unsigned base)
{
    size_t at = offsetof(struct an_cpu, vector) + 64 * number;
    bool low = !(number >> 3 & 1), low_base = !(base >> 3 & 1);
    if (legacy) {
        put(code, rex(false, number, base));
        put(code, 0x0f);
    } else if (features->avx512) { /* EVEX.512.0F.W0 */
        const uint8_t prefix[] = {
            0x62, (uint8_t)(low << 7 | 1 << 6 | low_base << 5 | !(number >> 4 & 1) << 4 | 1), 0x7c,
            0x48};
        put_bytes(code, prefix, sizeof prefix);
    } else { /* VEX.256.0F */
        const uint8_t prefix[] = {0xc4, (uint8_t)(low << 7 | 1 << 6 | low_base << 5 | 1), 0x7c};
        put_bytes(code, prefix, sizeof prefix);
    }
    put(code, opcode);
    put_operand(code, number, base, at);
}

enum { MASK_LOAD = 0x90, MASK_STORE = 0x91 };

/* kmovq: VEX.L0.0F.W1 */
static void put_mask(struct code *code, uint8_t opcode, unsigned number, unsigned base)
{
    const uint8_t prefix[] = {0xc4, (uint8_t)(3 << 6 | !(base >> 3 & 1) << 5 | 1), 0xf8};
    put_bytes(code, prefix, sizeof prefix);
    put(code, opcode);
    put_operand(code, number, base, offsetof(struct an_cpu, mask) + 8 * number);
}

enum { FXSAVE = 0, FXRSTOR = 1 };

static void put_x87(struct code *code, unsigned digit, unsigned base)
{
    put(code, rex(true, 0, base));
    put(code, 0x0f);
    put(code, 0xae);
    put_operand(code, digit, base, offsetof(struct an_cpu, x87));
}

/* ---- the instruction itself, changed ---- */

static bool is_dropped_prefix(uint8_t byte)
{
    switch (byte) {
    case 0x26: /* segments, which are in the address already */
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x67: /* addresses of 32 bits: likewise */
        return true;
    default:
        return false;
    }
}

/* Takes the bits for base and index out of a prefix: [M] needs neither. */
static void clear_extensions(uint8_t *prefix)
{
    if ((prefix[0] & 0xf0) == 0x40)
        prefix[0] &= (uint8_t)~3;
    else if (prefix[0] == 0xc4 || prefix[0] == 0x62) /* inverted there */
        prefix[1] |= 0x60;
}

/* Where the prefixes that may be dropped end: at REX, VEX, EVEX or the opcode. */
static size_t put_prefixes(struct code *code, const struct an_operation *operation,
                           const ZydisDecodedInstruction *decoded, bool drop)
{
    size_t at = 0;
    while (at < decoded->raw.prefix_count && (operation->bytes[at] & 0xf0) != 0x40) {
        if (!drop || !is_dropped_prefix(operation->bytes[at]))
            put(code, operation->bytes[at]);
        at++;
    }
    return at;
}

/* rsp, wherever an operand names it; false where it cannot be replaced. */
static bool replace_rsp(uint8_t *bytes, const struct registers *registers,
                        const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
                        size_t modrm_at)
{
    for (size_t i = 0; i < decoded->operand_count; i++) {
        if (operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER ||
            ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operands[i].reg.value) !=
                ZYDIS_REGISTER_RSP)
            continue;
        if (operands[i].encoding == ZYDIS_OPERAND_ENCODING_MODRM_REG)
            bytes[modrm_at] = (uint8_t)((bytes[modrm_at] & ~0x38) | registers->for_rsp << 3);
        else if (operands[i].encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM)
            bytes[modrm_at] = (uint8_t)((bytes[modrm_at] & ~7) | registers->for_rsp);
        else if (operands[i].encoding == ZYDIS_OPERAND_ENCODING_OPCODE)
            bytes[decoded->length - decoded->raw.imm[0].size / 8 - 1] =
                (uint8_t)((bytes[decoded->length - decoded->raw.imm[0].size / 8 - 1] & ~7) |
                          registers->for_rsp);
        else
            return false;
    }
    return true;
}

/* False when it cannot be done. */
static bool put_instruction(struct code *code, const struct an_operation *operation,
                            const struct registers *registers,
                            const ZydisDecodedInstruction *decoded,
                            const ZydisDecodedOperand *operands)
{
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    size_t modrm = decoded->raw.modrm.offset, length = operation->length;
    memcpy(bytes, operation->bytes, length);
    if (registers->for_rsp != AN_NO_REGISTER &&
        !replace_rsp(bytes, registers, decoded, operands, modrm))
        return false;
    size_t at = put_prefixes(code, operation, decoded, operation->has_memory);
    if (!operation->has_memory) {
        put_bytes(code, bytes + at, length - at);
        return true;
    }
    size_t tail = modrm + 1 + (decoded->raw.sib.offset ? 1 : 0) + decoded->raw.disp.size / 8;
    clear_extensions(bytes + at);
    put_bytes(code, bytes + at, modrm - at);
    put(code, (uint8_t)((bytes[modrm] & 0x38) | registers->memory)); /* mod 0: [M] */
    put_bytes(code, bytes + tail, length - tail);
    return true;
}

/* ---- the whole ---- */

static bool is_callee_saved(unsigned number)
{
    return number == AN_RBX || number == AN_RBP || number >= 12;
}

/* Which register of the real processor stands for one of the emulated. */
static unsigned stand_in(const struct registers *registers, unsigned number)
{
    return number == AN_RSP ? registers->for_rsp : number;
}

static uint16_t touched(const struct registers *registers)
{
    uint16_t all = (uint16_t)(registers->used & ~(1u << AN_RSP));
    all |= (uint16_t)(1u << registers->cpu | 1u << registers->memory);
    if (registers->for_rsp != AN_NO_REGISTER)
        all |= (uint16_t)(1u << registers->for_rsp);
    return all;
}

static void put_saves(struct code *code, uint16_t all)
{
    for (unsigned i = 0; i < AN_GPRS; i++)
        if ((all >> i & 1) && is_callee_saved(i)) {
            put(code, rex(false, 0, i));
            put(code, (uint8_t)(0x50 | (i & 7)));
        }
}

static void put_restores(struct code *code, uint16_t all)
{
    for (unsigned i = AN_GPRS; i-- > 0;)
        if ((all >> i & 1) && is_callee_saved(i)) {
            put(code, rex(false, 0, i));
            put(code, (uint8_t)(0x58 | (i & 7)));
        }
}

static void put_arguments(struct code *code, const struct registers *registers)
{
    put_move(code, registers->cpu, AN_RDI); /* never to rsi: M would have been put there */
    put_move(code, registers->memory, AN_RSI);
}

static void put_loads(struct code *code, const struct registers *registers,
                      const struct an_cpu_features *features)
{
    if (registers->x87)
        put_x87(code, FXRSTOR, registers->cpu);
    for (unsigned i = 0; i < 32; i++)
        if (registers->vectors >> i & 1)
            put_vector(code, features, registers->legacy_vectors, VECTOR_LOAD, i, registers->cpu);
    for (unsigned i = 0; i < 8; i++)
        if (registers->masks >> i & 1)
            put_mask(code, MASK_LOAD, i, registers->cpu);
    for (unsigned i = 0; i < AN_GPRS; i++)
        if (registers->used >> i & 1)
            put_general(code, LOAD, stand_in(registers, i), registers->cpu,
                        offsetof(struct an_cpu, gpr) + 8 * i);
    if (registers->flags) {
        put_stack(code, 0xff, 6, registers->cpu, offsetof(struct an_cpu, native_flags));
        put(code, 0x9d); /* popf */
    }
}

static void put_stores(struct code *code, const struct registers *registers,
                       const struct an_cpu_features *features)
{
    if (registers->flags) {
        put(code, 0x9c); /* pushf */
        put_stack(code, 0x8f, 0, registers->cpu, offsetof(struct an_cpu, native_flags));
    }
    for (unsigned i = 0; i < AN_GPRS; i++)
        if (registers->written >> i & 1)
            put_general(code, STORE, stand_in(registers, i), registers->cpu,
                        offsetof(struct an_cpu, gpr) + 8 * i);
    for (unsigned i = 0; i < 8; i++)
        if (registers->masks_written >> i & 1)
            put_mask(code, MASK_STORE, i, registers->cpu);
    for (unsigned i = 0; i < 32; i++)
        if (registers->vectors_written >> i & 1)
            put_vector(code, features, registers->legacy_vectors, VECTOR_STORE, i, registers->cpu);
    if (registers->x87) {
        put_x87(code, FXSAVE, registers->cpu);
        put_bytes(code, "\xdb\xe3", 2); /* fninit: as C expects it */
    }
    if (registers->vectors && !registers->legacy_vectors)
        put_bytes(code, "\xc5\xf8\x77", 3); /* vzeroupper */
}

bool an_thunk_make(struct an_thunks *thunks, struct an_operation *operation,
                   const struct an_cpu_features *features, const ZydisDecodedInstruction *decoded,
                   const ZydisDecodedOperand *operands)
{
    struct registers registers;
    struct code code = {.size = 0};
    bool good = find_registers(&registers, decoded, operands);
    if (good) {
        put_saves(&code, touched(&registers));
        put_arguments(&code, &registers);
        put_loads(&code, &registers, features);
        good = put_instruction(&code, operation, &registers, decoded, operands);
        put_stores(&code, &registers, features);
        put_restores(&code, touched(&registers));
        put(&code, 0xc3); /* ret */
    }
    if (!good) {
        operation->kind = AN_OP_END;
        return true;
    }
    if (code.size > thunks->size - thunks->used)
        return false;
    memcpy(thunks->writable + thunks->used, code.bytes, code.size);
    uint8_t *entry = thunks->code + thunks->used;
    memcpy(&operation->native, &entry, sizeof entry);
    thunks->used += (code.size + 15) & ~(size_t)15;
    if (thunks->used > thunks->size)
        thunks->used = thunks->size;
    return true;
}
