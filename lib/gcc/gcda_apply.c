/* Adding what a look at the file of a later run has found; see gcda_add.h. */
#include "gcc/gcda_add.h"
#include "gcc/gcda_lists.h"
#include "gcc/places.h"
#include "gcc/top.h"

static void add_total(struct an_gcda_added *added, uint64_t low, uint64_t high)
{
    high += low >> 32;
    if (high >> 32 ||
        __builtin_add_overflow(added->total, high << 32 | (uint32_t)low, &added->total))
        added->total = UINT64_MAX;
}

/* The sum is taken in two halves, which cannot overflow, so that it goes along with the adding. */
static void count_arcs(struct an_gcda_added *added, const uint64_t *values, size_t count)
{
    uint64_t low = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        low += (uint32_t)values[i];
        high += values[i] >> 32;
    }
    add_total(added, low, high);
}

static void add_values(uint64_t *to, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += an_load64(from + 8 * i);
}

static void add_arcs(struct an_gcda_added *added, uint64_t *to, const uint8_t *from, size_t count)
{
    uint64_t low = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = an_load64(from + 8 * i);
        to[i] += value;
        low += (uint32_t)value;
        high += value >> 32;
    }
    add_total(added, low, high);
}

static void combine(uint64_t *to, const uint64_t *from, size_t count, enum an_gcc_rule rule)
{
    for (size_t i = 0; rule == AN_GCC_ADD && i < count; i++)
        to[i] += from[i];
    for (size_t i = 0; rule == AN_GCC_OR && i < count; i++)
        to[i] |= from[i];
    for (size_t i = 0; rule == AN_GCC_EARLIEST && i < count; i++)
        if (from[i] && (!to[i] || (int64_t)from[i] < (int64_t)to[i]))
            to[i] = from[i];
}

/* The counters become these values. Those that grow get room to grow more. */
static bool take(struct an_gcda *into, struct an_gcda_counters *counters, const uint64_t *values,
                 size_t count)
{
    if (count > counters->capacity) {
        size_t first = into->values.count;
        size_t capacity = counters->capacity && count < UINT32_MAX / 2 ? 2 * count : count;
        if (!an_gcda_extend(into, capacity))
            return false;
        counters->first = first;
        counters->capacity = (uint32_t)capacity;
    }
    if (count)
        memcpy(into->values.items + counters->first, values, 8 * count);
    counters->count = (uint32_t)count; /* others look at it, but not at that of lists */
    counters->are_zero = false;
    return true;
}

/* `later` has the values, and there is room behind them. */
static bool merge_lists(struct an_gcda *into, struct an_gcda_counters *counters,
                        const uint64_t *later, uint64_t *room, enum an_gcda_order order)
{
    const uint64_t *own = into->values.items + counters->first;
    bool later_first = order == AN_GCDA_LATER_FIRST;
    size_t size = an_top_merge(later_first ? later : own, later_first ? own : later,
                               counters->places, room, !later_first);
    return take(into, counters, room, size);
}

static void merge_places(uint64_t *own, uint64_t *later, size_t count, enum an_gcc_rule rule,
                         enum an_gcda_order order)
{
    if (order == AN_GCDA_LATER_FIRST) {
        an_places_merge(later, own, count, rule, false);
        memcpy(own, later, 8 * count);
    } else {
        an_places_merge(own, later, count, rule, true);
    }
}

static bool do_step(struct an_gcda *into, struct an_gcda_plan *plan,
                    const struct an_gcda_step *step, enum an_gcda_order order,
                    struct an_gcda_added *added)
{
    struct an_gcda_counters *counters = &into->counters.items[step->counters];
    enum an_gcc_rule rule = an_gcda_rule(into, counters);
    uint64_t *own = into->values.items + counters->first;
    bool is_native = !into->header.big && !AN_HOST_BIG && !counters->are_zero;
    bool are_arcs = counters->kind == 0;
    if (is_native && are_arcs) {
        add_arcs(added, own, step->values, step->count);
        return true;
    }
    if (is_native && rule == AN_GCC_ADD) {
        add_values(own, step->values, step->count);
        return true;
    }
    plan->scratch.count = 0;
    if (!an_vector_reserve(&plan->scratch, 2 * step->count + counters->count + 1))
        return false;
    uint64_t *later = plan->scratch.items;
    an_gcda_values(later, step->values, step->count, into->header.big);
    if (are_arcs)
        count_arcs(added, later, step->count);
    if (into->is_lossless && an_gcc_has_tallies(rule))
        return an_tallies_begin(&into->tallies.items[step->counters],
                                an_gcda_places(into, step->counters)) &&
               an_tallies_add(&into->tallies.items[step->counters], rule, later);
    if (counters->are_zero)
        return take(into, counters, later, step->count);
    if (rule == AN_GCC_TOP)
        return merge_lists(into, counters, later, later + step->count, order);
    if (an_gcc_place_size(rule))
        merge_places(own, later, step->count, rule, order);
    else
        combine(own, later, step->count, rule);
    return true;
}

