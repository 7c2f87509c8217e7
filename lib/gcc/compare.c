/* Comparing the counts of a module; see compare.h. */
#include "gcc/compare.h"

#include "base/map.h"
#include "base/memory.h"

struct profile {
    const struct an_gcc_side *side;
    const struct an_gcda *gcda;
};

struct comparison {
    struct profile base, test;
    struct an_gcc_overlap_module *module;
    struct an_map numbers; /* where the functions of test are, by ident */
    bool *are_found;       /* of these: those that base has, too */
};

void an_gcc_side_of(struct an_gcc_side *side, uint64_t total, double hot)
{
    const double too_large = 0x1p63;
    double above = (double)total * hot;
    side->total = (double)total;
    side->hot = hot;
    side->above = above < too_large ? (int64_t)above : INT64_MAX;
}

enum an_gcc_heat an_gcc_heat_of(const struct an_gcc_side *side, const struct an_gcda *gcda)
{
    int64_t greatest = (int64_t)an_gcda_greatest(gcda);
    if (gcda->header.version.word == 0)
        return AN_GCC_ABSENT;
    if (greatest <= 0)
        return AN_GCC_ZERO;
    return greatest <= side->above ? AN_GCC_COLD : AN_GCC_HOT;
}

/* ---- a function ---- */

struct arcs {
    const uint64_t *counts; /* NULL: they are all 0 */
    size_t number;          /* that the function has */
};

static struct arcs arcs_of(const struct an_gcda *gcda, const struct an_gcda_function *function)
{
    enum { ARCS = 0 };
    for (unsigned i = 0; i < function->kinds; i++) {
        const struct an_gcda_counters *counters = &gcda->counters.items[function->first + i];
        if (counters->kind == ARCS)
            return (struct arcs){counters->are_zero ? NULL : gcda->values.items + counters->first,
                                 counters->count};
    }
    return (struct arcs){NULL, 0};
}

static double share_of(const struct an_gcc_side *side, const struct arcs *arcs, size_t number,
                       struct an_gcc_overlap_function *result)
{
    int64_t count = arcs->counts ? (int64_t)arcs->counts[number] : 0;
    if (!count || side->total <= 0)
        return 0;
    double share = (double)count / side->total;
    result->has_counts = true;
    result->is_hot |= share >= side->hot;
    return share;
}

/* What a function has in one of the profiles, when it cannot be compared. */
static double add_up(const struct profile *profile, const struct an_gcda_function *function,
                     struct an_gcc_overlap_function *result)
{
    struct arcs arcs = arcs_of(profile->gcda, function);
    double share = 0;
    for (size_t i = 0; arcs.counts && i < arcs.number; i++)
        share += share_of(profile->side, &arcs, i, result);
    return share;
}

static void compare_arcs(const struct comparison *all, const struct an_gcda_function *base,
                         const struct an_gcda_function *test,
                         struct an_gcc_overlap_function *result)
{
    struct arcs own = arcs_of(all->base.gcda, base), others = arcs_of(all->test.gcda, test);
    result->changed = base->flow_sum != test->flow_sum || own.number != others.number;
    if (result->changed) {
        result->base_share = add_up(&all->base, base, result);
        result->test_share = add_up(&all->test, test, result);
    }
    bool any = !result->changed && (own.counts || others.counts);
    for (size_t i = 0; any && i < own.number; i++) {
        double one = share_of(all->base.side, &own, i, result);
        double other = share_of(all->test.side, &others, i, result);
        result->base_share += one;
        result->test_share += other;
        result->overlap += one < other ? one : other;
    }
}

/* ---- the module ---- */

static struct an_gcc_overlap_function *add_function(struct an_gcc_overlap_module *module,
                                                    uint32_t ident)
{
    struct an_gcc_overlap_function *function = &module->functions[module->count++];
    *function = (struct an_gcc_overlap_function){.ident = ident};
    return function;
}

static void count_in(struct an_gcc_overlap_module *module,
                     const struct an_gcc_overlap_function *function)
{
    module->overlap += function->overlap;
    module->base_share += function->base_share;
    module->test_share += function->test_share;
}

static bool number_functions(struct comparison *all)
{
    const struct an_gcda *gcda = all->test.gcda;
    for (size_t i = 0; i < gcda->functions.count; i++) {
        bool is_new;
        if (!gcda->functions.items[i].is_present)
            continue;
        uint64_t *number = an_map_insert(&all->numbers, gcda->functions.items[i].ident, &is_new);
        if (!number)
            return false;
        if (is_new)
            *number = i;
    }
    return true;
}

/* The function of test that has that number; NULL: there is none. */
static const struct an_gcda_function *find(struct comparison *all, uint32_t ident)
{
    const uint64_t *number = an_map_find(&all->numbers, ident);
    if (!number || all->are_found[*number])
        return NULL;
    all->are_found[*number] = true;
    return &all->test.gcda->functions.items[*number];
}

static void compare_base(struct comparison *all)
{
    const struct an_gcda *gcda = all->base.gcda;
    for (size_t i = 0; i < gcda->functions.count; i++) {
        const struct an_gcda_function *base = &gcda->functions.items[i];
        if (!base->is_present)
            continue;
        const struct an_gcda_function *test = find(all, base->ident);
        struct an_gcc_overlap_function *result = add_function(all->module, base->ident);
        result->in_base = true;
        result->in_test = test != NULL;
        if (test)
            compare_arcs(all, base, test, result);
        else
            result->base_share = add_up(&all->base, base, result);
        count_in(all->module, result);
    }
}

static void add_rest_of_test(struct comparison *all)
{
    const struct an_gcda *gcda = all->test.gcda;
    for (size_t i = 0; i < gcda->functions.count; i++) {
        const struct an_gcda_function *test = &gcda->functions.items[i];
        if (!test->is_present || all->are_found[i])
            continue;
        struct an_gcc_overlap_function *result = add_function(all->module, test->ident);
        result->in_test = true;
        result->test_share = add_up(&all->test, test, result);
        count_in(all->module, result);
    }
}

enum an_code an_gcc_compare(const struct an_gcc_side *base_side, const struct an_gcda *base,
                            const struct an_gcc_side *test_side, const struct an_gcda *test,
                            struct an_gcc_overlap_module *module, struct an_error *error)
{
    size_t own = base->functions.count, others = test->functions.count;
    struct comparison all = {{base_side, base}, {test_side, test}, .module = module};
    module->base_functions = own;
    module->test_functions = others;
    module->functions = an_alloc(own + others + 1, sizeof *module->functions);
    all.are_found = an_alloc_zero(others + 1, sizeof *all.are_found);
    bool ready = module->functions && all.are_found && number_functions(&all);
    if (ready) {
        compare_base(&all);
        add_rest_of_test(&all);
    }
    an_map_free(&all.numbers);
    free(all.are_found);
    return ready ? AN_OK : an_fail_memory(error);
}
