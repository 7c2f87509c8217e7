/* lib/base/map: both hash tables against the plainest thing that does the same. */
#include "base/map.h"

#include <inttypes.h>

#include "support/test.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { KEYS = 3000 };

/* Inserts keys made by `key` in random order, often twice, and looks all of them up. */
static void compare_with_array(uint64_t (*key)(uint64_t i))
{
    static uint64_t values[KEYS];
    static bool present[KEYS];
    memset(present, 0, sizeof present);
    struct an_map map = {0};
    uint64_t seed = 7;
    size_t distinct = 0;
    for (int step = 0; step < 3 * KEYS; step++) {
        uint64_t i = number_below(&seed, KEYS);
        const uint64_t *found = an_map_find(&map, key(i));
        assert_int_equal(found != NULL, present[i]);
        bool is_new;
        uint64_t *value = an_map_insert(&map, key(i), &is_new);
        assert_non_null(value);
        assert_int_equal(is_new, !present[i]);
        assert_int_equal(*value, is_new ? 0 : values[i]);
        distinct += is_new;
        present[i] = true;
        *value = values[i] = next_number(&seed);
    }
    for (uint64_t i = 0; i < KEYS; i++) {
        const uint64_t *found = an_map_find(&map, key(i));
        assert_int_equal(found != NULL, present[i]);
        if (found)
            assert_true(*found == values[i]);
    }
    assert_int_equal(map.used + map.has_zero, distinct);
    an_map_free(&map);
    assert_null(an_map_find(&map, key(1)));
}

static uint64_t small(uint64_t i)
{
    return i;
}

static uint64_t aligned(uint64_t i)
{
    return i << 20;
}

static uint64_t high(uint64_t i)
{
    return i << 52 | i >> 12;
}

static uint64_t scattered(uint64_t i)
{
    return next_number(&(uint64_t){i + 1});
}

static void any_kind_of_key(void **state)
{
    (void)state;
    compare_with_array(small); /* has the key 0 */
    compare_with_array(aligned);
    compare_with_array(high);
    compare_with_array(scattered);
}

static void zero_is_a_key(void **state)
{
    (void)state;
    struct an_map map = {0};
    bool is_new;
    assert_null(an_map_find(&map, 0));
    *an_map_insert(&map, 0, &is_new) = 5;
    assert_true(is_new);
    assert_null(an_map_find(&map, 1));
    assert_int_equal(*an_map_insert(&map, 0, &is_new), 5);
    assert_false(is_new);
    assert_int_equal(*an_map_find(&map, 0), 5);
    an_map_free(&map);
}

/* Keys of one place in the table: linear probing must still be fast enough to finish. */
static void crowded_keys(void **state)
{
    (void)state;
    struct an_map map = {0};
    bool is_new;
    for (uint64_t i = 1; i <= 20000; i++)
        *an_map_insert(&map, i << 40, &is_new) = i;
    for (uint64_t i = 1; i <= 20000; i++)
        assert_int_equal(*an_map_find(&map, i << 40), i);
    an_map_free(&map);
}

static void names_are_numbered_in_order(void **state)
{
    (void)state;
    enum { NAMES = 5000 };
    static char text[NAMES][16];
    struct an_names names = {0};
    bool is_new;
    for (size_t i = 0; i < NAMES; i++) {
        int length = snprintf(text[i], sizeof text[i], "name%zu", i);
        assert_true(an_names_find(&names, text[i], (size_t)length) == AN_NO_NAME);
        assert_int_equal(an_names_insert(&names, text[i], (size_t)length, &is_new), i);
        assert_true(is_new);
    }
    for (size_t i = 0; i < NAMES; i++) {
        char copy[16];
        strcpy(copy, text[i]);
        assert_int_equal(an_names_insert(&names, copy, strlen(copy), &is_new), i);
        assert_false(is_new);
        assert_int_equal(an_names_find(&names, copy, strlen(copy)), i);
        assert_ptr_equal(names.names[i].text, text[i]); /* the first one's bytes are kept */
    }
    assert_int_equal(names.count, NAMES);
    an_names_free(&names);
}

static void names_are_bytes(void **state)
{
    (void)state;
    struct an_names names = {0};
    bool is_new;
    assert_int_equal(an_names_insert(&names, "", 0, &is_new), 0);
    assert_int_equal(an_names_insert(&names, "a\0b", 3, &is_new), 1);
    assert_int_equal(an_names_insert(&names, "a\0c", 3, &is_new), 2);
    assert_int_equal(an_names_insert(&names, "a", 1, &is_new), 3);
    assert_int_equal(an_names_insert(&names, "a\0", 2, &is_new), 4);
    assert_int_equal(an_names_find(&names, "", 0), 0);
    assert_int_equal(an_names_find(&names, "a\0c", 3), 2);
    assert_true(an_names_find(&names, "a\0d", 3) == AN_NO_NAME);
    an_names_free(&names);
}

