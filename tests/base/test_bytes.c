/* lib/base/bytes: a cursor never leaves its bounds, and what a buffer holds is what was put in. */
#include "base/bytes.h"

#include "support/test.h"

static const uint8_t numbers[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
                                  0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17};
static const struct an_bytes fifteen = {numbers, sizeof numbers};

static void reads_both_byte_orders(void **state)
{
    (void)state;
    struct an_cursor little = an_cursor_at(fifteen, 0, false);
    assert_int_equal(an_cursor_u8(&little), 0x01);
    assert_int_equal(an_cursor_u16(&little), 0x0302);
    assert_int_equal(an_cursor_u32(&little), 0x07060504);
    assert_int_equal(an_cursor_u64(&little), 0x1716151413121108);
    struct an_cursor big = an_cursor_at(fifteen, 0, true);
    assert_int_equal(an_cursor_u8(&big), 0x01);
    assert_int_equal(an_cursor_u16(&big), 0x0203);
    assert_int_equal(an_cursor_u32(&big), 0x04050607);
    assert_int_equal(an_cursor_u64(&big), 0x0811121314151617);
    assert_false(little.short_read || big.short_read);
    assert_int_equal(an_cursor_left(&big), 0);
}

static void stays_inside(void **state)
{
    (void)state;
    for (size_t at = 0; at <= sizeof numbers + 2; at++)
        for (size_t wanted = 0; wanted <= sizeof numbers + 2; wanted++) {
            struct an_cursor cursor = an_cursor_at(fifteen, at, false);
            const uint8_t *got = an_cursor_take(&cursor, wanted);
            bool fits = at <= sizeof numbers && wanted <= sizeof numbers - at;
            if (at <= sizeof numbers) {
                assert_int_equal(got != NULL, fits);
                assert_int_equal(cursor.at, fits ? at + wanted : at);
            }
            assert_int_equal(cursor.short_read, !fits);
            assert_true(cursor.at <= sizeof numbers);
        }
    struct an_cursor cursor = an_cursor_at(fifteen, 10, false);
    assert_null(an_cursor_take(&cursor, SIZE_MAX));
    assert_null(an_cursor_take(&cursor, SIZE_MAX - 9));
    assert_int_equal(cursor.at, 10);
}

static void a_short_read_is_remembered(void **state)
{
    (void)state;
    struct an_cursor cursor = an_cursor_at(fifteen, 12, false);
    assert_int_equal(an_cursor_u64(&cursor), 0);
    assert_true(cursor.short_read);
    assert_int_equal(an_cursor_u8(&cursor), 0x15); /* what fits is still read */
    assert_true(cursor.short_read);
}

static void blocks_with_and_without_padding(void **state)
{
    (void)state;
    uint8_t bytes[24] = {3, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c'};
    uint64_t size;
    struct an_cursor cursor = an_cursor_at((struct an_bytes){bytes, 16}, 0, false);
    assert_ptr_equal(an_cursor_block(&cursor, true, &size), bytes + 8);
    assert_int_equal(size, 3);
    assert_int_equal(cursor.at, 16);
    cursor = an_cursor_at((struct an_bytes){bytes, 11}, 0, false);
    assert_ptr_equal(an_cursor_block(&cursor, false, &size), bytes + 8);
    assert_int_equal(cursor.at, 11);
    cursor = an_cursor_at((struct an_bytes){bytes, 15}, 0, false); /* padding is missing */
    assert_null(an_cursor_block(&cursor, true, &size));
    assert_true(cursor.short_read);
    cursor = an_cursor_at((struct an_bytes){bytes, 10}, 0, false);
    assert_null(an_cursor_block(&cursor, false, &size));
    /* sizes whose sum with anything wraps around */
    static const uint64_t absurd[] = {UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 8, 1ull << 63, 17};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        memcpy(bytes, &absurd[i], 8);
        cursor = an_cursor_at((struct an_bytes){bytes, sizeof bytes}, 0, AN_HOST_BIG);
        assert_null(an_cursor_block(&cursor, true, &size));
        assert_true(cursor.short_read);
    }
}

/* The examples of DWARF 5, table 7.7, and the ends of the range. */
static void uleb128_as_in_dwarf(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        const char *bytes;
        size_t size;
    } examples[] = {
        {0, "\x00", 1},
        {2, "\x02", 1},
        {127, "\x7f", 1},
        {128, "\x80\x01", 2},
        {129, "\x81\x01", 2},
        {12857, "\xb9\x64", 2},
        {UINT32_MAX, "\xff\xff\xff\xff\x0f", 5},
        {UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct an_buffer buffer = {0};
        an_buffer_uleb128(&buffer, examples[i].value);
        assert_int_equal(buffer.size, examples[i].size);
        assert_memory_equal(buffer.data, examples[i].bytes, examples[i].size);
        struct an_cursor cursor =
            an_cursor_at((struct an_bytes){buffer.data, buffer.size}, 0, false);
        assert_true(an_cursor_uleb128(&cursor) == examples[i].value);
        assert_false(cursor.short_read);
        cursor = an_cursor_at((struct an_bytes){buffer.data, buffer.size - 1}, 0, false);
        an_cursor_uleb128(&cursor);
        assert_true(cursor.short_read);
        an_buffer_free(&buffer);
    }
}

