/* What is made of what a machine allows: which method, which words, which remedies. */
#include "record/machine.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "support/test.h"

static const struct an_trial works = {.step = AN_TRIAL_DONE};

/* A machine on which everything is allowed. */
static struct an_machine generous(void)
{
    return (struct an_machine){
        .kernel = "6.1.0",
        .processor = "x86_64",
        .processors = 4,
        .user = 1000,
        .paranoid = 2,
        .ptrace_scope = AN_NO_SETTING,
        .branch_records = works,
        .clock = works,
        .tracing = works,
        .can_emulate = true,
        .method = AN_RECORD_LBR,
    };
}

/* Checks one line of what is said. */
static void says(const struct an_machine *machine, const char *about, enum an_level level,
                 const char *what, const char *remedy)
{
    struct an_diagnostics diagnostics = {0};
    an_machine_judge(machine, &diagnostics);
    for (size_t i = 0; i < diagnostics.count; i++) {
        const struct an_diagnostic *diagnostic = &diagnostics.items[i];
        if (strcmp(diagnostic->about, about) != 0)
            continue;
        check(diagnostic->level == level, "%s: %s", about, an_level_name(diagnostic->level));
        check(strstr(diagnostic->what, what), "%s: %s", about, diagnostic->what);
        check(remedy[0] ? strstr(diagnostic->remedy, remedy) != NULL : !diagnostic->remedy[0],
              "%s: %s", about, diagnostic->remedy);
        return;
    }
    check(false, "nothing is said about %s", about);
}

static void looks_at_this_one(void **state)
{
    (void)state;
    struct an_machine machine;
    struct utsname name;
    cpu_set_t processors;
    an_machine_look(&machine);
    assert_int_equal(uname(&name), 0);
    assert_int_equal(sched_getaffinity(0, sizeof processors, &processors), 0);
    assert_string_equal(machine.kernel, name.release);
    assert_string_equal(machine.processor, name.machine);
    assert_int_equal(machine.processors, CPU_COUNT(&processors));
    assert_int_equal(machine.user, geteuid());
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    int paranoid = AN_NO_SETTING;
    if (file) {
        assert_int_equal(fscanf(file, "%d", &paranoid), 1);
        fclose(file);
    }
    assert_int_equal(machine.paranoid, paranoid);
    bool lbr = machine.branch_records.step == AN_TRIAL_DONE;
    bool traces = machine.tracing.step == AN_TRIAL_DONE;
    assert_true((machine.method == AN_RECORD_LBR) == lbr);
    assert_true((machine.method != AN_RECORD_AUTO) == (lbr || traces));
    struct an_diagnostics diagnostics = {0};
    an_machine_judge(&machine, &diagnostics);
    assert_int_equal(diagnostics.count, 5);
}

static void all_is_allowed(void **state)
{
    (void)state;
    struct an_machine machine = generous();
    says(&machine, "system", AN_IN_ORDER, "Linux 6.1.0 on x86_64, 4 processors", "");
    says(&machine, "perf events", AN_IN_ORDER, "of user 1000's processes", "");
    says(&machine, "branch records", AN_IN_ORDER, "LBR", "");
    says(&machine, "tracing", AN_IN_ORDER, "of user 1000's processes", "");
    says(&machine, "method", AN_IN_ORDER, "lbr: ", "");
    machine.traces_all = machine.measures_all = true;
    says(&machine, "perf events", AN_IN_ORDER, "of all processes (perf_event_paranoid: 2)", "");
    says(&machine, "tracing", AN_IN_ORDER, "of all processes", "");
    snprintf(machine.processor, sizeof machine.processor, "aarch64");
    says(&machine, "system", AN_PROBLEM, "x86-64", "");
}