/* The longest stretch of slots without a free one: what a look-up may have to walk over. */
static size_t longest_stretch(const struct an_map *map)
{
    size_t longest = 0, here = 0;
    for (size_t i = 0; i <= map->mask; i++) {
        here = map->slots[i].key ? here + 1 : 0;
        longest = here > longest ? here : longest;
    }
    return longest;
}

/* Keys that were made so that the product with a known constant has the same bits where it counts. */
static void keys_made_to_collide_do_not(void **state)
{
    (void)state;
    enum { MANY = 60000 };
    static const uint64_t inverses[] = {0xf1de83e19937733du, 1, 0x9e3779b97f4a7c15u};
    for (size_t k = 0; k < sizeof inverses / sizeof *inverses; k++) {
        struct an_map map = {0};
        for (uint64_t i = 1; i <= MANY; i++) {
            bool is_new;
            uint64_t *value = an_map_insert(&map, (i << 32 | i) * inverses[k], &is_new);
            assert_non_null(value);
            assert_true(is_new);
            *value = i;
        }
        for (uint64_t i = 1; i <= MANY; i++)
            assert_int_equal(*an_map_find(&map, (i << 32 | i) * inverses[k]), i);
        check(longest_stretch(&map) < 1000, "%zu slots in a row", longest_stretch(&map));
        an_map_free(&map);
    }
}

static size_t longest_stretch_of_names(const struct an_names *names)
{
    size_t longest = 0, here = 0;
    for (size_t i = 0; i <= names->mask; i++) {
        here = names->slots[i].index_plus_1 ? here + 1 : 0;
        longest = here > longest ? here : longest;
    }
    return longest;
}

/*
 * Without a seed, XXH3 multiplies the first 8 bytes of such a name with the next 8, after an exclusive or
 * with bytes that everybody knows: where the first ones are these bytes, the next ones do not matter.
 */
static void names_made_to_collide_do_not(void **state)
{
    (void)state;
    enum { NAMES = 60000, LENGTH = 32 };
    static const char known[] = "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe";
    static char text[NAMES][LENGTH + 1];
    struct an_names names = {0};
    for (size_t i = 0; i < NAMES; i++) {
        bool is_new;
        snprintf(text[i], sizeof text[i], "%s%08zu................", known, i);
        assert_int_equal(XXH3_64bits(text[i], LENGTH), XXH3_64bits(text[0], LENGTH));
        assert_int_equal(an_names_insert(&names, text[i], LENGTH, &is_new), i);
        assert_true(is_new);
    }
    for (size_t i = 0; i < NAMES; i++)
        assert_int_equal(an_names_find(&names, text[i], LENGTH), i);
    check(longest_stretch_of_names(&names) < 1000, "%zu slots in a row",
          longest_stretch_of_names(&names));
    an_names_free(&names);
}

/* Room that is made beforehand changes nothing but when tables grow; what cannot be had is refused. */
static void room_is_made_beforehand(void **state)
{
    (void)state;
    struct an_map map = {0};
    struct an_names names = {0};
    static char text[KEYS][8];
    bool is_new;
    for (uint64_t i = 0; i < KEYS; i++) {
        if (i % 1000 == 7) {
            assert_true(an_map_reserve(&map, i + 100) && an_names_reserve(&names, i + 100));
            assert_true(map.mask + 1 >= 2 * (i + 100) && names.capacity >= i + 100);
        }
        const struct an_map_slot *slots = map.slots;
        const struct an_names_slot *places = names.slots;
        snprintf(text[i], sizeof text[i], "%" PRIu64, i);
        *an_map_insert(&map, i, &is_new) = 2 * i;
        assert_int_equal(an_names_insert(&names, text[i], strlen(text[i]), &is_new), i);
        assert_true(i % 1000 < 7 || i % 1000 >= 107 ||
                    (map.slots == slots && names.slots == places));
    }
    const struct an_map_slot *slots = map.slots;
    assert_true(an_map_reserve(&map, 0) && an_map_reserve(&map, KEYS));
    assert_ptr_equal(map.slots, slots);
    assert_false(an_map_reserve(&map, SIZE_MAX) || an_names_reserve(&names, SIZE_MAX));
    for (uint64_t i = 0; i < KEYS; i++) {
        assert_int_equal(*an_map_find(&map, i), 2 * i);
        assert_int_equal(an_names_find(&names, text[i], strlen(text[i])), i);
    }
    an_map_free(&map);
    an_names_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_made_to_collide_do_not),
        cmocka_unit_test(keys_made_to_collide_do_not),
        cmocka_unit_test(any_kind_of_key),
        cmocka_unit_test(zero_is_a_key),
        cmocka_unit_test(crowded_keys),
        cmocka_unit_test(names_are_numbered_in_order),
        cmocka_unit_test(names_are_bytes),
        cmocka_unit_test(room_is_made_beforehand),
    };
    return RUN_TESTS(tests);
}
