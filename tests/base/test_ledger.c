/* lib/base/ledger: the sums, the median, and who is marked as thin or repeated. */
#include "base/ledger.h"

#include "base/error.h"
#include "support/test.h"

static struct an_ledger *ledger_of(const uint64_t *totals, size_t count)
{
    struct an_ledger *ledger = an_ledger_new(count);
    assert_non_null(ledger);
    for (size_t i = 0; i < count; i++) {
        char path[32];
        snprintf(path, sizeof path, "run%zu", i);
        assert_true(an_ledger_name(ledger, i, path, 1));
        ledger->entries[i].status = AN_INPUT_USED;
        ledger->entries[i].total_count = totals[i];
    }
    return ledger;
}

static void close_ledger(struct an_ledger *ledger)
{
    struct an_error error;
    assert_int_equal(an_ledger_close(ledger, &error), AN_OK);
}

static void thin_is_less_than_a_tenth_of_the_median(void **state)
{
    (void)state;
    static const uint64_t totals[] = {1000, 99, 100, 5000, 0, 1000, 1200};
    struct an_ledger *ledger = ledger_of(totals, 7);
    close_ledger(ledger);
    assert_int_equal(ledger->median, 1000); /* of 0 99 100 1000 1000 1200 5000 */
    static const bool thin[] = {false, true, false, false, true, false, false};
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(ledger->entries[i].thin, thin[i]);
    assert_int_equal(ledger->thin, 2);
    assert_int_equal(ledger->used, 7);
    assert_int_equal(ledger->total_count, 1000 + 99 + 100 + 5000 + 1000 + 1200);
    an_ledger_free(ledger);
}

static void others_than_used_ones_do_not_count(void **state)
{
    (void)state;
    static const uint64_t totals[] = {0, 100, 100, 100, 0};
    struct an_ledger *ledger = ledger_of(totals, 5);
    struct an_error why;
    an_fail(&why, AN_TRUNCATED, "cut");
    an_ledger_reject(&ledger->entries[0], &why);
    ledger->entries[4].status = AN_INPUT_EMPTY;
    close_ledger(ledger);
    assert_int_equal(ledger->used, 3);
    assert_int_equal(ledger->rejected, 1);
    assert_int_equal(ledger->empty, 1);
    assert_int_equal(ledger->thin, 0);
    assert_int_equal(ledger->median, 100);
    assert_string_equal(ledger->entries[0].error->what, "cut");
    an_ledger_free(ledger);
}

static void the_total_is_weighted_and_saturates(void **state)
{
    (void)state;
    static const uint64_t totals[] = {10, 20};
    struct an_ledger *ledger = ledger_of(totals, 2);
    ledger->entries[1].weight = 7;
    close_ledger(ledger);
    assert_int_equal(ledger->total_count, 150);
    an_ledger_free(ledger);

    ledger = ledger_of(totals, 2);
    ledger->entries[0].weight = UINT64_MAX;
    close_ledger(ledger);
    assert_true(ledger->total_count == UINT64_MAX);
    an_ledger_free(ledger);
}

static void a_path_named_again_is_repeated(void **state)
{
    (void)state;
    static const uint64_t totals[] = {1, 1, 1, 1};
    struct an_ledger *ledger = ledger_of(totals, 4);
    free(ledger->entries[2].path);
    assert_true(an_ledger_name(ledger, 2, "run0", 5));
    close_ledger(ledger);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(ledger->entries[i].repeated, i == 2);
    assert_int_equal(ledger->repeated, 1);
    an_ledger_free(ledger);
}

static void nothing_at_all(void **state)
{
    (void)state;
    struct an_ledger *ledger = ledger_of(NULL, 0);
    close_ledger(ledger);
    assert_int_equal(ledger->used + ledger->median + ledger->total_count, 0);
    an_ledger_free(ledger);
    an_ledger_free(NULL);
}

static void statuses_have_names(void **state)
{
    (void)state;
    assert_string_equal(an_input_status_name(AN_INPUT_PENDING), "pending");
    assert_string_equal(an_input_status_name(AN_INPUT_USED), "used");
    assert_string_equal(an_input_status_name(AN_INPUT_REJECTED), "rejected");
    assert_string_equal(an_input_status_name(AN_INPUT_EMPTY), "empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin_is_less_than_a_tenth_of_the_median),
        cmocka_unit_test(others_than_used_ones_do_not_count),
        cmocka_unit_test(the_total_is_weighted_and_saturates),
        cmocka_unit_test(a_path_named_again_is_repeated),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(statuses_have_names),
    };
    return RUN_TESTS(tests);
}
