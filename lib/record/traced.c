/* The threads that are traced; see traced.h. */
#include "record/traced.h"

enum { FEW = 1024 };

struct an_traced *an_traced_find(const struct an_traced_table *table, int32_t tid)
{
    const uint64_t *number = an_map_find(&table->numbers, (uint64_t)tid);
    return number && *number ? &table->items[*number - 1] : NULL;
}

struct an_traced *an_traced_by_alarm(const struct an_traced_table *table, int file)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->items[i].alarm.file == file)
            return &table->items[i];
    return NULL;
}

static bool give_number(struct an_traced_table *table, size_t number)
{
    bool is_new;
    uint64_t *place =
        an_map_insert(&table->numbers, (uint64_t)table->items[number].id.tid, &is_new);
    if (place)
        *place = number + 1;
    return place;
}

/* A map forgets nothing: where threads come and go, it is made anew now and then. */
static bool number_anew(struct an_traced_table *table)
{
    an_map_free(&table->numbers);
    for (size_t i = 0; i < table->count; i++)
        if (!give_number(table, i))
            return false;
    return true;
}

struct an_traced *an_traced_add(struct an_traced_table *table, struct an_perf_thread id)
{
    if (table->numbers.used > 2 * table->count + FEW && !number_anew(table))
        return NULL;
    struct an_traced *traced = an_vector_push(table);
    if (!traced)
        return NULL;
    *traced = (struct an_traced){.id = id, .alarm = {.file = -1}};
    if (give_number(table, table->count - 1))
        return traced;
    table->count--;
    return NULL;
}

void an_traced_remove(struct an_traced_table *table, struct an_traced *traced)
{
    an_alarm_close(&traced->alarm);
    *an_map_find(&table->numbers, (uint64_t)traced->id.tid) = 0;
    const struct an_traced *last = &table->items[--table->count];
    if (traced == last)
        return;
    *traced = *last;
    *an_map_find(&table->numbers, (uint64_t)traced->id.tid) = (uint64_t)(traced - table->items) + 1;
}

void an_traced_free(struct an_traced_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        an_alarm_close(&table->items[i].alarm);
    an_vector_free(table);
    an_map_free(&table->numbers);
}
