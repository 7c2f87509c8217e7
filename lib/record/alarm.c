/* Alarms; see alarm.h. */
#include "record/alarm.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Which do nothing by default. Not SIGCONT, which has an effect on stopped processes. */
static const int harmless[] = {SIGWINCH, SIGURG, SIGCHLD};

/* The one that tells the caller: a real-time signal has its place in a queue, and says which file. */
static int telling(void)
{
    return SIGRTMAX;
}

static int choose(uint64_t unfit)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (!(unfit >> (harmless[i] - 1) & 1))
            return harmless[i];
    return 0;
}

bool an_alarm_fits(const struct an_alarm *alarm, uint64_t blocked, uint64_t caught)
{
    uint64_t unfit = blocked | caught;
    return alarm->signal ? !(unfit >> (alarm->signal - 1) & 1) : choose(unfit) == 0;
}

static int open_event(int32_t tid)
{
    enum { EVENTUALLY = 1000000000 };
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = PERF_ATTR_SIZE_VER5,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = EVENTUALLY,
        .wakeup_events = 1,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int an_alarm_probe(int32_t pid)
{
    int file = open_event(pid);
    if (file < 0)
        return errno;
    close(file);
    return 0;
}

bool an_alarm_open(struct an_alarm *alarm, int32_t tid, uint64_t blocked, uint64_t caught)
{
    alarm->signal = choose(blocked | caught);
    alarm->file = open_event(tid);
    if (alarm->file < 0)
        return false;
    struct f_owner_ex owner = {F_OWNER_TID, alarm->signal ? tid : (pid_t)syscall(SYS_gettid)};
    if (fcntl(alarm->file, F_SETSIG, alarm->signal ? alarm->signal : telling()) == 0 &&
        fcntl(alarm->file, F_SETOWN_EX, &owner) == 0 &&
        fcntl(alarm->file, F_SETFL, O_RDONLY | O_ASYNC) == 0)
        return true;
    an_alarm_close(alarm);
    return false;
}

void an_alarm_close(struct an_alarm *alarm)
{
    if (alarm->file >= 0)
        close(alarm->file);
    alarm->file = -1;
}

void an_alarm_set(const struct an_alarm *alarm, uint64_t nanoseconds)
{
    if (alarm->file < 0)
        return;
    ioctl(alarm->file, PERF_EVENT_IOC_PERIOD, &nanoseconds);
    ioctl(alarm->file, PERF_EVENT_IOC_REFRESH, 1);
}

/* The kernel says POLL_IN or POLL_HUP, or SI_SIGIO where these would mean something else. */
bool an_alarm_rings(const struct an_alarm *alarm, int32_t tid, int signal)
{
    siginfo_t info;
    return signal != 0 && signal == alarm->signal && alarm->file >= 0 &&
           ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 &&
           (info.si_code == POLL_IN || info.si_code == POLL_HUP || info.si_code == SI_SIGIO) &&
           info.si_fd == alarm->file;
}

int an_alarm_sleep(uint64_t nanoseconds)
{
    enum { SECOND = 1000000000 };
    sigset_t signals;
    siginfo_t info;
    struct timespec time = {(time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND)};
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, telling());
    return sigtimedwait(&signals, &info, &time) == telling() ? info.si_fd : -1;
}
