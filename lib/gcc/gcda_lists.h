/*
 * The lists and places of counters while they are merged without loss (lossless.h): their values are in tallies, and they
 * themselves are 0.
 */
#ifndef AN_GCC_GCDA_LISTS_H
#define AN_GCC_GCDA_LISTS_H

#include "gcc/gcda.h"

/* How many lists or places such counters are. */
size_t an_gcda_places(const struct an_gcda *gcda, size_t number);

/* The counters, which are new, and lists or places, become 0. False when memory runs out. */
bool an_gcda_empty_lists(struct an_gcda *gcda, size_t counters);

/* Turns what was read from a file into counts without loss. False when memory runs out. */
bool an_gcda_make_lossless(struct an_gcda *gcda);

/* Puts the lists and places back, as far as there is room in them. False when memory runs out. */
bool an_gcda_settle_lists(struct an_gcda *gcda);

#endif
