/* Files in memory: whole or gone, in a heap of any size, whatever else is taken from it. */
#include "bare/memfile.h"

#include <string.h>

#include "bare/bare.h"
#include "bare/heap.h"
#include "boards/host_board.h"
#include "support/test.h"

enum { ROOM = 4096, GUARD = 64 };

static _Alignas(16) uint8_t memory[GUARD + ROOM + GUARD];

/* A heap of so many bytes, with none of the files that other tests left. */
static void begin(size_t size)
{
    host_board_reset();
    an_memfile_forget();
    memset(memory, 0xee, sizeof memory);
    an_bare_heap(memory + GUARD, size);
}

/* Nothing was written outside of a heap of that size. */
static void check_guards(size_t size)
{
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(memory[i], 0xee);
        assert_int_equal(memory[GUARD + size + i], 0xee);
    }
}

/* What is in the file. Returns its size. */
static size_t contents(const struct an_memfile *file, uint8_t *bytes)
{
    size_t size = 0;
    for (const struct an_memfile_piece *piece = file->first; piece; piece = piece->next) {
        memcpy(bytes + size, piece->bytes, piece->size);
        size += piece->size;
    }
    return size;
}

/* Writes a file whose bytes are all `fill`, ten at a time. */
static bool write_file(const char *name, size_t size, uint8_t fill)
{
    uint8_t bytes[10];
    struct an_memfile *file = an_memfile_create(name);
    memset(bytes, fill, sizeof bytes);
    for (size_t at = 0; file && at < size; at += sizeof bytes)
        if (!an_memfile_write(file, bytes, size - at < 10 ? size - at : 10))
            return false;
    if (file)
        an_memfile_close(file);
    return file;
}

static void check_filled(const struct an_memfile *file, size_t size, uint8_t fill)
{
    uint8_t bytes[ROOM];
    assert_true(file->is_complete);
    assert_int_equal(contents(file, bytes), size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(bytes[i], fill);
}

static void test_names(void **context)
{
    (void)context;
    begin(ROOM);
    host_board.core = 12;
    assert_true(write_file("/obj/queue.gcda", 5, 1));
    host_board.core = 0;
    assert_true(write_file("default.profraw", 5, 1));
    assert_string_equal(an_memfile_first()->name, "obj/queue.gcda12");
    assert_string_equal(an_memfile_first()->next->name, "default.profraw0");
    assert_null(an_memfile_first()->next->next);
}

/* Two files that grow in turn, and lists of values between them, as interrupts take them. */
static void test_in_turn(void **context)
{
    uint8_t bytes[ROOM];
    (void)context;
    begin(ROOM);
    struct an_memfile *one = an_memfile_create("one"), *two = an_memfile_create("two");
    for (uint8_t i = 0; i < 20; i++) {
        assert_true(an_memfile_write(one, &i, 1));
        uint8_t pair[2] = {i, (uint8_t)~i};
        assert_true(an_memfile_write(i % 3 ? two : one, pair, 2));
        if (i % 5 == 0)
            memset(an_heap_take(24), 0xff, 24);
    }
    assert_int_equal(contents(one, bytes), 20 + 7 * 2);
    for (uint8_t i = 0, at = 0; i < 20; i++) {
        assert_int_equal(bytes[at++], i);
        if (i % 3 == 0)
            assert_int_equal(bytes[at++], i), assert_int_equal(bytes[at++], (uint8_t)~i);
    }
    assert_int_equal(contents(two, bytes), 13 * 2);
    check_guards(ROOM);
}

/* What does not fit is lost, and said to be; what fits is whole. */
static void test_any_size(void **context)
{
    (void)context;
    begin(ROOM);
    assert_true(write_file("a", 100, 1) && write_file("b", 301, 2) && write_file("c", 40, 3));
    size_t needed = an_heap_needed(), kept_less = 0;
    for (size_t size = 0; size <= needed; size++) {
        begin(size);
        bool a = write_file("a", 100, 1), b = write_file("b", 301, 2), c = write_file("c", 40, 3);
        const struct an_memfile *file = an_memfile_first();
        if (a)
            check_filled(file, 100, 1), file = file->next;
        if (b)
            check_filled(file, 301, 2), file = file->next;
        if (c)
            check_filled(file, 40, 3), file = file->next;
        assert_null(file);
        assert_int_equal(a && b && c, size == needed);
        assert_int_equal(strstr(host_board.printed, "memfile: out of memory: ") != NULL,
                         size < needed);
        kept_less += a && !b && c; /* a smaller file behind one that was too large */
        check_guards(size);
    }
    assert_in_range(kept_less, 250, 350);
}

static void test_message(void **context)
{
    (void)context;
    begin(100);
    host_board.core = 3;
    assert_false(write_file("obj/large.gcda", 200, 1));
    assert_string_equal(host_board.printed, "memfile: out of memory: obj/large.gcda3\n");
    assert_false(host_board.is_locked);
    begin(0);
    assert_null(an_memfile_create("none"));
    assert_string_equal(host_board.printed, "memfile: out of memory: none\n");
}

/* What is taken for a moment comes from the other end, and goes back there; the end may lie anywhere. */
static void test_scratch(void **context)
{
    (void)context;
    for (size_t size = 200; size < 216; size++) {
        begin(size);
        for (unsigned round = 0; round < 5; round++) {
            uint8_t *outer = an_rt_scratch(3), *inner = an_rt_scratch(17);
            assert_non_null(outer);
            assert_non_null(inner);
            assert_true(inner + 17 <= outer && outer + 3 <= memory + GUARD + size);
            assert_int_equal((uintptr_t)inner % 8, 0);
            memset(outer, 1, 3);
            memset(inner, 2, 17);
            an_rt_scratch_free(inner, 17);
            assert_null(an_rt_scratch(size));
            an_rt_scratch_free(outer, 3);
        }
        assert_non_null(an_heap_take(size - 8)); /* all of it is there again */
        assert_null(an_rt_scratch(16));
        assert_null(an_heap_take(16));
        check_guards(size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),    cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_any_size), cmocka_unit_test(test_message),
        cmocka_unit_test(test_scratch),
    };
    return RUN_TESTS(tests);
}
