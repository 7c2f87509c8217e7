/* Threads in turn; see turns.h. */
#include "perf/turns.h"

void an_turns_begin(struct an_turns *turns, struct an_error *error)
{
    *turns = (struct an_turns){.end = UINT64_MAX, .error = error};
    pthread_mutex_init(&turns->lock, NULL); /* with default attributes it cannot fail */
    pthread_cond_init(&turns->moved, NULL);
}

bool an_turns_take(struct an_turns *turns, uint64_t *ticket)
{
    pthread_mutex_lock(&turns->lock);
    bool is_left = turns->next < turns->end;
    *ticket = is_left ? turns->next++ : 0;
    pthread_mutex_unlock(&turns->lock);
    return is_left;
}

bool an_turns_wait(struct an_turns *turns, uint64_t ticket)
{
    pthread_mutex_lock(&turns->lock);
    while (turns->current != ticket && ticket < turns->end)
        pthread_cond_wait(&turns->moved, &turns->lock);
    bool goes_on = ticket < turns->end;
    pthread_mutex_unlock(&turns->lock);
    return goes_on;
}

void an_turns_pass(struct an_turns *turns, uint64_t ticket)
{
    pthread_mutex_lock(&turns->lock);
    an_assert(turns->current == ticket);
    turns->current++;
    pthread_cond_broadcast(&turns->moved);
    pthread_mutex_unlock(&turns->lock);
}

void an_turns_finish(struct an_turns *turns, uint64_t ticket)
{
    pthread_mutex_lock(&turns->lock);
    if (ticket + 1 < turns->end)
        turns->end = ticket + 1;
    pthread_cond_broadcast(&turns->moved);
    pthread_mutex_unlock(&turns->lock);
}

void an_turns_fail(struct an_turns *turns, uint64_t ticket, const struct an_error *error)
{
    pthread_mutex_lock(&turns->lock);
    if (ticket < turns->end) {
        turns->end = ticket;
        turns->code = error->code;
        *turns->error = *error;
    }
    pthread_cond_broadcast(&turns->moved);
    pthread_mutex_unlock(&turns->lock);
}

enum an_code an_turns_end(struct an_turns *turns)
{
    pthread_cond_destroy(&turns->moved);
    pthread_mutex_destroy(&turns->lock);
    return turns->code;
}