/* The examples of DWARF 5, table 7.8, and the ends of the range. */
static void sleb128_as_in_dwarf(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        const char *bytes;
        size_t size;
    } examples[] = {
        {0, "\x00", 1},
        {2, "\x02", 1},
        {-2, "\x7e", 1},
        {127, "\xff\x00", 2},
        {-127, "\x81\x7f", 2},
        {128, "\x80\x01", 2},
        {-128, "\x80\x7f", 2},
        {129, "\x81\x01", 2},
        {-129, "\xff\x7e", 2},
        {INT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10},
        {INT64_MIN, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10},
        {INT64_MIN / 2, "\x80\x80\x80\x80\x80\x80\x80\x80\x40", 9},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct an_bytes bytes = {(const uint8_t *)examples[i].bytes, examples[i].size};
        struct an_cursor cursor = an_cursor_at(bytes, 0, false);
        assert_true(an_cursor_sleb128(&cursor) == examples[i].value);
        assert_false(cursor.short_read);
        assert_int_equal(cursor.at, examples[i].size);
        bytes.size--;
        cursor = an_cursor_at(bytes, 0, false);
        assert_int_equal(an_cursor_sleb128(&cursor), 0);
        assert_true(cursor.short_read);
    }
}

static void sleb128_beyond_64_bits_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                                        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7e",
                                        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\xff\x7f"};
    for (size_t i = 0; i < 3; i++) {
        struct an_bytes bytes = {(const uint8_t *)wrong[i], strlen(wrong[i])};
        struct an_cursor cursor = an_cursor_at(bytes, 0, false);
        assert_int_equal(an_cursor_sleb128(&cursor), 0);
        assert_true(cursor.short_read);
    }
}

static void uleb128_beyond_64_bits_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
                                        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f",
                                        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"};
    for (size_t i = 0; i < 3; i++) {
        struct an_bytes bytes = {(const uint8_t *)wrong[i], strlen(wrong[i])};
        struct an_cursor cursor = an_cursor_at(bytes, 0, false);
        assert_int_equal(an_cursor_uleb128(&cursor), 0);
        assert_true(cursor.short_read);
    }
}

static void a_buffer_holds_what_was_put(void **state)
{
    (void)state;
    struct an_buffer buffer = {0};
    char expected[8192], *end = expected;
    uint64_t seed = 1, value;
    for (int i = 0; i < 200; i++) {
        value = next_number(&seed) >> number_below(&seed, 64);
        an_buffer_decimal(&buffer, value, i % 3 ? ',' : 0);
        end += sprintf(end, i % 3 ? "%llu," : "%llu", (unsigned long long)value);
    }
    an_buffer_decimal(&buffer, 0, '\n');
    an_buffer_decimal(&buffer, UINT64_MAX, 0);
    end += sprintf(end, "0\n18446744073709551615");
    an_buffer_print(&buffer, "<%*d>", 300, 7); /* longer than what is printed without a detour */
    end += sprintf(end, "<%*d>", 300, 7);
    an_buffer_put(&buffer, NULL, 0);
    assert_false(buffer.failed);
    assert_int_equal(buffer.size, (size_t)(end - expected));
    assert_memory_equal(buffer.data, expected, buffer.size);
    an_buffer_free(&buffer);
    assert_null(buffer.data);
}

static void little_endian_numbers(void **state)
{
    (void)state;
    struct an_buffer buffer = {0};
    an_buffer_le(&buffer, 0xab, 1);
    an_buffer_le(&buffer, 0x0201, 2);
    an_buffer_le64(&buffer, 0x1122334455667788);
    an_buffer_le(&buffer, 0, 0);
    an_buffer_patch_le64(&buffer, 1, 0x0807060504030201);
    static const uint8_t expected[] = {0xab, 1, 2, 3, 4, 5, 6, 7, 8, 0x22, 0x11};
    assert_int_equal(buffer.size, sizeof expected);
    assert_memory_equal(buffer.data, expected, sizeof expected);
    an_buffer_free(&buffer);
}

static void a_buffer_that_failed_stays_failed(void **state)
{
    (void)state;
    struct an_buffer buffer = {0};
    an_buffer_put(&buffer, "abc", 3);
    assert_null(an_buffer_extend(&buffer, SIZE_MAX));
    assert_true(buffer.failed);
    assert_null(an_buffer_extend(&buffer, 1));
    an_buffer_put(&buffer, "d", 1);
    an_buffer_print(&buffer, "%d", 5);
    an_buffer_patch_le64(&buffer, 0, 1);
    assert_int_equal(buffer.size, 3);
    an_buffer_free(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_both_byte_orders),
        cmocka_unit_test(stays_inside),
        cmocka_unit_test(a_short_read_is_remembered),
        cmocka_unit_test(blocks_with_and_without_padding),
        cmocka_unit_test(uleb128_as_in_dwarf),
        cmocka_unit_test(uleb128_beyond_64_bits_is_refused),
        cmocka_unit_test(sleb128_as_in_dwarf),
        cmocka_unit_test(sleb128_beyond_64_bits_is_refused),
        cmocka_unit_test(a_buffer_holds_what_was_put),
        cmocka_unit_test(little_endian_numbers),
        cmocka_unit_test(a_buffer_that_failed_stays_failed),
    };
    return RUN_TESTS(tests);
}
