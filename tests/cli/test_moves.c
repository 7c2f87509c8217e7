/* cli/core/moves: a counter is read where it moves. */
#include "../../cli/core/moves.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/test.h"

static const volatile int stop = 0;
static const uint64_t second = 1000000000;

static char name[] = "moves-XXXXXX", source[64];

/* Adds 10 once in a while, or all the time, by other files that take its place. */
struct counting {
    long pause; /* nanoseconds */
    atomic_bool ends;
};

static void write_count(unsigned count)
{
    char other[64];
    snprintf(other, sizeof other, "%s.new", name);
    FILE *file = fopen(other, "w");
    assert_non_null(file);
    fprintf(file, "served %u requests\n", count);
    fclose(file);
    assert_int_equal(rename(other, name), 0);
}

static void *count(void *context)
{
    struct counting *counting = context;
    const struct timespec pause = {0, counting->pause};
    for (unsigned number = 10; !counting->ends; number += 10) {
        nanosleep(&pause, NULL);
        write_count(number);
    }
    return NULL;
}

static struct moves moves_of(void)
{
    return (struct moves){.source = source, .pid = getpid(), .patience = 300, .stop = &stop};
}

/* Reads it some times. */
static void follow(struct moves *moves, long pause)
{
    enum { READINGS = 6 };
    struct counting counting = {.pause = pause};
    struct an_work_reading reading, before = {0};
    struct an_error error;
    pthread_t thread;
    bool has_moved;
    write_count(0);
    check(moves_begin(moves, &error) == AN_OK, "%s", error.what);
    assert_int_equal(pthread_create(&thread, NULL, count, &counting), 0);
    for (int i = 0; i < READINGS; i++) {
        enum an_code code =
            moves_await(moves, an_clock_now() + 300 * second, &reading, &has_moved, &error);
        check(code == AN_OK && has_moved, "%s", code == AN_OK ? "it stood still" : error.what);
        check(reading.entries[0] % 10 == 0 && reading.entries[0] > before.entries[0], "%u",
              (unsigned)reading.entries[0]);
        check(reading.cpu >= before.cpu && reading.wall == reading.cpu, "reading %d", i);
        before = reading;
    }
    counting.ends = true;
    pthread_join(thread, NULL);
}

static void in_steps(void **state)
{
    struct moves moves = moves_of();
    (void)state;
    follow(&moves, 50000000);
    assert_true(moves.moved >= 6 && moves.stood > 0);
    assert_true(moves_next(&moves) >= moves.moved_at);
}

static void all_the_time(void **state)
{
    struct moves moves = moves_of();
    (void)state;
    follow(&moves, 1000);
    assert_true(moves.moved >= 6);
}

static void stands_still(void **state)
{
    struct moves moves = moves_of();
    struct an_work_reading reading;
    struct an_error error;
    bool has_moved = true;
    (void)state;
    write_count(5);
    check(moves_begin(&moves, &error) == AN_OK, "%s", error.what);
    assert_int_equal(moves_await(&moves, an_clock_now(), &reading, &has_moved, &error), AN_OK);
    assert_false(has_moved);
    assert_true(moves_next(&moves) == 0);
    moves.pid = 4194305; /* there is none */
    assert_int_equal(moves_await(&moves, an_clock_now(), &reading, &has_moved, &error), AN_OK);
    assert_true(moves.is_over && !has_moved);
    unlink(name);
    assert_int_equal(moves_await(&moves, an_clock_now(), &reading, &has_moved, &error), AN_SYSTEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_steps),
        cmocka_unit_test(all_the_time),
        cmocka_unit_test(stands_still),
    };
    int file = mkstemp(name);
    if (file < 0)
        return 1;
    close(file);
    snprintf(source, sizeof source, "file:%s#served", name);
    int failed = RUN_TESTS(tests);
    unlink(name);
    return failed;
}
