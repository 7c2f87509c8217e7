/* SPDX-License-Identifier: Apache-2.0
 *
 * builtins.c - the functions that scripts find ready made.  They are kept in
 * a table and called through it, so every call is an indirect one.
 */
#include "interp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text under construction; grows outside the garbage-collected heap. */
typedef struct Text {
    char *text;
    size_t len, cap;
} Text;

static void append(Vm *vm, Text *out, const char *text, size_t len)
{
    if (out->len + len >= out->cap) {
        size_t old = out->cap;
        out->cap = 2 * (old + len) + 16;
        out->text = heap_grow(vm, out->text, old, out->cap);
    }
    memcpy(out->text + out->len, text, len);
    out->len += len;
}

static void append_value(Vm *vm, Text *out, Value value)
{
    char buffer[40];
    int len;

    switch (value.tag) {
    case TAG_STRING:
        append(vm, out, value.as.string->text, value.as.string->len);
        return;
    case TAG_INT:
        len = snprintf(buffer, sizeof buffer, "%lld", (long long)value.as.i);
        break;
    case TAG_FLOAT:
        len = snprintf(buffer, sizeof buffer, "%.10g", value.as.f);
        break;
    case TAG_BOOL:
        len = snprintf(buffer, sizeof buffer, value.as.i ? "true" : "false");
        break;
    default:
        len = snprintf(buffer, sizeof buffer, "%s", tag_name(value.tag));
        break;
    }
    append(vm, out, buffer, (size_t)len);
}

static bool want(Vm *vm, const Value *args, int i, Tag tag)
{
    if (args[i].tag == tag)
        return true;
    return vm_fail(vm, "argument %d must be %s, not %s", i + 1, tag_name(tag),
                   tag_name(args[i].tag));
}

static bool fn_print(Vm *vm, Value *args, Value *out)
{
    Text text = { 0 };

    for (unsigned i = 0; i < vm->argc; i++) {
        append_value(vm, &text, args[i]);
        append(vm, &text, i + 1 < vm->argc ? " " : "\n", 1);
    }
    *out = INT_VALUE((int64_t)fwrite(text.text, 1, text.len, vm->out));
    free(text.text);
    return out->as.i == (int64_t)text.len || vm_fail(vm, "cannot print");
}

static bool fn_assert(Vm *vm, Value *args, Value *out)
{
    *out = args[0];
    if (args[0].tag == TAG_BOOL && args[0].as.i)
        return true;
    return want(vm, args, 1, TAG_STRING)
        && vm_fail(vm, "assertion failed: %s", args[1].as.string->text);
}

static bool fn_len(Vm *vm, Value *args, Value *out)
{
    switch (args[0].tag) {
    case TAG_STRING: *out = INT_VALUE((int64_t)args[0].as.string->len); break;
    case TAG_ARRAY: *out = INT_VALUE((int64_t)args[0].as.array->len); break;
    case TAG_MAP: *out = INT_VALUE((int64_t)args[0].as.map->len); break;
    default: return vm_fail(vm, "%s has no length", tag_name(args[0].tag));
    }
    return true;
}

/* The integer square root, rounded down. */
static bool fn_isqrt(Vm *vm, Value *args, Value *out)
{
    if (!want(vm, args, 0, TAG_INT))
        return false;
    int64_t n = args[0].as.i;
    if (n < 0 || n > (int64_t)1 << 52)
        return vm_fail(vm, "isqrt of %lld", (long long)n);
    *out = INT_VALUE((int64_t)sqrt((double)n));
    return true;
}

/* ord(STRING, AT) is the code of the character at an offset. */
static bool fn_ord(Vm *vm, Value *args, Value *out)
{
    if (!want(vm, args, 0, TAG_STRING) || !want(vm, args, 1, TAG_INT))
        return false;
    const String *s = args[0].as.string;
    if (args[1].as.i < 0 || args[1].as.i >= (int64_t)s->len)
        return vm_fail(vm, "no character at %lld", (long long)args[1].as.i);
    *out = INT_VALUE((uint8_t)s->text[args[1].as.i]);
    return true;
}

static bool fn_chr(Vm *vm, Value *args, Value *out)
{
    if (!want(vm, args, 0, TAG_INT))
        return false;
    if (args[0].as.i < 1 || args[0].as.i > 255)
        return vm_fail(vm, "no character %lld", (long long)args[0].as.i);
    *out = object_value(string_new(vm, (char[]){ (char)args[0].as.i }, 1));
    return true;
}

