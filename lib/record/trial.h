/*
 * Trying what may be forbidden. Permissions on paper say little about ptrace(2) and
 * perf_event_open(2): capabilities, Yama, other security modules, and above all the seccomp filters
 * of containers decide. So they are tried, on a child of one's own, by another child: if a filter
 * kills the caller of a forbidden system call, it is not this process.
 *
 *     caller ──fork──► subject: counts, and waits to be traced
 *            ──fork──► tracer:  seizes, stops, steps and reads the subject
 *            ◄──pipe── what it is about to do, step by step, and how that ended
 *
 * A trial takes some milliseconds, at most some seconds. Both children are gone when it returns.
 */
#ifndef AN_RECORD_TRIAL_H
#define AN_RECORD_TRIAL_H

#include <stdbool.h>

enum an_trial_step {                 /* in this order */
                     AN_TRIAL_START, /* the children and the pipe */
                     AN_TRIAL_EVENT, /* perf_event_open() */
                     AN_TRIAL_SEIZE,
                     AN_TRIAL_STOP,
                     AN_TRIAL_STEP,
                     AN_TRIAL_RELEASE,
                     AN_TRIAL_READ, /* process_vm_readv() */
                     AN_TRIAL_DONE, /* all went well */
};

struct an_trial {
    enum an_trial_step step; /* the last one that was begun */
    int error;               /* errno of it, or 0 */
    int signal;              /* that ended the child which tried it, or 0; SIGSYS: a filter */
    bool is_late;            /* it was not done in time */
};

/* Whether branch stacks can be recorded of processes of this user. */
struct an_trial an_trial_branch_records(void);

/* Whether the kernel allows clock events, which choose when threads are recorded (alarm.h). */
struct an_trial an_trial_clock(void);

/* Whether a process that is no child of the tracer, but allows it, can be traced. */
struct an_trial an_trial_tracing(void);

#endif
