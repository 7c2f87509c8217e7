/*
 * Stopping all threads of a process, tried on one of our own that gets signals all the time: none is
 * lost, whether the threads are let go or their tracer is killed while it holds them. So are processes
 * of many threads, and of threads that come and go.
 */
#include "live/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live/occupied.h"
#include "process.h"
#include "record/tracee.h"
#include "support/test.h"

enum { THREADS = 3, MANY = 300, ATTEMPTS = 200 };

static const uint64_t patience = 300000000000; /* nanoseconds: five minutes, as tap.sh has */

struct shared {
    volatile uint64_t handled;
    volatile uint64_t interrupted; /* calls that returned EINTR */
    volatile unsigned ready;
    volatile bool has_hands;
};

static struct shared *shared;

static void on_signal(int number)
{
    (void)number;
    __atomic_add_fetch(&shared->handled, 1, __ATOMIC_RELAXED);
}

static void *be_thread(void *how)
{
    __atomic_add_fetch(&shared->ready, 1, __ATOMIC_RELAXED);
    while (shared->ready)
        if (how)
            pause();
    return NULL;
}

/* One thread executes, two wait. */
static void be_target(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t thread;
    sigaction(SIGRTMIN, &action, NULL);
    for (unsigned i = 1; i < THREADS; i++)
        pthread_create(&thread, NULL, be_thread, shared);
    be_thread(NULL);
}

