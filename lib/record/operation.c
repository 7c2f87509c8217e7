/* Sorting instructions by how they are emulated; see operation.h. */
#include "record/operation.h"

#include <cpuid.h>
#include <string.h>

/* ---- what this processor has ---- */

enum cpuid_register { CPUID_B, CPUID_C, CPUID_D };

/* A bit of CPUID (Intel SDM 2A, CPUID; AMD APM 3, appendix E). */
struct cpuid_bit {
    unsigned leaf;
    enum cpuid_register where;
    unsigned bit;
};

static bool has_bit(struct cpuid_bit wanted)
{
    unsigned a, b, c, d;
    if (!__get_cpuid_count(wanted.leaf, 0, &a, &b, &c, &d))
        return false;
    unsigned values[] = {[CPUID_B] = b, [CPUID_C] = c, [CPUID_D] = d};
    return values[wanted.where] >> wanted.bit & 1;
}

/* Parts of the instruction set that not every x86-64 processor has. */
static const struct {
    ZydisISAExt part;
    bool needs_avx;
    struct cpuid_bit bit;
} parts[] = {
    {ZYDIS_ISA_EXT_SSE3, false, {1, CPUID_C, 0}},
    {ZYDIS_ISA_EXT_PCLMULQDQ, false, {1, CPUID_C, 1}},
    {ZYDIS_ISA_EXT_SSSE3, false, {1, CPUID_C, 9}},
    {ZYDIS_ISA_EXT_FMA, true, {1, CPUID_C, 12}},
    {ZYDIS_ISA_EXT_SSE4, false, {1, CPUID_C, 20}}, /* 4.2, with popcnt and crc32 */
    {ZYDIS_ISA_EXT_MOVBE, false, {1, CPUID_C, 22}},
    {ZYDIS_ISA_EXT_AES, false, {1, CPUID_C, 25}},
    {ZYDIS_ISA_EXT_AVXAES, true, {1, CPUID_C, 25}},
    {ZYDIS_ISA_EXT_AVX, true, {1, CPUID_C, 28}},
    {ZYDIS_ISA_EXT_F16C, true, {1, CPUID_C, 29}},
    {ZYDIS_ISA_EXT_RDRAND, false, {1, CPUID_C, 30}},
    {ZYDIS_ISA_EXT_BMI1, true, {7, CPUID_B, 3}},
    {ZYDIS_ISA_EXT_AVX2, true, {7, CPUID_B, 5}},
    {ZYDIS_ISA_EXT_BMI2, true, {7, CPUID_B, 8}},
    {ZYDIS_ISA_EXT_RDSEED, false, {7, CPUID_B, 18}},
    {ZYDIS_ISA_EXT_ADOX_ADCX, false, {7, CPUID_B, 19}},
    {ZYDIS_ISA_EXT_SHA, false, {7, CPUID_B, 29}},
    {ZYDIS_ISA_EXT_GFNI, false, {7, CPUID_C, 8}},
    {ZYDIS_ISA_EXT_VAES, true, {7, CPUID_C, 9}},
    {ZYDIS_ISA_EXT_VPCLMULQDQ, true, {7, CPUID_C, 10}},
    {ZYDIS_ISA_EXT_RDPID, false, {7, CPUID_C, 22}},
    {ZYDIS_ISA_EXT_LZCNT, false, {0x80000001, CPUID_C, 5}},
    {ZYDIS_ISA_EXT_SSE4A, false, {0x80000001, CPUID_C, 6}},
    {ZYDIS_ISA_EXT_RDTSCP, false, {0x80000001, CPUID_D, 27}},
};

