/* Which values of a site are kept, and in which order; see sort.h. */
#include "llvm/sort.h"

#include <string.h>

typedef struct an_llvm_value pair;

enum { RUN = 16 };

/* Stable merge sort of at most 2 * AN_LLVM_VALUES_PER_SITE values. */
static void merge_by_count(pair *values, size_t count, pair *spare)
{
    if (count <= RUN) {
        for (size_t i = 1; i < count; i++) {
            pair moving = values[i];
            size_t hole = i;
            for (; hole > 0 && values[hole - 1].count < moving.count; hole--)
                values[hole] = values[hole - 1];
            values[hole] = moving;
        }
        return;
    }
    size_t half = count / 2;
    merge_by_count(values, half, spare);
    merge_by_count(values + half, count - half, spare);
    memcpy(spare, values, half * sizeof *values);
    size_t left = 0, right = half, to = 0;
    while (left < half)
        values[to++] = right < count && values[right].count > spare[left].count ? values[right++]
                                                                                : spare[left++];
}

/* Keeps the first 255 of the order sorted while looking at the others: only a text profile can
 * name so many values of one site. */
static void select_by_count(pair *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        pair moving = values[i];
        size_t kept = i < AN_LLVM_VALUES_PER_SITE ? i : AN_LLVM_VALUES_PER_SITE;
        size_t low = 0, high = kept;
        while (low < high) { /* first place whose count is smaller */
            size_t middle = low + (high - low) / 2;
            if (values[middle].count >= moving.count)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == AN_LLVM_VALUES_PER_SITE)
            continue;
        size_t moved = kept < AN_LLVM_VALUES_PER_SITE ? kept - low : kept - low - 1;
        memmove(values + low + 1, values + low, moved * sizeof *values);
        values[low] = moving;
    }
}

uint32_t an_keep_by_count(struct an_llvm_value *values, uint32_t count)
{
    pair spare[AN_LLVM_VALUES_PER_SITE];
    if (count <= 2 * AN_LLVM_VALUES_PER_SITE)
        merge_by_count(values, count, spare);
    else
        select_by_count(values, count);
    return count < AN_LLVM_VALUES_PER_SITE ? count : AN_LLVM_VALUES_PER_SITE;
}
