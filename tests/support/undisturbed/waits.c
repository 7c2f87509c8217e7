/*
 * Waiting in system calls until something happens. None of them may end with EINTR: no signal is
 * sent to these threads. Those that the kernel does not restart by itself are of most interest
 * (signal(7): epoll_wait, sigwaitinfo, semop, io_getevents, inotify...).
 *
 * Each call works a little first, so that it is likely to be come upon just before it waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/undisturbed/ward.h"

enum { WORK = 300 }; /* microseconds */

/* ---- pipes: for each ward that reads from one, its ends ---- */

struct ends {
    int read, write;
};

static struct ends make_pipe(void)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC))
        give_up("pipe2");
    fcntl(fds[1], F_SETFL, O_NONBLOCK);
    return (struct ends){fds[0], fds[1]};
}

/* When the pipe is full there is enough to wake up for. */
static void put_byte(const struct ends *ends)
{
    if (ends->write > 0 && write(ends->write, "x", 1) < 0 && errno != EAGAIN)
        give_up("write");
}

static void take_byte(const struct ward *ward, const struct ends *ends)
{
    char byte = 0;
    expect(ward, "read", read(ends->read, &byte, 1), 1, 0);
    if (byte != 'x')
        disturbed(ward, "read: byte %d, expected %d", byte, 'x');
}

#define WITH_PIPE(name)                                                                            \
    static struct ends name##_pipe;                                                                \
    static void wake_##name(void)                                                                  \
    {                                                                                              \
        put_byte(&name##_pipe);                                                                    \
    }

WITH_PIPE(read)
static void run_read(struct ward *ward)
{
    for (read_pipe = make_pipe(); !is_ending(); beat(ward)) {
        work(ward, WORK);
        take_byte(ward, &read_pipe);
    }
}

WITH_PIPE(poll)
static void run_poll(struct ward *ward)
{
    for (poll_pipe = make_pipe(); !is_ending(); beat(ward)) {
        struct pollfd fd = {poll_pipe.read, POLLIN, 0};
        work(ward, WORK);
        expect(ward, "poll", poll(&fd, 1, -1), 1, 0);
        take_byte(ward, &poll_pipe);
    }
}

WITH_PIPE(ppoll)
static void run_ppoll(struct ward *ward)
{
    sigset_t mask;
    sigfillset(&mask);
    for (ppoll_pipe = make_pipe(); !is_ending(); beat(ward)) {
        struct pollfd fd = {ppoll_pipe.read, POLLIN, 0};
        work(ward, WORK);
        expect(ward, "ppoll", ppoll(&fd, 1, NULL, &mask), 1, 0);
        take_byte(ward, &ppoll_pipe);
    }
}

WITH_PIPE(select)
static void run_select(struct ward *ward)
{
    for (select_pipe = make_pipe(); !is_ending(); beat(ward)) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(select_pipe.read, &set);
        work(ward, WORK);
        expect(ward, "select", select(select_pipe.read + 1, &set, NULL, NULL, NULL), 1, 0);
        take_byte(ward, &select_pipe);
    }
}

WITH_PIPE(epoll)
static void run_epoll(struct ward *ward)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 77};
    int fd = epoll_create1(EPOLL_CLOEXEC);
    epoll_pipe = make_pipe();
    if (fd < 0 || epoll_ctl(fd, EPOLL_CTL_ADD, epoll_pipe.read, &event))
        give_up("epoll_ctl");
    for (; !is_ending(); beat(ward)) {
        struct epoll_event found = {0};
        work(ward, WORK);
        expect(ward, "epoll_wait", epoll_wait(fd, &found, 1, -1), 1, 0);
        expect(ward, "epoll_wait's event", (long)found.data.u64, 77, 0);
        take_byte(ward, &epoll_pipe);
    }
}

/* Asynchronous waiting for a pipe to become readable. */
WITH_PIPE(aio)
static void run_aio(struct ward *ward)
{
    aio_context_t aio = 0;
    aio_pipe = make_pipe();
    if (syscall(SYS_io_setup, 8, &aio))
        give_up("io_setup");
    for (; !is_ending(); beat(ward)) {
        struct iocb request = {.aio_lio_opcode = IOCB_CMD_POLL,
                               .aio_fildes = (uint32_t)aio_pipe.read,
                               .aio_buf = POLLIN};
        struct iocb *requests[] = {&request};
        struct io_event event;
        expect(ward, "io_submit", syscall(SYS_io_submit, aio, 1, requests), 1, 0);
        work(ward, WORK);
        expect(ward, "io_getevents", syscall(SYS_io_getevents, aio, 1, 1, &event, NULL), 1, 0);
        take_byte(ward, &aio_pipe);
    }
}

