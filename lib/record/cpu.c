/*
 * Taking a thread's processor state; see cpu.h.
 *
 * The vector registers come as an XSAVE area in its standard form (Intel SDM 1, 13.4):
 *
 *     0     x87 state as FXSAVE has it; mxcsr at 24; xmm0..xmm15 at 160
 *     512   header
 *     576.. upper halves of ymm0..ymm15; k0..k7; upper halves of zmm0..zmm15; zmm16..zmm31:
 *           CPUID leaf 0xD tells where each begins
 */
#include "record/cpu.h"

#include <cpuid.h>
#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

enum {
    XSAVE_LEAF = 0xd,
    COMPONENT_AVX = 2,
    COMPONENT_MASK = 5,
    COMPONENT_UPPER = 6,
    COMPONENT_HIGH = 7,
    LEGACY_SIZE = 512,
    LEAST_SIZE = 576, /* with the header */
    MXCSR_AT = 24,
    XMM_AT = 160,
};

static size_t component_at(unsigned component)
{
    unsigned size, offset, c, d;
    if (!__get_cpuid_count(XSAVE_LEAF, component, &size, &offset, &c, &d) || size == 0)
        return 0;
    return offset;
}

void an_cpu_features_find(struct an_cpu_features *features)
{
    unsigned a, size_enabled, c, d;
    *features = (struct an_cpu_features){.xsave_size = LEAST_SIZE};
    if (!__builtin_cpu_supports("avx") ||
        !__get_cpuid_count(XSAVE_LEAF, 0, &a, &size_enabled, &c, &d))
        return;
    features->xsave_size = size_enabled;
    features->avx_at = component_at(COMPONENT_AVX);
    features->avx = features->avx_at != 0;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        return;
    features->mask_at = component_at(COMPONENT_MASK);
    features->upper_at = component_at(COMPONENT_UPPER);
    features->high_at = component_at(COMPONENT_HIGH);
    features->avx512 = features->mask_at && features->upper_at && features->high_at;
}

static void load_general(struct an_cpu *cpu, const struct user_regs_struct *registers)
{
    const uint64_t in_order[AN_GPRS] = {
        registers->rax, registers->rcx, registers->rdx, registers->rbx,
        registers->rsp, registers->rbp, registers->rsi, registers->rdi,
        registers->r8,  registers->r9,  registers->r10, registers->r11,
        registers->r12, registers->r13, registers->r14, registers->r15,
    };
    memcpy(cpu->gpr, in_order, sizeof in_order);
    cpu->rip = registers->rip;
    cpu->flags = registers->eflags & ~(uint64_t)AN_TRAP;
    cpu->fs_base = registers->fs_base;
    cpu->gs_base = registers->gs_base;
}

static void load_vectors(struct an_cpu *cpu, const struct an_cpu_features *features,
                         const uint8_t *area)
{
    memcpy(cpu->x87, area, LEGACY_SIZE);
    memcpy(&cpu->mxcsr, area + MXCSR_AT, sizeof cpu->mxcsr);
    for (size_t i = 0; i < 16; i++) {
        memcpy(cpu->vector[i], area + XMM_AT + 16 * i, 16);
        if (features->avx)
            memcpy(cpu->vector[i] + 16, area + features->avx_at + 16 * i, 16);
        if (features->avx512) {
            memcpy(cpu->vector[i] + 32, area + features->upper_at + 32 * i, 32);
            memcpy(cpu->vector[16 + i], area + features->high_at + 64 * i, 64);
        }
    }
    if (features->avx512)
        memcpy(cpu->mask, area + features->mask_at, sizeof cpu->mask);
}

enum an_cpu_load an_cpu_load(struct an_cpu *cpu, const struct an_cpu_features *features,
                             const struct user_regs_struct *registers, int32_t tid, uint8_t *area)
{
    enum { CODE_SEGMENT_64 = 0x33 }; /* of Linux: 32-bit code runs in another */
    struct iovec vector = {area, features->xsave_size};
    if (registers->cs != CODE_SEGMENT_64)
        return AN_CPU_OTHER;
    load_general(cpu, registers);
    if (ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &vector) != 0 ||
        vector.iov_len < features->xsave_size)
        return AN_CPU_GONE;
    load_vectors(cpu, features, area);
    return AN_CPU_LOADED;
}
