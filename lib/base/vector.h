/*
 * Growing arrays. A vector of T is an anonymous struct, so the element type stays visible:
 *
 *     struct { AN_VECTOR(struct trace); } traces = {0};
 *     struct trace *t = an_vector_push(&traces);   // NULL when memory runs out
 */
#ifndef AN_BASE_VECTOR_H
#define AN_BASE_VECTOR_H

#include <stdbool.h>

#include "base/memory.h"

#define AN_VECTOR(type)                                                                            \
    type *items;                                                                                   \
    size_t count;                                                                                  \
    size_t capacity

/* Returns the place of a new last element (not initialised), or NULL. */
#define an_vector_push(vector)                                                                     \
    ((__typeof__((vector)->items))an_vector_grow((void **)&(vector)->items, &(vector)->count,      \
                                                 &(vector)->capacity, sizeof *(vector)->items))

/* Makes room for so many elements in all; false when memory runs out. */
#define an_vector_reserve(vector, wanted)                                                          \
    an_vector_extend((void **)&(vector)->items, &(vector)->capacity, wanted,                       \
                     sizeof *(vector)->items)

#define an_vector_free(vector)                                                                     \
    (free((vector)->items), (vector)->items = NULL, (vector)->count = (vector)->capacity = 0)

static inline void *an_vector_grow(void **items, size_t *count, size_t *capacity, size_t size)
{
    if (*count == *capacity) {
        size_t wanted = *capacity ? 2 * *capacity : 8;
        void *grown = an_grow(*items, wanted, size);
        if (!grown)
            return NULL;
        *items = grown;
        *capacity = wanted;
    }
    return (char *)*items + size * (*count)++;
}

static inline bool an_vector_extend(void **items, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity)
        return true;
    size_t doubled = 2 * *capacity > wanted ? 2 * *capacity : wanted;
    void *grown = an_grow(*items, doubled, size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = doubled;
    return true;
}

#endif
