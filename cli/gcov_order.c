/* The order of functions in gcov's output; see gcov_order.h. */
#include "gcov_order.h"

#include <stdlib.h>

#include "base/vector.h"
#include "llvm/sort.h"

static int by_order(const void *one, const void *other)
{
    const struct an_coverage_function *const *a = one, *const *b = other;
    return (*a)->order < (*b)->order ? -1 : 1;
}

bool order_as_read(struct function_list *list, const struct an_coverage_function *functions,
                   size_t count)
{
    if (!an_vector_reserve(list, count))
        return false;
    for (size_t i = 0; i < count; i++)
        list->items[i] = &functions[i];
    list->count = count;
    if (count)
        qsort(list->items, count, sizeof *list->items, by_order);
    return true;
}

bool order_as_gcov(struct function_list *list, const struct an_coverage_function *functions,
                   size_t count)
{
    struct an_llvm_value *keys = an_alloc(count + 1, sizeof *keys);
    struct function_list read = {0};
    bool done = keys && order_as_read(&read, functions, count) && an_vector_reserve(list, count);
    for (size_t i = 0; done && i < count; i++)
        keys[i] = (struct an_llvm_value){
            .value = (uint64_t)read.items[i]->line << 32 | read.items[i]->column, .count = i};
    if (done)
        an_sort_by_value(keys, count);
    for (size_t i = 0; done && i < count; i++)
        list->items[i] = read.items[keys[i].count];
    list->count = done ? count : 0;
    free(keys);
    function_list_free(&read);
    return done;
}

void function_list_free(struct function_list *list)
{
    free((void *)list->items);
    *list = (struct function_list){.count = 0};
}