/* Parts of AVX-512 beyond F, BW, DQ and VL. */
static const struct {
    ZydisISASet first, last;
    struct cpuid_bit bit;
} wide_parts[] = {
    {ZYDIS_ISA_SET_AVX512CD_128, ZYDIS_ISA_SET_AVX512CD_512, {7, CPUID_B, 28}},
    {ZYDIS_ISA_SET_AVX512_IFMA_128, ZYDIS_ISA_SET_AVX512_IFMA_512, {7, CPUID_B, 21}},
    {ZYDIS_ISA_SET_AVX512_VBMI_128, ZYDIS_ISA_SET_AVX512_VBMI_512, {7, CPUID_C, 1}},
    {ZYDIS_ISA_SET_AVX512_VBMI2_128, ZYDIS_ISA_SET_AVX512_VBMI2_512, {7, CPUID_C, 6}},
    {ZYDIS_ISA_SET_AVX512_GFNI_128, ZYDIS_ISA_SET_AVX512_GFNI_512, {7, CPUID_C, 8}},
    {ZYDIS_ISA_SET_AVX512_VAES_128, ZYDIS_ISA_SET_AVX512_VAES_512, {7, CPUID_C, 9}},
    {ZYDIS_ISA_SET_AVX512_VPCLMULQDQ_128, ZYDIS_ISA_SET_AVX512_VPCLMULQDQ_512, {7, CPUID_C, 10}},
    {ZYDIS_ISA_SET_AVX512_VNNI_128, ZYDIS_ISA_SET_AVX512_VNNI_512, {7, CPUID_C, 11}},
    {ZYDIS_ISA_SET_AVX512_BITALG_128, ZYDIS_ISA_SET_AVX512_BITALG_512, {7, CPUID_C, 12}},
    {ZYDIS_ISA_SET_AVX512_VPOPCNTDQ_128, ZYDIS_ISA_SET_AVX512_VPOPCNTDQ_512, {7, CPUID_C, 14}},
};

static bool is_wide_base(ZydisISASet set)
{
    return (set >= ZYDIS_ISA_SET_AVX512BW_128 && set <= ZYDIS_ISA_SET_AVX512BW_KOP) ||
           (set >= ZYDIS_ISA_SET_AVX512DQ_128 && set <= ZYDIS_ISA_SET_AVX512DQ_SCALAR) ||
           (set >= ZYDIS_ISA_SET_AVX512F_128 && set <= ZYDIS_ISA_SET_AVX512F_SCALAR);
}

static bool has_wide_part(ZydisISASet set)
{
    if (is_wide_base(set))
        return true;
    for (size_t i = 0; i < sizeof wide_parts / sizeof *wide_parts; i++)
        if (set >= wide_parts[i].first && set <= wide_parts[i].last)
            return has_bit(wide_parts[i].bit);
    return false;
}

static bool is_supported(const ZydisDecodedInstruction *decoded,
                         const struct an_cpu_features *features)
{
    switch (decoded->meta.isa_ext) {
    case ZYDIS_ISA_EXT_BASE:
    case ZYDIS_ISA_EXT_LONGMODE:
    case ZYDIS_ISA_EXT_MMX:
    case ZYDIS_ISA_EXT_PAUSE:
    case ZYDIS_ISA_EXT_SSE:
    case ZYDIS_ISA_EXT_SSE2:
    case ZYDIS_ISA_EXT_X87:
        return true;
    case ZYDIS_ISA_EXT_AVX512VEX:
    case ZYDIS_ISA_EXT_AVX512EVEX:
        return features->avx512 && has_wide_part(decoded->meta.isa_set);
    default:
        break;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].part == decoded->meta.isa_ext)
            return (!parts[i].needs_avx || features->avx) && has_bit(parts[i].bit);
    return false;
}

/* ---- what may be executed natively ---- */

/* They compute nothing that matters here, or more than registers and their operand. */
static bool is_refused(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_FLDENV:
    case ZYDIS_MNEMONIC_FNSAVE:
    case ZYDIS_MNEMONIC_FNSTENV:
    case ZYDIS_MNEMONIC_FRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_FXSAVE:
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_LAR:
    case ZYDIS_MNEMONIC_LSL:
    case ZYDIS_MNEMONIC_VERR:
    case ZYDIS_MNEMONIC_VERW:
    case ZYDIS_MNEMONIC_SGDT:
    case ZYDIS_MNEMONIC_SIDT:
    case ZYDIS_MNEMONIC_SLDT:
    case ZYDIS_MNEMONIC_SMSW:
    case ZYDIS_MNEMONIC_STR:
    case ZYDIS_MNEMONIC_PAUSE: /* an odd one: see is_nothing() */
    case ZYDIS_MNEMONIC_RDPMC:
    case ZYDIS_MNEMONIC_CLI: /* privileged or not, as the kernel chooses */
    case ZYDIS_MNEMONIC_STI:
    case ZYDIS_MNEMONIC_ENTER:
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
        return true;
    default:
        return false;
    }
}

