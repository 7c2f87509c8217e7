/* The table of threads that go their way. */
#include "support/test.h"

#include "record/pending_threads.h"

static struct an_window window_of(int32_t tid)
{
    return (struct an_window){.thread = {1, tid}, .wanted = 5};
}

static void finds_what_was_added(void **state)
{
    static struct an_pending_threads table;
    struct an_window one = window_of(11), other = window_of(12);
    (void)state;
    assert_null(an_pending_find(&table, 11));
    struct an_pending_thread *late = an_pending_add(&table, AN_PENDING_LATE, &one);
    struct an_pending_thread *entry = an_pending_add(&table, AN_PENDING_ENTRY, &other);
    assert_ptr_equal(an_pending_find(&table, 11), late);
    assert_ptr_equal(an_pending_find(&table, 12), entry);
    assert_int_equal(entry->window.wanted, 5);
    assert_true(an_pending_any_stopping(&table));
    an_pending_remove(&table, late);
    assert_null(an_pending_find(&table, 11));
    assert_false(an_pending_any_stopping(&table));
    assert_ptr_equal(an_pending_find(&table, 12), entry);
    entry->phase = AN_PENDING_LEAVING;
    assert_true(an_pending_any_stopping(&table));
    an_pending_remove(&table, entry);
    assert_int_equal(table.count, 0);
}

static void is_full_some_time(void **state)
{
    static struct an_pending_threads table;
    int32_t tid = 1;
    (void)state;
    for (struct an_window window = window_of(tid);
         an_pending_add(&table, AN_PENDING_EXIT, &window) && tid < 10000; window = window_of(++tid))
        ;
    assert_int_equal(table.count, tid - 1);
    assert_non_null(an_pending_find(&table, 1));
    assert_non_null(an_pending_find(&table, tid - 1));
    assert_null(an_pending_find(&table, tid));
    an_pending_remove(&table, an_pending_find(&table, 100));
    struct an_window window = window_of(tid);
    assert_non_null(an_pending_add(&table, AN_PENDING_EXIT, &window));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_added),
        cmocka_unit_test(is_full_some_time),
    };
    return RUN_TESTS(tests);
}
