/*
 * A YAML profile in memory. Its lists grow in an arena, to the next power of two: so their length says how much room they
 * have, and what is left behind in the arena is never more than what is used.
 */
#ifndef AN_BOLT_YAML_PROFILE_H
#define AN_BOLT_YAML_PROFILE_H

#include <anneal/yaml.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"

struct an_yaml_profile {
    struct an_yaml_info info;
    struct an_yaml_function *functions;
    size_t count;
    struct an_arena arena;
};

struct an_yaml_profile *an_yaml_profile_new(void); /* NULL: no memory */

/* A zeroed place at the end of a list of `*count`; NULL: no memory. */
void *an_yaml_push(struct an_arena *arena, const void **list, size_t *count, size_t size);

/* A copy in the arena; its text is NULL without memory. */
struct an_yaml_text an_yaml_text_copy(struct an_arena *arena, const void *text, size_t length);
bool an_yaml_text_same(const struct an_yaml_text *a, const struct an_yaml_text *b);

/* Sets the sums of the info. */
void an_yaml_sum(struct an_yaml_profile *profile);

static inline void an_yaml_add(uint64_t *sum, uint64_t count)
{
    if (__builtin_add_overflow(*sum, count, sum))
        *sum = UINT64_MAX;
}

static inline uint64_t an_yaml_times(uint64_t count, uint64_t weight)
{
    uint64_t product;
    return __builtin_mul_overflow(count, weight, &product) ? UINT64_MAX : product;
}

#endif
