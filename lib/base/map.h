/*
 * Hash tables made for the two kinds of key that profiles have: 64-bit numbers that are hashes or
 * addresses already, and strings.
 *
 * Both use open addressing with linear probing in a power-of-two table that is at most half full.
 * Nothing is ever removed: profiles only grow. Keys come from files, whose author may wish all of
 * them into one place: so where a key belongs depends on a secret (secret.h).
 */
#ifndef AN_BASE_MAP_H
#define AN_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* uint64_t -> uint64_t */
struct an_map {
    struct an_map_slot {
        uint64_t key;
        uint64_t value;
    } *slots;
    size_t mask; /* number of slots - 1; 0 while empty */
    size_t used;
    uint64_t secret;
    bool has_zero; /* key 0 marks a free slot, so it is kept apart */
    uint64_t zero_value;
};

/* Where the value of key is kept, or NULL. Valid until the next insertion. */
uint64_t *an_map_find(const struct an_map *map, uint64_t key);

/* Finds key or inserts it with value 0; *is_new tells which. NULL when memory runs out. */
uint64_t *an_map_insert(struct an_map *map, uint64_t key, bool *is_new);

/* Makes room for so many keys in all, so that the table need not grow on the way. False when memory runs out. */
bool an_map_reserve(struct an_map *map, size_t keys);
void an_map_free(struct an_map *map);

/*
 * A set of strings that numbers them 0, 1, 2... in the order of insertion. The bytes are not
 * copied: they must outlive the set.
 */
struct an_names {
    struct an_name {
        const char *text; /* not terminated */
        size_t length;
    } *names;
    size_t count;
    size_t capacity;
    struct an_names_slot {
        uint32_t hash_high; /* upper half of the hash, compared before the text */
        uint32_t index_plus_1;
    } *slots;
    size_t mask;
    uint64_t secret;
};

#define AN_NO_NAME SIZE_MAX

size_t an_names_find(const struct an_names *names, const char *text, size_t length);

/* The index of the string, inserted if it is new. AN_NO_NAME when memory runs out. */
size_t an_names_insert(struct an_names *names, const char *text, size_t length, bool *is_new);

/* Makes room for so many strings in all. False when memory runs out. */
bool an_names_reserve(struct an_names *names, size_t count);
void an_names_free(struct an_names *names);

#endif
