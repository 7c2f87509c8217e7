/* SPDX-License-Identifier: Apache-2.0
 *
 * vm.c - the bytecode interpreter.  One large switch runs the instructions;
 * operations.h has what they do.  The operations check for every error and
 * convert between types where the language asks for it, though most scripts
 * need only a few of those paths: which ones, a compiler can only learn from a
 * profile.
 */
#include "operations.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Records an error message; returns false so that callers can pass it on. */
bool vm_fail(Vm *vm, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(vm->error, sizeof vm->error, format, args);
    va_end(args);
    return false;
}

const char *tag_name(Tag tag)
{
    static const char *const names[] = {
        "nil", "bool", "int", "float", "builtin",
        "string", "array", "map", "function"
    };
    return (unsigned)tag < sizeof names / sizeof *names ? names[tag] : "?";
}

/* Prints the error and where it happened, innermost call first. */
void vm_print_error(const Vm *vm, const char *path)
{
    fprintf(stderr, "%s: error: %s\n", path, vm->error);
    for (int i = vm->depth - 1; i >= 0 && i > vm->depth - 10; i--) {
        const Frame *frame = &vm->frames[i];
        ptrdiff_t next = frame->ip - frame->function->code;
        fprintf(stderr, "  in %s, line %u\n", frame->function->name->text,
                frame->function->lines[next - 1]);
    }
}

/*
 * The interpreter's loop.  The instruction pointer is kept in a local variable
 * and written back before anything that calls or may fail.
 */
bool vm_run(Vm *vm, Function *script)
{
    Frame *frame;
    const Instruction *ip;
    Value *base, *consts, result;

#define LOAD_FRAME() (frame = &vm->frames[vm->depth - 1], ip = frame->ip,   \
                      base = frame->base,                                   \
                      consts = frame->function->consts->items)
#define RK(x) (*((x) < CONST_BASE ? &base[x] : &consts[(x) - CONST_BASE]))
#define TRY(call) do {                                                      \
        frame->ip = ip;                                                     \
        if (!(call))                                                        \
            return false;                                                   \
    } while (0)
#define BINARY(helper, op) TRY(helper(vm, op, RK(in.b), RK(in.c), &base[in.a]))
#define UNLESS(condition) do {                                              \
        if (!(condition))                                                   \
            ip = frame->function->code + in.a;                              \
    } while (0)

    *vm->end++ = object_value(script);
    if (!enter(vm, vm->stack, 0))
        return false;
    LOAD_FRAME();
    for (;;) {
        Instruction in = *ip++;

        switch ((Op)in.op) {
        case OP_MOVE: put(&base[in.a], RK(in.b)); break;
        case OP_GET_GLOBAL: put(&base[in.a], vm->globals[in.b]); break;
        case OP_SET_GLOBAL: put(&vm->globals[in.a], RK(in.b)); break;
        case OP_ADD: BINARY(arith, OP_ADD); break;
        case OP_SUB: BINARY(arith, OP_SUB); break;
        case OP_MUL: BINARY(arith, OP_MUL); break;
        case OP_DIV: BINARY(arith, OP_DIV); break;
        case OP_MOD: BINARY(arith, OP_MOD); break;
        case OP_BIT_AND: BINARY(arith, OP_BIT_AND); break;
        case OP_BIT_OR: BINARY(arith, OP_BIT_OR); break;
        case OP_BIT_XOR: BINARY(arith, OP_BIT_XOR); break;
        case OP_SHL: BINARY(arith, OP_SHL); break;
        case OP_SHR: BINARY(arith, OP_SHR); break;
        case OP_LT: BINARY(compare, OP_LT); break;
        case OP_LE: BINARY(compare, OP_LE); break;
        case OP_EQ:
            base[in.a] = BOOL_VALUE(values_equal(RK(in.b), RK(in.c)));
            break;
        case OP_NE:
            base[in.a] = BOOL_VALUE(!values_equal(RK(in.b), RK(in.c)));
            break;
        case OP_UNLESS_LT:
            TRY(compare(vm, OP_LT, RK(in.b), RK(in.c), &result));
            UNLESS(result.as.i);
            break;
        case OP_UNLESS_LE:
            TRY(compare(vm, OP_LE, RK(in.b), RK(in.c), &result));
            UNLESS(result.as.i);
            break;
        case OP_UNLESS_EQ: UNLESS(values_equal(RK(in.b), RK(in.c))); break;
        case OP_UNLESS_NE: UNLESS(!values_equal(RK(in.b), RK(in.c))); break;
        case OP_NOT: base[in.a] = BOOL_VALUE(!is_truthy(RK(in.b))); break;
        case OP_JUMP: UNLESS(false); break;
        case OP_JUMP_IF: UNLESS(!is_truthy(RK(in.b))); break;
        case OP_JUMP_UNLESS: UNLESS(is_truthy(RK(in.b))); break;
        case OP_CALL:
            TRY(enter(vm, &base[in.a], in.b));
            LOAD_FRAME();
            break;
        case OP_RETURN:
            put(&base[-1], RK(in.a));
            vm->end = frame->caller_end;
            if (--vm->depth == 0)
                return true;
            LOAD_FRAME();
            break;
        case OP_ARRAY: {
            Array *array = array_new(vm, in.c);
            for (unsigned i = 0; i < in.c; i++)
                array_push(vm, array, base[in.b + i]);
            base[in.a] = object_value(array);
            break;
        }
        case OP_INDEX:
            TRY(load_index(vm, RK(in.b), RK(in.c), &base[in.a]));
            break;
        case OP_SET_INDEX:
            TRY(store_index(vm, RK(in.a), RK(in.b), RK(in.c)));
            break;
        default:
            TRY(vm_fail(vm, "bad opcode %u", in.op));
        }
    }
}
