/* The table of threads that are traced. */
#include "support/test.h"

#include "record/traced.h"

static struct an_traced *add(struct an_traced_table *table, int32_t tid)
{
    struct an_traced *traced = an_traced_add(table, (struct an_perf_thread){1, tid});
    assert_non_null(traced);
    assert_int_equal(traced->alarm.file, -1);
    return traced;
}

static void finds_what_was_added(void **state)
{
    struct an_traced_table table = {0};
    (void)state;
    assert_null(an_traced_find(&table, 11));
    add(&table, 11);
    add(&table, 12)->period = 5;
    add(&table, 13)->period = 7;
    assert_int_equal(an_traced_find(&table, 12)->period, 5);
    an_traced_remove(&table, an_traced_find(&table, 12));
    assert_null(an_traced_find(&table, 12));
    assert_int_equal(an_traced_find(&table, 13)->period, 7);
    assert_int_equal(an_traced_find(&table, 11)->id.tid, 11);
    add(&table, 12);
    assert_int_equal(an_traced_find(&table, 12)->period, 0);
    assert_int_equal(table.count, 3);
    an_traced_free(&table);
    assert_int_equal(table.count, 0);
}

/* Numbers that are not used any more take no room for ever. */
static void threads_come_and_go(void **state)
{
    struct an_traced_table table = {0};
    (void)state;
    for (int32_t tid = 1; tid <= 100000; tid++) {
        add(&table, tid)->period = (uint64_t)tid;
        if (tid > 10)
            an_traced_remove(&table, an_traced_find(&table, tid - 10));
    }
    assert_int_equal(table.count, 10);
    assert_true(table.numbers.used < 3000);
    for (int32_t tid = 99991; tid <= 100000; tid++)
        assert_int_equal(an_traced_find(&table, tid)->period, tid);
    an_traced_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_added),
        cmocka_unit_test(threads_come_and_go),
    };
    return RUN_TESTS(tests);
}
