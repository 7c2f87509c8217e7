/* lib/base/percent: rounded down, whatever the number of places; 100 is all. */
#include "base/percent.h"

#include "support/test.h"

static void expect_text(double percentage, int places, const char *expected)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", places, percentage);
    assert_string_equal(text, expected);
}

static void almost_all_is_not_all(void **state)
{
    (void)state;
    expect_text(an_percent(4002, 4003, 0), 0, "99");
    expect_text(an_percent(4002, 4003, 1), 1, "99.9");
    expect_text(an_percent(4002, 4003, 2), 2, "99.97");
    expect_text(an_percent(4002, 4003, 3), 3, "99.975");
    expect_text(an_percent(UINT64_MAX - 1, UINT64_MAX, 6), 6, "99.999999");
    for (uint64_t whole = 1; whole < 3000; whole++)
        for (unsigned places = 0; places <= 3; places++) {
            assert_true(an_percent(whole - 1, whole, places) < 100);
            assert_true(an_percent(whole, whole, places) == 100);
        }
}

static void what_is_exact_is_shown_so(void **state)
{
    (void)state;
    expect_text(an_percent(0, 7, 2), 2, "0.00");
    expect_text(an_percent(999, 1000, 1), 1, "99.9");
    expect_text(an_percent(29, 100, 2), 2, "29.00"); /* 0.29 * 100 is less than 29 in doubles */
    for (uint64_t part = 0; part <= 10000; part++) {
        char expected[32];
        snprintf(expected, sizeof expected, "%u.%02u", (unsigned)part / 100, (unsigned)part % 100);
        expect_text(an_percent(part, 10000, 2), 2, expected);
    }
}

static void little_is_not_more(void **state)
{
    (void)state;
    expect_text(an_percent(1, 10001, 2), 2, "0.00");
    expect_text(an_percent(1, 10000, 2), 2, "0.01");
    expect_text(an_percent(1, UINT64_MAX, 6), 6, "0.000000");
}

static void there_may_be_no_whole_or_more_than_it(void **state)
{
    (void)state;
    assert_true(an_percent(0, 0, 2) == 0);
    assert_true(an_percent(5, 0, 2) == 0);
    expect_text(an_percent(3, 2, 1), 1, "150.0");
}

static void ratios_that_were_computed(void **state)
{
    (void)state;
    double sum = 0;
    for (int i = 0; i < 10; i++)
        sum += 0.1;
    assert_true(sum < 1); /* all of it, but for rounding */
    expect_text(an_percent_of_ratio(sum, 3), 3, "100.000");
    expect_text(an_percent_of_ratio(0.29, 2), 2, "29.00");
    expect_text(an_percent_of_ratio(4002.0 / 4003, 3), 3, "99.975");
    expect_text(an_percent_of_ratio(0.99999, 0), 0, "99");
    expect_text(an_percent_of_ratio(0, 3), 3, "0.000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(almost_all_is_not_all),
        cmocka_unit_test(what_is_exact_is_shown_so),
        cmocka_unit_test(little_is_not_more),
        cmocka_unit_test(there_may_be_no_whole_or_more_than_it),
        cmocka_unit_test(ratios_that_were_computed),
    };
    return RUN_TESTS(tests);
}