/* slice(STRING, FROM, TO) is the part of a string between two offsets. */
static bool fn_slice(Vm *vm, Value *args, Value *out)
{
    if (!want(vm, args, 0, TAG_STRING) || !want(vm, args, 1, TAG_INT)
        || !want(vm, args, 2, TAG_INT))
        return false;
    int64_t from = args[1].as.i, to = args[2].as.i;
    if (from < 0 || to < from || to > (int64_t)args[0].as.string->len)
        return vm_fail(vm, "no slice %lld..%lld", (long long)from,
                       (long long)to);
    *out = object_value(string_new(vm, args[0].as.string->text + from,
                                   (size_t)(to - from)));
    return true;
}

/* The words of a string, which any number of spaces keeps apart. */
static bool fn_split(Vm *vm, Value *args, Value *out)
{
    if (!want(vm, args, 0, TAG_STRING))
        return false;
    const char *at = args[0].as.string->text;
    *out = object_value(array_new(vm, 0));
    *vm->end++ = *out;           /* the garbage collector must find it */
    while (*(at += strspn(at, " ")) != '\0') {
        size_t len = strcspn(at, " ");
        Value word = object_value(string_new(vm, at, len));
        array_push(vm, out->as.array, word);
        at += len;
    }
    vm->end--;
    return true;
}

/* join(ARRAY, BETWEEN) is one string of all the elements. */
static bool fn_join(Vm *vm, Value *args, Value *out)
{
    Text text = { 0 };

    if (!want(vm, args, 0, TAG_ARRAY) || !want(vm, args, 1, TAG_STRING))
        return false;
    append(vm, &text, "", 0);   /* for the join of nothing */
    for (size_t i = 0; i < args[0].as.array->len; i++) {
        if (i > 0)
            append_value(vm, &text, args[1]);
        append_value(vm, &text, args[0].as.array->items[i]);
    }
    *out = object_value(string_new(vm, text.text, text.len));
    free(text.text);
    return true;
}

static bool fn_push(Vm *vm, Value *args, Value *out)
{
    if (!want(vm, args, 0, TAG_ARRAY))
        return false;
    array_push(vm, args[0].as.array, args[1]);
    *out = args[1];
    return true;
}

/* array(LEN, VALUE) is an array of LEN times the same value. */
static bool fn_array(Vm *vm, Value *args, Value *out)
{
    if (!want(vm, args, 0, TAG_INT))
        return false;
    if (args[0].as.i < 0 || args[0].as.i > 1 << 28)
        return vm_fail(vm, "no array of %lld", (long long)args[0].as.i);
    *out = object_value(array_new(vm, (size_t)args[0].as.i));
    for (int64_t i = 0; i < args[0].as.i; i++)
        array_push(vm, out->as.array, args[1]);
    return true;
}

static bool fn_map(Vm *vm, Value *args, Value *out)
{
    (void)args;
    *out = object_value(heap_alloc(vm, sizeof(Map), TAG_MAP));
    return true;
}

static bool fn_keys(Vm *vm, Value *args, Value *out)
{
    if (!want(vm, args, 0, TAG_MAP))
        return false;
    const Map *map = args[0].as.map;
    *out = object_value(array_new(vm, map->len));
    for (size_t i = 0; i < map->cap; i++) {
        if (map->entries[i].key.tag != TAG_NIL)
            array_push(vm, out->as.array, map->entries[i].key);
    }
    return true;
}

static const Builtin table[] = {
    { "print", 1, 255, fn_print }, { "assert", 2, 2, fn_assert },
    { "len", 1, 1, fn_len }, { "isqrt", 1, 1, fn_isqrt },
    { "ord", 2, 2, fn_ord }, { "chr", 1, 1, fn_chr },
    { "slice", 3, 3, fn_slice }, { "split", 1, 1, fn_split },
    { "join", 2, 2, fn_join }, { "push", 2, 2, fn_push },
    { "array", 2, 2, fn_array }, { "map", 0, 0, fn_map },
    { "keys", 1, 1, fn_keys },
};

void builtins_install(Vm *vm)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        vm->globals[global_slot(vm, table[i].name, strlen(table[i].name))]
            = (Value){ .tag = TAG_BUILTIN, .as.builtin = &table[i] };
}

/* The arguments stay in the caller's registers, safe from the gc. */
bool builtin_call(Vm *vm, const Builtin *builtin, Value *args, Value *out)
{
    if (vm->argc < builtin->min_args || vm->argc > builtin->max_args)
        return vm_fail(vm, "%s does not take %u arguments", builtin->name,
                       vm->argc);
    return builtin->fn(vm, args, out);
}
