/* Windows that go on behind system calls; see calls.h. */
#include "record/calls.h"

#include <errno.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "record/ends.h"
#include "record/tracee.h"

enum { SYSCALL_LENGTH = 2 };

/* Sends a stopped thread into the system call that it stands before. */
static bool park(struct an_recorder *recorder, const struct an_window *window)
{
    struct an_pending_thread *pending =
        an_pending_add(&recorder->pending, AN_PENDING_ENTRY, window);
    if (!pending)
        return false;
    pending->call = window->ip;
    if (an_tracee_to_syscall(window->thread.tid))
        return true;
    an_pending_remove(&recorder->pending, pending);
    return false;
}

bool an_calls_run(struct an_recorder *recorder, struct an_window *window,
                  const struct user_regs_struct *registers)
{
    int signal;
    enum an_window_end end = an_recorder_run(recorder, window, registers, &signal);
    if (end == AN_WINDOW_SYSCALL && !recorder->options->verify && park(recorder, window))
        return true;
    if (signal >= 0)
        recorder->let_go(recorder, window->thread.tid, signal);
    if (end == AN_WINDOW_STUCK || end == AN_WINDOW_SYSCALL) {
        recorder->counts->short_ones++;
        if (!recorder->options->verify) /* there, they are those of emulation */
            an_ends_count(recorder->counts, end == AN_WINDOW_STUCK ? window->why : "syscall");
    }
    if (end != AN_WINDOW_GONE)
        an_recorder_write(recorder, window);
    recorder->is_ahead_known = end == AN_WINDOW_FULL;
    return false;
}

/*
 * A thread that is let go where a system call begins finds itself interrupted there: letting go wakes
 * it, and nothing takes that back. So it is told to stop, and goes on until it does, which is behind
 * the call or before it.
 */
static void tell_to_leave(struct an_pending_thread *pending)
{
    an_tracee_interrupt(pending->window.thread.tid);
    pending->phase = AN_PENDING_LEAVING;
}

/* A system call is about to be made. If it is not the one that emulation came to, the thread went
 * another way than was foreseen: memory that it shares has changed. */
static void enter_call(struct an_recorder *recorder, struct an_pending_thread *pending)
{
    struct user_regs_struct registers;
    int32_t tid = pending->window.thread.tid;
    bool expected =
        an_tracee_registers(tid, &registers) && registers.rip == pending->call + SYSCALL_LENGTH;
    if (expected && an_tracee_to_syscall(tid)) {
        pending->phase = AN_PENDING_EXIT;
        return;
    }
    an_ends_count(recorder->counts, "diverged");
    recorder->counts->short_ones++;
    tell_to_leave(pending);
    an_tracee_continue(tid);
}

/* Whether the thread goes on behind the call: not where that will be made again, behind a signal, and
 * not where it leads to another program, or back from the handler of a signal. */
static bool goes_on(const struct user_regs_struct *registers)
{
    enum { RESTART_FIRST = 512, RESTART_LAST = 516 };
    uint64_t call = registers->orig_rax;
    int64_t result = (int64_t)registers->rax;
    bool returns = (int64_t)call >= 0; /* behind rt_sigreturn, there is no call any more */
    return returns && call != SYS_execve && call != SYS_execveat && result != -EINTR &&
           !(result <= -RESTART_FIRST && result >= -RESTART_LAST);
}

static bool leave_call(struct an_recorder *recorder, struct an_pending_thread *pending)
{
    struct user_regs_struct registers;
    struct an_window window = pending->window;
    int32_t tid = window.thread.tid;
    an_pending_remove(&recorder->pending, pending);
    if (!an_tracee_registers(tid, &registers) || !goes_on(&registers)) {
        recorder->let_go(recorder, tid, 0);
        an_recorder_write(recorder, &window);
        return false;
    }
    window.ip = registers.rip;
    recorder->crossed++;
    return an_calls_run(recorder, &window, &registers);
}

bool an_calls_event(struct an_recorder *recorder, struct an_pending_thread *pending, bool *is_over)
{
    *is_over = false;
    switch (pending->phase) {
    case AN_PENDING_ENTRY:
        enter_call(recorder, pending);
        return true;
    case AN_PENDING_EXIT:
        *is_over = !leave_call(recorder, pending);
        return true;
    case AN_PENDING_LEAVING:
        an_tracee_continue(pending->window.thread.tid);
        return true;
    default:
        return false;
    }
}

void an_calls_abandon(struct an_recorder *recorder, struct an_pending_thread *pending)
{
    if (pending->phase == AN_PENDING_EXIT) /* up to the call it is as it was */
        an_recorder_write(recorder, &pending->window);
    an_pending_remove(&recorder->pending, pending);
}

void an_calls_settle(struct an_recorder *recorder, void (*handle_events)(struct an_recorder *))
{
    enum { PATIENCE = 2000000000, A_WHILE = 1000000 };
    uint64_t start = an_clock_now();
    for (;;) {
        an_pending_each(&recorder->pending, AN_PENDING_ENTRY, tell_to_leave);
        if (!an_pending_any_stopping(&recorder->pending) || an_clock_now() - start >= PATIENCE)
            return;
        an_tracee_sleep(A_WHILE);
        handle_events(recorder);
    }
}
