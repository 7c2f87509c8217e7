/* Looking at the machine; see machine.h. proc(5), capabilities(7), perf_event_open(2) and the
 * kernel's Documentation/admin-guide/LSM/Yama.rst tell what the settings mean. */
#include "record/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/proc.h"
#include "record/windows.h"

/* ---- looking ---- */

static int setting(const char *path)
{
    char text[32];
    int file = open(path, O_RDONLY | O_CLOEXEC), value = AN_NO_SETTING;
    if (file < 0)
        return value;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size > 0) {
        char *end;
        text[size] = '\0';
        long number = strtol(text, &end, 10);
        if (end != text && number >= -1 && number <= 1000)
            value = (int)number;
    }
    return value;
}

static void look_at_self(struct an_machine *machine)
{
    enum { SYS_PTRACE = 19, SYS_ADMIN = 21, PERFMON = 38 }; /* capabilities */
    struct an_buffer status;
    if (!an_proc_text(getpid(), "status", &status))
        return;
    const char *text = (const char *)status.data;
    uint64_t capabilities = an_proc_status_number(text, "\nCapEff:", 16);
    machine->is_filtered = an_proc_status_number(text, "\nSeccomp:", 10) != 0;
    machine->traces_all = capabilities >> SYS_PTRACE & 1;
    machine->measures_all = (capabilities >> PERFMON | capabilities >> SYS_ADMIN) & 1;
    an_buffer_free(&status);
}

bool an_machine_can_trace(const struct an_machine *machine)
{
    return machine->tracing.step >= AN_TRIAL_READ;
}

/* As an_record() does. */
static enum an_record_method choose(const struct an_machine *machine)
{
    if (machine->branch_records.step == AN_TRIAL_DONE)
        return AN_RECORD_LBR;
    if (machine->tracing.step != AN_TRIAL_DONE)
        return AN_RECORD_AUTO;
    return machine->can_emulate ? AN_RECORD_EMULATE : AN_RECORD_STEP;
}

void an_machine_look(struct an_machine *machine)
{
    struct utsname name;
    cpu_set_t processors;
    *machine = (struct an_machine){
        .user = geteuid(),
        .paranoid = setting("/proc/sys/kernel/perf_event_paranoid"),
        .ptrace_scope = setting("/proc/sys/kernel/yama/ptrace_scope"),
    };
    if (uname(&name) == 0) {
        snprintf(machine->kernel, sizeof machine->kernel, "%s", name.release);
        snprintf(machine->processor, sizeof machine->processor, "%s", name.machine);
    }
    if (sched_getaffinity(0, sizeof processors, &processors) == 0)
        machine->processors = (unsigned)CPU_COUNT(&processors);
    look_at_self(machine);
    machine->branch_records = an_trial_branch_records();
    machine->clock = an_trial_clock();
    machine->tracing = an_trial_tracing();
    machine->can_emulate = an_windows_can_emulate();
    machine->method = choose(machine);
}

/* ---- judging ---- */

static void judge_system(const struct an_machine *machine, struct an_diagnostics *diagnostics)
{
    bool is_known = strcmp(machine->processor, "x86_64") == 0;
    an_diagnostics_add(diagnostics, "system", is_known ? AN_IN_ORDER : AN_PROBLEM,
                       "Linux %s on %s, %u processor%s%s", machine->kernel, machine->processor,
                       machine->processors, machine->processors == 1 ? "" : "s",
                       is_known ? "" : ": recording requires x86-64");
}

/* How a trial ended that did not go well, as the rest of a sentence. */
static void describe(const struct an_trial *trial, char *text, size_t size)
{
    static const char *const steps[] = {
        [AN_TRIAL_START] = "starting a process", [AN_TRIAL_EVENT] = "perf_event_open",
        [AN_TRIAL_SEIZE] = "PTRACE_SEIZE",       [AN_TRIAL_STOP] = "PTRACE_INTERRUPT",
        [AN_TRIAL_STEP] = "PTRACE_SINGLESTEP",   [AN_TRIAL_RELEASE] = "PTRACE_DETACH",
        [AN_TRIAL_READ] = "process_vm_readv",    [AN_TRIAL_DONE] = "",
    };
    if (trial->is_late)
        snprintf(text, size, "%s does not return", steps[trial->step]);
    else if (trial->signal == SIGSYS)
        snprintf(text, size, "%s: a seccomp filter kills its callers", steps[trial->step]);
    else if (trial->error)
        snprintf(text, size, "%s: %s", steps[trial->step], strerror(trial->error));
    else
        snprintf(text, size, "%s: killed by signal %d", steps[trial->step], trial->signal);
}

static bool is_forbidden(const struct an_trial *trial)
{
    return trial->error == EPERM || trial->error == EACCES || trial->signal == SIGSYS;
}