/* A call that a stop interrupts for good, unless it is mended. */
static void *wait_for_events(void *poller)
{
    struct epoll_event event;
    __atomic_add_fetch(&shared->ready, 1, __ATOMIC_RELAXED);
    while (shared->ready) {
        epoll_wait(*(int *)poller, &event, 1, -1);
        __atomic_add_fetch(&shared->interrupted, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Where there are few numbers, those of threads that have just ended may not be free yet. */
static void start_thread(void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int error;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while ((error = pthread_create(&thread, &attributes, run, argument)) == EAGAIN)
        sched_yield();
    if (error)
        _exit(1);
}

static void be_many(void)
{
    int poller = epoll_create1(0);
    for (unsigned i = 1; i < MANY; i++)
        start_thread(wait_for_events, &poller);
    wait_for_events(&poller);
}

static void *start_next(void *argument)
{
    start_thread(start_next, argument);
    __atomic_add_fetch(&shared->ready, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Each thread starts another one, and ends. */
static void be_changing(void)
{
    for (unsigned i = 0; i < THREADS; i++)
        start_thread(start_next, NULL);
    for (;;)
        pause();
}

static pid_t start(void (*program)(void), unsigned ready)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
        program();
    }
    while (shared->ready < ready)
        an_tracee_sleep(1000000);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    munmap(shared, sizeof *shared);
}

static void block_child_signal(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
}

/* In a process of its own, which dies while it holds the threads, or after it has let them go. */
static void hold(pid_t child, bool dies)
{
    const struct an_target target = {.pid = child, .living = child};
    const struct timespec a_moment = {0, 300000};
    struct an_threads threads;
    struct an_error error;
    block_child_signal();
    an_threads_open(&threads, &target);
    if (an_threads_stop(&threads, patience, &error) != AN_OK || threads.held != THREADS)
        _exit(1);
    nanosleep(&a_moment, NULL);
    if (dies)
        kill(getpid(), SIGKILL);
    an_threads_release(&threads);
    _exit(0);
}

static void send_while_held(bool dies)
{
    const union sigval nothing = {0};
    const struct timespec a_while = {0, 20000};
    uint64_t sent = 0;
    pid_t child = start(be_target, THREADS);
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        int status;
        pid_t tracer = fork();
        assert_true(tracer >= 0);
        if (tracer == 0)
            hold(child, dies);
        while (waitpid(tracer, &status, WNOHANG) == 0) {
            assert_int_equal(sigqueue(child, SIGRTMIN, nothing), 0);
            sent++;
            nanosleep(&a_while, NULL);
        }
        check(dies ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0,
              "status 0x%x", (unsigned)status);
    }
    for (unsigned i = 0; i < 10000 && shared->handled < sent; i++)
        an_tracee_sleep(1000000);
    check(shared->handled == sent, "%llu of %llu signals", (unsigned long long)shared->handled,
          (unsigned long long)sent);
    end(child);
}

static void test_let_go(void **context)
{
    (void)context;
    send_while_held(false);
}

static void test_tracer_dies(void **context)
{
    (void)context;
    send_while_held(true);
}

/* ---- many ---- */

static void count_running(void *context, int32_t tid)
{
    unsigned *running = context;
    struct an_proc_stat stat;
    *running += an_proc_stat(tid, 0, &stat) && !strchr("tZX", stat.state);
}

/* How many threads do not stand still. */
static unsigned running(pid_t child)
{
    char folder[64];
    unsigned count = 0;
    snprintf(folder, sizeof folder, "/proc/%d/task", child);
    assert_true(an_proc_each(folder, count_running, &count));
    return count;
}

/* Stops of one process by the same hands; none leaves anything behind. */
static void stop_often(pid_t child, unsigned attempts, unsigned least)
{
    struct an_target target = open_process(child);
    struct an_threads threads;
    struct an_error error;
    block_child_signal();
    an_threads_open(&threads, &target);
    for (unsigned i = 0; i < attempts; i++) {
        check(an_threads_stop(&threads, patience, &error) == AN_OK, "%s", error.what);
        check(threads.held >= least, "%zu held", threads.held);
        check(running(child) == 0, "%u run", running(child));
        assert_true(an_threads_in_time(&threads));
        threads.most = 1;
        assert_false(an_threads_in_time(&threads));
        an_threads_release(&threads);
        assert_true(threads.pause > 0);
    }
    an_threads_close(&threads);
    close_process(&target);
}

/* What cannot be stopped in time is let go, and can be stopped later. */
static void stop_too_late(pid_t child)
{
    struct an_target target = open_process(child);
    struct an_threads threads;
    struct an_error error;
    block_child_signal();
    an_threads_open(&threads, &target);
    assert_int_equal(an_threads_stop(&threads, 1, &error), AN_SYSTEM);
    check(an_threads_stop(&threads, patience, &error) == AN_OK, "%s", error.what);
    an_threads_release(&threads);
    an_threads_close(&threads);
    close_process(&target);
}

/* A thread is where something changes: what is waited for, and what may as well stay as it is. */
static void be_occupied(pid_t child)
{
    static const struct {
        bool is_block, is_own;
        enum an_patience patience;
        bool is_waited_for;
    } cases[] = {
        {false, true, AN_WAIT_FOR_ALL, true},     {true, true, AN_WAIT_FOR_ALL, true},
        {false, true, AN_WAIT_FOR_ENTRIES, true}, {true, false, AN_WAIT_FOR_ENTRIES, true},
        {true, true, AN_WAIT_FOR_ENTRIES, false}, {false, true, AN_WAIT_FOR_NONE, false},
        {true, false, AN_WAIT_FOR_NONE, false},
    };
    struct an_target target = open_process(child);
    struct an_threads threads;
    struct an_error error;
    block_child_signal();
    an_threads_open(&threads, &target);
    check(an_threads_stop(&threads, patience, &error) == AN_OK, "%s", error.what);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct an_patch_site place = {
            .address = threads.list.items[0].registers.rip - target.bias - 1,
            .size = 5,
            .is_entry = true,
            .is_block = cases[i].is_block,
            .is_own = cases[i].is_own,
            .changes = true,
        };
        struct an_plan plan = {.places = {.items = &place, .count = 1}};
        struct an_occupation found = an_occupied(&threads, &plan, cases[i].patience);
        bool is_found = cases[i].is_waited_for ? found.waited_for > 0 && found.withheld == 0
                                               : found.waited_for == 0 && found.withheld == 1;
        check(is_found && place.is_withheld == !cases[i].is_waited_for, "case %zu: %zu, %zu", i,
              found.waited_for, found.withheld);
    }
    an_threads_release(&threads);
    an_threads_close(&threads);
    close_process(&target);
}

static void test_occupied(void **context)
{
    (void)context;
    pid_t child = start(be_target, THREADS);
    be_occupied(child);
    end(child);
}

static void test_many(void **context)
{
    (void)context;
    pid_t child = start(be_many, MANY);
    stop_too_late(child);
    stop_often(child, 10, MANY);
    an_tracee_sleep(10000000);
    check(shared->interrupted == 0, "%llu calls", (unsigned long long)shared->interrupted);
    end(child);
}

static unsigned changing_attempts = 100;

static void test_come_and_go(void **context)
{
    (void)context;
    pid_t child = start(be_changing, 100);
    stop_often(child, changing_attempts, 1);
    unsigned before = shared->ready;
    while (shared->ready < before + 100) /* they go on */
        an_tracee_sleep(1000000);
    end(child);
}

/* ---- calls ---- */

/* A stop with all that is looked at in it, by another process, which begins when it can read a byte. */
static pid_t start_tracer(pid_t child, int *gate)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t tracer = fork();
    assert_true(tracer >= 0);
    if (tracer == 0) {
        struct an_target target = open_process(child);
        struct an_threads threads;
        struct an_plan plan = {0};
        struct an_error error;
        char byte;
        block_child_signal();
        an_threads_open(&threads, &target);
        shared->has_hands = true;
        if (read(ends[0], &byte, 1) != 1 || an_threads_stop(&threads, patience, &error) != AN_OK)
            _exit(1);
        bool unknown = an_occupied(&threads, &plan, AN_WAIT_FOR_ALL).unknown;
        an_threads_release(&threads);
        _exit(unknown || threads.held != MANY);
    }
    while (!shared->has_hands)
        an_tracee_sleep(1000000);
    close(ends[0]);
    *gate = ends[1];
    return tracer;
}

