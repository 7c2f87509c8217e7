/*
 * Threads that take signals: all of them, none more, and each as it was sent. A call may end with
 * EINTR when, and only when, a handler has run meanwhile. Traps that a program sets itself are its
 * own, and there are no others.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "support/undisturbed/ward.h"

/* What a handler counts, for the thread that it belongs to. */
struct count {
    atomic_ulong signals, overruns;
    const char *stack; /* where the handler has to run, if not NULL */
    uint64_t start;
    timer_t timer;
    unsigned frequency;
};

enum { STACK = 65536 };

static void add(struct count *count, const siginfo_t *info)
{
    count->overruns += (unsigned long)info->si_overrun;
    count->signals++;
}

static void count_signal(int number, siginfo_t *info, void *context)
{
    static const struct ward handler = {.name = "a handler"};
    struct count *count = info->si_value.sival_ptr;
    char here;
    (void)context;
    if (info->si_code != SI_TIMER || info->si_signo != number)
        disturbed(&handler, "signal %d with code %d", number, info->si_code);
    if (count->stack && (&here < count->stack || &here >= count->stack + STACK))
        disturbed(&handler, "on the wrong stack");
    add(count, info);
}

static sigset_t only(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

static void start_counting(struct count *count, int number, unsigned frequency, int flags)
{
    handle(number, count_signal, flags);
    count->frequency = frequency;
    count->start = now();
    count->timer = send_signals(number, count, frequency);
    sigset_t set = only(number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* The timer has expired once for each period; of a signal that waits to be delivered, all expiries
 * but the first are overruns. */
static void stop_counting(const struct ward *ward, struct count *count, int number)
{
    static const struct timespec at_once;
    sigset_t set = only(number);
    siginfo_t info;
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (sigtimedwait(&set, &info, &at_once) == number)
        add(count, &info);
    timer_delete(count->timer);
    double expected = (double)(now() - count->start) / 1e9 * count->frequency;
    double found = (double)(count->signals + count->overruns);
    if (found > expected * 1.01 + 2 || found < expected * 0.99 - 20)
        disturbed(ward, "%.0f signals, expected %.0f", found, expected);
}

/* ---- waiting for a signal that is blocked ---- */

static pthread_t sigwait_thread;
static atomic_bool sigwait_is_ready;
static void wake_sigwait(void)
{
    static int sent;
    if (sigwait_is_ready &&
        pthread_sigqueue(sigwait_thread, SIGNAL_WAITED_FOR, (union sigval){sent}) == 0)
        sent++;
}

static void run_sigwait(struct ward *ward)
{
    sigset_t set = only(SIGNAL_WAITED_FOR);
    sigwait_thread = pthread_self();
    sigwait_is_ready = true;
    for (int received = 0; !is_ending(); beat(ward)) {
        siginfo_t info;
        work(ward, 700);
        expect(ward, "sigwaitinfo", sigwaitinfo(&set, &info), SIGNAL_WAITED_FOR, 0);
        expect(ward, "sigwaitinfo's value", info.si_value.sival_int, received++, 0);
    }
    sigwait_is_ready = false;
}

/* ---- handlers while waiting ---- */

static void run_interrupted(struct ward *ward)
{
    static struct count count;
    int fd = epoll_create1(EPOLL_CLOEXEC);
    start_counting(&count, SIGNAL_INTERRUPTING, 300, 0);
    for (; !is_ending(); beat(ward)) {
        struct epoll_event event;
        work(ward, 700);
        unsigned long before = count.signals;
        uint64_t start = now();
        int found = epoll_wait(fd, &event, 1, 4);
        if (found == 0)
            expect_time(ward, "epoll_wait", start, 4 * MILLISECOND);
        else if (found > 0 || errno != EINTR || count.signals == before)
            disturbed(ward, "epoll_wait: %d (%s) after %lu signals", found, strerror(errno),
                      count.signals - before);
    }
    stop_counting(ward, &count, SIGNAL_INTERRUPTING);
}

/* A signal without a handler that is ignored by default does nothing, and ends no call. */
static void run_ignored(struct ward *ward)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    sigset_t set = only(SIGWINCH);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    timer_t timer = send_signals(SIGWINCH, NULL, 2000);
    for (; !is_ending(); beat(ward)) {
        struct epoll_event event;
        work(ward, 700);
        expect(ward, "epoll_wait", epoll_wait(fd, &event, 1, 3), 0, 0);
    }
    timer_delete(timer);
}

static int restart_pipe[2];
static void wake_restarted(void)
{
    if (restart_pipe[1] && write(restart_pipe[1], "x", 1) < 0 && errno != EAGAIN)
        give_up("write");
}

static void run_restarted(struct ward *ward)
{
    static struct count count;
    if (pipe2(restart_pipe, O_CLOEXEC))
        give_up("pipe2");
    fcntl(restart_pipe[1], F_SETFL, O_NONBLOCK);
    start_counting(&count, SIGNAL_RESTARTING, 500, SA_RESTART);
    for (; !is_ending(); beat(ward)) {
        char byte;
        work(ward, 700);
        expect(ward, "read", read(restart_pipe[0], &byte, 1), 1, 0);
    }
    stop_counting(ward, &count, SIGNAL_RESTARTING);
}

/* What is left of a sleep is what has not been slept. */
static void run_sleep(struct ward *ward)
{
    static struct count count;
    uint64_t whole = 15 * MILLISECOND;
    start_counting(&count, SIGNAL_SLEEP, 90, 0);
    for (; !is_ending(); beat(ward)) {
        struct timespec time = timespec_of(whole), rest = {0};
        work(ward, 700);
        unsigned long before = count.signals;
        uint64_t start = now();
        if (nanosleep(&time, &rest) && (errno != EINTR || count.signals == before))
            disturbed(ward, "nanosleep: %s after %lu signals", strerror(errno),
                      count.signals - before);
        expect_time(ward, "nanosleep", start - (uint64_t)rest.tv_nsec, whole);
    }
    stop_counting(ward, &count, SIGNAL_SLEEP);
}

/* The signal is blocked but in sigsuspend(), which therefore takes exactly one. */
static void run_suspend(struct ward *ward)
{
    static struct count count;
    sigset_t open;
    start_counting(&count, SIGNAL_PAUSE, 200, SA_RESTART);
    sigset_t set = only(SIGNAL_PAUSE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigfillset(&open);
    sigdelset(&open, SIGNAL_PAUSE);
    for (; !is_ending(); beat(ward)) {
        work(ward, 700);
        unsigned long before = count.signals;
        expect(ward, "sigsuspend", sigsuspend(&open), -1, EINTR);
        expect(ward, "signals in sigsuspend", (long)(count.signals - before), 1, 0);
    }
    stop_counting(ward, &count, SIGNAL_PAUSE);
}

/* ---- handlers while computing ---- */

static uint64_t compute(uint64_t seed)
{
    uint64_t sum = seed;
    for (unsigned i = 0; i < 50000; i++)
        sum = (sum ^ i) * 0x9e3779b97f4a7c15u + (sum >> 40) % (i + 1);
    return sum;
}

static void compute_under(struct ward *ward, struct count *count, int number, int flags)
{
    volatile uint64_t seed = 5;
    uint64_t expected = compute(seed);
    unsigned long before = 0;
    start_counting(count, number, number == SIGNAL_FAST ? 2000 : 1000, flags);
    for (; !is_ending(); usleep(3000)) {
        if (compute(seed) != expected)
            disturbed(ward, "a wrong result");
        if (count->signals != before)
            beat(ward);
        before = count->signals;
    }
    stop_counting(ward, count, number);
}

static void run_fast(struct ward *ward)
{
    static struct count count;
    compute_under(ward, &count, SIGNAL_FAST, SA_RESTART);
}

static void run_other_stack(struct ward *ward)
{
    static char stack[STACK];
    static struct count count = {.stack = stack};
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, NULL);
    compute_under(ward, &count, SIGNAL_OTHER_STACK, SA_RESTART | SA_ONSTACK);
}

/* ---- breakpoints of the program's own ---- */

extern const char undisturbed_breakpoint[];
static _Thread_local struct ward *trapped;
static _Thread_local unsigned traps;

static void on_trap(int number, siginfo_t *info, void *context)
{
    static const struct ward handler = {.name = "a trap"};
    const ucontext_t *user = context;
    const char *place = (const char *)user->uc_mcontext.gregs[REG_RIP];
    (void)number;
    if (!trapped || info->si_code != SI_KERNEL || place != undisturbed_breakpoint + 1)
        disturbed(trapped ? trapped : &handler, "SIGTRAP with code %d at %p", info->si_code,
                  (const void *)place);
    traps++;
}

__attribute__((noinline)) static void breakpoint(void)
{
    __asm__ volatile(".globl undisturbed_breakpoint\n"
                     "undisturbed_breakpoint: int3" ::
                         : "memory");
}

static void run_trap(struct ward *ward)
{
    handle(SIGTRAP, on_trap, SA_RESTART);
    trapped = ward;
    for (unsigned expected = 1; !is_ending(); beat(ward), expected++) {
        work(ward, 700);
        breakpoint();
        expect(ward, "traps", traps, expected, 0);
        usleep(2000);
    }
}

struct ward signals[] = {
    {.name = "sigwaitinfo", .run = run_sigwait, .wake = wake_sigwait},
    {.name = "interrupted epoll_wait", .run = run_interrupted},
    {.name = "ignored signals", .run = run_ignored},
    {.name = "restarted read", .run = run_restarted, .wake = wake_restarted},
    {.name = "interrupted nanosleep", .run = run_sleep},
    {.name = "sigsuspend", .run = run_suspend},
    {.name = "2000 signals a second", .run = run_fast},
    {.name = "signals on their stack", .run = run_other_stack},
    {.name = "a breakpoint", .run = run_trap},
    {0},
};