/* The other way round: the pipe is full, and is read by who wakes. */
static struct ends write_pipe;
static void wake_write(void)
{
    char bytes[4096];
    if (write_pipe.read > 0 && read(write_pipe.read, bytes, sizeof bytes) < 0 && errno != EAGAIN)
        give_up("read");
}

static void run_write(struct ward *ward)
{
    static const char bytes[4096];
    write_pipe = make_pipe();
    fcntl(write_pipe.read, F_SETFL, O_NONBLOCK);
    fcntl(write_pipe.write, F_SETFL, 0);
    fcntl(write_pipe.write, F_SETPIPE_SZ, sizeof bytes);
    for (; !is_ending(); beat(ward)) {
        work(ward, WORK);
        expect(ward, "write", write(write_pipe.write, bytes, sizeof bytes), sizeof bytes, 0);
    }
}

/* ---- sockets ---- */

static int listen_at(struct sockaddr_un *address, int backlog)
{
    socklen_t size = sizeof *address;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    /* The kernel makes up a name when there is none. */
    if (fd < 0 || bind(fd, (struct sockaddr *)address, sizeof(sa_family_t)) ||
        listen(fd, backlog) || getsockname(fd, (struct sockaddr *)address, &size))
        give_up("listen");
    return fd;
}

static int connect_to(const struct sockaddr_un *address, int fd)
{
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 6);
    return connect(fd, (const struct sockaddr *)address, size);
}

static struct sockaddr_un accept_address;
static atomic_bool accept_is_ready;
static void wake_accept(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (accept_is_ready && connect_to(&accept_address, fd) && errno != EAGAIN)
        give_up("connect");
    close(fd);
}

static void run_accept(struct ward *ward)
{
    int fd = listen_at(&accept_address, 1);
    accept_is_ready = true;
    for (; !is_ending(); beat(ward)) {
        work(ward, WORK);
        int found = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        expect(ward, "accept", found < 0 ? found : 0, 0, 0);
        close(found);
    }
}

/* As long as the queue is full, connect() waits. */
static atomic_int connect_listener;
static void wake_connect(void)
{
    int fd = connect_listener ? accept4(connect_listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    if (fd >= 0)
        close(fd);
}

static void run_connect(struct ward *ward)
{
    struct timeval timeout = {100, 0};
    struct sockaddr_un address;
    int listener = listen_at(&address, 0);
    fcntl(listener, F_SETFL, O_NONBLOCK);
    connect_listener = listener;
    for (unsigned i = 0; !is_ending(); beat(ward)) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (i++ % 2) /* with a timeout it is not restarted */
            setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
        work(ward, WORK);
        expect(ward, "connect", connect_to(&address, fd), 0, 0);
        close(fd);
    }
}

static int recv_pair[2], recv_timeout_pair[2];
static void put_message(const int *pair)
{
    if (pair[1] > 0 && send(pair[1], "message", 7, MSG_DONTWAIT) < 0 && errno != EAGAIN)
        give_up("send");
}

static void wake_recv(void)
{
    put_message(recv_pair);
}

static void wake_recv_timeout(void)
{
    put_message(recv_timeout_pair);
}

static void receive(struct ward *ward, int *pair, time_t seconds)
{
    struct timeval timeout = {seconds, 0};
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds))
        give_up("socketpair");
    setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    for (memcpy(pair, fds, sizeof fds); !is_ending(); beat(ward)) {
        char text[16] = "";
        work(ward, WORK);
        expect(ward, "recv", recv(fds[0], text, sizeof text, 0), 7, 0);
        if (strcmp(text, "message") != 0)
            disturbed(ward, "recv: found '%s'", text);
    }
}

static void run_recv(struct ward *ward)
{
    receive(ward, recv_pair, 0);
}

static void run_recv_timeout(struct ward *ward)
{
    receive(ward, recv_timeout_pair, 100);
}

/* ---- System V ---- */

static atomic_int semaphore = -1;
static void wake_semop(void)
{
    struct sembuf up = {0, 1, 0};
    if (semaphore >= 0 && semctl(semaphore, 0, GETVAL) < 10)
        semop(semaphore, &up, 1);
}

static void run_semop(struct ward *ward)
{
    int id = semget(IPC_PRIVATE, 1, 0600);
    if (id < 0)
        give_up("semget");
    for (semaphore = id; !is_ending(); beat(ward)) {
        struct sembuf down = {0, -1, 0};
        work(ward, WORK);
        expect(ward, "semop", semop(id, &down, 1), 0, 0);
    }
    semaphore = -1;
    semctl(id, 0, IPC_RMID);
}

struct message {
    long type;
    char text[8];
};

static atomic_int queue = -1;
static void wake_msgrcv(void)
{
    static const struct message message = {5, "letter"};
    if (queue >= 0)
        msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT);
}

