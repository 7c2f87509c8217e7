/* Hash tables for numbers and for strings; see map.h. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"
#include "base/secret.h"

enum { FIRST_SLOTS = 64 };

/*
 * Where a key belongs. Keys are often addresses, whose low bits are equal: so it is both halves of a
 * 128-bit product. (Y. Wang's wyhash. The factor is odd, as the secret is.)
 */
static size_t spread(uint64_t secret, uint64_t key)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(key ^ secret) * (secret ^ 0xa0761d6478bd642eu);
    return (size_t)(product ^ product >> 64);
}

uint64_t *an_map_find(const struct an_map *map, uint64_t key)
{
    if (key == 0)
        return map->has_zero ? (uint64_t *)&map->zero_value : NULL;
    if (!map->slots)
        return NULL;
    for (size_t i = spread(map->secret, key) & map->mask;; i = (i + 1) & map->mask) {
        if (map->slots[i].key == key)
            return &map->slots[i].value;
        if (map->slots[i].key == 0)
            return NULL;
    }
}

static bool map_resize(struct an_map *map, size_t slots)
{
    struct an_map_slot *old = map->slots;
    size_t old_slots = old ? map->mask + 1 : 0;
    struct an_map_slot *fresh = an_alloc_table(slots, sizeof *fresh);
    if (!fresh)
        return false;
    uint64_t secret = an_secret_for(fresh);
    for (size_t i = 0; i < old_slots; i++) {
        if (old[i].key == 0)
            continue;
        size_t at = spread(secret, old[i].key) & (slots - 1);
        while (fresh[at].key)
            at = (at + 1) & (slots - 1);
        fresh[at] = old[i];
    }
    free(old);
    map->slots = fresh;
    map->mask = slots - 1;
    map->secret = secret;
    return true;
}

/* The size of a table that is at most half full with so many keys; 0: there is none. */
static size_t slots_for(size_t keys)
{
    size_t slots = FIRST_SLOTS;
    while (slots / 2 < keys)
        if (__builtin_mul_overflow(slots, 2, &slots))
            return 0;
    return slots;
}

bool an_map_reserve(struct an_map *map, size_t keys)
{
    size_t slots = slots_for(keys);
    if (map->slots && slots && slots <= map->mask + 1)
        return true;
    return slots && map_resize(map, slots);
}

uint64_t *an_map_insert(struct an_map *map, uint64_t key, bool *is_new)
{
    uint64_t *value = an_map_find(map, key);
    *is_new = !value;
    if (value)
        return value;
    if (key == 0) {
        map->has_zero = true;
        map->zero_value = 0;
        return &map->zero_value;
    }
    if (!map->slots || 2 * (map->used + 1) > map->mask + 1)
        if (!map_resize(map, map->slots ? 2 * (map->mask + 1) : FIRST_SLOTS))
            return NULL;
    size_t at = spread(map->secret, key) & map->mask;
    while (map->slots[at].key)
        at = (at + 1) & map->mask;
    map->slots[at].key = key;
    map->used++;
    return &map->slots[at].value;
}

void an_map_free(struct an_map *map)
{
    free(map->slots);
    *map = (struct an_map){0};
}

static uint64_t hash_text(uint64_t secret, const char *text, size_t length)
{
    return XXH3_64bits_withSeed(text, length, secret);
}

static size_t names_probe(const struct an_names *names, const char *text, size_t length,
                          uint64_t hash, bool *found)
{
    size_t at = hash & names->mask;
    for (;; at = (at + 1) & names->mask) {
        const struct an_names_slot *slot = &names->slots[at];
        if (slot->index_plus_1 == 0) {
            *found = false;
            return at;
        }
        if (slot->hash_high != (uint32_t)(hash >> 32))
            continue;
        const struct an_name *name = &names->names[slot->index_plus_1 - 1];
        if (name->length == length && memcmp(name->text, text, length) == 0) {
            *found = true;
            return at;
        }
    }
}

size_t an_names_find(const struct an_names *names, const char *text, size_t length)
{
    if (!names->slots)
        return AN_NO_NAME;
    bool found;
    size_t at = names_probe(names, text, length, hash_text(names->secret, text, length), &found);
    return found ? names->slots[at].index_plus_1 - 1 : AN_NO_NAME;
}

static bool names_resize(struct an_names *names, size_t slots)
{
    struct an_names_slot *fresh = an_alloc_table(slots, sizeof *fresh);
    if (!fresh)
        return false;
    uint64_t secret = an_secret_for(fresh);
    for (size_t i = 0; i < names->count; i++) {
        uint64_t hash = hash_text(secret, names->names[i].text, names->names[i].length);
        size_t at = hash & (slots - 1);
        while (fresh[at].index_plus_1)
            at = (at + 1) & (slots - 1);
        fresh[at] = (struct an_names_slot){(uint32_t)(hash >> 32), (uint32_t)i + 1};
    }
    free(names->slots);
    names->slots = fresh;
    names->mask = slots - 1;
    names->secret = secret;
    return true;
}

static bool list_resize(struct an_names *names, size_t capacity)
{
    struct an_name *grown = an_grow(names->names, capacity, sizeof *grown);
    if (!grown)
        return false;
    names->names = grown;
    names->capacity = capacity;
    return true;
}

bool an_names_reserve(struct an_names *names, size_t count)
{
    size_t slots = slots_for(count);
    if (!slots || ((!names->slots || slots > names->mask + 1) && !names_resize(names, slots)))
        return false;
    size_t doubled = 2 * names->capacity;
    return count <= names->capacity || list_resize(names, count > doubled ? count : doubled);
}

size_t an_names_insert(struct an_names *names, const char *text, size_t length, bool *is_new)
{
    if (names->count >= UINT32_MAX - 1)
        return AN_NO_NAME;
    if (!names->slots || 2 * (names->count + 1) > names->mask + 1)
        if (!names_resize(names, names->slots ? 2 * (names->mask + 1) : FIRST_SLOTS))
            return AN_NO_NAME;
    uint64_t hash = hash_text(names->secret, text, length);
    bool found;
    size_t at = names_probe(names, text, length, hash, &found);
    *is_new = !found;
    if (found)
        return names->slots[at].index_plus_1 - 1;
    if (names->count == names->capacity &&
        !list_resize(names, names->capacity ? 2 * names->capacity : FIRST_SLOTS))
        return AN_NO_NAME;
    names->names[names->count] = (struct an_name){text, length};
    names->slots[at] = (struct an_names_slot){(uint32_t)(hash >> 32), (uint32_t)names->count + 1};
    return names->count++;
}

void an_names_free(struct an_names *names)
{
    free(names->names);
    free(names->slots);
    *names = (struct an_names){0};
}
