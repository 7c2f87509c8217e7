/* Holding a thread; see tracee.h. */
#include "record/tracee.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/proc.h"

enum {
    SYSCALL_STOP = SIGTRAP | 0x80, /* with PTRACE_O_TRACESYSGOOD */
    SYSCALL_LENGTH = 2,            /* of the instruction */
};

/* ---- events ---- */

static bool is_step(int32_t tid)
{
    siginfo_t info;
    return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 && info.si_code == TRAP_TRACE;
}

enum an_tracee_event an_tracee_event(int32_t tid, int status, int *signal)
{
    *signal = 0;
    if (!WIFSTOPPED(status))
        return AN_EVENT_END;
    switch (status >> 16) {
    case PTRACE_EVENT_STOP:
        return AN_EVENT_STOP;
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
        return AN_EVENT_BIRTH;
    case PTRACE_EVENT_EXEC:
        return AN_EVENT_EXEC;
    default:
        break;
    }
    if (WSTOPSIG(status) == SYSCALL_STOP)
        return AN_EVENT_SYSCALL;
    if (WSTOPSIG(status) == SIGTRAP && is_step(tid))
        return AN_EVENT_STEP;
    *signal = WSTOPSIG(status);
    return AN_EVENT_SIGNAL;
}

/* Of the threads that this one has seized; the children of the whole process are not its business. */
bool an_tracee_next(int32_t *tid, int *status)
{
    *tid = waitpid(-1, status, __WALL | __WNOTHREAD | WNOHANG);
    return *tid > 0;
}

void an_tracee_sleep(uint64_t nanoseconds)
{
    enum { SECOND = 1000000000 };
    sigset_t signals;
    struct timespec time = {(time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND)};
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigtimedwait(&signals, NULL, &time);
}

/* (The SIGCHLD that wakes may go to another thread, of a process that does not block it.) */
bool an_tracee_wait(int32_t tid, uint64_t nanoseconds, uint64_t spin, int *status)
{
    enum { SLEEP = 10000000 };
    uint64_t start = an_clock_now();
    for (;;) {
        pid_t got = waitpid(tid, status, __WALL | __WNOTHREAD | WNOHANG);
        if (got > 0)
            return true;
        if (got < 0) { /* it is nobody's any more */
            *status = 0;
            return true;
        }
        uint64_t waited = an_clock_now() - start;
        if (waited >= nanoseconds)
            return false;
        uint64_t rest = nanoseconds - waited;
        if (waited >= spin)
            an_tracee_sleep(rest < SLEEP ? rest : SLEEP);
    }
}

/* ---- stopping ---- */

/* A set of signals, of which /proc/PID/status tells. */
static uint64_t signals(const char *status, const char *name)
{
    return an_proc_status_number(status, name, 16);
}

/*
 * The signals that do nothing to a process: those that it ignores, and those that are ignored by
 * default and have no handler. A traced thread gets them all the same, since a tracer may want to know.
 */
static uint64_t without_effect(const char *status)
{
    enum {
        BY_DEFAULT =
            1 << (SIGCHLD - 1) | 1 << (SIGCONT - 1) | 1 << (SIGURG - 1) | 1 << (SIGWINCH - 1)
    };
    return signals(status, "\nSigIgn:") | (BY_DEFAULT & ~signals(status, "\nSigCgt:"));
}

/* Whether signals wait in a queue: two quick calls, where the file needs many. A thread that has ended has none. */
static bool has_queued_signal(int32_t tid)
{
    siginfo_t info;
    struct __ptrace_peeksiginfo_args own = {.nr = 1};
    struct __ptrace_peeksiginfo_args of_process = {.flags = PTRACE_PEEKSIGINFO_SHARED, .nr = 1};
    return ptrace(PTRACE_PEEKSIGINFO, tid, &own, &info) != 0 ||
           ptrace(PTRACE_PEEKSIGINFO, tid, &of_process, &info) != 0;
}

static bool has_pending_signal(int32_t tid)
{
    struct an_buffer text;
    if (!an_proc_text(tid, "status", &text))
        return true;
    const char *status = (const char *)text.data;
    uint64_t pending = signals(status, "\nSigPnd:") | signals(status, "\nShdPnd:");
    uint64_t blocked = signals(status, "\nSigBlk:");
    uint64_t effective = pending & ~blocked & ~without_effect(status);
    an_buffer_free(&text);
    return effective != 0;
}

static bool has_effect(int32_t tid, int signal)
{
    struct an_buffer text;
    if (!an_proc_text(tid, "status", &text))
        return true;
    bool effect = !(without_effect((const char *)text.data) >> (signal - 1) & 1);
    an_buffer_free(&text);
    return effect;
}

bool an_tracee_blocked(int32_t tid, uint64_t *blocked)
{
    return ptrace(PTRACE_GETSIGMASK, tid, sizeof *blocked, blocked) == 0;
}

bool an_tracee_masks_traps(int32_t tid)
{
    enum { TRAP = 1 << (SIGTRAP - 1) };
    struct an_buffer text;
    if (!an_proc_text(tid, "status", &text))
        return true;
    const char *status = (const char *)text.data;
    uint64_t masked = signals(status, "\nSigBlk:") | signals(status, "\nSigIgn:");
    an_buffer_free(&text);
    return masked & TRAP;
}

/* Calls that must not be made again: the file is closed even when they return EINTR. */
static bool closes(uint64_t number)
{
    return number == SYS_close || number == SYS_dup2 || number == SYS_dup3;
}

