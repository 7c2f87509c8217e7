/* What is found out about processes, with real ones; and /proc's texts, with made-up lines. */
#include "support/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/proc.h"
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

/* At each byte, the one thread that runs ends, and another one begins: as many as before. */
static _Atomic int over;

static void *run_until_over(void *unused)
{
    while (!over)
        ;
    return unused;
}

static int commands; /* the end of a pipe to the program */

static void replaces_its_thread(int ready)
{
    pthread_t thread;
    char byte;
    pthread_create(&thread, NULL, run_until_over, NULL);
    while (write(ready, "", 1) == 1 && read(commands, &byte, 1) == 1) {
        over = 1;
        pthread_join(thread, NULL);
        over = 0;
        pthread_create(&thread, NULL, run_until_over, NULL);
    }
}

/* At a byte, it has a grandchild that runs. */
static void has_grandchild(int ready)
{
    char byte;
    if (write(ready, "", 1) != 1 || read(commands, &byte, 1) != 1)
        return;
    for (int generation = 0; generation < 2; generation++) {
        if (fork() != 0)
            sleep(20);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    if (write(ready, "", 1) == 1)
        spin(20);
}

/* At a byte, it executes another program, which runs. */
static void executes(int ready)
{
    char byte;
    if (write(ready, "", 1) == 1 && read(commands, &byte, 1) == 1)
        execl("/bin/sh", "sh", "-c", "while :; do :; done", (char *)NULL);
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
    assert_int_equal(an_tasks_open(pid, children, true, writer, &tasks, &error), AN_OK);
    return tasks;
}

/* ---- cases ---- */

static void picks_those_that_run(void **state)
{
    int ready;
    int32_t first = 0, second = 0;
    size_t picked[2] = {0}, others = 0;
    uint64_t random = 7;
    pid_t pid = start(threads, &ready);
    struct an_perf_writer *writer = open_writer();
    struct an_tasks *tasks = watch(pid, false, writer);
    (void)state;
    assert_int_equal(an_tasks_threads(tasks), 4);
    assert_int_equal(an_tasks_active(tasks), 4);                   /* all that are new */
    for (int i = 0; i < 100 && an_tasks_active(tasks) != 2; i++) { /* on a busy machine, not soon */
        usleep(50000);
        an_tasks_look(tasks, 2);
    }
    assert_int_equal(an_tasks_active(tasks), 2);
    for (int i = 0; i < 400; i++) {
        struct an_perf_thread thread = an_tasks_pick(tasks, 0, 1, &random);
        if (!first)
            first = thread.tid;
        if (!second && thread.tid != first)
            second = thread.tid;
        picked[0] += thread.tid && thread.tid == first;
        picked[1] += thread.tid && thread.tid == second;
        others += thread.tid && thread.tid != first && thread.tid != second;
    }
    assert_true(first && second && first != pid && second != pid);
    assert_int_equal(others, 0);
    check(picked[0] > 140 && picked[1] > 140, "%zu and %zu", picked[0], picked[1]);
    for (int i = 0; i < 50; i++) { /* both in turn */
        first = an_tasks_pick(tasks, 0, 1, &random).tid;
        second = an_tasks_pick(tasks, 1, 1, &random).tid;
        assert_true(first && second && first != second);
    }
    an_tasks_free(tasks);
    an_perf_writer_drop(writer);
    stop(pid, ready);
}

/* Starts a program that waits for commands. */
static pid_t start_commanded(void (*program)(int ready), int *ready, int *command)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    commands = ends[0];
    pid_t pid = start(program, ready);
    close(ends[0]);
    *command = ends[1];
    return pid;
}

static void give_command(int command, int ready)
{
    char byte;
    assert_int_equal(write(command, "", 1), 1);
    if (ready >= 0)
        assert_int_equal(read(ready, &byte, 1), 1);
}

/* Whoever is picked when there is only one to pick, besides `first` and `last`: these may still run
 * for a moment (a thread that was joined is on its way out), as the other one may not run yet. */
static struct an_perf_thread pick_one(struct an_tasks *tasks, uint64_t *random, int32_t first,
                                      int32_t last)
{
    struct an_perf_thread thread = {0};
    bool found = false;
    for (int i = 0; i < 200 && !found; i++) {
        if (i)
            usleep(5000);
        an_tasks_refresh(tasks, 1);
        for (size_t j = 0; j < an_tasks_active(tasks) && !found; j++) {
            thread = an_tasks_pick(tasks, j, 1, random);
            found = thread.tid && thread.tid != first && thread.tid != last;
        }
    }
    check(found, "picked %d; the first was %d, the last %d", thread.tid, first, last);
    return thread;
}

