/*
 * An instruction, decoded once and kept: what emulation has to know to carry it out.
 *
 * Control flow, the stack and string instructions are carried out by hand (emulate.c). Everything
 * else that only computes is executed by the processor itself, on the emulated registers, by a
 * piece of code made for this one instruction (thunk.h): no description of a thousand instructions
 * could be as exact. What may not be executed so (system calls, input and output, instructions
 * that change segments, gathers) ends a window.
 */
#ifndef AN_RECORD_OPERATION_H
#define AN_RECORD_OPERATION_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/cpu.h"

enum an_operation_kind {
    AN_OP_END, /* not to be emulated: the window ends before it */
    AN_OP_SYSCALL,
    AN_OP_NOTHING, /* nop, prefetch, endbr64 */
    AN_OP_NATIVE,
    AN_OP_DIVIDE,  /* native, unless it would fault */
    AN_OP_JUMP,    /* from here... */
    AN_OP_JUMP_TO, /* indirect */
    AN_OP_CALL,
    AN_OP_CALL_TO,
    AN_OP_RETURN,
    AN_OP_CONDITIONAL,
    AN_OP_LOOP, /* ...to here branches; loop, loope, loopne, jrcxz, jecxz: by mnemonic */
    AN_OP_PUSH,
    AN_OP_POP,
    AN_OP_LEAVE,
    AN_OP_PUSH_FLAGS,
    AN_OP_POP_FLAGS,
    AN_OP_LEA,
    AN_OP_DIRECTION, /* cld, std */
    AN_OP_LOAD_MXCSR,
    AN_OP_ZERO_UPPER,
    AN_OP_ZERO_ALL,
    AN_OP_MOVS,
    AN_OP_STOS,
    AN_OP_LODS,
    AN_OP_SCAS,
    AN_OP_CMPS,
};

enum { AN_NO_REGISTER = 0xff };

/* What an operand is, for the instructions that are carried out by hand. */
enum an_operand { AN_OPERAND_NONE, AN_OPERAND_REGISTER, AN_OPERAND_MEMORY, AN_OPERAND_IMMEDIATE };

struct an_memory_operand { /* of a memory operand */
    uint8_t base, index;   /* numbers of registers, or AN_NO_REGISTER */
    uint8_t scale;
    bool uses_fs, uses_gs, from_next; /* from_next: relative to the next instruction */
    bool narrow;                      /* an address of 32 bits */
    int64_t displacement;
};

struct an_operation {
    uint64_t address; /* where it stands */
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    uint8_t length;
    uint8_t kind;
    uint8_t operand;           /* enum an_operand */
    uint8_t reg;               /* a register operand; of AN_OP_LEA, the destination */
    uint8_t width;             /* of the operand in bytes */
    uint8_t condition;         /* of AN_OP_CONDITIONAL: the lowest four bits of its opcode */
    bool repeats, while_equal; /* string instructions: has REP; REPE and not REPNE */
    bool is_signed;            /* idiv */
    bool has_memory, writes_memory, wants_alignment;
    uint16_t memory_size;
    uint16_t mnemonic; /* ZydisMnemonic */
    struct an_memory_operand place;
    uint64_t value; /* immediate operand; target of a direct branch; what ret takes off the stack */
    void (*native)(struct an_cpu *cpu, void *memory);
};

/*
 * Decodes up to `size` bytes that stand at an address. Whatever they are, operation is filled;
 * AN_OP_END stands for what is no instruction, too, with the mnemonic ZYDIS_MNEMONIC_INVALID.
 * Native ones have no code yet. `operands` receives what thunk.h needs.
 */
void an_operation_decode(struct an_operation *operation, const ZydisDecoder *decoder,
                         const struct an_cpu_features *features, uint64_t address,
                         const uint8_t *bytes, size_t size, ZydisDecodedInstruction *decoded,
                         ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);

/* Whether an instruction is a branch, taken or not. */
bool an_operation_is_branch(const struct an_operation *operation);

#endif
