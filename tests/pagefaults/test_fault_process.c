/* lib/faults/process: a program starts and ends in spite of signals that come all the time. */
#include "faults/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>

#include "support/test.h"

static volatile sig_atomic_t signals;

static void on_signal(int signal)
{
    (void)signal;
    signals = signals + 1;
}

/* A signal every so many microseconds, which interrupts what waits; 0: none. */
static void signal_each(long microseconds)
{
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static enum an_code run(const char *program, struct an_group *group)
{
    char *arguments[] = {(char *)program, NULL};
    const struct an_process_start start = {
        .program = program, .arguments = arguments, .output = -1, .errors = -1, .grace = 5};
    struct an_error error;
    enum an_code code = an_group_start(group, &start, &error);
    assert_int_equal(code, AN_OK);
    signal_each(50);
    code = an_group_release(group, program, &error);
    signal_each(0);
    while (code == AN_OK && !an_group_look(group))
        poll(NULL, 0, 1);
    return code;
}

static void starts_in_spite_of_signals(void **state)
{
    (void)state;
    struct an_group group;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(run("/bin/true", &group), AN_OK);
        assert_int_equal(group.status, 0);
    }
    assert_true(signals > 0);
}

static void a_program_that_is_none_is_told(void **state)
{
    (void)state;
    struct an_group group;
    for (int i = 0; i < 20; i++)
        assert_int_equal(run("/dev/null", &group), AN_SYSTEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_in_spite_of_signals),
        cmocka_unit_test(a_program_that_is_none_is_told),
    };
    return RUN_TESTS(tests);
}
