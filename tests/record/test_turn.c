/* Whose turn it is to record: shares of hosts and of hours, by names and hours that are fixed. */
#include <anneal/record.h>

#include "support/test.h"

enum { HOUR = 3600, NOW = 1800000000 - 1800000000 % HOUR };

static bool is_turn(int number, int64_t seconds, double rate)
{
    char host[32];
    snprintf(host, sizeof host, "host%d.example", number);
    return an_record_is_turn(host, seconds, rate);
}

/* In each hour a hundredth of the hosts records, which are others in the next. */
static void a_share_of_the_hosts(void **state)
{
    (void)state;
    enum { HOSTS = 20000, HOURS = 24 };
    unsigned both = 0;
    for (int hour = 0; hour < HOURS; hour++) {
        unsigned chosen = 0;
        for (int host = 0; host < HOSTS; host++) {
            bool now = is_turn(host, NOW + hour * HOUR, 0.01);
            chosen += now;
            both += now && is_turn(host, NOW + (hour + 1) * HOUR, 0.01);
        }
        check(chosen > 130 && chosen < 270, "%u of 20,000 (5 deviations from 200)", chosen);
    }
    check(both > 15 && both < 90, "%u in two hours of 24 x 20,000 (48 expected)", both);
}

static void a_share_of_the_hours(void **state)
{
    (void)state;
    for (int host = 0; host < 20; host++) {
        unsigned turns = 0;
        for (int hour = 0; hour < 5000; hour++)
            turns += is_turn(host, NOW + (int64_t)hour * HOUR, 0.1);
        check(turns > 390 && turns < 610, "host %d: %u of 5,000 (5 deviations from 500)", host,
              turns);
    }
}

static void the_hour_decides(void **state)
{
    (void)state;
    for (int host = 0; host < 100; host++)
        for (int second = 0; second < HOUR; second += 599) {
            assert_int_equal(is_turn(host, NOW + second, 0.5), is_turn(host, NOW, 0.5));
            assert_int_equal(is_turn(host, -NOW + second, 0.5), is_turn(host, -NOW, 0.5));
        }
}

static void whoever_has_it_keeps_it_by_a_higher_rate(void **state)
{
    (void)state;
    for (int host = 0; host < 2000; host++) {
        assert_true(is_turn(host, NOW, 1));
        assert_true(!is_turn(host, NOW, 0.01) || is_turn(host, NOW, 0.02));
        assert_true(!is_turn(host, NOW, 0.02) || is_turn(host, NOW, 0.5));
    }
}

static void the_next_turn_is_the_next_one(void **state)
{
    (void)state;
    for (int number = 0; number < 50; number++) {
        char host[32];
        snprintf(host, sizeof host, "host%d.example", number);
        int64_t next = an_record_next_turn(host, NOW + 77, 0.05);
        assert_true(next > NOW && next % HOUR == 0);
        assert_true(an_record_is_turn(host, next, 0.05));
        for (int64_t hour = NOW + HOUR; hour < next; hour += HOUR)
            assert_false(an_record_is_turn(host, hour, 0.05));
    }
    assert_int_equal(an_record_next_turn("host", NOW, 1e-15), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_the_hosts),
        cmocka_unit_test(a_share_of_the_hours),
        cmocka_unit_test(the_hour_decides),
        cmocka_unit_test(whoever_has_it_keeps_it_by_a_higher_rate),
        cmocka_unit_test(the_next_turn_is_the_next_one),
    };
    return RUN_TESTS(tests);
}
