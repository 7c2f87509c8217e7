/*
 * How alike two profiles are; see anneal/gcc.h.
 *
 *     files ─► totals of both ─► module by module (compare.h)
 *
 * (GCC's libgcc/libgcov-util.c, calculate_overlap(). GCC 9 lost the lines that took the totals, and everything
 * has been divided by zero there since; here they are what they were until GCC 8.)
 */
#include <anneal/gcc.h>

#include "base/file.h"
#include "base/memory.h"
#include "gcc/compare.h"

/* The two profiles, module by module; all zeros where there is no file. */
struct profiles {
    struct an_gcda *base, *test;
};

static enum an_code load_all(const struct profiles *profiles, const struct an_gcc_pair *pairs,
                             size_t count, struct an_error *error)
{
    struct an_file file = {.capacity = 0};
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < count; i++) {
        if (pairs[i].base)
            code = an_gcda_load(&profiles->base[i], &file, pairs[i].base, error);
        if (code == AN_OK && pairs[i].test)
            code = an_gcda_load(&profiles->test[i], &file, pairs[i].test, error);
    }
    an_file_close(&file);
    return code;
}

static uint64_t add_up(const struct an_gcda *modules, size_t count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        if (__builtin_add_overflow(total, an_gcda_total(&modules[i]), &total))
            return UINT64_MAX;
    return total;
}

/* A total that stays at 2^64 - 1 would make shares too large. */
static double add_up_exactly(const struct an_gcda *modules, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < modules[i].counters.count; k++) {
            const uint64_t *values;
            size_t number = an_gcda_arcs(&modules[i], &modules[i].counters.items[k], &values);
            for (size_t v = 0; v < number; v++)
                total += (double)values[v];
        }
    return total;
}

static void find_total(struct an_gcc_side *side, uint64_t total, const struct an_gcda *modules,
                       size_t count)
{
    if (total == UINT64_MAX)
        side->total = add_up_exactly(modules, count);
}

static enum an_code compare_all(const struct profiles *profiles, double hot,
                                struct an_gcc_overlap *overlap, struct an_error *error)
{
    struct an_gcc_side base, test;
    enum an_code code = AN_OK;
    an_gcc_side_of(&base, overlap->base_total, hot);
    an_gcc_side_of(&test, overlap->test_total, hot);
    find_total(&base, overlap->base_total, profiles->base, overlap->count);
    find_total(&test, overlap->test_total, profiles->test, overlap->count);
    for (size_t i = 0; code == AN_OK && i < overlap->count; i++) {
        struct an_gcc_overlap_module *module = &overlap->modules[i];
        code = an_gcc_compare(&base, &profiles->base[i], &test, &profiles->test[i], module, error);
        module->base_heat = an_gcc_heat_of(&base, &profiles->base[i]);
        module->test_heat = an_gcc_heat_of(&test, &profiles->test[i]);
        overlap->overlap += module->overlap;
    }
    return code;
}

static enum an_code run(const struct profiles *profiles, const struct an_gcc_pair *pairs,
                        double hot, struct an_gcc_overlap *overlap, struct an_error *error)
{
    enum an_code code = load_all(profiles, pairs, overlap->count, error);
    if (code != AN_OK)
        return code;
    overlap->base_total = add_up(profiles->base, overlap->count);
    overlap->test_total = add_up(profiles->test, overlap->count);
    return compare_all(profiles, hot, overlap, error);
}

static void free_all(struct an_gcda *modules, size_t count)
{
    for (size_t i = 0; modules && i < count; i++)
        an_gcda_free(&modules[i]);
    free(modules);
}

enum an_code an_gcc_overlap(const struct an_gcc_pair *pairs, size_t count, double hot,
                            struct an_gcc_overlap **overlap, struct an_error *error)
{
    struct profiles profiles = {an_alloc_zero(count + 1, sizeof(struct an_gcda)),
                                an_alloc_zero(count + 1, sizeof(struct an_gcda))};
    struct an_gcc_overlap *result = an_alloc_zero(1, sizeof *result);
    if (result)
        result->modules = an_alloc_zero(count + 1, sizeof *result->modules);
    if (result && result->modules)
        result->count = count;
    bool ready = profiles.base && profiles.test && result && result->modules;
    enum an_code code = ready ? run(&profiles, pairs, hot, result, error) : an_fail_memory(error);
    free_all(profiles.base, count);
    free_all(profiles.test, count);
    if (code != AN_OK) {
        an_gcc_overlap_free(result);
        result = NULL;
    }
    *overlap = result;
    return code;
}

void an_gcc_overlap_free(struct an_gcc_overlap *overlap)
{
    for (size_t i = 0; overlap && i < overlap->count; i++)
        free(overlap->modules[i].functions);
    if (overlap)
        free(overlap->modules);
    free(overlap);
}
