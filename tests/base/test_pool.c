/* lib/base/pool: every task runs once, whatever the number of threads. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "support/test.h"

enum { TASKS = 5000 };

struct work {
    atomic_int runs[TASKS];
    atomic_int by_caller;
    pthread_t caller;
};

static void task(void *context, size_t index)
{
    struct work *work = context;
    atomic_fetch_add(&work->runs[index], 1);
    if (pthread_equal(pthread_self(), work->caller))
        atomic_fetch_add(&work->by_caller, 1);
}

static void every_task_runs_once(void **state)
{
    (void)state;
    static const unsigned threads[] = {0, 1, 2, 8, 1000};
    static const size_t counts[] = {0, 1, 3, TASKS};
    static struct work work;
    for (size_t t = 0; t < 5; t++)
        for (size_t c = 0; c < 4; c++) {
            memset(&work, 0, sizeof work);
            work.caller = pthread_self();
            an_pool_run(threads[t], counts[c], task, &work);
            for (size_t i = 0; i < TASKS; i++)
                check(work.runs[i] == (i < counts[c]), "%u threads, task %zu ran %d times",
                      threads[t], i, work.runs[i]);
            if (threads[t] <= 1)
                assert_int_equal(work.by_caller, counts[c]);
        }
}

#ifndef WITH_ADDRESS_SANITIZER /* which needs memory for itself */
static void runs_without_new_threads(void **state)
{
    (void)state;
    static struct work work;
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    none = before;
    none.rlim_cur = 1; /* no stack for another thread */
    memset(&work, 0, sizeof work);
    work.caller = pthread_self();
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    an_pool_run(8, 100, task, &work);
    setrlimit(RLIMIT_AS, &before);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(work.runs[i], 1);
}
#endif

static void counts_the_processors_it_may_use(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(an_pool_processors(), CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(an_pool_processors(), 1);
    sched_setaffinity(0, sizeof before, &before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
#ifndef WITH_ADDRESS_SANITIZER
        cmocka_unit_test(runs_without_new_threads),
#endif
        cmocka_unit_test(counts_the_processors_it_may_use),
    };
    return RUN_TESTS(tests);
}