static void finds_new_threads_at_once(void **state)
{
    enum { TIMES = 20 };
    int ready, command;
    int32_t last = 0;
    uint64_t random = 7;
    pid_t pid = start_commanded(replaces_its_thread, &ready, &command);
    struct an_perf_writer *writer = open_writer();
    struct an_tasks *tasks = watch(pid, false, writer);
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        last = pick_one(tasks, &random, pid, last).tid;
        give_command(command, ready);
    }
    assert_int_equal(an_tasks_threads(tasks), TIMES + 1);
    an_tasks_free(tasks);
    an_perf_writer_drop(writer);
    close(command);
    stop(pid, ready);
}

static void finds_grandchildren_at_once(void **state)
{
    int ready, command;
    uint64_t random = 7;
    pid_t pid = start_commanded(has_grandchild, &ready, &command);
    struct an_perf_writer *writer = open_writer();
    struct an_tasks *tasks = watch(pid, true, writer);
    (void)state;
    assert_int_equal(an_tasks_processes(tasks), 1);
    give_command(command, ready);
    struct an_perf_thread thread = pick_one(tasks, &random, pid, 0);
    assert_int_equal(thread.tid, thread.pid);
    assert_int_equal(an_tasks_processes(tasks), 3);
    assert_true(an_tasks_knows(tasks, thread.pid, (uint64_t)(uintptr_t)&spin));
    an_tasks_free(tasks);
    an_perf_writer_drop(writer);
    close(command);
    stop(pid, ready);
}

static void notices_another_program(void **state)
{
    int ready, command;
    uint64_t random = 7;
    pid_t pid = start_commanded(executes, &ready, &command);
    struct an_perf_writer *writer = open_writer();
    struct an_tasks *tasks = watch(pid, false, writer);
    (void)state;
    assert_true(an_tasks_knows(tasks, pid, (uint64_t)(uintptr_t)&executes));
    give_command(command, -1);
    assert_int_equal(pick_one(tasks, &random, 0, 0).tid, pid);
    usleep(50000); /* it may have been picked just before the exec */
    assert_int_equal(pick_one(tasks, &random, 0, 0).tid, pid);
    assert_false(an_tasks_knows(tasks, pid, (uint64_t)(uintptr_t)&executes));
    an_tasks_free(tasks);
    an_perf_writer_drop(writer);
    close(command);
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
    assert_true(an_tasks_in_vdso(tasks, getpid(), end));
    assert_false(an_tasks_in_vdso(tasks, getpid(), end - 1));
    assert_false(an_tasks_in_vdso(tasks, getpid(), (uint64_t)(uintptr_t)&knows_mappings));
    an_tasks_free(tasks);
    an_perf_writer_drop(writer);
}

static void refuses_what_is_no_process(void **state)
{
    struct an_error error;
    struct an_tasks *tasks;
    (void)state;
    assert_int_equal(an_tasks_open(1 << 22, false, true, NULL, &tasks, &error), AN_USAGE);
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
    struct an_proc_now now;
    assert_true(an_proc_now(file, &now));
    assert_int_equal(now.state, 'R');
    assert_true(now.cpu >= 0 && now.cpu < sysconf(_SC_NPROCESSORS_CONF));
    check(now.stack >= (uint64_t)(uintptr_t)&now, "%llx", (unsigned long long)now.stack);
    close(file);
}

static void parses_mappings(void **state)
{
    char file[] = "55f0-66f0 r-xp 00001000 fe:01 1234    /a path/with spaces (deleted)";
    char nameless[] = "7f00-7f10 rwxs 00000000 00:00 0 ";
    char none[] = "not a mapping";
    struct an_proc_map mapping;
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
        cmocka_unit_test(finds_new_threads_at_once),
        cmocka_unit_test(finds_children_when_asked),
        cmocka_unit_test(finds_grandchildren_at_once),
        cmocka_unit_test(notices_another_program),
        cmocka_unit_test(notices_the_end),
        cmocka_unit_test(knows_mappings),
        cmocka_unit_test(refuses_what_is_no_process),
        cmocka_unit_test(reads_odd_names),
        cmocka_unit_test(parses_mappings),
    };
    return RUN_TESTS(tests);
}
