/*
 * Stopping all threads of a process, tried on one of our own that gets signals all the time: none is
 * lost, whether the threads are let go or their tracer is killed while it holds them.
 */
#include "live/threads.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/tracee.h"
#include "support/test.h"

enum { THREADS = 3, ATTEMPTS = 200 };

struct shared {
    volatile uint64_t handled;
    volatile unsigned ready;
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

static pid_t start(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
        be_target();
    }
    while (shared->ready < THREADS)
        an_tracee_sleep(1000000);
    return child;
}

/* In a process of its own, which dies while it holds the threads, or after it has let them go. */
static void hold(pid_t child, bool dies)
{
    const struct an_target target = {.pid = child, .living = child};
    const struct timespec a_moment = {0, 300000};
    struct an_threads threads;
    struct an_error error;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    if (an_threads_stop(&threads, &target, 2000000000, &error) != AN_OK ||
        threads.list.count != THREADS)
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
    pid_t child = start();
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
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    munmap(shared, sizeof *shared);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_let_go),
        cmocka_unit_test(test_tracer_dies),
    };
    return RUN_TESTS(tests);
}