static bool is_refused_category(ZydisInstructionCategory category)
{
    switch (category) {
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_STRINGOP:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_POP:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_VTX:
        return true;
    default:
        return false;
    }
}

static bool is_usable_register(ZydisRegister name)
{
    switch (ZydisRegisterGetClass(name)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX:
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
    case ZYDIS_REGCLASS_MASK:
    case ZYDIS_REGCLASS_FLAGS:
        return true;
    default:
        return name == ZYDIS_REGISTER_MXCSR || name == ZYDIS_REGISTER_X87CONTROL ||
               name == ZYDIS_REGISTER_X87STATUS || name == ZYDIS_REGISTER_X87TAG;
    }
}

/* bt and its kin with a number of a bit in a register reach beyond their operand in memory. */
static bool reaches_beyond(const ZydisDecodedInstruction *decoded,
                           const ZydisDecodedOperand *operands)
{
    return decoded->meta.category == ZYDIS_CATEGORY_BITBYTE && decoded->operand_count > 1 &&
           operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
           operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

/* REX counts only right before the opcode. Elsewhere it is void, and no compiler puts it there. */
static bool has_void_prefix(const ZydisDecodedInstruction *decoded)
{
    for (size_t i = 0; i + 1 < decoded->raw.prefix_count; i++)
        if ((decoded->raw.prefixes[i].value & 0xf0) == 0x40)
            return true;
    return false;
}

static bool is_native(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
                      const struct an_cpu_features *features)
{
    size_t in_memory = 0;
    if ((decoded->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) || is_refused(decoded->mnemonic) ||
        is_refused_category(decoded->meta.category) || reaches_beyond(decoded, operands) ||
        !is_supported(decoded, features))
        return false;
    for (size_t i = 0; i < decoded->operand_count; i++) {
        const ZydisDecodedOperand *operand = &operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && !is_usable_register(operand->reg.value))
            return false;
        if (operand->type == ZYDIS_OPERAND_TYPE_POINTER)
            return false;
        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN ||
            operand->encoding != ZYDIS_OPERAND_ENCODING_MODRM_RM ||
            operand->mem.type != ZYDIS_MEMOP_TYPE_MEM || operand->size > 512 || in_memory++)
            return false;
    }
    return true;
}

/* ---- operands ---- */

static uint8_t number_of(ZydisRegister name)
{
    if (name == ZYDIS_REGISTER_NONE || name == ZYDIS_REGISTER_RIP || name == ZYDIS_REGISTER_EIP)
        return AN_NO_REGISTER;
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    return (uint8_t)ZydisRegisterGetId(whole);
}

static struct an_memory_operand place_of(const ZydisDecodedInstruction *decoded,
                                         const ZydisDecodedOperandMem *mem)
{
    return (struct an_memory_operand){
        .base = number_of(mem->base),
        .index = number_of(mem->index),
        .scale = mem->scale,
        .uses_fs = mem->segment == ZYDIS_REGISTER_FS,
        .uses_gs = mem->segment == ZYDIS_REGISTER_GS,
        .from_next = mem->base == ZYDIS_REGISTER_RIP || mem->base == ZYDIS_REGISTER_EIP,
        .narrow = decoded->address_width == 32,
        .displacement = mem->disp.has_displacement ? mem->disp.value : 0,
    };
}

static void take_memory(struct an_operation *operation, const ZydisDecodedInstruction *decoded,
                        const ZydisDecodedOperand *operand)
{
    operation->place = place_of(decoded, &operand->mem);
    operation->has_memory = true;
    operation->memory_size = operand->size / 8;
    operation->writes_memory = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    operation->wants_alignment =
        operation->memory_size >= 16 || (decoded->attributes & ZYDIS_ATTRIB_HAS_LOCK);
}

