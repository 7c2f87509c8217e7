/* lib/base/memory and vector: sizes that overflow are refused, arenas hand out room that is real. */
#include "base/memory.h"

#include "base/vector.h"
#include "support/test.h"

static volatile size_t half = SIZE_MAX / 2 + 1;

static void products_that_overflow(void **state)
{
    (void)state;
    struct an_arena arena = {0};
    assert_null(an_alloc(half, 2));
    assert_null(an_alloc_zero(half, 4));
    assert_null(an_grow(NULL, half, 3));
    assert_null(an_arena_alloc(&arena, half, 2));
    assert_null(an_arena_alloc(&arena, SIZE_MAX, 1));
    assert_null(an_arena_alloc(&arena, SIZE_MAX - 15, 1));
    assert_null(an_arena_zero(&arena, half, 2));
    assert_null(an_arena_copy(&arena, "", SIZE_MAX));
    assert_int_equal(arena.total, 0);
    an_arena_free(&arena);
}

static void tables_are_zero(void **state)
{
    (void)state;
    assert_null(an_alloc_table(half, 4));
    for (size_t size = 1; size < (size_t)16 << 20; size = 3 * size + 1) {
        char *table = an_alloc_table(size, 3);
        assert_non_null(table);
        for (size_t i = 0; i < 3 * size; i++)
            if (table[i] != 0)
                fail();
        memset(table, 1, 3 * size); /* what is handed out next may be the same */
        free(table);
    }
}

static void nothing_is_something(void **state)
{
    (void)state;
    void *none = an_alloc(0, 8), *zero = an_alloc_zero(8, 0);
    assert_non_null(none); /* NULL would mean that memory ran out */
    assert_non_null(zero);
    none = an_grow(none, 0, 0);
    assert_non_null(none);
    struct an_arena arena = {0};
    assert_non_null(an_arena_alloc(&arena, 0, 8)); /* also when the arena has no block yet */
    assert_non_null(an_arena_zero(&arena, 0, 8));
    an_arena_free(&arena);
    free(none);
    free(zero);
    free(an_alloc_table(0, 8));
}

static void grown_memory_keeps_its_content(void **state)
{
    (void)state;
    char *text = an_alloc(4, 1);
    memcpy(text, "abc", 4);
    text = an_grow(text, 100000, 1);
    assert_string_equal(text, "abc");
    free(text);
}

/* Fills every piece with its number and looks afterwards whether another one wrote there. */
static void pieces_do_not_overlap(void **state)
{
    (void)state;
    enum { PIECES = 4000 };
    static uint8_t *pieces[PIECES];
    static size_t sizes[PIECES];
    struct an_arena arena = {0};
    uint64_t seed = 3;
    size_t asked = 0;
    for (int i = 0; i < PIECES; i++) {
        sizes[i] = number_below(&seed, i % 100 ? 200 : 100000);
        pieces[i] = an_arena_alloc(&arena, sizes[i], 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], i & 0xff, sizes[i]);
        asked += sizes[i];
    }
    for (int i = 0; i < PIECES; i++)
        for (size_t b = 0; b < sizes[i]; b++)
            check(pieces[i][b] == (i & 0xff), "piece %d, byte %zu", i, b);
    check(arena.total < 2 * asked + (2 << 20), "%zu for %zu", arena.total, asked);
    an_arena_free(&arena);
    assert_int_equal(arena.total, 0);
    assert_null(arena.blocks);
}

static void a_large_piece_leaves_the_block_usable(void **state)
{
    (void)state;
    struct an_arena arena = {0};
    char *before = an_arena_alloc(&arena, 16, 1);
    an_arena_alloc(&arena, 10 << 20, 1);
    char *after = an_arena_alloc(&arena, 16, 1);
    assert_ptr_equal(after, before + 16);
    an_arena_free(&arena);
}

static void zeros_and_copies(void **state)
{
    (void)state;
    struct an_arena arena = {0};
    memset(an_arena_alloc(&arena, 1000, 1), 0xff, 1000);
    const uint64_t *zeros = an_arena_zero(&arena, 100, 8);
    for (int i = 0; i < 100; i++)
        assert_int_equal(zeros[i], 0);
    assert_string_equal(an_arena_copy(&arena, "text and more", 4), "text");
    assert_string_equal(an_arena_copy(&arena, NULL, 0), "");
    an_arena_free(&arena);
}

static void vectors_keep_what_was_pushed(void **state)
{
    (void)state;
    struct {
        AN_VECTOR(uint64_t);
    } squares = {0};
    for (uint64_t i = 0; i < 1000; i++)
        *an_vector_push(&squares) = i * i;
    assert_int_equal(squares.count, 1000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(squares.items[i], i * i);
    an_vector_free(&squares);
    assert_null(squares.items);
    assert_int_equal(squares.count + squares.capacity, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_that_overflow),
        cmocka_unit_test(nothing_is_something),
        cmocka_unit_test(tables_are_zero),
        cmocka_unit_test(grown_memory_keeps_its_content),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(a_large_piece_leaves_the_block_usable),
        cmocka_unit_test(zeros_and_copies),
        cmocka_unit_test(vectors_keep_what_was_pushed),
    };
    return RUN_TESTS(tests);
}
