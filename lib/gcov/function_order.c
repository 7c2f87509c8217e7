/* The order of functions in gcov's output; see function_order.h. */
#include "gcov/function_order.h"

#include <stdlib.h>

#include "base/std_sort.h"
#include "base/vector.h"

static int by_order(const void *one, const void *other)
{
    const struct an_coverage_function *const *a = one, *const *b = other;
    return (*a)->order < (*b)->order ? -1 : 1;
}

static bool list_as_read(struct an_function_list *list,
                         const struct an_coverage_function *functions, size_t count)
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

bool an_function_list_sort(struct an_function_list *list,
                           const struct an_coverage_function *functions, size_t count)
{
    struct an_llvm_value *keys = an_alloc(count + 1, sizeof *keys);
    struct an_function_list read = {0};
    bool done = keys && list_as_read(&read, functions, count) && an_vector_reserve(list, count);
    for (size_t i = 0; done && i < count; i++)
        keys[i] = (struct an_llvm_value){
            .value = (uint64_t)read.items[i]->line << 32 | read.items[i]->column, .count = i};
    if (done)
        an_sort_by_value(keys, count);
    for (size_t i = 0; done && i < count; i++)
        list->items[i] = read.items[keys[i].count];
    list->count = done ? count : 0;
    free(keys);
    an_function_list_free(&read);
    return done;
}

void an_function_list_free(struct an_function_list *list)
{
    free((void *)list->items);
    *list = (struct an_function_list){.count = 0};
}