/* Without them, recordings are biased: moments are chosen from outside (outside.h). */
static void judge_refused_events(const struct an_machine *machine,
                                 struct an_diagnostics *diagnostics)
{
    enum { MOST_PARANOID = 2 };
    struct an_diagnostic *diagnostic;
    char why[120];
    if (machine->paranoid > MOST_PARANOID && !machine->measures_all) {
        diagnostic =
            an_diagnostics_add(diagnostics, "perf events", AN_LOSS,
                               "not for user %u (perf_event_paranoid: %d): code between system "
                               "calls is recorded too rarely",
                               machine->user, machine->paranoid);
        an_diagnostic_remedy(diagnostic, "sysctl kernel.perf_event_paranoid=2, or run as root");
        return;
    }
    describe(&machine->clock, why, sizeof why);
    diagnostic =
        an_diagnostics_add(diagnostics, "perf events", AN_LOSS,
                           "refused (%s): code between system calls is recorded too rarely", why);
    if (machine->is_filtered)
        an_diagnostic_remedy(diagnostic,
                             "run outside the container, or let its seccomp filter pass "
                             "perf_event_open");
}

static void judge_events(const struct an_machine *machine, struct an_diagnostics *diagnostics)
{
    if (machine->paranoid == AN_NO_SETTING)
        an_diagnostics_add(diagnostics, "perf events", AN_LOSS, "this kernel does not have them");
    else if (machine->clock.step != AN_TRIAL_DONE)
        judge_refused_events(machine, diagnostics);
    else if (machine->measures_all)
        an_diagnostics_add(diagnostics, "perf events", AN_IN_ORDER,
                           "of all processes (perf_event_paranoid: %d)", machine->paranoid);
    else
        an_diagnostics_add(diagnostics, "perf events", AN_IN_ORDER,
                           "of user %u's processes (perf_event_paranoid: %d)", machine->user,
                           machine->paranoid);
}

static void judge_branch_records(const struct an_machine *machine,
                                 struct an_diagnostics *diagnostics)
{
    const struct an_trial *trial = &machine->branch_records;
    char why[120];
    if (trial->step == AN_TRIAL_DONE) {
        an_diagnostics_add(diagnostics, "branch records", AN_IN_ORDER,
                           "kept by the processor (LBR)");
        return;
    }
    describe(trial, why, sizeof why);
    if (!is_forbidden(trial)) {
        an_diagnostics_add(diagnostics, "branch records", AN_LOSS,
                           "none: the processor has none, or the virtual machine hides them (%s)",
                           why);
        return;
    }
    struct an_diagnostic *diagnostic =
        an_diagnostics_add(diagnostics, "branch records", AN_LOSS, "not allowed (%s)", why);
    if (machine->is_filtered)
        an_diagnostic_remedy(diagnostic,
                             "run outside the container, or let its seccomp filter pass "
                             "perf_event_open");
}

static void judge_tracing(const struct an_machine *machine, struct an_diagnostics *diagnostics)
{
    const struct an_trial *trial = &machine->tracing;
    struct an_diagnostic *diagnostic;
    char why[120];
    if (trial->step != AN_TRIAL_DONE) {
        describe(trial, why, sizeof why);
        diagnostic = an_diagnostics_add(diagnostics, "tracing", AN_PROBLEM, "%s (%s)",
                                        an_machine_can_trace(machine)
                                            ? "threads can be stopped, but not read"
                                            : "threads of other processes cannot be stopped",
                                        why);
        if (is_forbidden(trial) && machine->ptrace_scope == 3)
            an_diagnostic_remedy(diagnostic, "boot with kernel.yama.ptrace_scope below 3");
        else if (is_forbidden(trial))
            an_diagnostic_remedy(diagnostic, "run outside the container, or give it CAP_SYS_PTRACE "
                                             "(docker run --cap-add=SYS_PTRACE)");
    } else if (machine->traces_all) {
        an_diagnostics_add(diagnostics, "tracing", AN_IN_ORDER,
                           "of all processes: they can be stopped and read");
    } else if (machine->ptrace_scope >= 1) {
        diagnostic =
            an_diagnostics_add(diagnostics, "tracing", AN_LOSS,
                               "works, but only for processes that anneal starts or that allow "
                               "it (kernel.yama.ptrace_scope is %d)",
                               machine->ptrace_scope);
        an_diagnostic_remedy(diagnostic, "sysctl kernel.yama.ptrace_scope=0, or run as root");
    } else {
        an_diagnostics_add(diagnostics, "tracing", AN_IN_ORDER,
                           "of user %u's processes: they can be stopped and read", machine->user);
    }
}

static void judge_method(const struct an_machine *machine, struct an_diagnostics *diagnostics)
{
    const char *name = an_record_method_name(machine->method);
    switch (machine->method) {
    case AN_RECORD_LBR:
        an_diagnostics_add(diagnostics, "method", AN_IN_ORDER,
                           "%s: branch records of the processor", name);
        break;
    case AN_RECORD_EMULATE:
        an_diagnostics_add(diagnostics, "method", AN_IN_ORDER,
                           "%s: threads are stopped and their next branches predicted", name);
        break;
    case AN_RECORD_STEP:
        an_diagnostics_add(diagnostics, "method", AN_LOSS,
                           "%s: threads are stopped and single-stepped for a while, since code "
                           "cannot be generated at run time",
                           name);
        break;
    default:
        an_diagnostics_add(diagnostics, "method", AN_PROBLEM, "none: nothing can be recorded here");
    }
}

void an_machine_judge(const struct an_machine *machine, struct an_diagnostics *diagnostics)
{
    judge_system(machine, diagnostics);
    judge_events(machine, diagnostics);
    judge_branch_records(machine, diagnostics);
    judge_tracing(machine, diagnostics);
    judge_method(machine, diagnostics);
}
