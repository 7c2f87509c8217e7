/*
 * The state of a thread's processor, as far as programs see it: taken from a stopped thread, changed
 * by emulation, never written back.
 *
 * Instructions that are executed natively (thunk.h) find it by offset, so it is laid out for them:
 * all registers of one kind in a row, at their number.
 */
#ifndef AN_RECORD_CPU_H
#define AN_RECORD_CPU_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AN_RAX, AN_RCX, AN_RDX, AN_RBX, AN_RSP, AN_RBP, AN_RSI, AN_RDI, AN_GPRS = 16 };

/* Of the flags register (Intel SDM 1, 3.4.3). */
enum {
    AN_CARRY = 1 << 0,
    AN_PARITY = 1 << 2,
    AN_ADJUST = 1 << 4,
    AN_ZERO = 1 << 6,
    AN_SIGN = 1 << 7,
    AN_TRAP = 1 << 8,
    AN_DIRECTION = 1 << 10,
    AN_OVERFLOW = 1 << 11,
    AN_STATUS_FLAGS = AN_CARRY | AN_PARITY | AN_ADJUST | AN_ZERO | AN_SIGN | AN_OVERFLOW,
};

struct an_cpu {
    uint64_t gpr[AN_GPRS]; /* in the order in which instructions number them */
    uint64_t rip, flags;
    uint64_t native_flags; /* the status flags alone, while an instruction is executed natively */
    uint64_t fs_base, gs_base;
    uint32_t mxcsr;
    uint64_t mask[8];                   /* k0..k7 of AVX-512 */
    alignas(64) uint8_t vector[32][64]; /* zmm, with ymm and xmm at their beginning */
    alignas(64) uint8_t x87[512];       /* as FXSAVE64 has it */
};

/* What of it this machine has beyond the least that x86-64 has. */
struct an_cpu_features {
    bool avx, avx512; /* avx512: F, BW, DQ and VL, which are what Linux has had since the first */
    size_t avx_at;    /* places in an XSAVE area (CPUID 0xD); 0: not there */
    size_t mask_at, upper_at, high_at;
    size_t xsave_size; /* of the whole area */
};

void an_cpu_features_find(struct an_cpu_features *features);

/*
 * Takes the state of a stopped thread. AN_CPU_GONE: the thread does not exist any more; AN_CPU_OTHER:
 * it runs 32-bit code. `area` has room for features->xsave_size bytes.
 */
enum an_cpu_load { AN_CPU_LOADED, AN_CPU_GONE, AN_CPU_OTHER };
struct user_regs_struct;
enum an_cpu_load an_cpu_load(struct an_cpu *cpu, const struct an_cpu_features *features,
                             const struct user_regs_struct *registers, int32_t tid, uint8_t *area);

#endif
