/* Trying things in children; see trial.h. What runs in these calls nothing that takes a lock: the
 * process that they are copies of may have other threads. */
#include "record/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/alarm.h"
#include "record/lbr.h"

enum { MOST_MILLISECONDS = 3000 };

/* ---- children ---- */

/* fork(), whose child ends when the parent does. */
static pid_t fork_bound(void)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    return 0;
}

static int reap(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Takes in reports until the child has no more to say. False when that takes too long. */
static bool listen_to(int pipe, struct an_trial *trial)
{
    int64_t end = (int64_t)(an_clock_now() / 1000000) + MOST_MILLISECONDS;
    for (;;) {
        struct pollfd wanted = {.fd = pipe, .events = POLLIN};
        int64_t left = end - (int64_t)(an_clock_now() / 1000000);
        int ready = left > 0 ? poll(&wanted, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        struct an_trial report;
        ssize_t got = read(pipe, &report, sizeof report);
        if (got == (ssize_t)sizeof report)
            *trial = report;
        else if (got >= 0 || errno != EINTR)
            return true;
    }
}

/* ---- what the children do ---- */

struct subject {
    pid_t pid;
    volatile pid_t *self; /* where it keeps its own number, at the same address in all three */
};

/* A report is smaller than PIPE_BUF: it arrives whole. */
static bool report(int pipe, enum an_trial_step step, int error)
{
    struct an_trial trial = {.step = step, .error = error};
    return write(pipe, &trial, sizeof trial) == (ssize_t)sizeof trial && error == 0;
}

static void try_branch_records(int pipe, const struct subject *subject)
{
    (void)subject;
    struct perf_event_attr attr = an_lbr_attr(0);
    report(pipe, AN_TRIAL_EVENT, 0);
    if (report(pipe, AN_TRIAL_EVENT, an_lbr_probe(&attr, 0)))
        report(pipe, AN_TRIAL_DONE, 0);
}

static void try_clock(int pipe, const struct subject *subject)
{
    (void)subject;
    report(pipe, AN_TRIAL_EVENT, 0);
    if (report(pipe, AN_TRIAL_EVENT, an_alarm_probe(0)))
        report(pipe, AN_TRIAL_DONE, 0);
}

/* Does a step; its errno, or 0. */
static int traced(enum an_trial_step step, const struct subject *subject)
{
    pid_t pid = subject->pid, self = 0;
    int status;
    switch (step) {
    case AN_TRIAL_SEIZE:
        return ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0 ? 0 : errno;
    case AN_TRIAL_STOP:
        if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0 || waitpid(pid, &status, __WALL) < 0)
            return errno;
        return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP ? 0 : ESRCH;
    case AN_TRIAL_STEP:
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0 || waitpid(pid, &status, __WALL) < 0)
            return errno;
        return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP ? 0 : ESRCH;
    case AN_TRIAL_RELEASE:
        return ptrace(PTRACE_DETACH, pid, NULL, NULL) == 0 ? 0 : errno;
    case AN_TRIAL_READ: {
        struct iovec here = {&self, sizeof self}, there = {(void *)subject->self, sizeof self};
        ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
        return got < 0 ? errno : self == pid ? 0 : EIO;
    }
    default:
        return 0;
    }
}

static void try_tracing(int pipe, const struct subject *subject)
{
    for (enum an_trial_step step = AN_TRIAL_SEIZE; step < AN_TRIAL_DONE; step++) {
        report(pipe, step, 0);
        int error = traced(step, subject);
        if (error) {
            report(pipe, step, error);
            return;
        }
    }
    report(pipe, AN_TRIAL_DONE, 0);
}

/* The child that is traced. It has to be in user mode: a system call cannot be stepped through. */
_Noreturn static void be_subject(int ready, volatile pid_t *self)
{
    *self = getpid();
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    if (write(ready, "", 1) != 1)
        _exit(1);
    for (volatile unsigned count = 0;;)
        count++;
}

/* ---- trials ---- */

static void attempt(void (*work)(int pipe, const struct subject *subject),
                    const struct subject *subject, struct an_trial *trial)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        trial->error = errno;
        return;
    }
    pid_t child = fork_bound();
    if (child == 0) {
        work(ends[1], subject);
        _exit(0);
    }
    trial->error = child < 0 ? errno : 0;
    close(ends[1]);
    if (child > 0) {
        bool is_late = !listen_to(ends[0], trial);
        if (is_late)
            kill(child, SIGKILL);
        int status = reap(child);
        trial->is_late = is_late;
        trial->signal = !is_late && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    close(ends[0]);
}

struct an_trial an_trial_branch_records(void)
{
    struct an_trial trial = {.step = AN_TRIAL_START};
    attempt(try_branch_records, NULL, &trial);
    return trial;
}

struct an_trial an_trial_clock(void)
{
    struct an_trial trial = {.step = AN_TRIAL_START};
    attempt(try_clock, NULL, &trial);
    return trial;
}

struct an_trial an_trial_tracing(void)
{
    struct an_trial trial = {.step = AN_TRIAL_START};
    volatile pid_t self = 0;
    int ends[2];
    char byte;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        trial.error = errno;
        return trial;
    }
    struct subject subject = {fork_bound(), &self};
    if (subject.pid == 0)
        be_subject(ends[1], &self);
    trial.error = subject.pid < 0 ? errno : 0;
    close(ends[1]);
    if (subject.pid > 0) {
        while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
            ;
        attempt(try_tracing, &subject, &trial);
        kill(subject.pid, SIGKILL);
        reap(subject.pid);
    }
    close(ends[0]);
    return trial;
}
