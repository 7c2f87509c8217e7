/* Keeping the most frequent values of a site, as LLVM does. base/std_sort.h sorts them by value. */
#ifndef AN_LLVM_SORT_H
#define AN_LLVM_SORT_H

#include <stddef.h>

#include <anneal/llvm.h>

/*
 * Puts the (at most 255) values with the largest counts first, descending, stable, as LLVM does
 * after every change of a site. Returns how many are to be kept; the rest is undefined.
 */
uint32_t an_keep_by_count(struct an_llvm_value *values, uint32_t count);

#endif
