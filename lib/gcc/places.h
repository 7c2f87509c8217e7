/*
 * Frequent values as GCC kept them before it had lists: places of a few values each.
 *
 *     single  (to GCC 9)   value │ count │ total          count: how far it leads, not how often
 *     delta   (to GCC 6)   last  │ difference │ count │ total
 *     calls   (5 to 9)     evictions │ target │ count │ ... 4 pairs, the most frequent first
 *     four    (GCC 10)     total │ value │ count │ ... 4 pairs; the total is negative when a value
 *                          had to go
 *
 * (GCC's libgcc/libgcov-merge.c of those releases.)
 */
#ifndef AN_GCC_PLACES_H
#define AN_GCC_PLACES_H

#include "gcc/format.h"

/* Adds the values of one run to those of another, of as many places: the order matters. `rule` is one
 * of those with a place size; `keeps_sign` as in top.h. */
void an_places_merge(uint64_t *own, const uint64_t *added, size_t count, enum an_gcc_rule rule,
                     bool keeps_sign);

/* The value that leads, and by how much: each count of another one takes one away. */
void an_places_contend(uint64_t *value, uint64_t *lead, uint64_t other, uint64_t by);

/* Which of a place's values are counts, so that they grow when a run counts several times; a bit for
 * each. */
unsigned an_places_counts(enum an_gcc_rule rule);

#endif