/* Of an instruction carried out by hand: its one operand. */
static void take_operand(struct an_operation *operation, const ZydisDecodedInstruction *decoded,
                         const ZydisDecodedOperand *operand)
{
    operation->width = (uint8_t)(operand->size / 8);
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        operation->operand = AN_OPERAND_REGISTER;
        operation->reg = number_of(operand->reg.value);
        if (ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_SEGMENT)
            operation->kind = AN_OP_END;
    } else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        operation->operand = AN_OPERAND_MEMORY;
        take_memory(operation, decoded, operand);
    } else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        operation->operand = AN_OPERAND_IMMEDIATE;
        operation->value = operand->imm.value.u;
    }
}

static void take_branch(struct an_operation *operation, const ZydisDecodedInstruction *decoded,
                        const ZydisDecodedOperand *operand, enum an_operation_kind direct,
                        enum an_operation_kind indirect)
{
    if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative) {
        operation->kind = (uint8_t)direct;
        operation->value =
            operation->address + decoded->length + (uint64_t)decoded->raw.imm[0].value.s;
        return;
    }
    operation->kind = (uint8_t)indirect;
    take_operand(operation, decoded, operand);
    if (operation->width != 8) /* of 16 bits, or far */
        operation->kind = AN_OP_END;
}

/* 16-bit operands of push and pop are left to nobody; those of 64 bits are all that compilers make */
static void take_stack(struct an_operation *operation, const ZydisDecodedInstruction *decoded,
                       const ZydisDecodedOperand *operands, enum an_operation_kind kind)
{
    operation->kind = (uint8_t)kind;
    if (decoded->operand_width != 64)
        operation->kind = AN_OP_END;
    else
        take_operand(operation, decoded, &operands[0]);
}

static void take_string(struct an_operation *operation, const ZydisDecodedInstruction *decoded,
                        enum an_operation_kind kind, unsigned width)
{
    operation->kind = (uint8_t)kind;
    operation->width = (uint8_t)width;
    operation->repeats = decoded->attributes &
                         (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
    operation->while_equal = decoded->attributes & ZYDIS_ATTRIB_HAS_REPE;
    if (decoded->address_width != 64 || (decoded->attributes & ZYDIS_ATTRIB_HAS_SEGMENT))
        operation->kind = AN_OP_END;
}

/* ---- the kinds ---- */

/* Those that are told by their mnemonic and carried out by hand; false: none of them. */
static bool sort_by_mnemonic(struct an_operation *operation, const ZydisDecodedInstruction *decoded,
                             const ZydisDecodedOperand *operands)
{
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL:
        operation->kind = AN_OP_SYSCALL;
        return true;
    case ZYDIS_MNEMONIC_PUSH:
        take_stack(operation, decoded, operands, AN_OP_PUSH);
        return true;
    case ZYDIS_MNEMONIC_POP:
        take_stack(operation, decoded, operands, AN_OP_POP);
        return true;
    case ZYDIS_MNEMONIC_LEAVE:
        operation->kind = decoded->operand_width == 64 ? AN_OP_LEAVE : AN_OP_END;
        return true;
    case ZYDIS_MNEMONIC_PUSHFQ:
        operation->kind = AN_OP_PUSH_FLAGS;
        return true;
    case ZYDIS_MNEMONIC_POPFQ:
        operation->kind = AN_OP_POP_FLAGS;
        return true;
    case ZYDIS_MNEMONIC_LEA:
        operation->kind = AN_OP_LEA;
        operation->reg = number_of(operands[0].reg.value);
        operation->width = (uint8_t)(operands[0].size / 8);
        operation->place = place_of(decoded, &operands[1].mem);
        operation->place.uses_fs = operation->place.uses_gs = false;
        return true;
    case ZYDIS_MNEMONIC_CLD:
    case ZYDIS_MNEMONIC_STD:
        operation->kind = AN_OP_DIRECTION;
        operation->value = decoded->mnemonic == ZYDIS_MNEMONIC_STD;
        return true;
    case ZYDIS_MNEMONIC_LDMXCSR:
    case ZYDIS_MNEMONIC_VLDMXCSR:
        operation->kind = AN_OP_LOAD_MXCSR;
        take_operand(operation, decoded, &operands[0]);
        return true;
    case ZYDIS_MNEMONIC_VZEROUPPER:
        operation->kind = AN_OP_ZERO_UPPER;
        return true;
    case ZYDIS_MNEMONIC_VZEROALL:
        operation->kind = AN_OP_ZERO_ALL;
        return true;
    case ZYDIS_MNEMONIC_ENDBR64:
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
        operation->kind = AN_OP_NOTHING;
        return true;
    default:
        return false;
    }
}

