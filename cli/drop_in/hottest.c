/*
 * A binary heap with the smallest count on top. Which of several functions with the same count is
 * kept, and in which order they come out, follows from how the heap moves its items; the moves here
 * are those of libstdc++'s std::priority_queue, which llvm-profdata uses: an item sinks to a leaf
 * first and then rises (Knuth, TAOCP 5.2.3, exercise 18).
 */
#include "hottest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void rise(struct hottest_item *heap, size_t hole, struct hottest_item item)
{
    while (hole > 0 && heap[(hole - 1) / 2].max > item.max) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = item;
}

/* Takes the smallest item off. */
static struct hottest_item take_top(struct hottest *hottest)
{
    struct hottest_item *heap = hottest->heap, top = heap[0];
    size_t count = --hottest->count, hole = 0, child = 0;
    if (count == 0)
        return top;
    struct hottest_item last = heap[count];
    while (child < (count - 1) / 2) {
        child = 2 * (child + 1);
        if (heap[child].max > heap[child - 1].max)
            child--;
        heap[hole] = heap[child];
        hole = child;
    }
    if (count % 2 == 0 && child == (count - 2) / 2) {
        heap[hole] = heap[2 * child + 1];
        hole = 2 * child + 1;
    }
    rise(heap, hole, last);
    return top;
}

bool hottest_add(struct hottest *hottest, const char *name, size_t length, uint64_t max)
{
    if (hottest->count == hottest->most) {
        if (hottest->heap[0].max >= max)
            return true;
        free(take_top(hottest).name);
    }
    if (hottest->count == hottest->capacity) {
        size_t capacity = hottest->capacity ? 2 * hottest->capacity : 16;
        struct hottest_item *grown = realloc(hottest->heap, capacity * sizeof *grown);
        if (!grown)
            return false;
        hottest->heap = grown;
        hottest->capacity = capacity;
    }
    struct hottest_item item = {strndup(name, length), max};
    if (!item.name)
        return false;
    rise(hottest->heap, hottest->count++, item);
    return true;
}

void hottest_print(struct hottest *hottest)
{
    size_t count = hottest->count;
    while (hottest->count) { /* the smallest goes behind what is left of the array */
        struct hottest_item smallest = take_top(hottest);
        hottest->heap[hottest->count] = smallest;
    }
    for (size_t i = 0; i < count; i++) {
        printf("  %s, max count = %llu\n", hottest->heap[i].name,
               (unsigned long long)hottest->heap[i].max);
        free(hottest->heap[i].name);
    }
}

void hottest_free(struct hottest *hottest)
{
    while (hottest->count)
        free(hottest->heap[--hottest->count].name);
    free(hottest->heap);
    *hottest = (struct hottest){0};
}
