/*
 * Threads that do most of their work apart, and a little of it in turn.
 *
 * Work comes in pieces, numbered by tickets. A thread takes a ticket, prepares its piece, waits
 * until all pieces before it had their turn, does what has to be done in order, passes the turn
 * on, and does the rest while others go on.
 *
 *     while (an_turns_take(&turns, &ticket)) {
 *         ... read the piece ...
 *         if (!an_turns_wait(&turns, ticket))
 *             break;                             // the end, or something before this failed
 *         ... find where the next piece begins ...
 *         an_turns_pass(&turns, ticket);
 *         ... decode ...
 *     }
 *
 * When several pieces fail, the failure of the first is kept, which is the same in every run.
 */
#ifndef AN_PERF_TURNS_H
#define AN_PERF_TURNS_H

#include <pthread.h>

#include "base/error.h"

struct an_turns {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t next;    /* ticket to hand out */
    uint64_t current; /* whose turn it is */
    uint64_t end;     /* from this ticket on there is nothing to do */
    struct an_error *error;
    enum an_code code; /* what failed at `end`, or AN_OK */
};

/* error is where a failure is put; it must outlive the turns. */
void an_turns_begin(struct an_turns *turns, struct an_error *error);

/* False when there is nothing left. */
bool an_turns_take(struct an_turns *turns, uint64_t *ticket);
bool an_turns_wait(struct an_turns *turns, uint64_t ticket);
void an_turns_pass(struct an_turns *turns, uint64_t ticket);

/* Nothing comes after this ticket. */
void an_turns_finish(struct an_turns *turns, uint64_t ticket);

/* The piece failed: those behind it are given up, those before it go on. */
void an_turns_fail(struct an_turns *turns, uint64_t ticket, const struct an_error *error);

/* To be called when all threads are done: AN_OK, or the code of the error. */
enum an_code an_turns_end(struct an_turns *turns);

#endif
