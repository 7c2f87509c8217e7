/*
 * Conditions and what covers their terms; see coverage_build.h. GCC 14 and later write, with -fcondition-coverage, how many
 * terms each condition has, and two masks of them for each: those that decided it alone when they were true, and when
 * they were false.
 */
#include "gcc/coverage_build.h"

enum { MOST_TERMS = 64 }; /* as masks have bits; GCC leaves out conditions of more */

static void take(const struct an_covered *object, size_t number, struct an_coverage_condition *to)
{
    uint32_t terms = object->gcno.conditions.items[number].terms;
    *to = (struct an_coverage_condition){.terms = terms < MOST_TERMS ? terms : MOST_TERMS};
    if (!object->masks)
        return;
    uint64_t all = to->terms < 64 ? ((uint64_t)1 << to->terms) - 1 : UINT64_MAX;
    to->when_true = object->masks[2 * number] & all;
    to->when_false = object->masks[2 * number + 1] & all;
}

/* `next` is the number of the first one. */
static bool find_in_object(struct an_coverage_build *build, size_t number, uint32_t next)
{
    const struct an_covered *object = &build->objects[number];
    const struct an_gcno *gcno = &object->gcno;
    uint32_t *of_blocks =
        an_alloc_zero((size_t)object->first_block[gcno->functions.count] + 1, sizeof *of_blocks);
    build->block_conditions[number] = of_blocks;
    for (size_t i = 0; of_blocks && i < gcno->functions.count; i++) {
        const struct an_gcno_function *function = &gcno->functions.items[i];
        bool is_merged = object->is_merged && object->is_merged[i];
        for (uint32_t k = 0; k < function->condition_count; k++) {
            size_t condition = function->first_condition + k;
            take(object, condition, &build->conditions[next + condition]);
            if (!is_merged)
                of_blocks[object->first_block[i] + gcno->conditions.items[condition].block] =
                    (uint32_t)(next + condition + 1);
        }
    }
    return of_blocks;
}

enum an_code an_coverage_find_conditions(struct an_coverage_build *build, struct an_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < build->object_count; i++)
        count += build->objects[i].gcno.conditions.count;
    if (count >= UINT32_MAX)
        return an_fail(error, AN_UNSUPPORTED, "more than %u conditions", UINT32_MAX - 1);
    build->conditions = an_arena_alloc(&build->arena, count + 1, sizeof *build->conditions);
    build->block_conditions =
        an_arena_zero(&build->arena, build->object_count + 1, sizeof *build->block_conditions);
    if (!build->conditions || !build->block_conditions)
        return an_fail_memory(error);
    uint32_t next = 0;
    for (size_t i = 0; i < build->object_count; i++) {
        uint32_t own = (uint32_t)build->objects[i].gcno.conditions.count;
        if (own && !find_in_object(build, i, next))
            return an_fail_memory(error);
        next += own;
    }
    return AN_OK;
}

static unsigned bits(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

void an_coverage_add_outcomes(struct an_coverage_totals *totals,
                              const struct an_coverage_condition *condition)
{
    totals->outcomes += 2 * (uint64_t)condition->terms;
    totals->outcomes_covered += bits(condition->when_true) + bits(condition->when_false);
}
