/*
 * Lines and branches as gcov up to 7 has them. Its rules are others than those of later releases:
 *
 *     a block ends in the last of its lines, whatever file that is of; if it has none, in the line of the block before, and
 *     if there is none either, where its function begins. So the exit ends in the first line, when blocks are shown
 *     a line ran as often as all blocks together that have it, unless blocks are shown: then as often as the flow came
 *     into it and around in it
 *     functions without counts are not in the program
 *     a file has the branches of blocks that end in it, or when blocks are shown, those that lead to such blocks: calls,
 *     which lead to the exit, are not among them
 */
#include "gcc/coverage_build.h"

struct ending {
    struct an_coverage_build *build;
    const struct an_coverage_origin *origin;
    const struct an_covered *object;
    const struct an_gcno_function *function;
    const struct an_coverage_branch *arcs; /* of the function */
    uint32_t place;                        /* of the last line until now */
};

/* The source of a line; sources have theirs one after the other. */
static size_t source_of(const struct an_coverage_build *build, uint32_t place)
{
    size_t first = 0, end = build->ranges.count;
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        if (build->ranges.items[middle].first <= place)
            first = middle;
        else
            end = middle;
    }
    return first;
}

static bool add_end(const struct ending *ending, uint32_t block)
{
    struct an_coverage_end *end = an_vector_push(&ending->build->ends);
    if (end)
        *end = (struct an_coverage_end){
            .line = ending->place,
            .object = ending->origin->object,
            .block = ending->object->first_block[ending->origin->number] + block,
        };
    return end;
}

/* What is unconditional is no branch of the function, but its calls are. */
static void add_to_function(const struct ending *ending, struct an_coverage_totals *totals,
                            uint32_t number)
{
    const struct an_covered_block *block =
        &ending->object->blocks[ending->object->first_block[ending->origin->number] + number];
    an_coverage_add_branches(totals, ending->object->arcs + block->first_arc, block->arc_count);
}

static bool add_entering(const struct ending *ending, const size_t *sources)
{
    struct an_coverage_build *build = ending->build;
    if (!build->entering)
        build->entering =
            an_arena_zero(&build->arena, build->ranges.count + 1, sizeof *build->entering);
    if (!build->entering)
        return false;
    for (uint32_t i = 0; i < ending->function->arc_count; i++) {
        size_t source = sources[ending->arcs[i].destination];
        if (source != SIZE_MAX)
            an_coverage_add_branches(&build->entering[source], &ending->arcs[i], 1);
    }
    return true;
}

/* Where there is no line yet, the function's. */
static bool take_block(struct ending *ending, struct an_coverage_function *counted, uint32_t number,
                       size_t *source)
{
    struct an_coverage_build *build = ending->build;
    *source = SIZE_MAX;
    if (number == 0 || number + 1 == ending->function->block_count)
        return true;
    uint32_t kept = ending->place;
    if (ending->place == AN_COVERAGE_NO_LINE)
        ending->place = build->ranges.items[ending->origin->source].first + ending->function->line;
    bool done = true;
    if (build->options->all_blocks || kept != AN_COVERAGE_NO_LINE)
        done = add_end(ending, number);
    if (build->options->all_blocks)
        *source = source_of(build, ending->place);
    else if (kept != AN_COVERAGE_NO_LINE)
        add_to_function(ending, &counted->totals, number);
    ending->place = kept;
    return done;
}

bool an_coverage_find_old_ends(struct an_coverage_build *build,
                               const struct an_coverage_origin *origin,
                               struct an_coverage_function *counted, const uint32_t *lasts)
{
    const struct an_covered *object = &build->objects[origin->object];
    const struct an_gcno_function *function = &object->gcno.functions.items[origin->number];
    struct ending ending = {build,
                            origin,
                            object,
                            function,
                            object->arcs + object->first_arc[origin->number],
                            AN_COVERAGE_NO_LINE};
    size_t *sources = an_alloc((size_t)function->block_count + 1, sizeof *sources);
    bool done = sources != NULL;
    for (uint32_t i = 0; done && i < function->block_count; i++) {
        if (lasts[i] != AN_COVERAGE_NO_LINE)
            ending.place = lasts[i];
        done = take_block(&ending, counted, i, &sources[i]);
    }
    if (done && build->options->all_blocks)
        done = add_entering(&ending, sources);
    free(sources);
    return done;
}