static bool sort_strings(struct an_operation *operation, const ZydisDecodedInstruction *decoded)
{
    static const struct {
        ZydisMnemonic mnemonic;
        enum an_operation_kind kind;
        unsigned width;
    } strings[] = {
        {ZYDIS_MNEMONIC_MOVSB, AN_OP_MOVS, 1}, {ZYDIS_MNEMONIC_MOVSW, AN_OP_MOVS, 2},
        {ZYDIS_MNEMONIC_MOVSD, AN_OP_MOVS, 4}, {ZYDIS_MNEMONIC_MOVSQ, AN_OP_MOVS, 8},
        {ZYDIS_MNEMONIC_STOSB, AN_OP_STOS, 1}, {ZYDIS_MNEMONIC_STOSW, AN_OP_STOS, 2},
        {ZYDIS_MNEMONIC_STOSD, AN_OP_STOS, 4}, {ZYDIS_MNEMONIC_STOSQ, AN_OP_STOS, 8},
        {ZYDIS_MNEMONIC_LODSB, AN_OP_LODS, 1}, {ZYDIS_MNEMONIC_LODSW, AN_OP_LODS, 2},
        {ZYDIS_MNEMONIC_LODSD, AN_OP_LODS, 4}, {ZYDIS_MNEMONIC_LODSQ, AN_OP_LODS, 8},
        {ZYDIS_MNEMONIC_SCASB, AN_OP_SCAS, 1}, {ZYDIS_MNEMONIC_SCASW, AN_OP_SCAS, 2},
        {ZYDIS_MNEMONIC_SCASD, AN_OP_SCAS, 4}, {ZYDIS_MNEMONIC_SCASQ, AN_OP_SCAS, 8},
        {ZYDIS_MNEMONIC_CMPSB, AN_OP_CMPS, 1}, {ZYDIS_MNEMONIC_CMPSW, AN_OP_CMPS, 2},
        {ZYDIS_MNEMONIC_CMPSD, AN_OP_CMPS, 4}, {ZYDIS_MNEMONIC_CMPSQ, AN_OP_CMPS, 8},
    };
    if (decoded->meta.category != ZYDIS_CATEGORY_STRINGOP) /* movsd and cmpsd are others, too */
        return false;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (strings[i].mnemonic == decoded->mnemonic)
            take_string(operation, decoded, strings[i].kind, strings[i].width);
    return true;
}

static bool is_jcc(const ZydisDecodedInstruction *decoded)
{
    unsigned row = decoded->opcode & 0xf0;
    return (decoded->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && row == 0x70) ||
           (decoded->opcode_map == ZYDIS_OPCODE_MAP_0F && row == 0x80);
}

/* loop, loope, loopne, jrcxz, jecxz; loops that count in ecx are seen nowhere. */
static bool is_counting(const ZydisDecodedInstruction *decoded)
{
    unsigned opcode = decoded->opcode;
    return decoded->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && opcode >= 0xe0 && opcode <= 0xe3 &&
           (decoded->address_width == 64 || opcode == 0xe3);
}

/* Branches with prefixes that not all processors take alike: to 16-bit addresses, and counted twice.
 * (rep ret and bnd jmp are plain branches to all of them.) */
static bool is_odd(const ZydisDecodedInstruction *decoded)
{
    for (size_t i = 0; i < decoded->raw.prefix_count; i++) {
        uint8_t prefix = decoded->raw.prefixes[i].value;
        if (prefix == 0x66 || ((prefix == 0xf2 || prefix == 0xf3) && is_counting(decoded)))
            return true;
    }
    return false;
}

static bool is_branch(ZydisInstructionCategory category)
{
    return category == ZYDIS_CATEGORY_UNCOND_BR || category == ZYDIS_CATEGORY_COND_BR ||
           category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_RET;
}

