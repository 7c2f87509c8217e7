/*
 * Recognising the jump tables of compilers, by the instructions before a jump.
 *
 *     cmp $LIMIT, %a; ja ...; jmp *TABLE(,%a,8)                     addresses of 8 bytes
 *     cmp $LIMIT, %a; ja ...; mov TABLE(,%a,8), %r; jmp *%r         likewise
 *     lea TABLE(%rip), %b; movslq (%b,%a,4), %r; add %b, %r; jmp *%r
 *                                                                   offsets of 4 bytes from TABLE
 */
#ifndef AN_BENCH_TABLES_H
#define AN_BENCH_TABLES_H

#include <Zydis/Zydis.h>

#include "image.h"

enum { TABLE_HISTORY = 48, TABLE_MOST_ENTRIES = 4096 };

/* The instructions before: their addresses, the newest at history[(count - 1) % TABLE_HISTORY]. */
struct table_history {
    uint64_t addresses[TABLE_HISTORY];
    size_t count;
};

struct table {
    uint64_t address; /* 0: none was recognised */
    bool offsets;     /* of 4 bytes; otherwise addresses */
    bool unknown;     /* the jump looks like one through a table, but where is the table? */
    uint32_t limit;   /* entries; 0: not said */
};

/* What table the jump in the register or memory operand goes through. */
struct table table_of(const ZydisDecoder *decoder, const struct image *image,
                      const struct table_history *history, const ZydisDecodedOperand *operand);

/* The address that an entry of a table stands for; false when it lies outside of the file. */
bool table_entry(const struct image *image, const struct table *table, uint32_t index,
                 uint64_t *address);

/* The whole instruction at an address. */
bool decode_whole(const ZydisDecoder *decoder, const struct image *image, uint64_t address,
                  ZydisDecodedInstruction *instruction, ZydisDecodedOperand *operands);

#endif
