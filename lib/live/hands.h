/*
 * A few threads of this process, each of which can hold threads of another one: ptrace is a matter between
 * two threads, so what one has seized no other can stop, look at or let go.
 *
 *     caller     an_hands_do ──────────────────────────► goes on
 *     hand 0          └─► call(context, 0) ──► waits ┄┄┄┄┘
 *     hand 1          └─► call(context, 1) ─► waits ┄┄┄┄┄┘
 *
 * What a hand still holds when it ends, the kernel lets go.
 */
#ifndef AN_LIVE_HANDS_H
#define AN_LIVE_HANDS_H

#include <pthread.h>
#include <stdbool.h>

enum { AN_HANDS_MOST = 4 };

struct an_hands {
    unsigned count; /* at least 1 */
    pthread_t threads[AN_HANDS_MOST];
    bool is_caller; /* the caller is the only hand */
    bool is_over;
    pthread_mutex_t mutex;
    pthread_cond_t begin, end;
    unsigned turn;    /* how often an_hands_do() was called */
    unsigned working; /* so many hands take part, the first ones */
    unsigned busy;    /* so many of these are not done yet */
    unsigned started; /* so many know their numbers */
    void (*call)(void *context, unsigned hand);
    void *context;
};

/*
 * Starts as many hands as there are processors, AN_HANDS_MOST at most. They have all signals blocked. It never
 * fails: when threads cannot be made there are fewer. The structure must not be moved until it is closed.
 *
 * With one processor the caller is the only hand: where it would wait for another thread of its own, the threads that
 * it is about to seize would run, and be over when that one gets the processor. Of a process whose threads live for
 * some 30 us, it would never seize any.
 */
void an_hands_open(struct an_hands *hands);

/* Ends them. */
void an_hands_close(struct an_hands *hands);

/* Has the first `working` hands, `count` at most, call a function, each with its number, and returns when all have.
 * Of a structure that is all 0, the caller is the only hand. */
void an_hands_do(struct an_hands *hands, unsigned working,
                 void (*call)(void *context, unsigned hand), void *context);

#endif
