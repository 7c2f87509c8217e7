/* Threads that hold threads; see hands.h. */
#include "live/hands.h"

#include <signal.h>

#include "base/pool.h"

/* Waits for the next turn in which a hand works; its number, or 0 when it is all over. */
static unsigned next_turn(struct an_hands *hands, unsigned number, unsigned before)
{
    pthread_mutex_lock(&hands->mutex);
    while ((hands->turn == before || number >= hands->working) && !hands->is_over)
        pthread_cond_wait(&hands->begin, &hands->mutex);
    unsigned turn = hands->is_over ? 0 : hands->turn;
    pthread_mutex_unlock(&hands->mutex);
    return turn;
}

static void finish_turn(struct an_hands *hands)
{
    pthread_mutex_lock(&hands->mutex);
    if (--hands->busy == 0)
        pthread_cond_signal(&hands->end);
    pthread_mutex_unlock(&hands->mutex);
}

static void *be_hand(void *argument)
{
    struct an_hands *hands = argument;
    pthread_mutex_lock(&hands->mutex);
    unsigned number = hands->started++;
    pthread_mutex_unlock(&hands->mutex);
    for (unsigned turn = 0; (turn = next_turn(hands, number, turn));) {
        hands->call(hands->context, number);
        finish_turn(hands);
    }
    return NULL;
}

void an_hands_open(struct an_hands *hands)
{
    unsigned wanted = an_pool_processors();
    sigset_t all, before;
    *hands = (struct an_hands){.turn = 0};
    pthread_mutex_init(&hands->mutex, NULL);
    pthread_cond_init(&hands->begin, NULL);
    pthread_cond_init(&hands->end, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (wanted == 1)
        wanted = 0; /* it is the caller */
    while (hands->count < wanted && hands->count < AN_HANDS_MOST &&
           pthread_create(&hands->threads[hands->count], NULL, be_hand, hands) == 0)
        hands->count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    hands->is_caller = hands->count == 0;
    if (hands->is_caller)
        hands->count = 1;
}

void an_hands_close(struct an_hands *hands)
{
    pthread_mutex_lock(&hands->mutex);
    hands->is_over = true;
    pthread_cond_broadcast(&hands->begin);
    pthread_mutex_unlock(&hands->mutex);
    for (unsigned i = 0; i < hands->count && !hands->is_caller; i++)
        pthread_join(hands->threads[i], NULL);
    pthread_cond_destroy(&hands->end);
    pthread_cond_destroy(&hands->begin);
    pthread_mutex_destroy(&hands->mutex);
}

void an_hands_do(struct an_hands *hands, unsigned working,
                 void (*call)(void *context, unsigned hand), void *context)
{
    if (hands->is_caller || hands->count == 0) {
        call(context, 0);
        return;
    }
    pthread_mutex_lock(&hands->mutex);
    hands->call = call;
    hands->context = context;
    hands->working = working;
    hands->busy = working;
    hands->turn++;
    pthread_cond_broadcast(&hands->begin);
    while (hands->busy)
        pthread_cond_wait(&hands->end, &hands->mutex);
    pthread_mutex_unlock(&hands->mutex);
}