/* A function that only the later run had: its counters come behind all others. */
static bool adopt(struct an_gcda *into, struct an_gcda_plan *plan,
                  const struct an_gcda_newcomer *newcomer, struct an_gcda_added *added)
{
    struct an_gcda_function *function = &into->functions.items[newcomer->function];
    struct an_gcda_walk walk = plan->walk;
    struct an_gcda_record record;
    struct an_error unused;
    walk.cursor.at = newcomer->at;
    an_gcda_next(&walk, &record, &unused); /* it went well before */
    *function = (struct an_gcda_function){
        true, record.ident, record.line_sum, record.flow_sum, into->counters.count, 0};
    while (an_gcda_next(&walk, &record, &unused) == AN_OK && record.what == AN_GCDA_COUNTERS) {
        struct an_gcda_counters *counters = an_vector_push(&into->counters);
        if (!counters)
            return false;
        *counters = (struct an_gcda_counters){.kind = (uint8_t)record.kind,
                                              .are_zero = true,
                                              .count = record.count,
                                              .places = record.places};
        function->kinds++;
        if (into->is_lossless && !an_gcda_empty_lists(into, into->counters.count - 1))
            return false;
        struct an_gcda_step step = {(uint32_t)into->counters.count - 1, record.count,
                                    record.values};
        if (!record.are_zero && !do_step(into, plan, &step, AN_GCDA_LATER_FIRST, added))
            return false;
    }
    return true;
}

bool an_gcda_add_program(struct an_gcda *into, const struct an_gcc_program *later)
{
    size_t at = 0;
    while (at < into->programs.count && !an_gcc_program_is_same(&into->programs.items[at], later))
        at++;
    if (at < into->programs.count) {
        an_gcc_program_merge(&into->programs.items[at], later);
        return true;
    }
    struct an_gcc_program *added = an_vector_push(&into->programs);
    if (added)
        *added = *later;
    return added != NULL;
}

static bool merge_programs(struct an_gcda *into, struct an_gcda_plan *plan)
{
    for (size_t i = 0; i < plan->programs.count; i++)
        if (!an_gcda_add_program(into, &plan->programs.items[i]))
            return false;
    return true;
}

static bool adopt_all(struct an_gcda *into, struct an_gcda_plan *plan, struct an_gcda_added *added)
{
    for (size_t i = 0; i < plan->newcomers.count; i++)
        if (!adopt(into, plan, &plan->newcomers.items[i], added))
            return false;
    into->adoptions += an_gcda_adopts(plan);
    return true;
}

bool an_gcda_apply(struct an_gcda *into, struct an_gcda_plan *plan, enum an_gcda_order order,
                   struct an_gcda_added *added)
{
    *added = (struct an_gcda_added){.functions = plan->present};
    for (size_t i = 0; i < plan->steps.count; i++)
        if (!do_step(into, plan, &plan->steps.items[i], order, added))
            return false;
    if (plan->summary.what == AN_GCDA_SUMMARY) {
        into->has_summary = true;
        into->runs += plan->summary.runs;
        into->sum_max += plan->summary.sum_max;
    }
    return adopt_all(into, plan, added) && (into->is_lossless || merge_programs(into, plan));
}

void an_gcda_plan_free(struct an_gcda_plan *plan)
{
    an_vector_free(&plan->steps);
    an_vector_free(&plan->newcomers);
    an_vector_free(&plan->programs);
    an_vector_free(&plan->scratch);
}
