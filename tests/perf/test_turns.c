/* lib/perf/turns: the order of turns, the end, and which failure is told. */
#include "perf/turns.h"

#include <sched.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "support/test.h"

enum { PIECES = 3000 };

struct work {
    struct an_turns turns;
    uint64_t order[PIECES + 1]; /* in which turns were had */
    size_t had;
    atomic_int done[PIECES + 1]; /* finished apart */
    uint64_t finish_at, fail_in_turn[2], fail_apart[2];
};

static struct an_error failure(uint64_t ticket)
{
    struct an_error error;
    an_fail_at(&error, AN_MALFORMED, ticket, "at %llu", (unsigned long long)ticket);
    return error;
}

static bool is_one_of(const uint64_t *two, uint64_t ticket)
{
    return two[0] == ticket || two[1] == ticket;
}

static void work(void *context, size_t thread)
{
    struct work *work = context;
    uint64_t ticket;
    (void)thread;
    while (an_turns_take(&work->turns, &ticket)) {
        struct an_error error = failure(ticket);
        if (ticket % 7 == 0)
            sched_yield();
        if (!an_turns_wait(&work->turns, ticket))
            return;
        work->order[work->had++] = ticket; /* in turn: no lock needed */
        if (is_one_of(work->fail_in_turn, ticket)) {
            an_turns_fail(&work->turns, ticket, &error);
            return;
        }
        if (ticket == work->finish_at)
            an_turns_finish(&work->turns, ticket);
        an_turns_pass(&work->turns, ticket);
        if (is_one_of(work->fail_apart, ticket))
            an_turns_fail(&work->turns, ticket, &error);
        atomic_fetch_add(&work->done[ticket], 1);
    }
}

static struct work *run(unsigned threads, struct work start, struct an_error *error,
                        enum an_code *code)
{
    struct work *all = malloc(sizeof *all);
    assert_non_null(all);
    *all = start;
    *error = (struct an_error){0};
    an_turns_begin(&all->turns, error);
    an_pool_run(threads, threads, work, all);
    *code = an_turns_end(&all->turns);
    for (size_t i = 0; i < all->had; i++)
        check(all->order[i] == i, "turn %zu was had by %llu", i, (unsigned long long)all->order[i]);
    return all;
}

static void each_has_its_turn(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 5; threads++) {
        struct an_error error;
        enum an_code code;
        struct work *all = run(threads,
                               (struct work){.finish_at = PIECES - 1,
                                             .fail_in_turn = {UINT64_MAX, UINT64_MAX},
                                             .fail_apart = {UINT64_MAX, UINT64_MAX}},
                               &error, &code);
        assert_int_equal(code, AN_OK);
        assert_int_equal(all->had, PIECES);
        for (size_t i = 0; i < PIECES; i++)
            assert_int_equal(all->done[i], 1);
        free(all);
    }
}

static void the_first_failure_is_told(void **state)
{
    (void)state;
    static const struct {
        uint64_t in_turn[2], apart[2], first;
    } cases[] = {
        {{500, 400}, {UINT64_MAX, UINT64_MAX}, 400},
        {{500, UINT64_MAX}, {498, 499}, 498},
        {{UINT64_MAX, UINT64_MAX}, {300, 301}, 300},
        {{0, 1}, {0, 1}, 0},
    };
    for (unsigned turn = 0; turn < 200; turn++)
        for (size_t i = 0; i < 4; i++) {
            struct an_error error;
            enum an_code code;
            struct work start = {.finish_at = 600};
            memcpy(start.fail_in_turn, cases[i].in_turn, sizeof start.fail_in_turn);
            memcpy(start.fail_apart, cases[i].apart, sizeof start.fail_apart);
            struct work *all = run(1 + turn % 5, start, &error, &code);
            assert_int_equal(code, AN_MALFORMED);
            check(error.offset == cases[i].first, "%llu, expected %llu",
                  (unsigned long long)error.offset, (unsigned long long)cases[i].first);
            for (size_t k = 0; k < cases[i].first; k++) /* what is before it is done */
                assert_int_equal(all->done[k], 1);
            free(all);
        }
}

static void nothing_to_do(void **state)
{
    (void)state;
    struct an_turns turns;
    struct an_error error;
    uint64_t ticket;
    an_turns_begin(&turns, &error);
    turns.end = 0;
    assert_false(an_turns_take(&turns, &ticket));
    assert_int_equal(an_turns_end(&turns), AN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_turn),
        cmocka_unit_test(the_first_failure_is_told),
        cmocka_unit_test(nothing_to_do),
    };
    return RUN_TESTS(tests);
}
