/* Processes that somebody wants to record: children of the test in all sorts of states. */
#include "record/target_process.h"

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

#include "base/proc.h"
#include "record/permission.h"
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
    struct an_target_process target;
    do /* until it has its name */
        an_target_process_look(child, &target);
    while (strcmp(target.name, "a child") != 0);
    return child;
}

static void stop(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, __WALL), child);
}

static struct an_diagnostic judged(const struct an_target_process *target,
                                   const struct an_machine *here, const char *about)
{
    struct an_diagnostics diagnostics = {0};
    an_target_process_judge(target, here, &diagnostics);
    for (size_t i = 0; i < diagnostics.count; i++)
        if (strcmp(diagnostics.items[i].about, about) == 0)
            return diagnostics.items[i];
    return (struct an_diagnostic){.about = "none"};
}

static void says(const struct an_target_process *target, const char *about, enum an_level level,
                 const char *what, const char *remedy)
{
    struct an_diagnostic diagnostic = judged(target, &machine, about);
    check(strcmp(diagnostic.about, about) == 0, "nothing is said about %s", about);
    check(diagnostic.level == level, "%s: %s", about, an_level_name(diagnostic.level));
    check(strstr(diagnostic.what, what), "%s: %s", about, diagnostic.what);
    check(remedy[0] ? strstr(diagnostic.remedy, remedy) != NULL : !diagnostic.remedy[0], "%s: %s",
          about, diagnostic.remedy);
}

static void looks_at_a_child(void **state)
{
    (void)state;
    pid_t child = start();
    struct an_target_process target;
    char self[1024];
    an_target_process_look(child, &target);
    stop(child);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    assert_true(target.is_there && target.is_same_user && !target.is_kernel);
    assert_int_equal(target.process, child);
    assert_int_equal(target.threads, 1);
    assert_int_equal(target.user, geteuid());
    assert_int_equal(target.tracer, 0);
    assert_int_equal(target.look_error, 0);
    assert_string_equal(target.binary, self);
    assert_false(target.is_replaced);
    says(&target, "process", AN_IN_ORDER, "a child, 1 thread, of user", "");
}

static void sees_who_traces_it(void **state)
{
    (void)state;
    pid_t child = start();
    struct an_target_process target;
    bool traced = ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0;
    an_target_process_look(child, &target);
    stop(child);
    if (!traced)
        skip();
    assert_int_equal(target.tracer, getpid());
    assert_int_equal(an_target_process_method(&target, &machine), AN_RECORD_AUTO);
    says(&target, "tracer", AN_PROBLEM, "(test_target_pro) is tracing it already", "debugger");
    struct an_machine with_lbr = machine;
    with_lbr.branch_records.step = AN_TRIAL_DONE;
    assert_int_equal(an_target_process_method(&target, &with_lbr), AN_RECORD_LBR);
}

