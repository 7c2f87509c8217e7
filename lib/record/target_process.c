/*
 * Looking at a process; see target_process.h.
 *
 * The kernel asks the same question (__ptrace_may_access(), and the security modules) when a tracer
 * attaches and when somebody opens /proc/PID/mem. So opening that file tells whether a process may be
 * traced, for all reasons that there are, and the process does not notice. /proc/PID/maps stands
 * for the lesser permission that perf_event_open(2) wants. ptrace(2) and proc(5) describe both.
 */
#include "record/target_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"

/* ---- looking ---- */

/* What stands behind "NAME:" in the text of /proc/PID/status; NULL when there is no such line. */
static const char *field(const char *text, const char *name)
{
    char start[32];
    snprintf(start, sizeof start, "\n%s:", name);
    const char *line = strstr(text, start);
    return line ? line + strlen(start) : NULL;
}

static long long number(const char *text, const char *name)
{
    const char *value = field(text, name);
    return value ? strtoll(value, NULL, 10) : 0;
}

/* Real, effective, and saved number of a user or group, which all have to be the same as ours. */
static bool has_number(const char *text, const char *name, unsigned ours)
{
    const char *value = field(text, name);
    unsigned real, effective, saved;
    return value && sscanf(value, "%u %u %u", &real, &effective, &saved) == 3 && real == ours &&
           effective == ours && saved == ours;
}

static void take_status(const char *text, struct an_target_process *target)
{
    const char *state = field(text, "State"), *user = field(text, "Uid");
    unsigned effective = 0;
    if (state)
        sscanf(state, " %c", &target->state);
    if (user)
        sscanf(user, "%*u %u", &effective);
    target->user = effective;
    target->process = (int32_t)number(text, "Tgid");
    target->threads = (uint64_t)number(text, "Threads");
    target->tracer = (int32_t)number(text, "TracerPid");
    target->is_same_user = has_number(text, "Uid", getuid()) && has_number(text, "Gid", getgid());
}

static int error_of_opening(int32_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    close(file);
    return 0;
}

/* Files of a process that is hidden belong to root. */
static bool is_hidden(const struct an_target_process *target)
{
    char path[64];
    struct stat info;
    snprintf(path, sizeof path, "/proc/%d/environ", target->living);
    return stat(path, &info) == 0 && info.st_uid != target->user;
}

static void look_at_binary(struct an_target_process *target)
{
    char path[64];
    struct stat running, named;
    snprintf(path, sizeof path, "/proc/%d/exe", target->living);
    ssize_t length = readlink(path, target->binary, sizeof target->binary - 1);
    if (length <= 0)
        return;
    target->binary[length] = '\0';
    bool same = stat(path, &running) == 0 && stat(target->binary, &named) == 0 &&
                running.st_dev == named.st_dev && running.st_ino == named.st_ino;
    target->is_replaced = !same;
    if (!same)
        target->binary[an_file_linked_length(target->binary)] = '\0';
}

void an_target_process_look(int32_t pid, struct an_target_process *target)
{
    struct an_buffer status;
    struct an_proc_stat stat;
    int32_t living = pid > 0 ? an_proc_living(pid) : 0;
    *target = (struct an_target_process){.pid = pid, .living = living ? living : pid};
    if (pid <= 0 || !an_proc_text(target->living, "status", &status))
        return;
    take_status((const char *)status.data, target);
    an_buffer_free(&status);
    target->is_there = true;
    if (an_proc_stat(pid, 0, &stat)) {
        snprintf(target->name, sizeof target->name, "%s", stat.name);
        target->is_kernel = an_proc_is_kernel_thread(&stat);
    }
    target->has_ended = !target->is_kernel && !living;
    if (target->tracer && an_proc_stat(target->tracer, 0, &stat))
        snprintf(target->tracer_name, sizeof target->tracer_name, "%s", stat.name);
    target->is_hidden = is_hidden(target);
    target->look_error = error_of_opening(target->living, "maps");
    target->trace_error = error_of_opening(target->living, "mem");
    look_at_binary(target);
}

/* ---- judging ---- */

static bool is_process(const struct an_target_process *target)
{
    return target->is_there && !target->is_kernel && !target->has_ended &&
           target->process == target->pid;
}

enum an_record_method an_target_process_method(const struct an_target_process *target,
                                               const struct an_machine *machine)
{
    if (!is_process(target))
        return AN_RECORD_AUTO;
    if (machine->branch_records.step == AN_TRIAL_DONE && !target->look_error)
        return AN_RECORD_LBR;
    bool traceable = !target->trace_error && !target->tracer;
    if (machine->tracing.step != AN_TRIAL_DONE || !traceable)
        return AN_RECORD_AUTO;
    return machine->can_emulate ? AN_RECORD_EMULATE : AN_RECORD_STEP;
}

