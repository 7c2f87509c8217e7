/* Breakpoints that count; see breakpoint.h and perf_event_open(2). */
#include "work/breakpoint.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/machine.h"
#include "record/perf_events.h"

struct perf_event_attr an_breakpoint_attr(uint64_t address)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_BREAKPOINT,
        .size = sizeof(struct perf_event_attr),
        .bp_type = HW_BREAKPOINT_X,
        .bp_addr = address,
        .bp_len = sizeof(long),
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
}

int an_breakpoint_open(const struct perf_event_attr *attr, int32_t tid, int leader)
{
    long event;
    do
        event = syscall(SYS_perf_event_open, attr, tid, -1, leader, PERF_FLAG_FD_CLOEXEC);
    while (event < 0 && errno == EINTR);
    return (int)event;
}

/* ---- refusals ---- */

static enum an_code fail_permission(int number, int32_t pid, struct an_error *error)
{
    struct an_machine machine;
    an_machine_look(&machine);
    an_fail(error, AN_SYSTEM, "cannot count entries in process %d: %s", pid, strerror(number));
    if (machine.is_filtered)
        return an_error_hint(error,
                             "a seccomp filter is in force: run outside the container, or let the "
                             "filter pass perf_event_open");
    if (machine.paranoid > 2 && !machine.measures_all)
        return an_error_hint(error,
                             "/proc/sys/kernel/perf_event_paranoid is %d and must be 2 or less: "
                             "sysctl kernel.perf_event_paranoid=2, or run as root",
                             machine.paranoid);
    return an_error_hint(error, "run anneal as the owner of the process, or as root");
}

enum an_code an_breakpoint_fail(int number, int32_t pid, struct an_error *error)
{
    switch (number) {
    case EACCES:
    case EPERM:
        return fail_permission(number, pid, error);
    case ENOSPC:
        an_fail(error, AN_SYSTEM, "no debug register of process %d is free", pid);
        return an_error_hint(
            error, "end the debugger, or whatever else has hardware breakpoints in it, or "
                   "count fewer functions");
    case ENOSYS:
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
    case EINVAL:
        an_fail(error, AN_UNSUPPORTED, "this system has no hardware breakpoints: %s",
                strerror(number));
        return an_error_hint(error,
                             "it takes Linux on x86-64, not a sandbox that only resembles it");
    default:
        return an_perf_open_fail(number, pid, "some file descriptors", error);
    }
}

/* ---- cost ---- */

__attribute__((noinline)) static void entered(void)
{
    __asm__ volatile("" ::: "memory"); /* not to be left out */
}

static double thread_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double time_of(unsigned calls)
{
    double before = thread_time();
    for (unsigned i = 0; i < calls; i++)
        entered();
    return thread_time() - before;
}

enum an_code an_breakpoint_cost(double *seconds, struct an_error *error)
{
    enum { BATCHES = 5, CALLS = 50 };
    struct perf_event_attr attr = an_breakpoint_attr((uint64_t)(uintptr_t)entered);
    double least = 1;
    uint64_t counted = 0;
    int event = an_breakpoint_open(&attr, 0, -1);
    if (event < 0)
        return an_breakpoint_fail(errno, getpid(), error);
    for (int i = 0; i < BATCHES; i++) { /* others disturb some of them, but not the least one */
        double time = time_of(CALLS) / CALLS;
        least = time < least ? time : least;
    }
    ssize_t size = read(event, &counted, sizeof counted);
    close(event);
    *seconds = least;
    if (size == sizeof counted && counted == (uint64_t)BATCHES * CALLS)
        return AN_OK;
    an_fail(error, AN_UNSUPPORTED, "hardware breakpoints saw %llu of %d entries",
            (unsigned long long)counted, BATCHES * CALLS);
    return an_error_hint(error, "this virtual machine or sandbox does not pass on debug registers");
}
