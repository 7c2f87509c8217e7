/* SPDX-License-Identifier: Apache-2.0
 *
 * map.c - equality, hashing, and the hash table behind the map type.  The
 * table uses open addressing with linear probing; its capacity is always a
 * power of two and at most three quarters of it are in use.
 */
#include "interp.h"

#include <stdlib.h>
#include <string.h>

/* An int and a float are equal when they stand for the same number. */
bool values_equal(Value a, Value b)
{
    if (a.tag != b.tag) {
        if (a.tag == TAG_INT && b.tag == TAG_FLOAT)
            return (double)a.as.i == b.as.f;
        if (a.tag == TAG_FLOAT && b.tag == TAG_INT)
            return a.as.f == (double)b.as.i;
        return false;
    }
    switch (a.tag) {
    case TAG_NIL: return true;
    case TAG_BOOL:
    case TAG_INT: return a.as.i == b.as.i;
    case TAG_FLOAT: return a.as.f == b.as.f;
    case TAG_BUILTIN: return a.as.builtin == b.as.builtin;
    case TAG_STRING:
        return a.as.string == b.as.string
            || (a.as.string->len == b.as.string->len
                && memcmp(a.as.string->text, b.as.string->text,
                          a.as.string->len) == 0);
    default: return a.as.object == b.as.object;
    }
}

/* Only ints and strings are keys; the interpreter sees to that. */
static uint32_t hash_value(Value value)
{
    if (value.tag == TAG_INT)
        return (uint32_t)((uint64_t)value.as.i * 0x9e3779b97f4a7c15u >> 32);

    String *string = value.as.string;
    if (string->hash == 0) {
        uint32_t hash = 2166136261u;
        for (size_t i = 0; i < string->len; i++)
            hash = (hash ^ (uint8_t)string->text[i]) * 16777619u;
        string->hash = hash ? hash : 1;
    }
    return string->hash;
}

/* The entry of a key; or, when it is absent, the entry to put it in. */
static Entry *find(const Map *map, Value key)
{
    size_t i = hash_value(key) & (map->cap - 1);

    while (map->entries[i].key.tag != TAG_NIL
           && !values_equal(map->entries[i].key, key))
        i = (i + 1) & (map->cap - 1);
    return &map->entries[i];
}

static void grow(Vm *vm, Map *map)
{
    Map old = *map;

    map->cap = old.cap ? 2 * old.cap : 8;
    map->entries = heap_grow(vm, NULL, 0, map->cap * sizeof(Entry));
    memset(map->entries, 0, map->cap * sizeof(Entry));
    for (size_t i = 0; i < old.cap; i++) {
        if (old.entries[i].key.tag != TAG_NIL)
            *find(map, old.entries[i].key) = old.entries[i];
    }
    free(old.entries);
}

/* Leaves *out alone when the key is absent. */
bool map_get(const Map *map, Value key, Value *out)
{
    if (map->len == 0)
        return false;
    const Entry *entry = find(map, key);
    if (entry->key.tag == TAG_NIL)
        return false;
    *out = entry->value;
    return true;
}

void map_set(Vm *vm, Map *map, Value key, Value value)
{
    if (4 * (map->len + 1) > 3 * map->cap)
        grow(vm, map);
    Entry *entry = find(map, key);
    if (entry->key.tag == TAG_NIL)
        map->len++;
    *entry = (Entry){ key, value };
}
