/*
 * What lies between a function's last byte and the next one: nothing, or padding.
 *
 * A compiler pads with no-operations, with breakpoints, with zeros, and sometimes jumps over them.
 * When something else lies there, the function may be longer than its symbol says, and BOLT leaves
 * it alone (BinaryContext::hasValidCodePadding()).
 */
#include "branch/body.h"

struct padding {
    const struct an_arch *arch;
    const uint8_t *bytes;
    size_t at, size;
};

enum piece { NO_OPERATION, BREAKPOINT, JUMP, OTHER };

static enum piece piece_at(const struct padding *padding, size_t *length)
{
    struct an_instruction instruction;
    size_t left = padding->size - padding->at;
    if (!left || !padding->arch->decode(padding->bytes + padding->at, left, 0, &instruction))
        return OTHER;
    *length = instruction.length;
    if (instruction.is_breakpoint)
        return BREAKPOINT;
    if (instruction.is_nop)
        return NO_OPERATION;
    bool is_inside = instruction.target >= instruction.length && instruction.target <= left;
    return instruction.kind == AN_JUMP && is_inside ? JUMP : OTHER;
}

static void skip(struct padding *padding, enum piece piece)
{
    size_t length = 0;
    while (piece_at(padding, &length) == piece)
        padding->at += length;
}

bool an_padding_is_valid(const struct an_flow_program *program, const struct an_function *function)
{
    uint64_t size = function->reach - function->size;
    struct padding padding = {
        .arch = program->arch,
        .bytes = an_elf_at(program->elf, function->address + function->size, size),
        .size = size,
    };
    if (!padding.bytes)
        return true;
    skip(&padding, BREAKPOINT);
    for (size_t before = SIZE_MAX; before != padding.at;) {
        before = padding.at;
        skip(&padding, NO_OPERATION);
        skip(&padding, JUMP);
        while (padding.at < padding.size && padding.bytes[padding.at] == 0)
            padding.at++;
    }
    return padding.at == padding.size;
}
