/* Processes that somebody wants to record: children of the test in all sorts of states. */
#include "record/candidate.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

static const struct an_machine machine = {
    .ptrace_scope = AN_NO_SETTING,
    .user = 1000,
    .branch_records = {.step = AN_TRIAL_EVENT, .error = ENOENT},
    .tracing = {.step = AN_TRIAL_DONE},
    .can_emulate = true,
    .method = AN_RECORD_EMULATE,
};

/* A child that does nothing until it is killed. */
static pid_t start(void)
{
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "a child");
        for (;;)
            pause();
    }
    assert_true(child > 0);
    struct an_candidate candidate;
    do /* until it has its name */
        an_candidate_look(child, &candidate);
    while (strcmp(candidate.name, "a child") != 0);
    return child;
}

static void stop(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, __WALL), child);
}

static struct an_finding judged(const struct an_candidate *candidate, const struct an_machine *here,
                                const char *about)
{
    struct an_findings findings = {0};
    an_candidate_judge(candidate, here, &findings);
    for (size_t i = 0; i < findings.count; i++)
        if (strcmp(findings.items[i].about, about) == 0)
            return findings.items[i];
    return (struct an_finding){.about = "none"};
}

static void says(const struct an_candidate *candidate, const char *about, enum an_level level,
                 const char *what, const char *remedy)
{
    struct an_finding finding = judged(candidate, &machine, about);
    check(strcmp(finding.about, about) == 0, "nothing is said about %s", about);
    check(finding.level == level, "%s: %s", about, an_level_name(finding.level));
    check(strstr(finding.what, what), "%s: %s", about, finding.what);
    check(remedy[0] ? strstr(finding.remedy, remedy) != NULL : !finding.remedy[0], "%s: %s", about,
          finding.remedy);
}

static void looks_at_a_child(void **state)
{
    (void)state;
    pid_t child = start();
    struct an_candidate candidate;
    char self[1024];
    an_candidate_look(child, &candidate);
    stop(child);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    assert_true(candidate.is_there && candidate.is_same_user && !candidate.is_kernel);
    assert_int_equal(candidate.process, child);
    assert_int_equal(candidate.threads, 1);
    assert_int_equal(candidate.user, geteuid());
    assert_int_equal(candidate.tracer, 0);
    assert_int_equal(candidate.look_error, 0);
    assert_string_equal(candidate.binary, self);
    assert_false(candidate.is_replaced);
    says(&candidate, "process", AN_IN_ORDER, "a child, 1 thread, of user", "");
}

static void sees_who_traces_it(void **state)
{
    (void)state;
    pid_t child = start();
    struct an_candidate candidate;
    bool traced = ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0;
    an_candidate_look(child, &candidate);
    stop(child);
    if (!traced)
        skip();
    assert_int_equal(candidate.tracer, getpid());
    assert_int_equal(an_candidate_method(&candidate, &machine), AN_RECORD_AUTO);
    says(&candidate, "tracer", AN_PROBLEM, "(test_candidate) is tracing it already", "debugger");
    struct an_machine with_lbr = machine;
    with_lbr.branch_records.step = AN_TRIAL_DONE;
    assert_int_equal(an_candidate_method(&candidate, &with_lbr), AN_RECORD_LBR);
}

