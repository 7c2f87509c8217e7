/* How many bytes of text a function of an order takes. */
#ifndef AN_ORDER_SIZE_H
#define AN_ORDER_SIZE_H

#include <anneal/order.h>

enum {
    AN_GUESSED_SIZE = 128
}; /* without a binary; as llvm-profdata takes it: 32 functions to a page */

/* The function and the copies that the compiler made of it, each filled up to a multiple of `alignment`. 0: the
 * binary does not have it. */
uint64_t an_order_size(const struct an_order_options *options, uint32_t function,
                       uint64_t alignment);

#endif
