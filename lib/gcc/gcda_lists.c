/* Lists and places of a merge without loss; see gcda_lists.h. */
#include "gcc/gcda_lists.h"

#include <string.h>

static enum an_gcc_rule rule_of(const struct an_gcda *gcda, size_t counters)
{
    return an_gcda_rule(gcda, &gcda->counters.items[counters]);
}

size_t an_gcda_places(const struct an_gcda *gcda, size_t number)
{
    const struct an_gcda_counters *counters = &gcda->counters.items[number];
    enum an_gcc_rule rule = an_gcda_rule(gcda, counters);
    return rule == AN_GCC_TOP ? counters->places : counters->count / an_gcc_place_size(rule);
}

/* The values of a list or place that nothing was counted in. */
static bool make_zero(struct an_gcda *gcda, size_t number)
{
    enum { HEAD = 2 };
    struct an_gcda_counters *counters = &gcda->counters.items[number];
    if (an_gcda_rule(gcda, counters) == AN_GCC_TOP)
        counters->count = HEAD * counters->places;
    if (counters->count > counters->capacity) {
        size_t first = gcda->values.count;
        if (!an_gcda_extend(gcda, counters->count))
            return false;
        counters->first = first;
        counters->capacity = counters->count;
    }
    if (counters->count)
        memset(gcda->values.items + counters->first, 0, 8 * (size_t)counters->count);
    counters->are_zero = false;
    return true;
}

bool an_gcda_empty_lists(struct an_gcda *gcda, size_t number)
{
    while (gcda->tallies.count < gcda->counters.count) {
        struct an_tallies *tallies = an_vector_push(&gcda->tallies);
        if (!tallies)
            return false;
        *tallies = (struct an_tallies){0};
    }
    return !an_gcc_has_tallies(rule_of(gcda, number)) || make_zero(gcda, number);
}

bool an_gcda_make_lossless(struct an_gcda *gcda)
{
    gcda->is_lossless = true;
    if (!an_vector_reserve(&gcda->tallies, gcda->counters.count))
        return false;
    for (size_t i = 0; i < gcda->counters.count; i++) {
        struct an_tallies *tallies = an_vector_push(&gcda->tallies);
        const struct an_gcda_counters *counters = &gcda->counters.items[i];
        enum an_gcc_rule rule = rule_of(gcda, i);
        if (!tallies)
            return false;
        *tallies = (struct an_tallies){0};
        if (!an_gcc_has_tallies(rule))
            continue;
        if (!counters->are_zero &&
            (!an_tallies_begin(tallies, an_gcda_places(gcda, i)) ||
             !an_tallies_add(tallies, rule, gcda->values.items + counters->first)))
            return false;
        if (!make_zero(gcda, i))
            return false;
    }
    return true;
}

bool an_gcda_settle_lists(struct an_gcda *gcda)
{
    for (size_t i = 0; i < gcda->tallies.count; i++) {
        struct an_tallies *tallies = &gcda->tallies.items[i];
        enum an_gcc_rule rule = rule_of(gcda, i);
        if (!an_gcc_has_tallies(rule) || !tallies->count)
            continue;
        size_t size = an_tallies_size(tallies, rule), first = gcda->values.count;
        uint64_t *values = an_gcda_extend(gcda, size);
        if (!values || size > UINT32_MAX / 2)
            return false;
        an_tallies_settle(tallies, rule, values);
        gcda->counters.items[i].first = first;
        gcda->counters.items[i].count = gcda->counters.items[i].capacity = (uint32_t)size;
        an_tallies_free(tallies);
    }
    return true;
}
