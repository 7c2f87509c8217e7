/* x86-64 instructions, as far as control flow goes. Zydis decodes; this sorts. */
#ifndef AN_BRANCH_DECODE_H
#define AN_BRANCH_DECODE_H

#include <Zydis/Zydis.h>

#include "elf/elf.h"

enum an_instruction_kind {
    AN_ORDINARY,
    AN_CALL, /* direct: target */
    AN_INDIRECT_CALL,
    AN_JUMP, /* direct: target */
    AN_INDIRECT_JUMP,
    AN_CONDITIONAL_JUMP, /* target */
    AN_COUNTING_JUMP,    /* loop, jrcxz: target; of short reach, so that BOLT leaves its function */
    AN_RETURN,
    AN_STOP, /* ud2, hlt: nothing follows */
};

struct an_instruction {
    uint8_t length;
    uint8_t kind;
    bool is_pop;        /* pop or leave: a sign of an epilogue */
    bool has_address;   /* a memory operand relative to the instruction pointer... */
    uint64_t address;   /* ...which is this */
    uint8_t address_at; /* where in the instruction the distance to it is */
    uint64_t target;
};

void an_decoder_init(ZydisDecoder *decoder);

/* Decodes what stands at `address`; false when that is no instruction. */
bool an_decode(const ZydisDecoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
               struct an_instruction *instruction);

/*
 * The length of the instruction at `first` of one binary, if the other one has an instruction at `second` that
 * does the same, wherever each lies, and both lead to the next one; 0 otherwise.
 */
uint8_t an_decode_same(const ZydisDecoder *decoder, const struct an_elf *one, uint64_t first,
                       const struct an_elf *other, uint64_t second);

/* Whether the binary has a return at the address. */
bool an_decode_is_return(const ZydisDecoder *decoder, const struct an_elf *elf, uint64_t address);

#endif