static void perf_events_are_not(void **state)
{
    (void)state;
    struct an_machine machine = generous();
    machine.paranoid = 4;
    machine.branch_records = (struct an_trial){.step = AN_TRIAL_EVENT, .error = EACCES};
    machine.clock = machine.branch_records;
    says(&machine, "perf events", AN_LOSS, "perf_event_paranoid: 4",
         "kernel.perf_event_paranoid=2");
    says(&machine, "branch records", AN_LOSS, "not allowed (perf_event_open: Permission", "");
    machine.is_filtered = true;
    says(&machine, "branch records", AN_LOSS, "not allowed", "container");
    machine.measures_all = true;
    says(&machine, "perf events", AN_LOSS, "refused (perf_event_open: Permission", "container");
    machine.clock.step = AN_TRIAL_DONE;
    says(&machine, "perf events", AN_IN_ORDER, "of all", "");
    machine.paranoid = AN_NO_SETTING;
    says(&machine, "perf events", AN_LOSS, "does not have them", "");
    machine.branch_records.error = EOPNOTSUPP;
    says(&machine, "branch records", AN_LOSS, "none: the processor has none", "");
    machine.branch_records = (struct an_trial){.step = AN_TRIAL_EVENT, .signal = SIGSYS};
    says(&machine, "branch records", AN_LOSS, "seccomp filter kills its callers", "container");
}

static void tracing_is_not(void **state)
{
    (void)state;
    struct an_machine machine = generous();
    machine.tracing = (struct an_trial){.step = AN_TRIAL_SEIZE, .error = EPERM};
    says(&machine, "tracing", AN_PROBLEM, "cannot be stopped (PTRACE_SEIZE: Operation not",
         "SYS_PTRACE");
    assert_false(an_machine_can_trace(&machine));
    machine.ptrace_scope = 3;
    says(&machine, "tracing", AN_PROBLEM, "PTRACE_SEIZE", "ptrace_scope below 3");
    machine.tracing = (struct an_trial){.step = AN_TRIAL_STEP, .is_late = true};
    says(&machine, "tracing", AN_PROBLEM, "PTRACE_SINGLESTEP does not return", "");
    machine.tracing = (struct an_trial){.step = AN_TRIAL_STOP, .signal = SIGSEGV};
    says(&machine, "tracing", AN_PROBLEM, "PTRACE_INTERRUPT: killed by signal 11", "");
    machine.tracing = (struct an_trial){.step = AN_TRIAL_START, .error = EAGAIN};
    says(&machine, "tracing", AN_PROBLEM, "starting a process: Resource", "");
    machine.tracing = (struct an_trial){.step = AN_TRIAL_READ, .error = ENOSYS};
    says(&machine, "tracing", AN_PROBLEM, "stopped, but not read (process_vm_readv: ", "");
    assert_true(an_machine_can_trace(&machine));
}

static void yama_restricts(void **state)
{
    (void)state;
    struct an_machine machine = generous();
    machine.ptrace_scope = 0;
    says(&machine, "tracing", AN_IN_ORDER, "of user 1000's", "");
    machine.ptrace_scope = 1;
    says(&machine, "tracing", AN_LOSS, "ptrace_scope is 1", "ptrace_scope=0");
    machine.traces_all = true;
    says(&machine, "tracing", AN_IN_ORDER, "of all processes", "");
}

static void names_methods(void **state)
{
    (void)state;
    struct an_machine machine = generous();
    machine.method = AN_RECORD_EMULATE;
    says(&machine, "method", AN_IN_ORDER, "emulate: ", "");
    machine.method = AN_RECORD_STEP;
    says(&machine, "method", AN_LOSS, "step: ", "");
    machine.method = AN_RECORD_AUTO;
    says(&machine, "method", AN_PROBLEM, "none: ", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_at_this_one),   cmocka_unit_test(all_is_allowed),
        cmocka_unit_test(perf_events_are_not), cmocka_unit_test(tracing_is_not),
        cmocka_unit_test(yama_restricts),      cmocka_unit_test(names_methods),
    };
    return RUN_TESTS(tests);
}
