/*
 * Looking at a process; see candidate.h.
 *
 * The kernel asks the same question (__ptrace_may_access(), and the security modules) when a tracer
 * attaches and when somebody opens /proc/PID/mem. So opening that file tells whether a process may be
 * traced, for all reasons that there are, and the process does not notice. /proc/PID/maps stands
 * for the lesser permission that perf_event_open(2) wants. ptrace(2) and proc(5) describe both.
 */
#include "record/candidate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "record/proc.h"

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

static void take_status(const char *text, struct an_candidate *candidate)
{
    const char *state = field(text, "State"), *user = field(text, "Uid");
    unsigned effective = 0;
    if (state)
        sscanf(state, " %c", &candidate->state);
    if (user)
        sscanf(user, "%*u %u", &effective);
    candidate->user = effective;
    candidate->process = (int32_t)number(text, "Tgid");
    candidate->threads = (uint64_t)number(text, "Threads");
    candidate->tracer = (int32_t)number(text, "TracerPid");
    candidate->is_same_user =
        has_number(text, "Uid", getuid()) && has_number(text, "Gid", getgid());
    candidate->is_kernel = candidate->state != 'Z' && !field(text, "VmSize");
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
static bool is_hidden(const struct an_candidate *candidate)
{
    char path[64];
    struct stat info;
    snprintf(path, sizeof path, "/proc/%d/environ", candidate->living);
    return stat(path, &info) == 0 && info.st_uid != candidate->user;
}

static void look_at_binary(struct an_candidate *candidate)
{
    char path[64];
    struct stat running, named;
    snprintf(path, sizeof path, "/proc/%d/exe", candidate->living);
    ssize_t length = readlink(path, candidate->binary, sizeof candidate->binary - 1);
    if (length <= 0)
        return;
    candidate->binary[length] = '\0';
    bool same = stat(path, &running) == 0 && stat(candidate->binary, &named) == 0 &&
                running.st_dev == named.st_dev && running.st_ino == named.st_ino;
    candidate->is_replaced = !same;
    if (!same)
        candidate->binary[an_file_linked_length(candidate->binary)] = '\0';
}

void an_candidate_look(int32_t pid, struct an_candidate *candidate)
{
    struct an_buffer status;
    struct an_proc_stat stat;
    int32_t living = pid > 0 ? an_proc_living(pid) : 0;
    *candidate = (struct an_candidate){.pid = pid, .living = living ? living : pid};
    if (pid <= 0 || !an_proc_text(candidate->living, "status", &status))
        return;
    take_status((const char *)status.data, candidate);
    an_buffer_free(&status);
    candidate->is_there = true;
    if (an_proc_stat(pid, 0, &stat))
        snprintf(candidate->name, sizeof candidate->name, "%s", stat.name);
    if (candidate->tracer && an_proc_stat(candidate->tracer, 0, &stat))
        snprintf(candidate->tracer_name, sizeof candidate->tracer_name, "%s", stat.name);
    candidate->is_hidden = is_hidden(candidate);
    candidate->look_error = error_of_opening(candidate->living, "maps");
    candidate->trace_error = error_of_opening(candidate->living, "mem");
    look_at_binary(candidate);
}

/* ---- judging ---- */

static bool is_process(const struct an_candidate *candidate)
{
    return candidate->is_there && !candidate->is_kernel && candidate->state != 'Z' &&
           candidate->process == candidate->pid;
}

enum an_record_method an_candidate_method(const struct an_candidate *candidate,
                                          const struct an_machine *machine)
{
    if (!is_process(candidate))
        return AN_RECORD_AUTO;
    if (machine->branch_records.step == AN_TRIAL_DONE && !candidate->look_error)
        return AN_RECORD_LBR;
    bool traceable = !candidate->trace_error && !candidate->tracer;
    if (machine->tracing.step != AN_TRIAL_DONE || !traceable)
        return AN_RECORD_AUTO;
    return machine->can_emulate ? AN_RECORD_EMULATE : AN_RECORD_STEP;
}

/* False when there is nothing more to say. */
static bool judge_process(const struct an_candidate *candidate, struct an_findings *findings)
{
    struct an_finding *finding;
    if (!candidate->is_there) {
        an_findings_add(findings, "process", AN_PROBLEM, "no such process that this user can see");
    } else if (candidate->is_kernel) {
        an_findings_add(findings, "process", AN_PROBLEM, "%s, a kernel thread", candidate->name);
    } else if (candidate->state == 'Z') {
        an_findings_add(findings, "process", AN_PROBLEM, "%s, which has ended", candidate->name);
    } else if (candidate->process != candidate->pid) {
        finding = an_findings_add(findings, "process", AN_PROBLEM,
                                  "%s, a thread of process %d: processes are recorded as a whole",
                                  candidate->name, candidate->process);
        an_finding_remedy(finding, "use -p %d", candidate->process);
    } else if (candidate->state == 'T') {
        finding = an_findings_add(findings, "process", AN_LOSS,
                                  "%s, stopped by a signal: nothing to record", candidate->name);
        an_finding_remedy(finding, "kill -CONT %d", candidate->pid);
    } else {
        an_findings_add(findings, "process", AN_IN_ORDER, "%s, %llu thread%s, of user %u",
                        candidate->name, (unsigned long long)candidate->threads,
                        candidate->threads == 1 ? "" : "s", candidate->user);
    }
    return is_process(candidate);
}

static void judge_binary(const struct an_candidate *candidate, struct an_findings *findings)
{
    if (!candidate->binary[0] || !candidate->is_replaced)
        return;
    struct an_finding *finding =
        an_findings_add(findings, "binary", AN_LOSS,
                        "%.130s is not the file that runs: it was deleted or replaced since, or "
                        "is inside a container",
                        candidate->binary);
    an_finding_remedy(finding, "cp /proc/%d/exe FILE, and use that with llvm-bolt", candidate->pid);
}

static void judge_permission(const struct an_candidate *candidate, const struct an_machine *machine,
                             struct an_findings *findings)
{
    struct an_finding *finding;
    if (!candidate->is_same_user && !machine->traces_all) {
        finding = an_findings_add(findings, "permission", AN_PROBLEM,
                                  "it belongs to user %u, and this is user %u without "
                                  "CAP_SYS_PTRACE",
                                  candidate->user, machine->user);
        an_finding_remedy(finding, "run as root");
    } else if (candidate->is_hidden && !machine->traces_all) {
        finding = an_findings_add(findings, "permission", AN_PROBLEM,
                                  "it is protected: it runs set-user-id, has capabilities, or "
                                  "requested it (PR_SET_DUMPABLE)");
        an_finding_remedy(finding, "run as root");
    } else if (candidate->trace_error == EACCES && machine->ptrace_scope >= 1 &&
               !candidate->look_error) {
        finding = an_findings_add(findings, "permission", AN_PROBLEM,
                                  "not a child of anneal, and Yama allows tracing only children "
                                  "(kernel.yama.ptrace_scope is %d)",
                                  machine->ptrace_scope);
        an_finding_remedy(finding, "sysctl kernel.yama.ptrace_scope=0, or run as root");
    } else {
        finding = an_findings_add(findings, "permission", AN_PROBLEM,
                                  "it cannot be traced (%s), because of a security module or its "
                                  "capabilities",
                                  strerror(candidate->trace_error));
        an_finding_remedy(finding, "run as root, outside its container");
    }
}

static void judge_recording(const struct an_candidate *candidate, const struct an_machine *machine,
                            struct an_findings *findings)
{
    enum an_record_method method = an_candidate_method(candidate, machine);
    if (method != AN_RECORD_AUTO) {
        an_findings_add(findings, "permission", AN_IN_ORDER, "it can be recorded, with method %s",
                        an_record_method_name(method));
    } else if (candidate->trace_error) {
        judge_permission(candidate, machine, findings);
    } else if (candidate->tracer) {
        struct an_finding *finding = an_findings_add(
            findings, "tracer", AN_PROBLEM,
            "process %d (%s) is tracing it already, and only one "
            "process can",
            candidate->tracer, candidate->tracer_name[0] ? candidate->tracer_name : "not visible");
        an_finding_remedy(finding, "end that process (a debugger, strace, another recording)");
    } else {
        an_findings_add(findings, "permission", AN_PROBLEM,
                        "it could be traced, but this machine does not allow it");
    }
}

void an_candidate_judge(const struct an_candidate *candidate, const struct an_machine *machine,
                        struct an_findings *findings)
{
    if (!judge_process(candidate, findings))
        return;
    judge_binary(candidate, findings);
    judge_recording(candidate, machine, findings);
}
