/*
 * Waiting in system calls for a time. They have to end when it is over, not before, and not with
 * EINTR: no signal is sent to these threads. Nothing else ever happens that could end them.
 */
#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/undisturbed/ward.h"

/* Socket timeouts are counted in ticks of up to 10 ms, of which the first may be over already. */
enum { WORK = 300, SHORT = 8 * MILLISECOND, TICK = 10 * MILLISECOND };

static void run_nanosleep(struct ward *ward)
{
    for (; !is_ending(); beat(ward)) {
        struct timespec time = timespec_of(SHORT);
        work(ward, WORK);
        uint64_t start = now();
        expect(ward, "nanosleep", nanosleep(&time, NULL), 0, 0);
        expect_time(ward, "nanosleep", start, SHORT);
    }
}

static void run_clock_nanosleep(struct ward *ward)
{
    for (; !is_ending(); beat(ward)) {
        work(ward, WORK);
        uint64_t start = now();
        struct timespec time = timespec_of(start + SHORT);
        expect(ward, "clock_nanosleep",
               clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL), 0, 0);
        expect_time(ward, "clock_nanosleep", start, SHORT);
    }
}

static void run_epoll(struct ward *ward)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    for (; !is_ending(); beat(ward)) {
        struct epoll_event event;
        work(ward, WORK);
        uint64_t start = now();
        expect(ward, "epoll_wait", epoll_wait(fd, &event, 1, SHORT / MILLISECOND), 0, 0);
        expect_time(ward, "epoll_wait", start, SHORT);
    }
}

static void run_poll(struct ward *ward)
{
    for (; !is_ending(); beat(ward)) {
        work(ward, WORK);
        uint64_t start = now();
        expect(ward, "poll", poll(NULL, 0, SHORT / MILLISECOND), 0, 0);
        expect_time(ward, "poll", start, SHORT);
    }
}

static void run_pselect(struct ward *ward)
{
    sigset_t mask;
    sigfillset(&mask);
    for (; !is_ending(); beat(ward)) {
        struct timespec time = timespec_of(SHORT);
        work(ward, WORK);
        uint64_t start = now();
        expect(ward, "pselect", pselect(0, NULL, NULL, NULL, &time, &mask), 0, 0);
        expect_time(ward, "pselect", start, SHORT);
    }
}

static void run_select(struct ward *ward)
{
    for (; !is_ending(); beat(ward)) {
        struct timeval time = {0, SHORT / 1000};
        work(ward, WORK);
        uint64_t start = now();
        expect(ward, "select", select(0, NULL, NULL, NULL, &time), 0, 0);
        expect_time(ward, "select", start, SHORT);
    }
}

/*
 * Timeouts of sockets are counted in ticks of the kernel. In a virtual machine whose processors wait for
 * their turn, ticks come late and then all at once, and such a timeout is too short by any other clock
 * than the one that the same ticks drive.
 */
static uint64_t ticking_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void expect_ticks(const struct ward *ward, const char *call, uint64_t start, uint64_t wanted)
{
    uint64_t elapsed = ticking_now() - start;
    if (elapsed < wanted)
        disturbed(ward, "%s: took %.3f ms of ticks, expected %.3f ms", call,
                  (double)elapsed / MILLISECOND, (double)wanted / MILLISECOND);
}

static void run_recv(struct ward *ward)
{
    struct timeval timeout = {0, 2 * TICK / 1000};
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds))
        give_up("socketpair");
    setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    for (; !is_ending(); beat(ward)) {
        char byte;
        work(ward, WORK);
        uint64_t start = ticking_now();
        expect(ward, "recv", recv(fds[0], &byte, 1, 0), -1, EAGAIN);
        expect_ticks(ward, "recv", start, TICK);
    }
}

static void run_accept(struct ward *ward)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval timeout = {0, 2 * TICK / 1000};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) || listen(fd, 1))
        give_up("listen");
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    for (; !is_ending(); beat(ward)) {
        work(ward, WORK);
        uint64_t start = ticking_now();
        expect(ward, "accept", accept(fd, NULL, NULL), -1, EAGAIN);
        expect_ticks(ward, "accept", start, TICK);
    }
}

static void run_sigtimedwait(struct ward *ward)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGNAL_NEVER_SENT);
    for (; !is_ending(); beat(ward)) {
        struct timespec time = timespec_of(SHORT);
        work(ward, WORK);
        uint64_t start = now();
        expect(ward, "sigtimedwait", sigtimedwait(&set, NULL, &time), -1, EAGAIN);
        expect_time(ward, "sigtimedwait", start, SHORT);
    }
}

static void run_semtimedop(struct ward *ward)
{
    int id = semget(IPC_PRIVATE, 1, 0600);
    if (id < 0)
        give_up("semget");
    for (; !is_ending(); beat(ward)) {
        struct timespec time = timespec_of(SHORT);
        struct sembuf down = {0, -1, 0};
        work(ward, WORK);
        uint64_t start = now();
        expect(ward, "semtimedop", semtimedop(id, &down, 1, &time), -1, EAGAIN);
        expect_time(ward, "semtimedop", start, SHORT);
    }
    semctl(id, 0, IPC_RMID);
}

static void run_aio(struct ward *ward)
{
    aio_context_t aio = 0;
    if (syscall(SYS_io_setup, 8, &aio))
        give_up("io_setup");
    for (; !is_ending(); beat(ward)) {
        struct timespec time = timespec_of(SHORT);
        struct io_event event;
        work(ward, WORK);
        uint64_t start = now();
        expect(ward, "io_getevents", syscall(SYS_io_getevents, aio, 1, 1, &event, &time), 0, 0);
        expect_time(ward, "io_getevents", start, SHORT);
    }
}

static void run_futex(struct ward *ward)
{
    static atomic_int word;
    for (; !is_ending(); beat(ward)) {
        struct timespec time = timespec_of(SHORT);
        work(ward, WORK);
        uint64_t start = now();
        expect(ward, "futex", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time), -1,
               ETIMEDOUT);
        expect_time(ward, "futex", start, SHORT);
    }
}

struct ward timed_waits[] = {
    {.name = "timed nanosleep", .run = run_nanosleep},
    {.name = "timed clock_nanosleep", .run = run_clock_nanosleep},
    {.name = "timed epoll_wait", .run = run_epoll},
    {.name = "timed poll", .run = run_poll},
    {.name = "timed pselect", .run = run_pselect},
    {.name = "timed select", .run = run_select},
    {.name = "timed recv", .run = run_recv},
    {.name = "timed accept", .run = run_accept},
    {.name = "timed sigtimedwait", .run = run_sigtimedwait},
    {.name = "timed semtimedop", .run = run_semtimedop},
    {.name = "timed io_getevents", .run = run_aio},
    {.name = "timed futex", .run = run_futex},
    {0},
};
