/* Looks at threads: a tenth of the budget, and never too seldom. */
#include "support/test.h"

#include "record/looks.h"

enum { MS = 1000000 };

static const uint64_t second = 1000000000;

struct work {
    double rate;   /* run time in a unit of time */
    uint64_t cost; /* of a look */
};

/* What looks cost in so many seconds, as a share of the budget. */
static double share_of_budget(const struct work *work, double overhead, uint64_t seconds,
                              uint64_t *count)
{
    struct an_looks looks;
    uint64_t time = 5 * second, end = time + seconds * second, spent = 0;
    an_looks_start(&looks, overhead, time, 0);
    for (*count = 0; time < end; ++*count) {
        spent += work->cost;
        time += an_looks_wait(&looks, work->cost, time,
                              (uint64_t)((double)(time - 5 * second) * work->rate));
    }
    return (double)spent / (overhead * work->rate * (double)(time - 5 * second));
}

/* Cheap ones come four times a second. */
static void often(void **state)
{
    (void)state;
    uint64_t count;
    const struct work work = {.rate = 1, .cost = MS / 10};
    double share = share_of_budget(&work, 0.02, 100, &count);
    assert_in_range(count, 400, 402);
    assert_true(share < 0.021);
}

/* A tenth, for many threads and for a process that hardly runs. */
static void a_tenth(void **state)
{
    (void)state;
    static const struct work works[] = {{2, 3 * MS}, {0.14, MS / 4}, {0.5, MS}};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        uint64_t count;
        double share = share_of_budget(&works[i], 0.02, 1000, &count);
        assert_true(share > 0.098 && share < 0.102);
    }
}

/* Threads that come must be seen, whatever the budget is. */
static void at_least(void **state)
{
    (void)state;
    uint64_t count;
    static const struct work works[] = {{0, MS}, {0.001, MS}, {1, 500 * MS}};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        share_of_budget(&works[i], 0.02, 100, &count);
        assert_in_range(count, 50, 52);
    }
}

/* A budget of half of the time is no reason to compute all the time. */
static void no_more(void **state)
{
    (void)state;
    uint64_t count;
    const struct work work = {.rate = 8, .cost = 5 * MS};
    share_of_budget(&work, 0.5, 100, &count);
    assert_in_range(count, 100, 102);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(often),
        cmocka_unit_test(a_tenth),
        cmocka_unit_test(at_least),
        cmocka_unit_test(no_more),
    };
    return RUN_TESTS(tests);
}
