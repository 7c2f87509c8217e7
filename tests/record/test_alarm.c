/* Alarms, with real threads of a child. */
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/alarm.h"
#include "record/tracee.h"

enum { MS = 1000000 };

static uint64_t set_of(int signal)
{
    return (uint64_t)1 << (signal - 1);
}

/* A child that computes and makes no system call. */
static pid_t start_child(void)
{
    pid_t child = fork();
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile unsigned count = 0;;)
        count++;
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, __WALL);
}

static int wait_for_stop(pid_t child)
{
    int status, signal;
    assert_int_equal(waitpid(child, &status, __WALL), child);
    assert_int_equal(an_tracee_event(child, status, &signal), AN_EVENT_SIGNAL);
    return signal;
}

static bool may_have_alarms(void)
{
    if (an_alarm_probe(0) == 0)
        return true;
    print_message("the kernel refuses perf events here (kernel.perf_event_paranoid)\n");
    return false;
}

/* It stops the thread in user mode, once each time that it is set, by a signal that has no other effect. */
static void stops_the_thread(void **state)
{
    struct an_alarm alarm;
    struct user_regs_struct registers;
    (void)state;
    if (!may_have_alarms())
        skip();
    pid_t child = start_child();
    assert_int_equal(an_tracee_seize(child, false), 0);
    assert_true(an_alarm_open(&alarm, child, 0, set_of(SIGWINCH)));
    assert_int_equal(alarm.signal, SIGURG);
    for (int i = 0; i < 20; i++) {
        an_alarm_set(&alarm, MS);
        assert_int_equal(wait_for_stop(child), SIGURG);
        assert_true(an_alarm_rings(&alarm, child, SIGURG));
        assert_false(an_alarm_rings(&alarm, child, SIGWINCH));
        assert_true(an_tracee_registers(child, &registers));
        assert_true((int64_t)registers.orig_rax < 0);
        kill(child, SIGUSR1); /* somebody else's comes behind it, and is another one */
        an_tracee_go_on(child, 0);
        assert_int_equal(wait_for_stop(child), SIGUSR1);
        assert_false(an_alarm_rings(&alarm, child, SIGUSR1));
        kill(child, SIGURG); /* the same number, but not the alarm's */
        an_tracee_go_on(child, 0);
        assert_int_equal(wait_for_stop(child), SIGURG);
        assert_false(an_alarm_rings(&alarm, child, SIGURG));
        an_tracee_go_on(child, 0);
    }
    an_alarm_close(&alarm);
    assert_int_equal(alarm.file, -1);
    end_child(child);
}

/* A thread that blocks all signals runs on, and the caller is told. */
static void tells_the_caller(void **state)
{
    struct an_alarm alarm;
    sigset_t all, before;
    (void)state;
    if (!may_have_alarms())
        skip();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t child = start_child();
    assert_true(an_alarm_open(&alarm, child, ~(uint64_t)0, 0));
    assert_int_equal(alarm.signal, 0);
    for (int i = 0; i < 20; i++) {
        int file;
        an_alarm_set(&alarm, MS);
        while ((file = an_alarm_sleep((uint64_t)100 * MS)) < 0)
            ;
        assert_int_equal(file, alarm.file);
    }
    an_alarm_close(&alarm);
    end_child(child);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void knows_what_fits(void **state)
{
    struct an_alarm alarm = {-1, SIGURG}, none = {-1, 0};
    uint64_t three = set_of(SIGURG) | set_of(SIGWINCH) | set_of(SIGCHLD);
    (void)state;
    assert_true(an_alarm_fits(&alarm, 0, 0));
    assert_false(an_alarm_fits(&alarm, set_of(SIGURG), 0));
    assert_false(an_alarm_fits(&alarm, 0, set_of(SIGURG)));
    assert_true(an_alarm_fits(&none, three, 0));
    assert_true(an_alarm_fits(&none, set_of(SIGURG), three));
    assert_false(an_alarm_fits(&none, set_of(SIGURG), 0));
}

static void refuses_what_is_not_there(void **state)
{
    struct an_alarm alarm;
    (void)state;
    pid_t child = start_child();
    end_child(child);
    assert_int_not_equal(an_alarm_probe(child), 0);
    assert_false(an_alarm_open(&alarm, child, 0, 0));
    an_alarm_set(&alarm, MS);
    an_alarm_close(&alarm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_the_thread),
        cmocka_unit_test(tells_the_caller),
        cmocka_unit_test(knows_what_fits),
        cmocka_unit_test(refuses_what_is_not_there),
    };
    return RUN_TESTS(tests);
}
