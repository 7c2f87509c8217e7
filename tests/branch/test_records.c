/* Records: combining them, and writing them as fdata. */
#include "branch/records.h"

#include "support/test.h"

/* Names out of order, one with what has to be escaped. */
static struct an_function items[] = {
    {.address = 0x1000, .size = 16, .name = "zebra"},
    {.address = 0x1010, .size = 16, .name = "operator new(long)\\x"},
    {.address = 0x1020, .size = 16, .name = "ant/1", .file_name = "ant/a.c/1"},
};
static const struct an_functions functions = {.items = items, .count = 3};

static const char *plain(const struct an_function *function)
{
    return function->name;
}

static const char *with_file(const struct an_function *function)
{
    return function->file_name ? function->file_name : function->name;
}

static void add(struct an_records *records, size_t from, uint64_t from_offset, size_t to,
                uint64_t to_offset, uint64_t count, uint64_t mispreds)
{
    assert_true(
        an_records_add(records, from < 3 ? an_place_make(from, from_offset) : AN_PLACE_UNKNOWN,
                       to < 3 ? an_place_make(to, to_offset) : AN_PLACE_UNKNOWN, count, mispreds));
}

static void expect_text(const struct an_records *records, const struct an_records_format *format,
                        const char *expected)
{
    struct an_buffer buffer = {0};
    an_records_write(records, &functions, format, &buffer);
    assert_false(buffer.failed);
    an_buffer_put(&buffer, "", 1);
    assert_string_equal((const char *)buffer.data, expected);
    an_buffer_free(&buffer);
}

static void writes_branches_by_name(void **state)
{
    (void)state;
    struct an_records records = {0};
    struct an_records_format format = {.name = plain, .events = ""};
    add(&records, 0, 0xabc, 1, 0, 7, 1);
    add(&records, 2, 0x10, 2, 4, 1, 0);
    add(&records, 2, 0x4, 0, 0xffffffff, UINT64_MAX, UINT64_MAX);
    add(&records, 3, 0, 0, 8, 12345678901234567890u, 3);
    add(&records, 3, 0, 2, 8, 2, 0);
    add(&records, 1, 8, 3, 0, 5, 0);
    add(&records, 2, 0x10, 2, 4, 2, 1);
    assert_true(an_records_combine(&records));
    assert_int_equal(records.branches.count, 6);
    expect_text(&records, &format,
                "1 ant/1 4 1 zebra ffffffff 18446744073709551615 18446744073709551615\n"
                "1 ant/1 10 1 ant/1 4 1 3\n"
                "0 [unknown] 0 1 ant/1 8 0 2\n"
                "1 operator\\ new(long)\\\\x 8 0 [unknown] 0 0 5\n"
                "1 zebra abc 1 operator\\ new(long)\\\\x 0 1 7\n"
                "0 [unknown] 0 1 zebra 8 3 12345678901234567890\n");
    format.bolted = true;
    format.name = with_file;
    records.branches.count = 1;
    records.branches.items[0] = (struct an_record){an_place_make(2, 0), an_place_make(2, 1), 1, 0};
    expect_text(&records, &format, "boltedcollection\n1 ant/a.c/1 0 1 ant/a.c/1 1 0 1\n");
    format.no_branches = true; /* which llvm-bolt looks for first */
    format.events = "cycles:u:";
    expect_text(&records, &format, "no_lbr cycles:u:\nboltedcollection\n1 ant/a.c/1 0 1\n");
    an_records_free(&records);
}

static void writes_samples_and_loads(void **state)
{
    (void)state;
    struct an_records records = {0};
    struct an_records_format format = {
        .name = plain, .no_branches = true, .events = "cycles:u: cpu-clock:"};
    assert_true(an_records_add(&records, an_place_make(0, 3), 0, 9, 0));
    assert_true(an_records_add(&records, an_place_make(0, 1), 0, 2, 0));
    for (int i = 0; i < 3; i++) {
        struct an_memory_record *load = an_vector_push(&records.memory);
        assert_non_null(load);
        *load = (struct an_memory_record){an_place_make(2, 4), i ? "table" : NULL, 0x18, 1};
    }
    assert_true(an_records_combine(&records));
    expect_text(&records, &format,
                "no_lbr cycles:u: cpu-clock:\n1 zebra 1 2\n1 zebra 3 9\n"
                "4 ant/1 4 3 [unknown] 18 1\n4 ant/1 4 4 table 18 2\n");
    an_records_free(&records);
}

static void combines_like_a_list(void **state)
{
    (void)state;
    struct an_records records = {0};
    uint64_t counts[3][4][4] = {0}, seed = 4, sum = 0;
    for (int i = 0; i < 5000; i++) {
        uint64_t f = number_below(&seed, 3), from = number_below(&seed, 4),
                 to = number_below(&seed, 4), count = number_below(&seed, 100);
        add(&records, f, from << 28, 2, to * 300, count, 1);
        counts[f][from][to] += count;
    }
    assert_true(an_records_combine(&records));
    assert_int_equal(records.branches.count, 48);
    for (size_t i = 0; i < 48; i++) {
        const struct an_record *record = &records.branches.items[i];
        assert_int_equal(
            record->count,
            counts[record->from >> 32][(uint32_t)record->from >> 28][(uint32_t)record->to / 300]);
        assert_true(i == 0 || record->from > record[-1].from ||
                    (record->from == record[-1].from && record->to > record[-1].to));
        sum += record->mispreds;
    }
    assert_int_equal(sum, 5000);
    add(&records, 0, 0, 2, 0, UINT64_MAX, 0);
    assert_true(an_records_combine(&records));
    assert_int_equal(records.branches.items[0].count, UINT64_MAX);
    an_records_free(&records);
    assert_true(an_records_combine(&records)); /* of nothing */
    an_records_free(&records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_branches_by_name),
        cmocka_unit_test(writes_samples_and_loads),
        cmocka_unit_test(combines_like_a_list),
    };
    return RUN_TESTS(tests);
}
