/* Threads that go their way; see pending_threads.h. */
#include "record/pending_threads.h"

enum { MOST = sizeof((struct an_pending_threads *)0)->items / sizeof(struct an_pending_thread) };

struct an_pending_thread *an_pending_find(struct an_pending_threads *table, int32_t tid)
{
    for (size_t i = 0; table->count && i < MOST; i++)
        if (table->items[i].phase != AN_PENDING_FREE && table->items[i].window.thread.tid == tid)
            return &table->items[i];
    return NULL;
}

struct an_pending_thread *an_pending_add(struct an_pending_threads *table,
                                         enum an_pending_phase phase,
                                         const struct an_window *window)
{
    for (size_t i = 0; i < MOST; i++)
        if (table->items[i].phase == AN_PENDING_FREE) {
            table->items[i].phase = phase;
            table->items[i].window = *window;
            table->count++;
            return &table->items[i];
        }
    return NULL;
}

void an_pending_remove(struct an_pending_threads *table, struct an_pending_thread *pending)
{
    pending->phase = AN_PENDING_FREE;
    table->count--;
}

void an_pending_each(struct an_pending_threads *table, enum an_pending_phase phase,
                     void (*call)(struct an_pending_thread *))
{
    for (size_t i = 0; table->count && i < MOST; i++)
        if (table->items[i].phase == phase)
            call(&table->items[i]);
}

bool an_pending_any_stopping(const struct an_pending_threads *table)
{
    for (size_t i = 0; table->count && i < MOST; i++)
        if (table->items[i].phase == AN_PENDING_LATE || table->items[i].phase == AN_PENDING_LEAVING)
            return true;
    return false;
}