static void sees_that_it_is_stopped_or_dead(void **state)
{
    (void)state;
    pid_t child = start();
    struct an_candidate candidate;
    kill(child, SIGSTOP);
    assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
    an_candidate_look(child, &candidate);
    says(&candidate, "process", AN_LOSS, "stopped by a signal", "kill -CONT");
    kill(child, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    an_candidate_look(child, &candidate);
    says(&candidate, "process", AN_PROBLEM, "which has ended", "");
    assert_int_equal(an_candidate_method(&candidate, &machine), AN_RECORD_AUTO);
    stop(child);
    an_candidate_look(child, &candidate);
    assert_false(candidate.is_there);
    says(&candidate, "process", AN_PROBLEM, "no such process", "");
    an_candidate_look(0, &candidate);
    assert_false(candidate.is_there);
}

static void *look_at_own_thread(void *context)
{
    an_candidate_look((int32_t)syscall(SYS_gettid), context);
    return NULL;
}

static void sends_threads_to_their_process(void **state)
{
    (void)state;
    struct an_candidate candidate;
    pthread_t thread;
    char remedy[40];
    assert_int_equal(pthread_create(&thread, NULL, look_at_own_thread, &candidate), 0);
    pthread_join(thread, NULL);
    snprintf(remedy, sizeof remedy, "use -p %d", getpid());
    says(&candidate, "process", AN_PROBLEM, "a thread of process", remedy);
    assert_true(candidate.threads >= 2);
}

/* A copy of this program is deleted while it runs. */
static void sees_that_its_binary_is_gone(void **state)
{
    (void)state;
    char path[] = "/tmp/anneal-candidate.XXXXXX", buffer[1 << 16];
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = mkstemp(path);
    assert_true(from >= 0 && to >= 0);
    for (ssize_t size; (size = read(from, buffer, sizeof buffer)) > 0;)
        assert_int_equal(write(to, buffer, (size_t)size), size);
    fchmod(to, 0700);
    close(from);
    close(to);
    int ready[2];
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid_t child = fork();
    if (child == 0) {
        execl(path, path, "--wait", (char *)NULL);
        _exit(1);
    }
    close(ready[1]); /* closed by the exec over there: then it runs */
    assert_int_equal(read(ready[0], buffer, 1), 0);
    close(ready[0]);
    struct an_candidate candidate;
    an_candidate_look(child, &candidate);
    assert_string_equal(candidate.binary, path);
    assert_false(candidate.is_replaced);
    unlink(path);
    an_candidate_look(child, &candidate);
    stop(child);
    assert_string_equal(candidate.binary, path);
    assert_true(candidate.is_replaced);
    says(&candidate, "binary", AN_LOSS, path, "cp /proc/");
}

/* ---- what cannot be had everywhere ---- */

static struct an_candidate made_up(void)
{
    return (struct an_candidate){.pid = 7,
                                 .process = 7,
                                 .is_there = true,
                                 .state = 'S',
                                 .threads = 3,
                                 .user = 1000,
                                 .is_same_user = true,
                                 .name = "server"};
}

static void explains_why_not(void **state)
{
    (void)state;
    struct an_candidate candidate = made_up();
    says(&candidate, "permission", AN_IN_ORDER, "with method emulate", "");
    candidate.trace_error = EACCES;
    says(&candidate, "permission", AN_PROBLEM, "a security module", "root");
    candidate.is_hidden = true;
    says(&candidate, "permission", AN_PROBLEM, "set-user-id", "root");
    candidate.is_same_user = false;
    candidate.user = 0;
    says(&candidate, "permission", AN_PROBLEM, "belongs to user 0, and this is user 1000", "root");
    candidate = made_up();
    candidate.is_kernel = true;
    says(&candidate, "process", AN_PROBLEM, "a kernel thread", "");
}

static void depends_on_the_machine(void **state)
{
    (void)state;
    struct an_candidate candidate = made_up();
    struct an_machine here = machine;
    here.can_emulate = false;
    assert_int_equal(an_candidate_method(&candidate, &here), AN_RECORD_STEP);
    here.tracing = (struct an_trial){.step = AN_TRIAL_SEIZE, .error = EPERM};
    assert_int_equal(an_candidate_method(&candidate, &here), AN_RECORD_AUTO);
    struct an_finding finding = judged(&candidate, &here, "permission");
    assert_int_equal(finding.level, AN_PROBLEM);
    assert_non_null(strstr(finding.what, "this machine does not allow it"));
    here.branch_records = (struct an_trial){.step = AN_TRIAL_DONE};
    assert_int_equal(an_candidate_method(&candidate, &here), AN_RECORD_LBR);
    candidate.look_error = EACCES;
    assert_int_equal(an_candidate_method(&candidate, &here), AN_RECORD_AUTO);
    here = machine;
    here.ptrace_scope = 1;
    candidate.look_error = 0;
    candidate.trace_error = EACCES;
    finding = judged(&candidate, &here, "permission");
    assert_non_null(strstr(finding.what, "kernel.yama.ptrace_scope is 1"));
    assert_non_null(strstr(finding.remedy, "ptrace_scope=0"));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--wait") == 0)
        for (prctl(PR_SET_PDEATHSIG, SIGKILL);;)
            pause();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_at_a_child),
        cmocka_unit_test(sees_who_traces_it),
        cmocka_unit_test(sees_that_it_is_stopped_or_dead),
        cmocka_unit_test(sends_threads_to_their_process),
        cmocka_unit_test(sees_that_its_binary_is_gone),
        cmocka_unit_test(explains_why_not),
        cmocka_unit_test(depends_on_the_machine),
    };
    return RUN_TESTS(tests);
}