bool an_tracee_queues_signals(int32_t pid)
{
    enum { ROOM = 1024 };
    struct an_buffer text;
    unsigned long queued = 0, most = 0;
    if (!an_proc_text(pid, "status", &text))
        return false;
    const char *line = strstr((const char *)text.data, "\nSigQ:");
    bool known = line && sscanf(line, "\nSigQ: %lu/%lu", &queued, &most) == 2;
    an_buffer_free(&text);
    return known && most > ROOM && queued < most - ROOM;
}

/* Makes a system call again that has returned EINTR for no other reason than the stop. */
static void repeat_interrupted_call(int32_t tid, struct user_regs_struct *registers, bool queues)
{
    if ((int64_t)registers->orig_rax < 0 || (int64_t)registers->rax != -EINTR ||
        closes(registers->orig_rax) ||
        ((!queues || has_queued_signal(tid)) && has_pending_signal(tid)))
        return;
    registers->rax = registers->orig_rax;
    registers->orig_rax = (unsigned long long)-1;
    registers->rip -= SYSCALL_LENGTH;
    ptrace(PTRACE_SETREGS, tid, NULL, registers);
}

bool an_tracee_registers(int32_t tid, struct user_regs_struct *registers)
{
    return ptrace(PTRACE_GETREGS, tid, NULL, registers) == 0;
}

bool an_tracee_mended(int32_t tid, bool queues, struct user_regs_struct *registers)
{
    if (!an_tracee_registers(tid, registers))
        return false;
    repeat_interrupted_call(tid, registers, queues);
    return true;
}

void an_tracee_mend(int32_t tid)
{
    struct user_regs_struct registers;
    an_tracee_mended(tid, false, &registers);
}

/*
 * Whether a thread stands right behind a system call. The kernel lets no interrupt in while it enters
 * and leaves; one that came then takes effect here, so that this place would seem to take all that
 * time. (A program of many short calls: a third of all stops.)
 */
static bool has_just_returned(int32_t tid, const struct user_regs_struct *registers)
{
    uint8_t before[SYSCALL_LENGTH];
    struct iovec here = {before, sizeof before};
    struct iovec there = {(void *)(uintptr_t)(registers->rip - SYSCALL_LENGTH), sizeof before};
    return process_vm_readv(tid, &here, 1, &there, 1, 0) == sizeof before && before[0] == 0x0f &&
           before[1] == 0x05;
}

enum an_tracee_stop an_tracee_look(int32_t tid, int status, struct user_regs_struct *registers)
{
    int signal;
    enum an_tracee_event event = an_tracee_event(tid, status, &signal);
    if (event == AN_EVENT_END)
        return AN_TRACEE_GONE;
    bool ours = event == AN_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
    if (!an_tracee_registers(tid, registers) || !ours) {
        an_tracee_release(tid, signal);
        return AN_TRACEE_GONE;
    }
    if ((int64_t)registers->orig_rax < 0 && !has_just_returned(tid, registers))
        return AN_TRACEE_STOPPED;
    repeat_interrupted_call(tid, registers, false);
    an_tracee_release(tid, 0);
    return AN_TRACEE_IN_KERNEL;
}

int an_tracee_seize(int32_t tid, bool children)
{
    enum {
        THREADS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC,
        PROCESSES = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
    };
    uintptr_t options = children ? THREADS | PROCESSES : THREADS;
    return ptrace(PTRACE_SEIZE, tid, NULL, (void *)options) == 0 ? 0 : errno;
}

enum an_tracee_stop an_tracee_stop(int32_t tid, struct user_regs_struct *registers)
{
    int status;
    if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0)
        return errno == ESRCH ? AN_TRACEE_GONE : AN_TRACEE_FORBIDDEN;
    if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0)
        return AN_TRACEE_LATE; /* it ends: that is an event, too */
    if (!an_tracee_wait(tid, AN_TRACEE_PATIENCE, 0, &status))
        return AN_TRACEE_LATE;
    return an_tracee_look(tid, status, registers);
}

bool an_tracee_step(int32_t tid)
{
    return ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL) == 0;
}

bool an_tracee_to_syscall(int32_t tid)
{
    return ptrace(PTRACE_SYSCALL, tid, NULL, NULL) == 0;
}

void an_tracee_interrupt(int32_t tid)
{
    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
}

void an_tracee_continue(int32_t tid)
{
    ptrace(PTRACE_CONT, tid, NULL, NULL);
}

/* The signal, unless it does nothing: then what it has interrupted goes on. */
static void *effective(int32_t tid, int signal)
{
    if (signal && !has_effect(tid, signal)) {
        an_tracee_mend(tid);
        signal = 0;
    }
    return (void *)(intptr_t)signal;
}

void an_tracee_deliver(int32_t tid, int signal)
{
    an_tracee_interrupt(tid);
    ptrace(PTRACE_CONT, tid, NULL, effective(tid, signal));
}

void an_tracee_go_on(int32_t tid, int signal)
{
    ptrace(PTRACE_CONT, tid, NULL, effective(tid, signal));
}

void an_tracee_leave_stopped(int32_t tid)
{
    ptrace(PTRACE_LISTEN, tid, NULL, NULL);
}

void an_tracee_release(int32_t tid, int signal)
{
    ptrace(PTRACE_DETACH, tid, NULL, effective(tid, signal));
}