/* Waiting takes as many calls as it takes. */
static bool is_waiting(uint64_t number)
{
    return number == SYS_wait4 || number == SYS_futex || number == SYS_clock_nanosleep ||
           number == SYS_rt_sigtimedwait;
}

static void seize_thread(void *context, int32_t tid)
{
    (void)context;
    assert_int_equal(ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD), 0);
    assert_int_equal(ptrace(PTRACE_INTERRUPT, tid, NULL, NULL), 0);
}

/* Lets a process go on to its end; how many system calls it made. */
static unsigned count_calls(pid_t tracer, int gate)
{
    char folder[64];
    unsigned count = 0;
    int status;
    snprintf(folder, sizeof folder, "/proc/%d/task", tracer);
    assert_true(an_proc_each(folder, seize_thread, NULL));
    assert_int_equal(write(gate, "", 1), 1);
    for (;;) {
        struct __ptrace_syscall_info info = {0};
        pid_t tid = waitpid(-1, &status, __WALL);
        assert_true(tid > 0);
        if (WIFEXITED(status) && tid == tracer)
            break;
        if (!WIFSTOPPED(status))
            continue;
        ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof info, &info);
        count += info.op == PTRACE_SYSCALL_INFO_ENTRY && !is_waiting(info.entry.nr);
        ptrace(PTRACE_SYSCALL, tid, NULL, NULL);
    }
    assert_int_equal(WEXITSTATUS(status), 0);
    return count;
}

/*
 * seize, interrupt, read the registers, let go: four for each thread. To look whether it is one of the kernel's:
 * three; whether its number still is one of the process: one; to mend a call that is interrupted: three.
 */
static void test_calls(void **context)
{
    enum { EACH = 11, OTHERS = 150 };
    int gate;
    (void)context;
    pid_t child = start(be_many, MANY);
    pid_t tracer = start_tracer(child, &gate);
    unsigned count = count_calls(tracer, gate);
    check(count < EACH * MANY + OTHERS, "%u calls for %d threads", count, MANY);
    close(gate);
    end(child);
}

/* Without room in the queue, a signal may be pending that is not in it. */
static void test_queue(void **context)
{
    (void)context;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_SIGPENDING, &before), 0);
    small = (struct rlimit){512, before.rlim_max};
    if (before.rlim_cur > 4096)
        assert_true(an_tracee_queues_signals(getpid()));
    assert_int_equal(setrlimit(RLIMIT_SIGPENDING, &small), 0);
    assert_false(an_tracee_queues_signals(getpid()));
    assert_int_equal(setrlimit(RLIMIT_SIGPENDING, &before), 0);
}

/* With a number, only threads that come and go are stopped, so often: test_numbers.sh. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_come_and_go), cmocka_unit_test(test_let_go),
        cmocka_unit_test(test_tracer_dies), cmocka_unit_test(test_many),
        cmocka_unit_test(test_occupied),    cmocka_unit_test(test_calls),
        cmocka_unit_test(test_queue),
    };
    if (argc < 2)
        return RUN_TESTS(tests);
    const struct CMUnitTest changing[] = {cmocka_unit_test(test_come_and_go)};
    changing_attempts = (unsigned)atoi(argv[1]);
    return RUN_TESTS(changing);
}
