/* SPDX-License-Identifier: Apache-2.0
 *
 * disasm.c - prints bytecode for people to read (option -d).  A normal run
 * never comes here.
 */
#include "interp.h"

#include <stdio.h>

static const struct { const char *name, *operands; } ops[] = {
#define X(name, operands) { #name, operands },
    OPCODES(X)
#undef X
};

const char *op_name(Op op)
{
    return (unsigned)op < OP_COUNT ? ops[op].name : "?";
}

static void print_operand(const Function *f, char kind, unsigned operand)
{
    if (kind == 't') {
        printf("  -> %u", operand);
    } else if (kind == 'n') {
        printf("  %u", operand);
    } else if (operand < CONST_BASE) {
        printf("  r%u", operand);
    } else {
        Value value = f->consts->items[operand - CONST_BASE];
        switch (value.tag) {
        case TAG_INT: printf("  %lld", (long long)value.as.i); break;
        case TAG_FLOAT: printf("  %.14g", value.as.f); break;
        case TAG_STRING: printf("  \"%s\"", value.as.string->text); break;
        case TAG_BOOL: printf(value.as.i ? "  true" : "  false"); break;
        default: printf("  %s", tag_name(value.tag)); break;
        }
    }
}

void disassemble(const Function *f)
{
    printf("%s: %u parameters, %u registers\n", f->name->text, f->arity,
           f->registers);
    for (size_t at = 0; at < f->len; at++) {
        Instruction in = f->code[at];
        const char *kinds = ops[in.op].operands;
        const uint16_t operands[] = { in.a, in.b, in.c };

        printf("%5zu  line %-4u %-12s", at, f->lines[at], op_name(in.op));
        for (size_t i = 0; kinds[i] != '\0'; i++)
            print_operand(f, kinds[i], operands[i]);
        printf("\n");
    }
}
