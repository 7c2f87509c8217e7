/*
 * Frequent values of any number of runs, none of which has to make room for another: what lists (top.h) and places
 * (places.h) are while they are merged without loss. The order in which runs are added does not matter.
 *
 *     a place:   total │ last │ lost │ value, count │ value, count ...     by values, ascending
 *
 * In the end as many values are kept as the release of GCC has room for, the most frequent first: that is the order in which
 * GCC looks at them. Where it keeps one value and by how much that leads, the others contend with it in this order.
 */
#ifndef AN_GCC_TALLY_H
#define AN_GCC_TALLY_H

#include "base/vector.h"
#include "gcc/format.h"

struct an_tally_value {
    uint64_t value, count;
};

struct an_tally {
    uint64_t
        total;     /* how often the place was passed; of AN_GCC_CALLS the most evictions of a run */
    uint64_t last; /* of AN_GCC_DELTA: the greatest one */
    bool lost;     /* a run had no room for some value */
    struct {
        AN_VECTOR(struct an_tally_value);
    } values;
};

/* The places of one record of counters. */
struct an_tallies {
    struct an_tally *places;
    size_t count; /* 0: nothing was added */
};

/* Whether counters of this rule are kept so. */
static inline bool an_gcc_has_tallies(enum an_gcc_rule rule)
{
    return rule == AN_GCC_TOP || an_gcc_place_size(rule) != 0;
}

/* Makes so many places, or finds as many. False when memory runs out, or there are others. */
bool an_tallies_begin(struct an_tallies *tallies, size_t places);

/* Adds the values of a run, as they stand in its file, of so many places, as there are. False when memory runs out. */
bool an_tallies_add(struct an_tallies *into, enum an_gcc_rule rule, const uint64_t *values);

/* Adds all of another one, of as many places. False when memory runs out. */
bool an_tallies_absorb(struct an_tallies *into, enum an_gcc_rule rule,
                       const struct an_tallies *from);

/* Whether anything was counted in them. */
bool an_tallies_are_zero(const struct an_tallies *tallies);

/* How many values a file has of them. */
size_t an_tallies_size(const struct an_tallies *tallies, enum an_gcc_rule rule);

/* Makes these. The order of the tallies' values is another one then, and nothing can be added any more. */
void an_tallies_settle(struct an_tallies *tallies, enum an_gcc_rule rule, uint64_t *to);

void an_tallies_free(struct an_tallies *tallies);

#endif
