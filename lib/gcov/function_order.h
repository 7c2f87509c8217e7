/*
 * The order in which gcov has functions that begin in the same place: it sorts them with std::sort, which
 * moves equal ones about.
 */
#ifndef AN_GCOV_FUNCTION_ORDER_H
#define AN_GCOV_FUNCTION_ORDER_H

#include <anneal/coverage.h>

struct an_function_list {
    const struct an_coverage_function **items;
    size_t count;
    size_t capacity;
};

/* Replaces what the list held by these functions, as gcov sorts them; false when memory runs out. */
bool an_function_list_sort(struct an_function_list *list,
                           const struct an_coverage_function *functions, size_t count);

void an_function_list_free(struct an_function_list *list);

#endif
