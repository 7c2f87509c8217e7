/* SPDX-License-Identifier: Apache-2.0
 *
 * operations.h - what the instructions do.  The interpreter's loop calls these
 * functions, and so does the code that a script is translated to.  OPERATION
 * says whether they are to be made part of each place that calls them.
 */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "interp.h"

#include <math.h>
#include <string.h>

#ifndef OPERATION
#define OPERATION static
#endif

/*
 * Copies a value field by field.  Copied as one block of 16 bytes, a value
 * whose fields were written a moment ago would make the processor wait.
 */
OPERATION void put(Value *slot, Value v)
{
    slot->tag = v.tag;
    slot->as = v.as;
}

OPERATION bool is_number(Value v)
{
    return v.tag == TAG_INT || v.tag == TAG_FLOAT;
}

OPERATION double to_float(Value v)
{
    return v.tag == TAG_INT ? (double)v.as.i : v.as.f;
}

OPERATION bool is_truthy(Value v)
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
OPERATION bool int_arith(Vm *vm, Op op, int64_t a, int64_t b, Value *out)
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

OPERATION bool float_arith(Vm *vm, Op op, double a, double b, Value *out)
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
OPERATION bool arith(Vm *vm, Op op, Value a, Value b, Value *out)
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

OPERATION bool compare(Vm *vm, Op op, Value a, Value b, Value *out)
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
OPERATION bool offset_of(Vm *vm, Value index, size_t len, size_t *out)
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

OPERATION bool load_index(Vm *vm, Value from, Value index, Value *out)
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

OPERATION bool store_index(Vm *vm, Value into, Value index, Value value)
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
OPERATION bool enter(Vm *vm, Value *callee, unsigned argc)
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

#endif
