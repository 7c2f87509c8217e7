/* In which order LLVM's DenseMap gives back numbers of 64 bits. Where LLVM walks through one, that decides what a file is like. */
#ifndef AN_LLVM_DENSE_ORDER_H
#define AN_LLVM_DENSE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Fills in, for keys that are inserted one after the other, which one comes first, second... of those that are distinct. Returns
 * how many these are; SIZE_MAX: no memory.
 */
size_t an_dense_order(const uint64_t *keys, size_t count, uint32_t *order);

/* The same of a SmallDenseMap of four, whose keys are all taken for distinct. False: no memory. */
bool an_dense_order_small(const uint64_t *keys, size_t count, uint32_t *order);

#endif
