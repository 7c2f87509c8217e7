/* What is found out about processes, with real ones; and /proc's texts, with made-up lines. */
#include "support/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/proc.h"
#include "record/tasks.h"

/* ---- programs to look at ---- */

static void spin(double seconds)
{
    struct timespec time;
    double until = 0, now;
    do {
        clock_gettime(CLOCK_MONOTONIC, &time);
        now = (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
        until = until > 0 ? until : now + seconds;
    } while (now < until);
}

static void *run_for_ever(void *unused)
{
    spin(20);
    return unused;
}

static void *sleep_for_ever(void *unused)
{
    sleep(20);
    return unused;
}

/* Runs a function in a child process, which tells by a pipe that it is ready. */
static pid_t start(void (*program)(int ready), int *ready)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        program(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    *ready = ends[0];
    return pid;
}

static void stop(pid_t pid, int ready)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ready);
}

/* Two threads that run and two that do not, one of them the first. */
static void threads(int ready)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run_for_ever, NULL);
    pthread_create(&thread, NULL, run_for_ever, NULL);
    pthread_create(&thread, NULL, sleep_for_ever, NULL);
    usleep(50000);
    if (write(ready, "", 1) == 1)
        sleep(20);
}

static void family(int ready)
{
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        spin(20);
        _exit(0);
    }
    if (write(ready, "", 1) == 1)
        sleep(20);
}

/* ---- a recording that goes nowhere ---- */

static struct an_perf_writer *open_writer(void)
{
    struct an_error error;
    struct an_perf_writer *writer;
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
                                   .sample_id_all = 1};
    assert_int_equal(an_perf_writer_open("/dev/null", &attr, "test", &writer, &error), AN_OK);
    return writer;
}

static struct an_tasks *watch(pid_t pid, bool children, struct an_perf_writer *writer)
{
    struct an_error error;
    struct an_tasks *tasks;
    assert_int_equal(an_tasks_open(pid, children, writer, &tasks, &error), AN_OK);
    return tasks;
}

static bool skip_one(void *context, int32_t tid)
{
    return tid == *(int32_t *)context;
}

/* ---- cases ---- */

static void picks_those_that_run(void **state)
{
    int ready;
    int32_t skipped = 0, first = 0, second = 0;
    size_t picked[2] = {0}, others = 0;
    uint64_t random = 7;
    pid_t pid = start(threads, &ready);
    struct an_perf_writer *writer = open_writer();
    struct an_tasks *tasks = watch(pid, false, writer);
    (void)state;
    assert_int_equal(an_tasks_threads(tasks), 4);
    for (int i = 0; i < 400; i++) {
        struct an_perf_thread thread = an_tasks_pick(tasks, &random, skip_one, &skipped);
        if (!first)
            first = thread.tid;
        if (!second && thread.tid != first)
            second = thread.tid;
        picked[0] += thread.tid == first;
        picked[1] += thread.tid == second;
        others += thread.tid != first && thread.tid != second;
    }
    assert_true(first && second && first != pid && second != pid);
    assert_int_equal(others, 0);
    check(picked[0] > 140 && picked[1] > 140, "%zu and %zu", picked[0], picked[1]);
    skipped = first;
    for (int i = 0; i < 50; i++)
        assert_int_equal(an_tasks_pick(tasks, &random, skip_one, &skipped).tid, second);
    an_tasks_free(tasks);
    an_perf_writer_drop(writer);
    stop(pid, ready);
}

static void finds_children_when_asked(void **state)
{
    int ready;
    pid_t pid = start(family, &ready);
    struct an_perf_writer *writer = open_writer();
    struct an_tasks *alone = watch(pid, false, writer), *all = watch(pid, true, writer);
    (void)state;
    assert_int_equal(an_tasks_processes(alone), 1);
    assert_int_equal(an_tasks_processes(all), 2);
    uint64_t before = an_tasks_run_time(all);
    usleep(100000);
    assert_true(an_tasks_run_time(all) > before);
    an_tasks_free(alone);
    an_tasks_free(all);
    an_perf_writer_drop(writer);
    stop(pid, ready);
}

