/*
 * A counter of the user's, read where it moves.
 *
 *     count            ____          counters may stand still, and then tell of much at once: a program that
 *                  ___|              writes a file once in a while, a server whose page is made once a second
 *             ____|
 *             ^   ^   ^
 *             read here: between two of these places, count and CPU time belong together
 *
 * Read anywhere else, one second's work would be divided by the time of a second that begins and ends elsewhere.
 * A counter that moves all the time has moved whenever one looks, so it is read at once.
 */
#ifndef AN_CLI_CORE_MOVES_H
#define AN_CLI_CORE_MOVES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <anneal/error.h>
#include <anneal/work.h>

struct moves {
    const char *source; /* as counter_read() knows it */
    int32_t pid;
    mode_t mask;
    double patience; /* seconds for one answer */
    const volatile int *stop;

    double first, last;      /* what it told */
    bool was_asked, is_over; /* the process has ended */
    uint64_t asked_at,
        cpu;             /* the last answer: when it came, and the CPU time of the process then */
    uint64_t moved_at;   /* the last movement that was read; 0: none */
    double shortest;     /* seconds between two movements, at least; 0: not known */
    size_t moved, stood; /* movements that were read; answers that were those before */
};

/* Asks it for the first time. Fails when it tells no number. */
enum an_code moves_begin(struct moves *moves, struct an_error *error);

/*
 * Waits until it moves, or until that time (of an_clock_now()) has come. *has_moved: the reading is of that moment; its count is
 * from the beginning on, and both times are the process's CPU time, since whoever names a counter knows that
 * it counts work and not time.
 */
enum an_code moves_await(struct moves *moves, uint64_t until, struct an_work_reading *reading,
                         bool *has_moved, struct an_error *error);

/* What it told when it was asked last, wherever that was. */
struct an_work_reading moves_now(const struct moves *moves);

/* When it is likely to move next, and not before; 0: not known. */
uint64_t moves_next(const struct moves *moves);

/* Whether it stands still in between. */
bool moves_in_steps(const struct moves *moves);

#endif
