/*
 * The order in which gcov has functions that begin in the same place: it sorts them with std::sort, which
 * moves equal ones about.
 */
#ifndef AN_CLI_GCOV_ORDER_H
#define AN_CLI_GCOV_ORDER_H

#include <anneal/coverage.h>

struct function_list {
    const struct an_coverage_function **items;
    size_t count;
    size_t capacity;
};

/* Replaces what the list held by these functions, as gcov sorts them; false when memory runs out. */
bool order_as_gcov(struct function_list *list, const struct an_coverage_function *functions,
                   size_t count);

/* The same in the order of the files that they come from. */
bool order_as_read(struct function_list *list, const struct an_coverage_function *functions,
                   size_t count);
void function_list_free(struct function_list *list);

#endif
