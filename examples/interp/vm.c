/* SPDX-License-Identifier: Apache-2.0
 *
 * vm.c - the bytecode interpreter.  One large switch runs the instructions;
 * the helpers above it hold what several instructions have in common.  They
 * check for every error and convert between types where the language asks
 * for it, though most scripts need only a few of those paths: which ones, a
 * compiler can only learn from a profile.
 */
#include "interp.h"

#include <math.h>
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
 * Copies a value field by field.  Copied as one block of 16 bytes, a value
 * whose fields were written a moment ago would make the processor wait.
 */
static void put(Value *slot, Value v)
{
    slot->tag = v.tag;
    slot->as = v.as;
}

static bool is_number(Value v)
{
    return v.tag == TAG_INT || v.tag == TAG_FLOAT;
}

static double to_float(Value v)
{
    return v.tag == TAG_INT ? (double)v.as.i : v.as.f;
}

static bool is_truthy(Value v)
{
    switch (v.tag) {
    case TAG_NIL: return false;
    case TAG_BOOL:
    case TAG_INT: return v.as.i != 0;
    case TAG_FLOAT: return v.as.f != 0;
    case TAG_STRING: return v.as.string->len > 0;
    default: return true;
    }
}

/* Division and remainder round towards minus infinity, as in mathematics. */
static bool int_arith(Vm *vm, Op op, int64_t a, int64_t b, Value *out)
{
    int64_t r;
    bool overflow = false;

    switch (op) {
    case OP_ADD: overflow = __builtin_add_overflow(a, b, &r); break;
    case OP_SUB: overflow = __builtin_sub_overflow(a, b, &r); break;
    case OP_MUL: overflow = __builtin_mul_overflow(a, b, &r); break;
    case OP_DIV:
    case OP_MOD:
        if (b == 0)
            return vm_fail(vm, "division by zero");
        if (b == -1) {          /* INT64_MIN / -1 would trap */
            r = 0;
            if (op == OP_DIV)
                overflow = __builtin_sub_overflow((int64_t)0, a, &r);
        } else if (op == OP_DIV) {
            r = a / b - ((a % b != 0) & ((a < 0) != (b < 0)));
        } else {
            r = a % b;
            if (r != 0 && (r < 0) != (b < 0))
                r += b;
        }
        break;
    case OP_BIT_AND: r = a & b; break;
    case OP_BIT_OR: r = a | b; break;
    case OP_BIT_XOR: r = a ^ b; break;
    case OP_SHL:
    case OP_SHR:
        if (b < 0 || b > 63)
            return vm_fail(vm, "shift by %lld", (long long)b);
        r = op == OP_SHR ? a >> b : (int64_t)((uint64_t)a << b);
        break;
    default: return vm_fail(vm, "bad operator %s", op_name(op));
    }
    if (overflow)
        return vm_fail(vm, "integer overflow in %s", op_name(op));
    *out = INT_VALUE(r);
    return true;
}

static bool float_arith(Vm *vm, Op op, double a, double b, Value *out)
{
    switch (op) {
    case OP_ADD: *out = FLOAT_VALUE(a + b); return true;
    case OP_SUB: *out = FLOAT_VALUE(a - b); return true;
    case OP_MUL: *out = FLOAT_VALUE(a * b); return true;
    case OP_DIV:
        if (b == 0)
            return vm_fail(vm, "division by zero");
        *out = FLOAT_VALUE(a / b);
        return true;
    default: return vm_fail(vm, "%s needs integers", op_name(op));
    }
}

/* A binary operator.  Its operands are in registers, safe from the gc. */
static bool arith(Vm *vm, Op op, Value a, Value b, Value *out)
{
    if (a.tag == TAG_INT && b.tag == TAG_INT)
        return int_arith(vm, op, a.as.i, b.as.i, out);
    if (is_number(a) && is_number(b))
        return float_arith(vm, op, to_float(a), to_float(b), out);
    if (op == OP_ADD && a.tag == TAG_STRING && b.tag == TAG_STRING) {
        *out = object_value(string_concat(vm, a.as.string, b.as.string));
        return true;
    }
    return vm_fail(vm, "%s does not work on %s and %s", op_name(op),
                   tag_name(a.tag), tag_name(b.tag));
}