static void run_msgrcv(struct ward *ward)
{
    int id = msgget(IPC_PRIVATE, 0600);
    if (id < 0)
        give_up("msgget");
    for (queue = id; !is_ending(); beat(ward)) {
        struct message message = {0};
        work(ward, WORK);
        expect(ward, "msgrcv", msgrcv(id, &message, sizeof message.text, 0, 0), sizeof message.text,
               0);
        if (message.type != 5 || strcmp(message.text, "letter") != 0)
            disturbed(ward, "msgrcv: type %ld, '%.8s'", message.type, message.text);
    }
    queue = -1;
    msgctl(id, IPC_RMID, NULL);
}

/* ---- others ---- */

static atomic_int futex_word;
static void wake_futex(void)
{
    futex_word = 1;
    syscall(SYS_futex, &futex_word, FUTEX_WAKE_PRIVATE, 1);
}

/* Wakes without a reason are allowed, and EAGAIN when the word has changed already; EINTR is not. */
static void run_futex(struct ward *ward)
{
    for (; !is_ending(); beat(ward)) {
        futex_word = 0;
        work(ward, WORK);
        while (futex_word == 0 && !is_ending())
            if (syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, NULL) && errno != EAGAIN)
                disturbed(ward, "futex: %s", strerror(errno));
    }
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned condition;
static void wake_condition(void)
{
    pthread_mutex_lock(&lock);
    condition++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void run_condition(struct ward *ward)
{
    unsigned seen = 0;
    for (; !is_ending(); beat(ward)) {
        work(ward, WORK);
        pthread_mutex_lock(&lock);
        while (condition == seen)
            expect(ward, "pthread_cond_wait", pthread_cond_wait(&changed, &lock), 0, 0);
        seen = condition;
        pthread_mutex_unlock(&lock);
    }
}

static atomic_int event_fd;
static void wake_eventfd(void)
{
    if (event_fd)
        eventfd_write(event_fd, 1);
}

static void run_eventfd(struct ward *ward)
{
    for (event_fd = eventfd(0, EFD_CLOEXEC); !is_ending(); beat(ward)) {
        eventfd_t value;
        work(ward, WORK);
        expect(ward, "eventfd_read", eventfd_read(event_fd, &value), 0, 0);
    }
}

static void run_timerfd(struct ward *ward)
{
    struct itimerspec times = {timespec_of(3 * MILLISECOND), timespec_of(3 * MILLISECOND)};
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (fd < 0 || timerfd_settime(fd, 0, &times, NULL))
        give_up("timerfd");
    for (; !is_ending(); beat(ward)) {
        uint64_t times_over;
        work(ward, WORK);
        expect(ward, "read of a timer", read(fd, &times_over, sizeof times_over), sizeof times_over,
               0);
    }
}

/* A file that has no name any more can still be watched, by its place in /proc. */
static atomic_int watched_file;
static void wake_inotify(void)
{
    if (watched_file)
        fchmod(watched_file, 0600);
}

static void run_inotify(struct ward *ward)
{
    char path[64] = "/tmp/undisturbed.XXXXXX";
    int fd = inotify_init1(IN_CLOEXEC), file = mkostemp(path, O_CLOEXEC);
    if (fd < 0 || file < 0 || inotify_add_watch(fd, path, IN_ATTRIB) < 0)
        give_up("inotify");
    unlink(path);
    for (watched_file = file; !is_ending(); beat(ward)) {
        struct inotify_event events[8];
        work(ward, WORK);
        ssize_t size = read(fd, events, sizeof events);
        expect(ward, "read of inotify", size < 0 ? size : 0, 0, 0);
    }
}

struct ward waits[] = {
    {.name = "read", .run = run_read, .wake = wake_read},
    {.name = "poll", .run = run_poll, .wake = wake_poll},
    {.name = "ppoll", .run = run_ppoll, .wake = wake_ppoll},
    {.name = "select", .run = run_select, .wake = wake_select},
    {.name = "epoll_wait", .run = run_epoll, .wake = wake_epoll},
    {.name = "io_getevents", .run = run_aio, .wake = wake_aio},
    {.name = "write", .run = run_write, .wake = wake_write},
    {.name = "accept", .run = run_accept, .wake = wake_accept},
    {.name = "connect", .run = run_connect, .wake = wake_connect},
    {.name = "recv", .run = run_recv, .wake = wake_recv},
    {.name = "recv with a timeout", .run = run_recv_timeout, .wake = wake_recv_timeout},
    {.name = "semop", .run = run_semop, .wake = wake_semop},
    {.name = "msgrcv", .run = run_msgrcv, .wake = wake_msgrcv},
    {.name = "futex", .run = run_futex, .wake = wake_futex},
    {.name = "condition", .run = run_condition, .wake = wake_condition},
    {.name = "eventfd", .run = run_eventfd, .wake = wake_eventfd},
    {.name = "timerfd", .run = run_timerfd},
    {.name = "inotify", .run = run_inotify, .wake = wake_inotify},
    {0},
};
