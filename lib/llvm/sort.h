/* Sorting pairs so that equal keys come out in the order in which LLVM's tools leave them. */
#ifndef AN_LLVM_SORT_H
#define AN_LLVM_SORT_H

#include <stddef.h>

#include <anneal/llvm.h>

/* Ascending by value; equal values end up as std::sort of libstdc++ leaves them. */
void an_sort_by_value(struct an_llvm_value *values, size_t count);

/*
 * Puts the (at most 255) values with the largest counts first, descending, stable, as LLVM does
 * after every change of a site. Returns how many are to be kept; the rest is undefined.
 */
uint32_t an_keep_by_count(struct an_llvm_value *values, uint32_t count);

#endif