static bool compare(Vm *vm, Op op, Value a, Value b, Value *out)
{
    bool less, greater;

    if (a.tag == TAG_INT && b.tag == TAG_INT) {
        less = a.as.i < b.as.i;
        greater = a.as.i > b.as.i;
    } else if (is_number(a) && is_number(b)) {
        less = to_float(a) < to_float(b);
        greater = to_float(a) > to_float(b);
        if (isnan(to_float(a)) || isnan(to_float(b)))
            return vm_fail(vm, "cannot order a number that is not one");
    } else if (a.tag == TAG_STRING && b.tag == TAG_STRING) {
        int order = strcmp(a.as.string->text, b.as.string->text);
        less = order < 0;
        greater = order > 0;
    } else {
        return vm_fail(vm, "cannot compare %s and %s", tag_name(a.tag),
                       tag_name(b.tag));
    }
    switch (op) {
    case OP_LT: *out = BOOL_VALUE(less); return true;
    case OP_LE: *out = BOOL_VALUE(!greater); return true;
    default: return vm_fail(vm, "bad operator %s", op_name(op));
    }
}

/* Turns an index into an offset; a negative one counts from the end. */
static bool offset_of(Vm *vm, Value index, size_t len, size_t *out)
{
    int64_t i = index.as.i;

    if (index.tag != TAG_INT)
        return vm_fail(vm, "an index must be an integer, not %s",
                       tag_name(index.tag));
    if (i < 0)
        i += (int64_t)len;
    if (i < 0 || (size_t)i >= len)
        return vm_fail(vm, "index %lld is outside 0..%zu", (long long)i, len);
    *out = (size_t)i;
    return true;
}

static bool load_index(Vm *vm, Value from, Value index, Value *out)
{
    size_t at = 0;

    switch (from.tag) {
    case TAG_ARRAY:
        if (!offset_of(vm, index, from.as.array->len, &at))
            return false;
        put(out, from.as.array->items[at]);
        return true;
    case TAG_STRING:
        if (!offset_of(vm, index, from.as.string->len, &at))
            return false;
        *out = object_value(string_new(vm, from.as.string->text + at, 1));
        return true;
    case TAG_MAP:
        if (index.tag != TAG_INT && index.tag != TAG_STRING)
            return vm_fail(vm, "%s cannot be a key", tag_name(index.tag));
        if (!map_get(from.as.map, index, out))
            *out = NIL_VALUE;
        return true;
    default:
        return vm_fail(vm, "cannot index %s", tag_name(from.tag));
    }
}

static bool store_index(Vm *vm, Value into, Value index, Value value)
{
    size_t at = 0;

    switch (into.tag) {
    case TAG_ARRAY:
        if (!offset_of(vm, index, into.as.array->len, &at))
            return false;
        put(&into.as.array->items[at], value);
        return true;
    case TAG_MAP:
        if (index.tag != TAG_INT && index.tag != TAG_STRING)
            return vm_fail(vm, "%s cannot be a key", tag_name(index.tag));
        map_set(vm, into.as.map, index, value);
        return true;
    case TAG_STRING:
        return vm_fail(vm, "a string cannot be changed");
    default:
        return vm_fail(vm, "cannot index %s", tag_name(into.tag));
    }
}

/*
 * Starts a call of a function, or makes the whole call of a builtin.  The
 * arguments follow the callee, whose slot takes the result.
 */
static bool enter(Vm *vm, Value *callee, unsigned argc)
{
    if (callee->tag == TAG_BUILTIN) {
        Value result = NIL_VALUE;
        vm->argc = argc;
        if (!builtin_call(vm, callee->as.builtin, callee + 1, &result))
            return false;
        put(callee, result);
        return true;
    }
    if (callee->tag != TAG_FUNCTION)
        return vm_fail(vm, "cannot call %s", tag_name(callee->tag));
    const Function *f = callee->as.function;
    if (argc != f->arity)
        return vm_fail(vm, "%s takes %u arguments, not %u", f->name->text,
                       f->arity, argc);
    Value *base = callee + 1, *end = base + f->registers;
    if (vm->depth == FRAMES_MAX || end > vm->stack + STACK_MAX)
        return vm_fail(vm, "calls nested too deeply");
    /* What earlier calls left in the registers may not live any more. */
    memset(base + argc, 0, (f->registers - argc) * sizeof *base);
    vm->frames[vm->depth++] = (Frame){ f, f->code, base, vm->end };
    if (end > vm->end)
        vm->end = end;
    return true;
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
