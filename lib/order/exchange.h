/* Which nodes of two halves change places. */
#ifndef AN_ORDER_EXCHANGE_H
#define AN_ORDER_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

struct candidate {
    float gain; /* by moving to the other half */
    uint32_t node;
};

/* Sorts by gain, greatest first; equal ones by node. `spare` has as much room. */
void an_candidates_sort(struct candidate *candidates, struct candidate *spare, uint32_t count);

#endif