static bool sort_branches(struct an_operation *operation, const ZydisDecodedInstruction *decoded,
                          const ZydisDecodedOperand *operands)
{
    if (is_branch(decoded->meta.category) && is_odd(decoded))
        return true;
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_UNCOND_BR:
        if (decoded->mnemonic == ZYDIS_MNEMONIC_JMP)
            take_branch(operation, decoded, &operands[0], AN_OP_JUMP, AN_OP_JUMP_TO);
        return true;
    case ZYDIS_CATEGORY_CALL:
        take_branch(operation, decoded, &operands[0], AN_OP_CALL, AN_OP_CALL_TO);
        return true;
    case ZYDIS_CATEGORY_RET:
        if (decoded->mnemonic == ZYDIS_MNEMONIC_RET &&
            decoded->meta.branch_type != ZYDIS_BRANCH_TYPE_FAR && decoded->operand_width == 64) {
            operation->kind = AN_OP_RETURN;
            operation->value = decoded->raw.imm[0].size ? decoded->raw.imm[0].value.u : 0;
        }
        return true;
    case ZYDIS_CATEGORY_COND_BR:
        if (is_jcc(decoded) || is_counting(decoded)) /* and not xbegin */
            take_branch(operation, decoded, &operands[0],
                        is_jcc(decoded) ? AN_OP_CONDITIONAL : AN_OP_LOOP, AN_OP_END);
        operation->condition = decoded->opcode & 15;
        return true;
    default:
        return false;
    }
}

/* With REX.B, which Zydis does not look at there, pause is xchg with r8. */
static bool is_nothing(const ZydisDecodedInstruction *decoded)
{
    if (decoded->mnemonic == ZYDIS_MNEMONIC_PAUSE && (decoded->attributes & ZYDIS_ATTRIB_HAS_REX))
        return false;
    return decoded->meta.category == ZYDIS_CATEGORY_NOP ||
           decoded->meta.category == ZYDIS_CATEGORY_WIDENOP ||
           decoded->meta.category == ZYDIS_CATEGORY_PREFETCH ||
           decoded->meta.category == ZYDIS_CATEGORY_PREFETCHWT1;
}

static void sort_native(struct an_operation *operation, const ZydisDecodedInstruction *decoded,
                        const ZydisDecodedOperand *operands, const struct an_cpu_features *features)
{
    if (!is_native(decoded, operands, features))
        return;
    operation->kind = AN_OP_NATIVE;
    for (size_t i = 0; i < decoded->operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            take_memory(operation, decoded, &operands[i]);
    if (decoded->mnemonic == ZYDIS_MNEMONIC_DIV || decoded->mnemonic == ZYDIS_MNEMONIC_IDIV) {
        take_operand(operation, decoded, &operands[0]);
        operation->kind = AN_OP_DIVIDE;
        operation->is_signed = decoded->mnemonic == ZYDIS_MNEMONIC_IDIV;
        if (operation->width == 1 && operation->operand == AN_OPERAND_REGISTER)
            operation->kind = AN_OP_END; /* ah and its like are not worth the words */
    }
}

void an_operation_decode(struct an_operation *operation, const ZydisDecoder *decoder,
                         const struct an_cpu_features *features, uint64_t address,
                         const uint8_t *bytes, size_t size, ZydisDecodedInstruction *decoded,
                         ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
    *operation = (struct an_operation){.address = address, .kind = AN_OP_END};
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, size, decoded, operands))) {
        operation->length =
            (uint8_t)(size < sizeof operation->bytes ? size : sizeof operation->bytes);
        memcpy(operation->bytes, bytes, operation->length);
        return;
    }
    operation->length = decoded->length;
    operation->mnemonic = (uint16_t)decoded->mnemonic;
    memcpy(operation->bytes, bytes, decoded->length);
    if (has_void_prefix(decoded))
        return;
    if (sort_by_mnemonic(operation, decoded, operands) || sort_strings(operation, decoded) ||
        sort_branches(operation, decoded, operands))
        return;
    if (is_nothing(decoded))
        operation->kind = AN_OP_NOTHING;
    else
        sort_native(operation, decoded, operands, features);
}

bool an_operation_is_branch(const struct an_operation *operation)
{
    return operation->kind >= AN_OP_JUMP && operation->kind <= AN_OP_LOOP;
}
