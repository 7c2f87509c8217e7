/* SPDX-License-Identifier: Apache-2.0
 *
 * native.h - what scripts that were translated to C are made of.
 */
#ifndef NATIVE_H
#define NATIVE_H

#ifndef OPERATION
#define OPERATION __attribute__((always_inline, unused)) static inline
#endif
#include "../interp/operations.h"

typedef struct Native {
    const char *script, *function;
    bool (*run)(Vm *vm, Value *base);
} Native;

extern const Native natives[];          /* the last has no names */

#define TRY(operation) do {                                                 \
        if (!(operation))                                                   \
            return false;                                                   \
    } while (0)

/* Makes the whole call of a function or a builtin. */
OPERATION bool call(Vm *vm, Value *callee, unsigned argc)
{
    bool is_builtin = callee->tag == TAG_BUILTIN;

    if (!enter(vm, callee, argc))
        return false;
    if (is_builtin)
        return true;
    if (!callee->as.function->native(vm, callee + 1))
        return false;
    vm->end = vm->frames[--vm->depth].caller_end;
    return true;
}

OPERATION void make_array(Vm *vm, Value *out, const Value *items, size_t count)
{
    Array *array = array_new(vm, count);

    for (size_t i = 0; i < count; i++)
        array_push(vm, array, items[i]);
    *out = object_value(array);
}

#endif
