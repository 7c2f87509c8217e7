/*
 * Trials where things are allowed, refused, deadly, and where they hang: each in a process of its
 * own behind a seccomp filter, which must have no children left when the trial returns.
 */
#include "record/trial.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/forbid.h"
#include "support/test.h"

typedef struct an_trial trial_function(void);

static bool no_children_left(void)
{
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

/* In a child whose system call is forbidden. False where that cannot be done. */
static bool try_behind(int call, enum forbid how, trial_function *function, struct an_trial *trial)
{
    struct report {
        bool forbidden, clean;
        struct an_trial trial;
    } report = {0};
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        int listener = -1;
        report.forbidden = forbid(call, how, &listener);
        if (report.forbidden) {
            report.trial = function();
            report.clean = no_children_left();
        }
        _exit(write(ends[1], &report, sizeof report) != sizeof report);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &report, sizeof report), sizeof report);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(report.clean || !report.forbidden);
    *trial = report.trial;
    return report.forbidden;
}

static bool is_complete(const struct an_trial *trial)
{
    return trial->step == AN_TRIAL_DONE && !trial->error && !trial->signal && !trial->is_late;
}

static void ends_and_cleans_up(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct an_trial tracing = an_trial_tracing(), records = an_trial_branch_records();
        assert_true(no_children_left());
        /* whatever this machine allows, it is the same each time, and failures have a reason */
        assert_true(is_complete(&tracing) || tracing.error || tracing.signal);
        assert_true(is_complete(&records) || records.error || records.signal);
    }
}

static void is_refused(void **state)
{
    (void)state;
    struct an_trial trial;
    if (!try_behind(SYS_ptrace, FORBID_REFUSE, an_trial_tracing, &trial))
        skip();
    assert_int_equal(trial.step, AN_TRIAL_SEIZE);
    assert_int_equal(trial.error, EPERM);
    assert_true(try_behind(SYS_perf_event_open, FORBID_REFUSE, an_trial_branch_records, &trial));
    assert_int_equal(trial.step, AN_TRIAL_EVENT);
    assert_int_equal(trial.error, EPERM);
}

static void kills(void **state)
{
    (void)state;
    struct an_trial trial;
    if (!try_behind(SYS_ptrace, FORBID_KILL, an_trial_tracing, &trial))
        skip();
    assert_int_equal(trial.step, AN_TRIAL_SEIZE);
    assert_int_equal(trial.error, 0);
    assert_int_equal(trial.signal, SIGSYS);
    assert_true(try_behind(SYS_perf_event_open, FORBID_KILL, an_trial_branch_records, &trial));
    assert_int_equal(trial.step, AN_TRIAL_EVENT);
    assert_int_equal(trial.signal, SIGSYS);
}

static void does_not_return(void **state)
{
    (void)state;
    struct an_trial trial;
    if (!try_behind(SYS_ptrace, FORBID_HANG, an_trial_tracing, &trial))
        skip();
    assert_int_equal(trial.step, AN_TRIAL_SEIZE);
    assert_true(trial.is_late);
    assert_int_equal(trial.signal, 0);
}

static void may_trace_but_not_read(void **state)
{
    (void)state;
    struct an_trial trial = an_trial_tracing();
    if (!is_complete(&trial) ||
        !try_behind(SYS_process_vm_readv, FORBID_REFUSE, an_trial_tracing, &trial))
        skip();
    assert_int_equal(trial.step, AN_TRIAL_READ);
    assert_int_equal(trial.error, EPERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_and_cleans_up),
        cmocka_unit_test(is_refused),
        cmocka_unit_test(kills),
        cmocka_unit_test(does_not_return),
        cmocka_unit_test(may_trace_but_not_read),
    };
    return RUN_TESTS(tests);
}
