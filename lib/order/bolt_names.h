/* Functions by the names that BOLT's profiles give them. */
#ifndef AN_ORDER_BOLT_NAMES_H
#define AN_ORDER_BOLT_NAMES_H

#include "order/behaviour.h"

/*
 * The number of the function of that name, without escapes. Local functions have a number, or their file and a number, behind
 * their name: "helper/1", "helper/file.c/1". AN_NO_NUMBER when memory runs out.
 */
uint32_t an_behaviour_number_of_bolt(struct an_behaviour *behaviour, const char *name,
                                     size_t length);

#endif
