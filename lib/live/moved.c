/* Lists of places that have new code; see moved.h. */
#include "live/moved.h"

#include <stdlib.h>

static int by_original(const void *one, const void *other)
{
    const struct an_moved *a = one, *b = other;
    if (a->original != b->original)
        return a->original < b->original ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

void an_moved_sort(struct an_moved_list *list)
{
    size_t kept = 0;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_original);
    for (size_t i = 0; i < list->count; i++)
        if (!kept || list->items[i].original != list->items[kept - 1].original)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

const struct an_moved *an_moved_last_until(const struct an_moved_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->items[middle].original <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &list->items[low - 1] : NULL;
}

const struct an_moved *an_moved_find(const struct an_moved_list *list, uint64_t original)
{
    const struct an_moved *moved = an_moved_last_until(list, original);
    return moved && moved->original == original ? moved : NULL;
}
