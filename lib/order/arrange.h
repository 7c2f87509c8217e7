/* The last step of an order for the start: in which order its pieces lie. */
#ifndef AN_ORDER_ARRANGE_H
#define AN_ORDER_ARRANGE_H

#include <anneal/order.h>

/*
 * Writes to `arranged`, which has room for as many functions, the order with pieces of some pages moved so that the first
 * `runs` runs take fewer faults when nothing is in memory. effort: how long to try, from 1. *changed: it is another order.
 * False when memory runs out.
 */
bool an_arrange_order(const struct an_behaviour *behaviour, const struct an_order_options *options,
                      size_t runs, const struct an_order *order, unsigned effort,
                      uint32_t *arranged, bool *changed);

#endif
