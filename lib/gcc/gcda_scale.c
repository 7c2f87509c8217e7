/* Counting a run several times, and counting what a run has; see gcda.h. */
#include "gcc/gcda.h"
#include "gcc/places.h"

/* Counters are signed; a sum of no run gets there. */
static uint64_t times(uint64_t value, uint64_t weight)
{
    int64_t product;
    if (__builtin_mul_overflow((int64_t)value, weight, &product))
        return (uint64_t)((int64_t)value < 0 ? INT64_MIN : INT64_MAX);
    return (uint64_t)product;
}

static uint32_t times_short(uint32_t value, uint64_t weight)
{
    uint32_t product;
    return __builtin_mul_overflow(value, weight, &product) ? UINT32_MAX : product;
}

/* Totals and counts; the values themselves stay. */
static void scale_lists(uint64_t *values, size_t count, uint64_t weight)
{
    for (uint64_t *list = values; list < values + count;) {
        uint64_t pairs = list[1];
        *list = times(*list, weight);
        list += 2;
        for (uint64_t i = 0; i < pairs; i++, list += 2)
            list[1] = times(list[1], weight);
    }
}

static void scale_places(uint64_t *values, size_t count, uint64_t weight, enum an_gcc_rule rule)
{
    size_t size = an_gcc_place_size(rule);
    unsigned counts = an_places_counts(rule);
    for (size_t i = 0; i < count; i++)
        if (counts >> i % size & 1)
            values[i] = times(values[i], weight);
}

void an_gcda_scale(struct an_gcda *gcda, uint64_t weight)
{
    if (weight == 1)
        return;
    gcda->runs = times_short(gcda->runs, weight);
    gcda->sum_max = times_short(gcda->sum_max, weight);
    for (size_t i = 0; i < gcda->programs.count; i++)
        an_program_scale(&gcda->programs.items[i], weight);
    for (size_t i = 0; i < gcda->counters.count; i++) {
        const struct an_gcda_counters *counters = &gcda->counters.items[i];
        uint64_t *values = gcda->values.items + counters->first;
        enum an_gcc_rule rule = an_gcda_rule(gcda, counters);
        if (counters->are_zero)
            continue;
        if (rule == AN_GCC_TOP)
            scale_lists(values, counters->count, weight);
        if (an_gcc_place_size(rule))
            scale_places(values, counters->count, weight, rule);
        for (size_t k = 0; rule == AN_GCC_ADD && k < counters->count; k++)
            values[k] = times(values[k], weight);
    }
}

uint64_t an_gcda_total(const struct an_gcda *gcda)
{
    enum { ARCS = 0 };
    uint64_t total = 0;
    for (size_t i = 0; i < gcda->counters.count; i++) {
        const struct an_gcda_counters *counters = &gcda->counters.items[i];
        for (size_t k = 0; counters->kind == ARCS && !counters->are_zero && k < counters->count;
             k++)
            if (__builtin_add_overflow(total, gcda->values.items[counters->first + k], &total))
                return UINT64_MAX;
    }
    return total;
}