/* False when there is nothing more to say. */
static bool judge_process(const struct an_target_process *target,
                          struct an_diagnostics *diagnostics)
{
    struct an_diagnostic *diagnostic;
    if (!target->is_there) {
        an_diagnostics_add(diagnostics, "process", AN_PROBLEM,
                           "no such process that this user can see");
    } else if (target->is_kernel) {
        an_diagnostics_add(diagnostics, "process", AN_PROBLEM, "%s, a kernel thread", target->name);
    } else if (target->has_ended) {
        an_diagnostics_add(diagnostics, "process", AN_PROBLEM, "%s, which has ended", target->name);
    } else if (target->process != target->pid) {
        diagnostic =
            an_diagnostics_add(diagnostics, "process", AN_PROBLEM,
                               "%s, a thread of process %d: processes are recorded as a whole",
                               target->name, target->process);
        an_diagnostic_remedy(diagnostic, "use -p %d", target->process);
    } else if (target->state == 'T') {
        diagnostic = an_diagnostics_add(diagnostics, "process", AN_LOSS,
                                        "%s, stopped by a signal: nothing to record", target->name);
        an_diagnostic_remedy(diagnostic, "kill -CONT %d", target->pid);
    } else {
        an_diagnostics_add(diagnostics, "process", AN_IN_ORDER, "%s, %llu thread%s, of user %u",
                           target->name, (unsigned long long)target->threads,
                           target->threads == 1 ? "" : "s", target->user);
    }
    return is_process(target);
}

static void judge_binary(const struct an_target_process *target, struct an_diagnostics *diagnostics)
{
    if (!target->binary[0] || !target->is_replaced)
        return;
    struct an_diagnostic *diagnostic =
        an_diagnostics_add(diagnostics, "binary", AN_LOSS,
                           "%.130s is not the file that runs: it was deleted or replaced since, or "
                           "is inside a container",
                           target->binary);
    an_diagnostic_remedy(diagnostic, "cp /proc/%d/exe FILE, and use that with llvm-bolt",
                         target->pid);
}

static void judge_permission(const struct an_target_process *target,
                             const struct an_machine *machine, struct an_diagnostics *diagnostics)
{
    struct an_diagnostic *diagnostic;
    if (!target->is_same_user && !machine->traces_all) {
        diagnostic = an_diagnostics_add(diagnostics, "permission", AN_PROBLEM,
                                        "it belongs to user %u, and this is user %u without "
                                        "CAP_SYS_PTRACE",
                                        target->user, machine->user);
        an_diagnostic_remedy(diagnostic, "run as root");
    } else if (target->is_hidden && !machine->traces_all) {
        diagnostic =
            an_diagnostics_add(diagnostics, "permission", AN_PROBLEM,
                               "it is protected: it runs set-user-id, has capabilities, or "
                               "requested it (PR_SET_DUMPABLE)");
        an_diagnostic_remedy(diagnostic, "run as root");
    } else if (target->trace_error == EACCES && machine->ptrace_scope >= 1 && !target->look_error) {
        diagnostic =
            an_diagnostics_add(diagnostics, "permission", AN_PROBLEM,
                               "not a child of anneal, and Yama allows tracing only children "
                               "(kernel.yama.ptrace_scope is %d)",
                               machine->ptrace_scope);
        an_diagnostic_remedy(diagnostic, "sysctl kernel.yama.ptrace_scope=0, or run as root");
    } else {
        diagnostic =
            an_diagnostics_add(diagnostics, "permission", AN_PROBLEM,
                               "it cannot be traced (%s), because of a security module or its "
                               "capabilities",
                               strerror(target->trace_error));
        an_diagnostic_remedy(diagnostic, "run as root, outside its container");
    }
}

static void judge_recording(const struct an_target_process *target,
                            const struct an_machine *machine, struct an_diagnostics *diagnostics)
{
    enum an_record_method method = an_target_process_method(target, machine);
    if (method != AN_RECORD_AUTO) {
        an_diagnostics_add(diagnostics, "permission", AN_IN_ORDER,
                           "it can be recorded, with method %s", an_record_method_name(method));
    } else if (target->trace_error) {
        judge_permission(target, machine, diagnostics);
    } else if (target->tracer) {
        struct an_diagnostic *diagnostic = an_diagnostics_add(
            diagnostics, "tracer", AN_PROBLEM,
            "process %d (%s) is tracing it already, and only one "
            "process can",
            target->tracer, target->tracer_name[0] ? target->tracer_name : "not visible");
        an_diagnostic_remedy(diagnostic,
                             "end that process (a debugger, strace, another recording)");
    } else {
        an_diagnostics_add(diagnostics, "permission", AN_PROBLEM,
                           "it could be traced, but this machine does not allow it");
    }
}

void an_target_process_judge(const struct an_target_process *target,
                             const struct an_machine *machine, struct an_diagnostics *diagnostics)
{
    if (!judge_process(target, diagnostics))
        return;
    judge_binary(target, diagnostics);
    judge_recording(target, machine, diagnostics);
}
