/* Counting ends of windows. */
#include "support/test.h"

#include "record/ends.h"

static void counts_and_sorts(void **state)
{
    struct an_record_counts counts = {.samples = 0};
    (void)state;
    an_ends_count(&counts, "syscall");
    an_ends_count(&counts, "memory");
    an_ends_count(&counts, "memory");
    an_ends_count(&counts, "cpuid");
    an_ends_sort(&counts);
    assert_int_equal(counts.end_count, 3);
    assert_string_equal(counts.ends[0].why, "memory");
    assert_int_equal(counts.ends[0].count, 2);
    assert_string_equal(counts.ends[1].why, "cpuid");
}

static void has_room_for_any_number(void **state)
{
    struct an_record_counts counts = {.samples = 0};
    uint64_t sum = 0;
    char why[64];
    (void)state;
    for (int i = 0; i < 200; i++) {
        snprintf(why, sizeof why, "a reason with a long name, number %d", i);
        an_ends_count(&counts, why + 20);
    }
    for (size_t i = 0; i < counts.end_count; i++)
        sum += counts.ends[i].count;
    assert_int_equal(counts.end_count, AN_RECORD_MOST_ENDS);
    assert_int_equal(sum, 200);
    an_ends_sort(&counts);
    assert_string_equal(counts.ends[0].why, "others");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_sorts),
        cmocka_unit_test(has_room_for_any_number),
    };
    return RUN_TESTS(tests);
}
