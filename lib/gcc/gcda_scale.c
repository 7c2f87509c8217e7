/* Counting a run several times, changing its counts, and counting what a run has; see gcda.h. */
#include "gcc/gcda.h"
#include "gcc/places.h"
#include "gcc/scale.h"

static uint32_t times_short(uint32_t value, uint64_t weight)
{
    uint32_t product;
    return __builtin_mul_overflow(value, weight, &product) ? UINT32_MAX : product;
}

/* Totals and counts; the values themselves stay. */
static void scale_lists(uint64_t *values, size_t count, const struct an_gcc_scale *scale)
{
    for (uint64_t *list = values; list < values + count;) {
        uint64_t pairs = list[1];
        *list = an_gcc_scaled(*list, scale);
        list += 2;
        for (uint64_t i = 0; i < pairs; i++, list += 2)
            list[1] = an_gcc_scaled(list[1], scale);
    }
}

static void scale_places(uint64_t *values, size_t count, const struct an_gcc_scale *scale,
                         enum an_gcc_rule rule)
{
    size_t size = an_gcc_place_size(rule);
    unsigned counts = an_places_counts(rule);
    for (size_t i = 0; i < count; i++)
        if (counts >> i % size & 1)
            values[i] = an_gcc_scaled(values[i], scale);
}

static void scale_counters(struct an_gcda *gcda, const struct an_gcc_scale *scale)
{
    for (size_t i = 0; i < gcda->counters.count; i++) {
        const struct an_gcda_counters *counters = &gcda->counters.items[i];
        uint64_t *values = gcda->values.items + counters->first;
        enum an_gcc_rule rule = an_gcda_rule(gcda, counters);
        if (counters->are_zero)
            continue;
        if (rule == AN_GCC_TOP)
            scale_lists(values, counters->count, scale);
        if (an_gcc_place_size(rule))
            scale_places(values, counters->count, scale, rule);
        for (size_t k = 0; rule == AN_GCC_ADD && k < counters->count; k++)
            values[k] = an_gcc_scaled(values[k], scale);
    }
}

void an_gcda_scale(struct an_gcda *gcda, uint64_t weight)
{
    const struct an_gcc_scale scale = {AN_GCC_BY_FRACTION, weight, 1, 0};
    if (weight == 1)
        return;
    gcda->runs = times_short(gcda->runs, weight);
    gcda->sum_max = times_short(gcda->sum_max, weight);
    for (size_t i = 0; i < gcda->programs.count; i++) {
        struct an_gcc_program *program = &gcda->programs.items[i];
        program->runs = times_short(program->runs, weight);
        an_gcc_program_scale(program, &scale);
    }
    scale_counters(gcda, &scale);
}

void an_gcda_rewrite(struct an_gcda *gcda, const struct an_gcc_scale *scale)
{
    for (size_t i = 0; i < gcda->programs.count; i++) {
        struct an_gcc_program *program = &gcda->programs.items[i];
        program->greatest = an_gcc_scaled(program->greatest, scale);
        an_gcc_program_scale(program, scale);
    }
    scale_counters(gcda, scale);
}

/* ---- arcs ---- */

size_t an_gcda_arcs(const struct an_gcda *gcda, const struct an_gcda_counters *counters,
                    const uint64_t **values)
{
    enum { ARCS = 0 };
    *values = gcda->values.items + counters->first;
    return counters->kind == ARCS && !counters->are_zero ? counters->count : 0;
}

uint64_t an_gcda_total(const struct an_gcda *gcda)
{
    uint64_t total = 0;
    for (size_t i = 0; i < gcda->counters.count; i++) {
        const uint64_t *values;
        size_t count = an_gcda_arcs(gcda, &gcda->counters.items[i], &values);
        for (size_t k = 0; k < count; k++)
            if (__builtin_add_overflow(total, values[k], &total))
                return UINT64_MAX;
    }
    return total;
}

uint64_t an_gcda_greatest(const struct an_gcda *gcda)
{
    uint64_t greatest = 0;
    for (size_t i = 0; i < gcda->counters.count; i++) {
        const uint64_t *values;
        size_t count = an_gcda_arcs(gcda, &gcda->counters.items[i], &values);
        for (size_t k = 0; k < count; k++)
            if ((int64_t)values[k] > (int64_t)greatest)
                greatest = values[k];
    }
    return greatest;
}
