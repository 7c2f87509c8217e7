/* Lists of the most frequent values: counting them, and adding up two of them by GCC's rule. */
#ifndef AN_RT_GCC_LISTS_H
#define AN_RT_GCC_LISTS_H

#include "core/gcc_info.h"

enum { AN_RT_GCC_VALUES = 32 }; /* a list has no more */

/* A list with its total, which is negative once something was lost from the list. */
struct an_rt_gcc_list {
    int64_t total;
    unsigned length;
    struct {
        int64_t value, count;
    } pairs[AN_RT_GCC_VALUES];
};

/* What the program counted at a place, which has AN_RT_PLACE words. */
void an_rt_gcc_list_take(struct an_rt_gcc_list *list, const int64_t *place);

/* Adds what a file has: words that are total, length, and pairs. */
void an_rt_gcc_list_add(struct an_rt_gcc_list *list, const uint8_t *words);

#endif
