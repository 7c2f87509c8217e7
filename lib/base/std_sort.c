/*
 * Where libstdc++'s introsort puts equal elements:
 * quicksort with the median of the second, the middle and the last element as pivot down to runs
 * of 16, then insertion sort; heap sort where that recurses too deep (D. Musser, "Introspective
 * Sorting and Selection Algorithms", 1997; the heap's sinking is R. W. Floyd's).
 */
#include "base/std_sort.h"

#include <stdbool.h>

typedef struct an_llvm_value pair;

enum { RUN = 16 };

static void exchange(pair *a, pair *b)
{
    pair kept = *a;
    *a = *b;
    *b = kept;
}

/* Stable; moves each element left past the larger ones. */
static void insertion_sort(pair *first, pair *last)
{
    if (first == last)
        return;
    for (pair *i = first + 1; i < last; i++) {
        pair moving = *i;
        pair *hole = i;
        while (hole > first && moving.value < hole[-1].value) {
            *hole = hole[-1];
            hole--;
        }
        *hole = moving;
    }
}

/* Puts the median of a, b, c into *result by an exchange. */
static void median_to(pair *result, pair *a, pair *b, pair *c)
{
    if (a->value < b->value) {
        if (b->value < c->value)
            exchange(result, b);
        else if (a->value < c->value)
            exchange(result, c);
        else
            exchange(result, a);
    } else if (a->value < c->value) {
        exchange(result, a);
    } else if (b->value < c->value) {
        exchange(result, c);
    } else {
        exchange(result, b);
    }
}

static pair *partition(pair *first, pair *last, const pair *pivot)
{
    for (;;) {
        while (first->value < pivot->value)
            first++;
        last--;
        while (pivot->value < last->value)
            last--;
        if (first >= last)
            return first;
        exchange(first, last);
        first++;
    }
}

/* Lets a pair sink into a hole of the heap: down to a leaf by the larger children, then up. */
static void sink(pair *heap, size_t hole, size_t count, pair sinking)
{
    size_t top = hole, child = hole;
    while (child < (count - 1) / 2) {
        child = 2 * (child + 1);
        if (heap[child].value < heap[child - 1].value)
            child--;
        heap[hole] = heap[child];
        hole = child;
    }
    if (count % 2 == 0 && child == (count - 2) / 2) {
        heap[hole] = heap[2 * child + 1];
        hole = 2 * child + 1;
    }
    while (hole > top && heap[(hole - 1) / 2].value < sinking.value) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = sinking;
}

static void heap_sort(pair *heap, size_t count)
{
    for (size_t parent = count / 2; parent-- > 0;)
        sink(heap, parent, count, heap[parent]);
    while (count > 1) {
        pair last = heap[--count];
        heap[count] = heap[0];
        sink(heap, 0, count, last);
    }
}

/* Recurses into the right part and loops on the left one, until runs are short. */
static void quick_sort(pair *first, pair *last, unsigned depth)
{
    while (last - first > RUN) {
        if (depth-- == 0) {
            heap_sort(first, (size_t)(last - first));
            return;
        }
        median_to(first, first + 1, first + (last - first) / 2, last - 1);
        pair *cut = partition(first + 1, last, first);
        quick_sort(cut, last, depth);
        last = cut;
    }
}

static bool sorted(const pair *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i].value <= values[i - 1].value)
            return false;
    return true;
}

void an_sort_by_value(struct an_llvm_value *values, size_t count)
{
    if (count < 2 || sorted(values, count))
        return;
    unsigned depth = 2 * (63 - (unsigned)__builtin_clzll(count));
    quick_sort(values, values + count, depth);
    insertion_sort(values, values + count);
}
