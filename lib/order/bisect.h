/* One step of the partitioning: a part's nodes in two halves. */
#ifndef AN_ORDER_BISECT_H
#define AN_ORDER_BISECT_H

#include "order/partition.h"

/* Costs, computed once. */
struct log_costs {
    float *
        rise; /* rise[x] = (x + 1) log2(x + 2) - x log2(x + 1): what one more member costs, for 0..nodes */
};

bool an_log_costs_make(struct log_costs *costs, uint32_t most);
void an_log_costs_free(struct log_costs *costs);

/* Memory for the bisection of a part, and of the parts of that part. */
struct bisect_room;

/* NULL when memory runs out. */
struct bisect_room *an_bisect_room_new(const struct partition *partition, const uint32_t *nodes,
                                       uint32_t count);
void an_bisect_room_free(struct bisect_room *room);

/*
 * Puts the nodes of a part into two halves: the first (count + 1) / 2 of `nodes` and the rest, each in
 * the order they had. `path` tells this part from all others.
 */
void an_bisect(struct bisect_room *room, const struct log_costs *costs, uint32_t *nodes,
               uint32_t count, uint64_t path);

#endif
