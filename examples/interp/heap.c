/* SPDX-License-Identifier: Apache-2.0
 *
 * heap.c - the objects and the mark-and-sweep collector that frees them.
 * A collection may start at any heap_alloc; its roots are the stack, which
 * also holds the functions being run, and the globals.
 */
#include "interp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Marks an object; those with contents wait in the grey list. */
static void mark_object(Vm *vm, Object *object)
{
    if (object->marked)
        return;
    object->marked = true;
    if (object->tag == TAG_STRING)
        return;
    if (vm->grey_len == vm->grey_cap) {
        size_t old = vm->grey_cap;
        vm->grey_cap = old ? 2 * old : 256;
        vm->grey = heap_grow(vm, vm->grey, old * sizeof object,
                             vm->grey_cap * sizeof object);
    }
    vm->grey[vm->grey_len++] = object;
}

static void mark_values(Vm *vm, const Value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i].tag >= TAG_STRING)
            mark_object(vm, values[i].as.object);
    }
}

static void mark_contents(Vm *vm, Object *object)
{
    if (object->tag == TAG_ARRAY) {
        mark_values(vm, ((Array *)object)->items, ((Array *)object)->len);
    } else if (object->tag == TAG_MAP) {
        Map *map = (Map *)object;
        for (size_t i = 0; i < map->cap; i++)
            mark_values(vm, (Value[]){ map->entries[i].key,
                                       map->entries[i].value }, 2);
    } else if (object->tag == TAG_FUNCTION) {
        mark_object(vm, &((Function *)object)->name->object);
        mark_object(vm, &((Function *)object)->consts->object);
    }
}

static void free_object(Object *object)
{
    if (object->tag == TAG_ARRAY) {
        free(((Array *)object)->items);
    } else if (object->tag == TAG_MAP) {
        free(((Map *)object)->entries);
    } else if (object->tag == TAG_FUNCTION) {
        free(((Function *)object)->code);
        free(((Function *)object)->lines);
    }
    free(object);
}

static void collect(Vm *vm)
{
    size_t live = 0;

    mark_values(vm, vm->stack, (size_t)(vm->end - vm->stack));
    mark_values(vm, vm->globals, (size_t)vm->global_count);
    mark_object(vm, &vm->global_names->object);
    while (vm->grey_len > 0)
        mark_contents(vm, vm->grey[--vm->grey_len]);
    for (Object **link = &vm->objects; *link != NULL;) {
        Object *object = *link;
        if (object->marked) {
            object->marked = false;
            link = &object->next;
            live++;
        } else {
            *link = object->next;
            free_object(object);
        }
    }
    /* The more there is to mark, the longer to wait for the next time. */
    vm->until_gc = vm->gc_interval + 64 * (int64_t)live;
}

/* Returns a zeroed object; its caller sets the rest. */
void *heap_alloc(Vm *vm, size_t size, Tag tag)
{
    if (vm->until_gc < 0 && !vm->gc_paused)
        collect(vm);
    Object *object = heap_grow(vm, NULL, 0, size);
    memset(object, 0, size);
    object->tag = tag;
    object->next = vm->objects;
    vm->objects = object;
    return object;
}

void *heap_grow(Vm *vm, void *block, size_t old_size, size_t new_size)
{
    void *grown = realloc(block, new_size);

    if (grown == NULL) {
        fprintf(stderr, "interp: out of memory\n");
        exit(1);
    }
    vm->until_gc -= (int64_t)(new_size - old_size);
    return grown;
}

void heap_free_all(Vm *vm)
{
    while (vm->objects != NULL) {
        Object *object = vm->objects;
        vm->objects = object->next;
        free_object(object);
    }
    free(vm->grey);
}

String *string_new(Vm *vm, const char *text, size_t len)
{
    String *string = heap_alloc(vm, sizeof *string + len + 1, TAG_STRING);

    string->len = len;
    memcpy(string->text, text, len);
    return string;
}

String *string_concat(Vm *vm, const String *a, const String *b)
{
    String *string = heap_alloc(vm, sizeof *string + a->len + b->len + 1,
                                TAG_STRING);

    string->len = a->len + b->len;
    memcpy(string->text, a->text, a->len);
    memcpy(string->text + a->len, b->text, b->len);
    return string;
}

Array *array_new(Vm *vm, size_t cap)
{
    Array *array = heap_alloc(vm, sizeof *array, TAG_ARRAY);

    if (cap > 0)
        array->items = heap_grow(vm, NULL, 0, cap * sizeof(Value));
    array->cap = cap;
    return array;
}

void array_push(Vm *vm, Array *array, Value value)
{
    if (array->len == array->cap) {
        size_t cap = array->cap ? 2 * array->cap : 8;
        array->items = heap_grow(vm, array->items, array->cap * sizeof value,
                                 cap * sizeof value);
        array->cap = cap;
    }
    array->items[array->len++] = value;
}
