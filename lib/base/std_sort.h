/*
 * Sorting pairs so that equal keys come out where std::sort of libstdc++ leaves them, which is not stable: for the same
 * bytes as a peer writes. LLVM sorts the values of a site with it, and one site can hold the same value several times
 * (callees that are not instrumented all have value 0); gcov sorts functions by the line where they begin.
 */
#ifndef AN_BASE_STD_SORT_H
#define AN_BASE_STD_SORT_H

#include <stddef.h>

#include <anneal/llvm.h>

/* Ascending by `value`; the counts go with them. */
void an_sort_by_value(struct an_llvm_value *values, size_t count);

#endif
