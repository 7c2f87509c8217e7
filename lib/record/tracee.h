/*
 * One thread under ptrace(2), for as short as possible: seized, stopped, looked at, let go.
 *
 * What is promised to the thread:
 *   - A signal that it was about to get is delivered when it is let go.
 *   - Merely stopping a thread makes some system calls return EINTR to it (signal(7), the section on
 *     stop signals: epoll_wait, recv with a timeout, sigtimedwait, semop, io_getevents...). Where that
 *     has happened and no signal is pending, the call is made again. So it is behind a signal that does
 *     nothing, which a thread that is not traced would not get.
 *   - Nothing of it is changed otherwise, and nothing that the kernel would not undo by itself when
 *     the tracer dies, but for the steps of step.c, each of which is a trap.
 *
 * All functions have to be called by the same thread: ptrace is a matter between threads. That one
 * must have SIGCHLD blocked, which wakes it when something happens.
 */
#ifndef AN_RECORD_TRACEE_H
#define AN_RECORD_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

enum an_tracee_stop {
    AN_TRACEE_STOPPED,   /* in user mode; registers are filled */
    AN_TRACEE_IN_KERNEL, /* it was in a system call, or comes out of one; let go already */
    AN_TRACEE_LATE, /* it does not stop in time: it does not run. Still seized: an event comes */
    AN_TRACEE_GONE, /* it has ended, may not be traced, or got a signal; not held */
    AN_TRACEE_FORBIDDEN, /* errno tells why ptrace refused it */
};

/*
 * Nanoseconds in which a thread that runs stops, also one that has to wait for the recorder to sleep.
 * Others wait for a processor, or for the kernel.
 */
enum { AN_TRACEE_PATIENCE = 500000 };

/*
 * Seizes a thread and lets it run: threads that it starts are seized as well, and with `children`
 * processes, too; each of them begins with an AN_EVENT_STOP. 0, or the errno of ptrace.
 */
int an_tracee_seize(int32_t tid, bool children);

/* Seizes and stops a thread. */
enum an_tracee_stop an_tracee_stop(int32_t tid, struct user_regs_struct *registers);

/* What an AN_EVENT_STOP has met that came after AN_TRACEE_LATE; `status` as of waitpid(). */
enum an_tracee_stop an_tracee_look(int32_t tid, int status, struct user_regs_struct *registers);

enum an_tracee_event {
    AN_EVENT_STEP,    /* a single step is done */
    AN_EVENT_SYSCALL, /* at the beginning or the end of a system call */
    AN_EVENT_STOP,    /* by an_tracee_stop(), or by a stop signal of somebody; or it is new */
    AN_EVENT_BIRTH,   /* it has started a thread or a process */
    AN_EVENT_EXEC,    /* it executes another program */
    AN_EVENT_SIGNAL,  /* it is about to get one */
    AN_EVENT_END,     /* of the thread */
};

/* What a status of waitpid() is; *signal: the one that has to be handed on, or 0. */
enum an_tracee_event an_tracee_event(int32_t tid, int status, int *signal);

/* The next event of any seized thread, without waiting. False when there is none. */
bool an_tracee_next(int32_t *tid, int *status);

/* Waits for an event of one thread; false when there is none in so many nanoseconds. `spin`: for so
 * many of them without sleep, for one that runs on another processor and will not take longer. */
bool an_tracee_wait(int32_t tid, uint64_t nanoseconds, uint64_t spin, int *status);

/* Sleeps; an event of a seized thread wakes. */
void an_tracee_sleep(uint64_t nanoseconds);

/* Mends what a stop has done to a stopped thread, if it was made while an_tracee_stop() did not wait
 * for it any more. */
void an_tracee_mend(int32_t tid);

/*
 * The same, and reads the registers as they are then; false when the thread is gone. `queues`, of
 * an_tracee_queues_signals() a moment ago, makes that quicker.
 */
bool an_tracee_mended(int32_t tid, bool queues, struct user_regs_struct *registers);

/*
 * Whether each signal that a process gets is in a queue until it is delivered. The kernel has room for so many
 * of a user's (RLIMIT_SIGPENDING); without room, some are delivered without having been in any.
 */
bool an_tracee_queues_signals(int32_t pid);

bool an_tracee_registers(int32_t tid, struct user_regs_struct *registers);

/* The set of signals that a stopped thread blocks; false when it is gone. */
bool an_tracee_blocked(int32_t tid, uint64_t *blocked);

/* Whether a thread blocks or ignores SIGTRAP. A step would end that: the kernel forces its trap. */
bool an_tracee_masks_traps(int32_t tid);

/* Lets a stopped thread execute one instruction, or go to the next beginning or end of a system
 * call. False when it is gone. */
bool an_tracee_step(int32_t tid);
bool an_tracee_to_syscall(int32_t tid);

/* Tells a seized thread to stop, wherever it is: an AN_EVENT_STOP comes, behind other events. */
void an_tracee_interrupt(int32_t tid);

/* Lets a stopped thread run until its next event; system calls are none. */
void an_tracee_continue(int32_t tid);

/* The same, with a signal or 0. */
void an_tracee_go_on(int32_t tid, int signal);

/* Leaves a thread stopped that somebody's stop signal has stopped, until a SIGCONT. */
void an_tracee_leave_stopped(int32_t tid);

/* Lets a thread that is about to get a signal get it: it stops again, where its handler begins. */
void an_tracee_deliver(int32_t tid, int signal);

/* Lets a stopped thread go, with a signal or 0. Not where a system call begins: that would be
 * interrupted. */
void an_tracee_release(int32_t tid, int signal);

#endif