static void sees_that_it_is_stopped_or_dead(void **state)
{
    (void)state;
    pid_t child = start();
    struct an_target_process target;
    kill(child, SIGSTOP);
    assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
    an_target_process_look(child, &target);
    says(&target, "process", AN_LOSS, "stopped by a signal", "kill -CONT");
    kill(child, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    an_target_process_look(child, &target);
    says(&target, "process", AN_PROBLEM, "which has ended", "");
    assert_int_equal(an_target_process_method(&target, &machine), AN_RECORD_AUTO);
    stop(child);
    an_target_process_look(child, &target);
    assert_false(target.is_there);
    says(&target, "process", AN_PROBLEM, "no such process", "");
    an_target_process_look(0, &target);
    assert_false(target.is_there);
}

static void *look_at_own_thread(void *context)
{
    an_target_process_look((int32_t)syscall(SYS_gettid), context);
    return NULL;
}

static void sends_threads_to_their_process(void **state)
{
    (void)state;
    struct an_target_process target;
    pthread_t thread;
    char remedy[40];
    assert_int_equal(pthread_create(&thread, NULL, look_at_own_thread, &target), 0);
    pthread_join(thread, NULL);
    snprintf(remedy, sizeof remedy, "use -p %d", getpid());
    says(&target, "process", AN_PROBLEM, "a thread of process", remedy);
    assert_true(target.threads >= 2);
}

/* A copy of this program is deleted while it runs. */
static void sees_that_its_binary_is_gone(void **state)
{
    (void)state;
    char path[] = "/tmp/anneal-target.XXXXXX", buffer[1 << 16];
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
    struct an_target_process target;
    an_target_process_look(child, &target);
    assert_string_equal(target.binary, path);
    assert_false(target.is_replaced);
    unlink(path);
    an_target_process_look(child, &target);
    stop(child);
    assert_string_equal(target.binary, path);
    assert_true(target.is_replaced);
    says(&target, "binary", AN_LOSS, path, "cp /proc/");
}

/* A process with much memory is long about its end, and has none in /proc meanwhile, as the kernel's threads. */
static void never_takes_an_end_for_a_kernel_thread(void **state)
{
    (void)state;
    const size_t much = 256 << 20;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        char *memory = malloc(much);
        if (memory)
            memset(memory, 1, much);
        while (write(ready[1], &(char){memory != NULL}, 1) != 1 || pause())
            ;
    }
    assert_true(child > 0);
    char has_memory = 0;
    assert_int_equal(read(ready[0], &has_memory, 1), 1);
    assert_true(has_memory);
    close(ready[0]);
    close(ready[1]);

    struct an_target_process target;
    struct an_error error;
    an_target_process_look(child, &target);
    assert_false(target.has_ended);
    assert_int_equal(an_proc_check(child, &error), AN_OK);
    kill(child, SIGKILL);
    do {
        an_target_process_look(child, &target);
        assert_true(target.is_there);
        assert_false(target.is_kernel);
    } while (!target.has_ended);
    assert_int_equal(an_proc_check(child, &error), AN_USAGE);
    assert_non_null(strstr(error.what, "has ended"));
    assert_int_equal(an_permission_check(child, true, &error), AN_USAGE);
    assert_non_null(strstr(error.what, "has ended"));
    says(&target, "process", AN_PROBLEM, "which has ended", "");
    stop(child);
    assert_int_equal(an_proc_check(child, &error), AN_USAGE);
    assert_non_null(strstr(error.what, "no such process"));
}

/* ---- what cannot be had everywhere ---- */

static struct an_target_process made_up(void)
{
    return (struct an_target_process){.pid = 7,
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
    struct an_target_process target = made_up();
    says(&target, "permission", AN_IN_ORDER, "with method emulate", "");
    target.trace_error = EACCES;
    says(&target, "permission", AN_PROBLEM, "a security module", "root");
    target.is_hidden = true;
    says(&target, "permission", AN_PROBLEM, "set-user-id", "root");
    target.is_same_user = false;
    target.user = 0;
    says(&target, "permission", AN_PROBLEM, "belongs to user 0, and this is user 1000", "root");
    target = made_up();
    target.is_kernel = true;
    says(&target, "process", AN_PROBLEM, "a kernel thread", "");
}

static void depends_on_the_machine(void **state)
{
    (void)state;
    struct an_target_process target = made_up();
    struct an_machine here = machine;
    here.can_emulate = false;
    assert_int_equal(an_target_process_method(&target, &here), AN_RECORD_STEP);
    here.tracing = (struct an_trial){.step = AN_TRIAL_SEIZE, .error = EPERM};
    assert_int_equal(an_target_process_method(&target, &here), AN_RECORD_AUTO);
    struct an_diagnostic diagnostic = judged(&target, &here, "permission");
    assert_int_equal(diagnostic.level, AN_PROBLEM);
    assert_non_null(strstr(diagnostic.what, "this machine does not allow it"));
    here.branch_records = (struct an_trial){.step = AN_TRIAL_DONE};
    assert_int_equal(an_target_process_method(&target, &here), AN_RECORD_LBR);
    target.look_error = EACCES;
    assert_int_equal(an_target_process_method(&target, &here), AN_RECORD_AUTO);
    here = machine;
    here.ptrace_scope = 1;
    target.look_error = 0;
    target.trace_error = EACCES;
    diagnostic = judged(&target, &here, "permission");
    assert_non_null(strstr(diagnostic.what, "kernel.yama.ptrace_scope is 1"));
    assert_non_null(strstr(diagnostic.remedy, "ptrace_scope=0"));
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
        cmocka_unit_test(never_takes_an_end_for_a_kernel_thread),
        cmocka_unit_test(sends_threads_to_their_process),
        cmocka_unit_test(sees_that_its_binary_is_gone),
        cmocka_unit_test(explains_why_not),
        cmocka_unit_test(depends_on_the_machine),
    };
    return RUN_TESTS(tests);
}
