/*
 * Looking at the frequent values of expressions, and the targets of calls, whatever GCC kept them as (top.h,
 * places.h): one place after the other, each with its values.
 */
#ifndef AN_GCC_FREQUENT_H
#define AN_GCC_FREQUENT_H

#include "gcc/gcda.h"

struct an_frequent {
    const uint64_t *pairs; /* value │ count │ value │ count ... */
    size_t count;          /* of these; those with a count of 0 are empty */
    /* private */
    const uint64_t *next, *end;
    enum an_gcc_rule rule;
};

/* Begins before the first place. False when the counters are no frequent values. */
bool an_frequent_start(struct an_frequent *frequent, const struct an_gcda *gcda,
                       const struct an_gcda_counters *counters);

/* Goes to the next place, if there is one. */
bool an_frequent_next(struct an_frequent *frequent);

#endif
