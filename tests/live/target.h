/*
 * What the programs in this folder share, which anneal live is tried on: threads that do something
 * over and over and check every result, and the board, a file in which they count, so that others
 * see whether they get on.
 *
 *     struct board (target.h is for C and C++; so support/undisturbed/undisturbed.c has it, too, and
 *     undisturbed --progress BOARD MILLISECONDS waits until all threads have got on)
 *      0            8        8 + 24         8 + 32
 *     +------------+-----------+-------------+-----------+-----
 *     | count      | its name  | rounds      | the next one's name ...
 *     +------------+-----------+-------------+-----------+-----
 *      set last; 0 before "ready"
 *
 * When something is not as it should be, the program says so and ends with status 3. After SIGTERM
 * the threads come to their ends and the program to its status.
 */
#ifndef AN_LIVE_TARGET_H
#define AN_LIVE_TARGET_H

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORKERS = 96, CALM = 0, DISTURBED = 3, UNABLE = 4 };

struct board {
    uint64_t count;
    struct {
        char name[24];
        uint64_t rounds;
    } workers[MOST_WORKERS];
};

struct worker {
    const char *name;
    void (*run)(struct worker *worker);
    uint64_t random;
    uint64_t *rounds;
    pthread_t thread;
    uintptr_t frame; /* of the thread's start function: its canonical frame address */
};

static int is_over;

/* Says what went wrong, and ends the program. */
__attribute__((format(printf, 1, 2), noreturn, cold, noinline)) static void
disturbed(const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    vfprintf(stderr, what, arguments);
    fputc('\n', stderr);
    _exit(DISTURBED);
}

__attribute__((noreturn, cold, noinline)) static void give_up(const char *what)
{
    perror(what);
    _exit(UNABLE);
}

static inline int is_ending(void)
{
    return __atomic_load_n(&is_over, __ATOMIC_RELAXED);
}

/* One round is done, and went well. */
static inline void beat(struct worker *worker)
{
    __atomic_fetch_add(worker->rounds, 1, __ATOMIC_RELAXED);
}

/* xorshift64* */
static inline uint64_t chance(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du >> 8;
}

static inline void rest(unsigned microseconds)
{
    struct timespec time = {0, (long)microseconds * 1000};
    nanosleep(&time, NULL);
}

static struct board *map_board(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, sizeof(struct board)))
        give_up(path);
    void *bytes = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED)
        give_up(path);
    close(file);
    return (struct board *)bytes;
}

__attribute__((noinline)) static void *start_worker(void *argument)
{
    struct worker *worker = (struct worker *)argument;
    worker->frame = (uintptr_t)__builtin_dwarf_cfa();
    worker->run(worker);
    return argument;
}

/* Runs all of them until SIGTERM comes. */
static void run_workers(const char *board_path, struct worker *workers, unsigned count)
{
    struct board *board = map_board(board_path);
    sigset_t end;
    int number;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    for (unsigned i = 0; i < count; i++) {
        workers[i].random = 88172645463325252u + i;
        workers[i].rounds = &board->workers[i].rounds;
        strncpy(board->workers[i].name, workers[i].name, sizeof board->workers[i].name - 1);
        if (pthread_create(&workers[i].thread, NULL, start_worker, &workers[i]))
            give_up("pthread_create");
    }
    __atomic_store_n(&board->count, count, __ATOMIC_RELEASE);
    puts("ready");
    fflush(stdout);
    sigwait(&end, &number);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < count; i++)
        pthread_join(workers[i].thread, NULL);
}

#endif
