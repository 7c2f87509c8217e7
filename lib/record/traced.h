/* The threads that are traced, found by their number, or by the file of their alarm. */
#ifndef AN_RECORD_TRACED_H
#define AN_RECORD_TRACED_H

#include "base/map.h"
#include "base/vector.h"
#include "record/alarm.h"
#include "record/perf_writer.h"

struct an_traced {
    struct an_perf_thread id;
    struct an_alarm alarm;
    uint64_t period; /* for which it is set */
    uint64_t caught; /* the signals that its process had handlers for when it was added */
};

struct an_traced_table {
    AN_VECTOR(struct an_traced);
    struct an_map numbers; /* of items, + 1, by tid; 0: it was there once */
};

/* NULL: it is not traced. Valid until the next change. */
struct an_traced *an_traced_find(const struct an_traced_table *table, int32_t tid);
struct an_traced *an_traced_by_alarm(const struct an_traced_table *table, int file);

/* One that is not in the table, without an alarm. NULL when memory runs out. */
struct an_traced *an_traced_add(struct an_traced_table *table, struct an_perf_thread id);

/* Closes its alarm, too. */
void an_traced_remove(struct an_traced_table *table, struct an_traced *traced);
void an_traced_free(struct an_traced_table *table);

#endif
