/* Which functions are hot; see hot_functions.h. */
#include "hot_functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOT_CUTOFF = 990000 }; /* LLVM's -profile-summary-cutoff-hot, in millionths */

bool hot_functions_add(struct hot_functions *functions, const char *name, size_t length,
                       uint64_t max)
{
    if (functions->count == functions->capacity) {
        size_t capacity = functions->capacity ? 2 * functions->capacity : 64;
        struct hot_function *grown = realloc(functions->items, capacity * sizeof *grown);
        if (!grown)
            return false;
        functions->items = grown;
        functions->capacity = capacity;
    }
    struct hot_function *item = &functions->items[functions->count];
    *item = (struct hot_function){strndup(name, length), max, functions->count};
    functions->count += item->name != NULL;
    return item->name != NULL;
}

static int larger_first(const void *a, const void *b)
{
    const struct hot_function *left = a, *right = b;
    if (left->max != right->max)
        return left->max < right->max ? 1 : -1;
    return left->number < right->number ? -1 : 1;
}

static const struct an_llvm_summary_entry *hot_entry(const struct an_llvm_summary *summary)
{
    for (size_t i = 0; i < summary->entry_count; i++)
        if (summary->entries[i].cutoff >= HOT_CUTOFF)
            return &summary->entries[i];
    return NULL;
}

static void sort(struct hot_functions *functions)
{
    if (functions->count)
        qsort(functions->items, functions->count, sizeof *functions->items, larger_first);
}

void hot_functions_print_top(struct hot_functions *functions, unsigned long long most)
{
    sort(functions);
    for (size_t i = 0; i < functions->count && i < most; i++)
        printf("  %s, max count = %" PRIu64 "\n", functions->items[i].name,
               functions->items[i].max);
}

bool hot_functions_print(struct hot_functions *functions, const struct an_llvm_summary *summary)
{
    const struct an_llvm_summary_entry *entry = hot_entry(summary);
    if (!entry)
        return false;
    sort(functions);
    printf("# Hot count threshold: %" PRIu64 "\n", entry->min_count);
    for (size_t i = 0; i < functions->count && functions->items[i].max >= entry->min_count; i++)
        puts(functions->items[i].name);
    return true;
}

void hot_functions_free(struct hot_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free(functions->items[i].name);
    free(functions->items);
    *functions = (struct hot_functions){0};
}
