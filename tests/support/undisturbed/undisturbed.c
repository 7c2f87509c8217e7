/*
 * undisturbed BOARD
 * undisturbed --progress BOARD MILLISECONDS
 *
 * A program that notices when it is disturbed, for tests of what attaches to running processes. Its
 * threads wait in all ways that a system call can be waited in, compute, take signals, start threads
 * and processes, and check every result: a wait that ends with EINTR without a signal, a sleep that
 * is cut short, a register that changed, a trap that is not its own. It says so and ends with status
 * 3. After SIGTERM it checks its sums and ends with status 0.
 *
 * It counts on the board, a file, what each thread has done. With --progress, waits until every
 * thread has got on, and fails when that takes longer than so many milliseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/random.h"
#include "support/undisturbed/ward.h"

enum { MOST_WARDS = 96 };

struct board {
    atomic_uint_least64_t count; /* set last */
    struct {
        char name[24];
        atomic_uint_least64_t beats;
    } wards[MOST_WARDS];
};

static struct ward *const tables[] = {waits, timed_waits, signals, computations, tasks};
static struct ward *wards[MOST_WARDS];
static pthread_t threads[MOST_WARDS];
static size_t ward_count;
static atomic_bool ending, woken_enough;

/* ---- what the wards use ---- */

bool is_ending(void)
{
    return ending;
}

void beat(struct ward *ward)
{
    atomic_fetch_add_explicit(ward->beats, 1, memory_order_relaxed);
}

void disturbed(const struct ward *ward, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    fprintf(stderr, "undisturbed: %s: ", ward->name);
    vfprintf(stderr, what, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    _exit(3);
}

void give_up(const char *what)
{
    fprintf(stderr, "undisturbed: %s: %s\n", what, strerror(errno));
    _exit(4);
}

void expect(const struct ward *ward, const char *call, long result, long expected, int error)
{
    if (result != expected)
        disturbed(ward, "%s: result %ld, expected %ld (%s)", call, result, expected,
                  result < 0 ? strerror(errno) : "no error");
    if (result < 0 && errno != error)
        disturbed(ward, "%s: %s, expected: %s", call, strerror(errno), strerror(error));
}

uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

struct timespec timespec_of(uint64_t nanoseconds)
{
    return (struct timespec){(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
}

void expect_time(const struct ward *ward, const char *call, uint64_t start, uint64_t wanted)
{
    uint64_t elapsed = now() - start;
    if (elapsed < wanted || elapsed > wanted + (uint64_t)PATIENCE * MILLISECOND)
        disturbed(ward, "%s: took %.3f ms, expected %.3f ms", call, (double)elapsed / MILLISECOND,
                  (double)wanted / MILLISECOND);
}

void work(struct ward *ward, unsigned most)
{
    uint64_t end = now() + random_next(&ward->random) % (most * 1000u);
    volatile uint64_t sum = 1;
    do
        for (unsigned i = 0; i < 100; i++)
            sum = sum * 3 + (sum >> 60);
    while (now() < end);
}

timer_t send_signals(int number, void *pointer, unsigned frequency)
{
    struct sigevent event = {0};
    struct itimerspec times = {{0, 1000000000 / frequency}, {0, 1000000000 / frequency}};
    timer_t timer;
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = number;
    event.sigev_value.sival_ptr = pointer;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &times, NULL))
        give_up("timer_create");
    return timer;
}

void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {0};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(number, &action, NULL);
}

/* ---- the board ---- */

static struct board *map_board(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0644);
    if (fd < 0 || ((flags & O_CREAT) && ftruncate(fd, sizeof(struct board))))
        give_up(path);
    struct board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (board == MAP_FAILED)
        give_up(path);
    close(fd);
    return board;
}

/* 0 when all that is on the board gets on in time. */
static int show_progress(const char *path, unsigned long patience)
{
    struct board *board = map_board(path, O_RDWR);
    uint64_t before[MOST_WARDS], deadline = now() + patience * MILLISECOND;
    size_t late;
    for (size_t i = 0; i < MOST_WARDS; i++)
        before[i] = board->wards[i].beats;
    do {
        usleep(1000);
        late = MOST_WARDS;
        for (size_t i = 0; i < board->count; i++)
            if (board->wards[i].beats == before[i])
                late = i;
    } while ((late < MOST_WARDS || board->count == 0) && now() < deadline);
    if (late < MOST_WARDS)
        fprintf(stderr, "undisturbed: %s has not got on for %lu ms\n", board->wards[late].name,
                patience);
    return late < MOST_WARDS || board->count == 0;
}

/* ---- all of them ---- */

static void *run_ward(void *argument)
{
    struct ward *ward = argument;
    char name[16];
    snprintf(name, sizeof name, "%.15s", ward->name);
    pthread_setname_np(pthread_self(), name);
    ward->run(ward);
    return NULL;
}

static void *wake_wards(void *argument)
{
    while (!woken_enough) {
        for (size_t i = 0; i < ward_count; i++)
            if (wards[i]->wake)
                wards[i]->wake();
        usleep(4000);
    }
    return argument;
}

static void collect_wards(struct board *board)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (struct ward *ward = tables[i]; ward->name; ward++) {
            ward->random = random_of(1, ward_count) | 1;
            ward->beats = &board->wards[ward_count].beats;
            snprintf(board->wards[ward_count].name, sizeof board->wards->name, "%s", ward->name);
            wards[ward_count++] = ward;
        }
    }
}

/*
 * All signals are blocked at first; a ward unblocks its own. Every other one leaves open SIGURG as well, which does
 * nothing: so there are threads that a tracer may send a signal to, and others.
 */
static void start_wards(void)
{
    sigset_t all, urgent;
    sigfillset(&all);
    sigdelset(&all, SIGTRAP);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    for (size_t i = 0; i < ward_count; i++) {
        pthread_sigmask(i % 2 ? SIG_UNBLOCK : SIG_BLOCK, &urgent, NULL);
        if (pthread_create(&threads[i], NULL, run_ward, wards[i]))
            give_up("pthread_create");
    }
    pthread_sigmask(SIG_BLOCK, &urgent, NULL);
}

static void wait_for_the_end(void)
{
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    while (sigwait(&set, &number) || number != SIGTERM)
        ;
}

int main(int argc, char **argv)
{
    pthread_t waker;
    if (argc == 4 && strcmp(argv[1], "--progress") == 0)
        return show_progress(argv[2], strtoul(argv[3], NULL, 10));
    if (argc != 2)
        return 2;
    struct board *board = map_board(argv[1], O_RDWR | O_CREAT | O_TRUNC);
    collect_wards(board);
    start_wards();
    if (pthread_create(&waker, NULL, wake_wards, NULL))
        give_up("pthread_create");
    board->count = ward_count;
    wait_for_the_end();
    ending = true;
    for (size_t i = 0; i < ward_count; i++)
        pthread_join(threads[i], NULL);
    woken_enough = true;
    pthread_join(waker, NULL);
    uint64_t beats = 0;
    for (size_t i = 0; i < ward_count; i++)
        beats += *wards[i]->beats;
    printf("%zu threads, %llu rounds, all undisturbed\n", ward_count, (unsigned long long)beats);
    return 0;
}
