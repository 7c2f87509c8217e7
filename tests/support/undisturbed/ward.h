/*
 * What the parts of `undisturbed` share. A ward is a thread that does one thing over and over,
 * checks that it went as it should, and counts: nobody may disturb it.
 */
#ifndef AN_UNDISTURBED_WARD_H
#define AN_UNDISTURBED_WARD_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct ward {
    const char *name;
    void (*run)(struct ward *ward);
    void (*wake)(void); /* called every few milliseconds by another thread; may be NULL */
    uint64_t random;
    atomic_uint_least64_t *beats;
};

/* In nanoseconds; and in milliseconds, by how much a sleep may be too long on a busy machine. */
enum { MILLISECOND = 1000000, PATIENCE = 10000 };

/* The tables of wards, each ended by one without a name. */
extern struct ward waits[], timed_waits[], signals[], computations[], tasks[];

bool is_ending(void);

/* One round is done, and went well. */
void beat(struct ward *ward);

/* Says what went wrong, and ends the program with status 3. */
__attribute__((format(printf, 2, 3))) _Noreturn void disturbed(const struct ward *ward,
                                                               const char *what, ...);

/* A call that has to return `expected`, and -1 with errno `error` if that is -1. */
void expect(const struct ward *ward, const char *call, long result, long expected, int error);

/* A result that cannot be had here at all: the program ends with status 4. */
_Noreturn void give_up(const char *what);

uint64_t now(void);
struct timespec timespec_of(uint64_t nanoseconds);

/* Checks that so many nanoseconds have gone by since `start`, and not absurdly more. */
void expect_time(const struct ward *ward, const char *call, uint64_t start, uint64_t wanted);

/* Works for a random time below so many microseconds. */
void work(struct ward *ward, unsigned most);

/* Makes a timer that sends the calling thread a signal, with `pointer`, so many times a second. */
timer_t send_signals(int number, void *pointer, unsigned frequency);
void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags);

/* The signals that are used, each by one ward. */
#define SIGNAL_WAITED_FOR (SIGRTMIN + 1)
#define SIGNAL_NEVER_SENT (SIGRTMIN + 2)
#define SIGNAL_INTERRUPTING (SIGRTMIN + 3)
#define SIGNAL_RESTARTING (SIGRTMIN + 4)
#define SIGNAL_OTHER_STACK (SIGRTMIN + 5)
#define SIGNAL_PAUSE (SIGRTMIN + 6)
#define SIGNAL_FAST (SIGRTMIN + 7)
#define SIGNAL_SLEEP (SIGRTMIN + 8)

#endif
