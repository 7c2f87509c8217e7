/*
 * A binary heap with the smallest count on top. Which of several functions with the same count is
 * kept, and in which order they come out, follows from how the heap moves its items; the moves here
 * are those of libstdc++'s std::priority_queue, which llvm-profdata uses: an item sinks to a leaf
 * first and then rises (Knuth, TAOCP 5.2.3, exercise 18).
 */
#include "topn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void rise(struct topn_item *heap, size_t hole, struct topn_item item)
{
    while (hole > 0 && heap[(hole - 1) / 2].max > item.max) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = item;
}

/* Takes the smallest item off. */
static struct topn_item take_top(struct topn *topn)
{
    struct topn_item *heap = topn->heap, top = heap[0];
    size_t count = --topn->count, hole = 0, child = 0;
    if (count == 0)
        return top;
    struct topn_item last = heap[count];
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

bool topn_add(struct topn *topn, const char *name, size_t length, uint64_t max)
{
    if (topn->count == topn->most) {
        if (topn->heap[0].max >= max)
            return true;
        free(take_top(topn).name);
    }
    if (topn->count == topn->capacity) {
        size_t capacity = topn->capacity ? 2 * topn->capacity : 16;
        struct topn_item *grown = realloc(topn->heap, capacity * sizeof *grown);
        if (!grown)
            return false;
        topn->heap = grown;
        topn->capacity = capacity;
    }
    struct topn_item item = {strndup(name, length), max};
    if (!item.name)
        return false;
    rise(topn->heap, topn->count++, item);
    return true;
}

void topn_print(struct topn *topn)
{
    size_t count = topn->count;
    while (topn->count) { /* the smallest goes behind what is left of the array */
        struct topn_item smallest = take_top(topn);
        topn->heap[topn->count] = smallest;
    }
    for (size_t i = 0; i < count; i++) {
        printf("  %s, max count = %llu\n", topn->heap[i].name,
               (unsigned long long)topn->heap[i].max);
        free(topn->heap[i].name);
    }
}

void topn_free(struct topn *topn)
{
    while (topn->count)
        free(topn->heap[--topn->count].name);
    free(topn->heap);
    *topn = (struct topn){0};
}
