/* counters.c of lib/work: entries into a function of this process, in threads that come and go. */
#include "work/counters.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "support/test.h"
#include "work/breakpoint.h"

static atomic_ulong calls;

__attribute__((noinline)) static void entered(void)
{
    atomic_fetch_add(&calls, 1);
}

static void call(unsigned number)
{
    for (unsigned i = 0; i < number; i++)
        entered();
}

/* Skips the case where breakpoints cannot be had, or where a virtual machine grants them and does not let them count. */
static struct an_counters *opened(bool inherits)
{
    uint64_t address = (uint64_t)(uintptr_t)entered;
    struct an_counters *counters = NULL;
    struct an_error error;
    char text[2048];
    double cost;
    enum an_code code = an_breakpoint_cost(&cost, &error);
    if (code == AN_OK)
        code = an_counters_open(getpid(), &address, 1, inherits, &counters, &error);
    if (code == AN_SYSTEM || code == AN_UNSUPPORTED) {
        print_message("# %s\n", an_error_format(&error, text, sizeof text));
        skip();
    }
    check(code == AN_OK, "%s", an_error_format(&error, text, sizeof text));
    return counters;
}

static struct an_work_reading reading_of(struct an_counters *counters)
{
    struct an_work_reading reading;
    struct an_error error;
    assert_int_equal(an_counters_read(counters, &reading, &error), AN_OK);
    return reading;
}

/* ---- one thread ---- */

static void counts_and_pauses(void **state)
{
    struct an_counters *counters = opened(true);
    (void)state;
    call(100);
    struct an_work_reading one = reading_of(counters);
    assert_int_equal(one.entries[0], 100);
    assert_true(one.cpu > 0);
    an_counters_pause(counters, true);
    one = reading_of(counters);
    call(50);
    struct an_work_reading two = reading_of(counters);
    assert_int_equal(two.entries[0], 100);
    assert_int_equal(two.cpu, one.cpu);
    assert_true(two.wall > one.wall);
    an_counters_pause(counters, false);
    call(25);
    assert_int_equal(reading_of(counters).entries[0], 125);
    an_counters_close(counters);
}

static void no_such_process(void **state)
{
    uint64_t address = (uint64_t)(uintptr_t)entered;
    struct an_counters *counters;
    struct an_error error;
    (void)state;
    enum { NOBODY = 1 << 30 };
    assert_int_not_equal(an_counters_open(NOBODY, &address, 1, true, &counters, &error), AN_OK);
    assert_null(counters);
    an_counters_close(NULL);
}

/* ---- threads ---- */

static pthread_barrier_t meeting;

/* Calls once before the others look, and once after. */
static void *call_twice(void *ignored)
{
    (void)ignored;
    call(10);
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    call(20);
    return NULL;
}

static void threads_that_come_later(bool inherits)
{
    pthread_t thread;
    pthread_barrier_init(&meeting, NULL, 2);
    struct an_counters *counters = opened(inherits);
    assert_int_equal(pthread_create(&thread, NULL, call_twice, NULL), 0);
    pthread_barrier_wait(&meeting);
    assert_int_equal(reading_of(counters).entries[0], inherits ? 10 : 0);
    pthread_barrier_wait(&meeting);
    pthread_join(thread, NULL);
    assert_int_equal(reading_of(counters).entries[0], inherits ? 30 : 20);
    an_counters_close(counters);
    pthread_barrier_destroy(&meeting);
}

static void inherited(void **state)
{
    (void)state;
    threads_that_come_later(true);
}

/* As on kernels that cannot: a thread counts from the next look on. */
static void looked_for(void **state)
{
    (void)state;
    threads_that_come_later(false);
}

/* ---- threads that come while the events are opened ---- */

enum { LINES = 4 };

static atomic_bool goes_on, ends;
static atomic_int resting, living;
static atomic_uint openings;

/* A line of threads, each of which starts the next one, and calls. While it may not go on it rests; and it stays until
 * the events are open. If that takes long, on a machine that has much to do, threads must not come faster than events
 * are opened for them. */
static void *follow_on(void *line)
{
    enum { MOST = 400 };
    pthread_t next;
    unsigned opening = openings;
    atomic_fetch_add(&living, 1);
    call(3);
    usleep(1000); /* awaits nothing: so threads begin one after the other, not all at once */
    while (living > MOST && goes_on && openings == opening && !ends)
        usleep(1000); /* between two looks at that */
    if (!goes_on) {
        atomic_fetch_add(&resting, 1);
        while (!goes_on && !ends)
            usleep(100);
        atomic_fetch_sub(&resting, 1);
    }
    if (!ends && pthread_create(&next, NULL, follow_on, line) == 0)
        pthread_detach(next);
    else
        pthread_barrier_wait(line);
    while (openings == opening && !ends)
        usleep(1000);
    atomic_fetch_sub(&living, 1);
    return NULL;
}

static void rest(void)
{
    goes_on = false;
    while (resting < LINES)
        usleep(100);
}

static void resume(void)
{
    goes_on = true;
    while (resting > 0)
        usleep(100);
}

/* Whoever has the events twice, or not at all, spoils the sum. */
static void threads_that_come_meanwhile(void **state)
{
    enum { ROUNDS = 20 };
    pthread_barrier_t over;
    pthread_t first;
    (void)state;
    an_counters_close(opened(true)); /* or skips */
    pthread_barrier_init(&over, NULL, LINES + 1);
    ends = false;
    goes_on = true;
    for (int i = 0; i < LINES; i++) {
        assert_int_equal(pthread_create(&first, NULL, follow_on, &over), 0);
        pthread_detach(first);
    }
    for (int i = 0; i < ROUNDS; i++) {
        struct an_counters *counters = opened(true);
        openings++;
        rest();
        uint64_t before = reading_of(counters).entries[0], calls_before = calls;
        resume();
        usleep(10000); /* some threads or many: the sum is the same */
        rest();
        uint64_t counted = reading_of(counters).entries[0] - before;
        check(counted == calls - calls_before, "round %d: %llu of %llu", i,
              (unsigned long long)counted, (unsigned long long)(calls - calls_before));
        an_counters_close(counters);
        resume();
    }
    ends = true;
    pthread_barrier_wait(&over);
    while (living > 0) /* they are detached, and the barrier lies on this stack */
        usleep(100);
    pthread_barrier_destroy(&over);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_pauses),
        cmocka_unit_test(no_such_process),
        cmocka_unit_test(inherited),
        cmocka_unit_test(looked_for),
        cmocka_unit_test(threads_that_come_meanwhile),
    };
    return RUN_TESTS(tests);
}
