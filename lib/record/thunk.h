/*
 * Native code for one instruction: a function that loads the registers which the instruction uses
 * from an emulated processor (cpu.h), executes it, and stores those that it has changed.
 *
 *     void thunk(struct an_cpu *cpu, void *memory)
 *
 *         push    callee-saved registers that are used
 *         mov     C, rdi                  two registers that the instruction does not use: C for the
 *         mov     M, rsi                  processor, M for the copy of its memory operand
 *         fxrstor [C + x87]               x87 and MMX instructions
 *         movups  xmm3, [C + vector 3]    each vector register used; whole with AVX and AVX-512
 *         kmovq   k1, [C + mask 1]        each mask register used
 *         mov     rax, [C + gpr 0]        each general register used
 *         push    [C + native flags]      if it reads or changes flags
 *         popf
 *         THE INSTRUCTION                 its memory operand being [M] now, and rsp another register
 *         pushf                           the same the other way round
 *         pop     [C + native flags]
 *         ...
 *         ret
 *
 * The processor itself says what instructions do, so that none of them has to be described.
 */
#ifndef AN_RECORD_THUNK_H
#define AN_RECORD_THUNK_H

#include "record/operation.h"

struct an_thunks {
    uint8_t *code, *writable; /* the same memory, twice: to be executed, and to be written */
    size_t size, used;
};

/* False when the system does not allow executable memory of one's own. */
bool an_thunks_open(struct an_thunks *thunks);
void an_thunks_close(struct an_thunks *thunks);

/*
 * Makes the code of an AN_OP_NATIVE or AN_OP_DIVIDE. The kind becomes AN_OP_END when the instruction
 * cannot be taken apart after all. False when there is no room: all thunks have to be forgotten.
 */
bool an_thunk_make(struct an_thunks *thunks, struct an_operation *operation,
                   const struct an_cpu_features *features, const ZydisDecodedInstruction *decoded,
                   const ZydisDecodedOperand *operands);

/* Forgets all of them. */
void an_thunks_clear(struct an_thunks *thunks);

#endif
