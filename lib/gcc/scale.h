/*
 * What becomes of a count. Counts are signed; they are never negative, but totals of lists are, as a mark
 * (top.h), and a sum of no run may get there: the sign stays. What is too large stays at 2^63-1.
 */
#ifndef AN_GCC_SCALE_H
#define AN_GCC_SCALE_H

#include <anneal/gcc.h>

uint64_t an_gcc_scaled(uint64_t count, const struct an_gcc_scale *scale);

#endif
