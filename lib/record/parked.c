/* Threads that go their way; see parked.h. */
#include "record/parked.h"

enum { MOST = sizeof((struct an_parked_table *)0)->items / sizeof(struct an_parked) };

struct an_parked *an_parked_find(struct an_parked_table *table, int32_t tid)
{
    for (size_t i = 0; table->count && i < MOST; i++)
        if (table->items[i].phase != AN_PARKED_FREE && table->items[i].window.thread.tid == tid)
            return &table->items[i];
    return NULL;
}

struct an_parked *an_parked_add(struct an_parked_table *table, enum an_parked_phase phase,
                                const struct an_window *window)
{
    for (size_t i = 0; i < MOST; i++)
        if (table->items[i].phase == AN_PARKED_FREE) {
            table->items[i].phase = phase;
            table->items[i].window = *window;
            table->count++;
            return &table->items[i];
        }
    return NULL;
}

void an_parked_remove(struct an_parked_table *table, struct an_parked *parked)
{
    parked->phase = AN_PARKED_FREE;
    table->count--;
}

void an_parked_each(struct an_parked_table *table, enum an_parked_phase phase,
                    void (*call)(struct an_parked *))
{
    for (size_t i = 0; table->count && i < MOST; i++)
        if (table->items[i].phase == phase)
            call(&table->items[i]);
}

bool an_parked_any_stopping(const struct an_parked_table *table)
{
    for (size_t i = 0; table->count && i < MOST; i++)
        if (table->items[i].phase == AN_PARKED_LATE || table->items[i].phase == AN_PARKED_LEAVING)
            return true;
    return false;
}