static void notices_the_end(void **state)
{
    int ready;
    pid_t pid = start(family, &ready);
    struct an_perf_writer *writer = open_writer();
    struct an_tasks *tasks = watch(pid, false, writer);
    (void)state;
    assert_true(an_tasks_look(tasks, 1));
    kill(pid, SIGKILL);
    usleep(50000);
    assert_false(an_tasks_look(tasks, 2)); /* a zombie has ended, too */
    an_tasks_free(tasks);
    an_perf_writer_drop(writer);
    stop(pid, ready);
}

static void knows_mappings(void **state)
{
    uint64_t start, end;
    struct an_perf_writer *writer = open_writer();
    struct an_tasks *tasks = watch(getpid(), false, writer);
    (void)state;
    assert_true(an_tasks_knows(tasks, getpid(), (uint64_t)(uintptr_t)&knows_mappings));
    assert_false(an_tasks_knows(tasks, getpid(), 16));
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_false(an_tasks_knows(tasks, getpid(), (uint64_t)(uintptr_t)code));
    an_tasks_look_at_mappings(tasks, getpid(), 1);
    assert_true(an_tasks_knows(tasks, getpid(), (uint64_t)(uintptr_t)code));
    munmap(code, 4096);
    an_tasks_vvar(tasks, getpid(), &start, &end);
    assert_true(start < end && end - start < 64 * 4096);
    an_tasks_free(tasks);
    an_perf_writer_drop(writer);
}

static void refuses_what_is_no_process(void **state)
{
    struct an_error error;
    struct an_tasks *tasks;
    (void)state;
    assert_int_equal(an_tasks_open(1 << 22, false, NULL, &tasks, &error), AN_USAGE);
    assert_null(tasks);
}

static void reads_odd_names(void **state)
{
    struct an_proc_stat stat;
    (void)state;
    prctl(PR_SET_NAME, "a) R (b c");
    assert_true(an_proc_stat(getpid(), 0, &stat));
    assert_string_equal(stat.name, "a) R (b c");
    assert_int_equal(stat.state, 'R');
    assert_int_equal(stat.parent, getppid());
    assert_true(stat.start > 0);
    int file = an_proc_open(getpid(), getpid(), "stat");
    assert_int_equal(an_proc_state(file), 'R');
    close(file);
}

static void parses_mappings(void **state)
{
    char file[] = "55f0-66f0 r-xp 00001000 fe:01 1234    /a path/with spaces (deleted)";
    char nameless[] = "7f00-7f10 rwxs 00000000 00:00 0 ";
    char none[] = "not a mapping";
    struct an_perf_mapping mapping;
    (void)state;
    assert_true(an_proc_mapping(file, &mapping));
    assert_int_equal(mapping.start, 0x55f0);
    assert_int_equal(mapping.size, 0x1100);
    assert_int_equal(mapping.offset, 0x1000);
    assert_int_equal(mapping.major, 0xfe);
    assert_int_equal(mapping.inode, 1234);
    assert_int_equal(mapping.protection, PROT_READ | PROT_EXEC);
    assert_int_equal(mapping.flags, MAP_PRIVATE);
    assert_string_equal(mapping.path, "/a path/with spaces (deleted)");
    assert_true(an_proc_mapping(nameless, &mapping));
    assert_string_equal(mapping.path, "//anon");
    assert_int_equal(mapping.flags, MAP_SHARED);
    assert_false(an_proc_mapping(none, &mapping));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picks_those_that_run),
        cmocka_unit_test(finds_children_when_asked),
        cmocka_unit_test(notices_the_end),
        cmocka_unit_test(knows_mappings),
        cmocka_unit_test(refuses_what_is_no_process),
        cmocka_unit_test(reads_odd_names),
        cmocka_unit_test(parses_mappings),
    };
    return RUN_TESTS(tests);
}
