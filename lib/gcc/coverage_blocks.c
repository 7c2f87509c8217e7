/* Which blocks end in which line, and what is said of lines on the way; see coverage_build.h. */
#include "gcc/coverage_build.h"

#define NO_LINE AN_COVERAGE_NO_LINE

struct walk {
    struct an_coverage_build *build;
    const struct an_covered *object;
    const struct an_coverage_origin *origin;
    const struct an_gcno_function *function;
    struct an_coverage_function *counted; /* what comes of it */
    uint32_t number;                      /* of the block in its function */
    struct an_covered_block *block;
    uint32_t last_line;  /* the place of the last line of the location before; NO_LINE: none */
    bool is_llvm;        /* lines have all blocks */
    uint32_t *old_lasts; /* by gcov up to 7: the place of each block's last line; else NULL */
};

/* A line within an instance is its own. */
static bool is_own(const struct walk *walk, uint32_t source, uint32_t line)
{
    const struct an_coverage_origin *origin = walk->origin;
    return origin->is_instance && source == origin->source && line >= walk->function->line &&
           line <= origin->last_line;
}

static void add_to_line(const struct walk *walk, struct an_coverage_line *line, uint32_t number,
                        bool counts)
{
    const struct an_covered_block *block = walk->block;
    int64_t count = an_coverage_count(walk->build, block->count);
    walk->counted->totals.lines += counts && !line->exists;
    walk->counted->totals.lines_executed += counts && !line->count && count;
    if (!line->exists) {
        line->exists = line->is_exceptional = true;
        line->number = number;
    }
    if (!block->is_exceptional) {
        line->is_exceptional = false;
        line->has_unexecuted_block |= count == 0;
    }
    line->count = (int64_t)((uint64_t)line->count + (uint64_t)count);
}

/* The block ends in the line with this place; NULL when memory runs out. */
static struct an_coverage_end *add_end(const struct walk *walk, uint32_t place)
{
    struct an_coverage_end *end = an_vector_push(&walk->build->ends);
    if (end)
        *end = (struct an_coverage_end){
            .line = place,
            .object = walk->origin->object,
            .block = (uint32_t)(walk->block - walk->object->blocks),
        };
    return end;
}

/* One more line of a block. It is the last one until another comes. */
static bool note_line(const struct walk *walk, uint32_t place)
{
    struct an_coverage_end *end = add_end(walk, place);
    if (end && walk->last_line != NO_LINE)
        end[-1].is_passed = true;
    return end;
}

/* The lines of one file, in a block. Returns how many there are; 0 when memory runs out. */
static size_t walk_location(struct walk *walk, const struct an_gcno_line *lines,
                            const uint32_t *sources, size_t count)
{
    uint32_t greatest = 0;
    size_t i = 0;
    do {
        if (lines[i].number) {
            bool own = is_own(walk, sources[i], lines[i].number);
            uint32_t first = own ? walk->origin->first_line - walk->function->line
                                 : walk->build->ranges.items[sources[i]].first;
            uint32_t place = first + lines[i].number;
            add_to_line(walk, &walk->build->lines[place], lines[i].number,
                        !own || !walk->build->options->as_gcov || walk->object->release >= 13);
            if (walk->is_llvm && !note_line(walk, place))
                return 0;
            if (walk->is_llvm || walk->old_lasts || lines[i].number > greatest) {
                greatest = lines[i].number;
                walk->last_line = place;
            }
        }
        i++;
    } while (i < count && lines[i].number && lines[i].block == lines[0].block &&
             lines[i].file == lines[0].file);
    return i;
}

/* To LLVM, lines are noted already. Of entry and exit nobody wants to know; gcov takes the last block for the exit. */
static bool note_end(const struct walk *walk)
{
    if (walk->old_lasts && walk->last_line != NO_LINE)
        walk->old_lasts[walk->number] = walk->last_line;
    if (walk->is_llvm || walk->old_lasts || walk->number == 0 ||
        walk->number + 1 == walk->function->block_count || walk->last_line == NO_LINE)
        return true;
    return add_end(walk, walk->last_line);
}

/* A block ends in a line once for each file that it has lines of, even of none, as in gcov. */
static bool walk_lines(struct walk *walk)
{
    const struct an_gcno_function *function = walk->function;
    const struct an_gcno_line *lines = an_gcno_lines(&walk->object->gcno, function);
    const uint32_t *sources =
        walk->build->line_sources[walk->origin->object] + function->first_line;
    size_t next;
    for (size_t i = 0; i < function->line_count; i = next) {
        if (i == 0 || lines[i].block != lines[i - 1].block)
            walk->last_line = NO_LINE;
        walk->number = lines[i].block;
        walk->block =
            walk->object->blocks + walk->object->first_block[walk->origin->number] + walk->number;
        next = i + 1;
        if (lines[i].file == an_gcno_no_name)
            continue;
        walk->counted->has_lines = true;
        next = i + walk_location(walk, lines + i, sources + i, function->line_count - i);
        if (next == i || !note_end(walk))
            return false;
    }
    return true;
}

/* To gcov, ways from the entry to where setjmp returns are branches. */
static void add_branches(struct an_coverage_totals *totals, const struct an_coverage_branch *arcs,
                         uint32_t count)
{
    uint32_t i = 0;
    for (; i < count && arcs[i].block == 0; i++) {
        struct an_coverage_branch arc = arcs[i];
        arc.is_call = false;
        an_coverage_add_branches(totals, &arc, 1);
    }
    an_coverage_add_branches(totals, arcs + i, count - i);
}

static void count_blocks(struct walk *walk)
{
    const struct an_gcno_function *function = walk->function;
    const struct an_covered *object = walk->object;
    struct an_coverage_function *counted = walk->counted;
    uint32_t count = function->block_count, exit = an_gcno_exit(&object->gcno, function);
    const int64_t *counts = object->block_counts + object->first_block[walk->origin->number];
    for (uint32_t i = 1; i + 1 < count; i++)
        counted->blocks_executed += an_coverage_count(walk->build, counts[i]) != 0;
    counted->blocks = count > 2 ? count - 2 : 0;
    counted->block_counts = counts;
    counted->count = count ? an_coverage_count(walk->build, counts[0]) : 0;
    uint64_t returned = exit < count ? (uint64_t)counts[exit] : 0;
    const struct an_coverage_branch *arcs = object->arcs + object->first_arc[walk->origin->number];
    for (uint32_t i = 0; i < function->arc_count; i++)
        if (arcs[i].is_call && arcs[i].destination == exit)
            returned -= (uint64_t)arcs[i].count;
    counted->returned = an_coverage_count(walk->build, (int64_t)returned);
    if (walk->build->options->as_gcov && !an_coverage_is_old(walk->build, object))
        add_branches(&counted->totals, arcs, function->arc_count);
    const uint64_t *paths = object->paths ? object->paths[walk->origin->number] : NULL;
    for (uint32_t i = 0; paths && i < an_gcno_path_words(function); i++)
        counted->totals.paths_taken += (unsigned)__builtin_popcountll(paths[i]);
    const uint32_t *conditions = walk->build->block_conditions[walk->origin->object];
    for (uint32_t i = 0; conditions && i < count; i++) {
        uint32_t condition = conditions[object->first_block[walk->origin->number] + i];
        if (condition)
            an_coverage_add_outcomes(&counted->totals, &walk->build->conditions[condition - 1]);
    }
}

static void describe(struct walk *walk, size_t order)
{
    const struct an_gcno_function *function = walk->function;
    const struct an_coverage_origin *origin = walk->origin;
    *walk->counted = (struct an_coverage_function){.name = function->name,
                                                   .demangled = function->name,
                                                   .order = order,
                                                   .line = function->line,
                                                   .column = function->column,
                                                   .last_line = origin->last_line,
                                                   .last_column = function->last_column,
                                                   .is_instance = origin->is_instance};
    if (origin->is_instance) {
        struct an_coverage_range range = an_coverage_instance(walk->build, origin);
        walk->counted->lines = walk->build->lines + range.first;
        walk->counted->line_count = range.count;
    }
}

/* To gcov up to 7, a block ends in its last line, and if it has none, in that of the block before. */
static bool walk_old(struct walk *walk)
{
    uint32_t count = walk->function->block_count;
    walk->old_lasts = an_alloc((size_t)count + 1, sizeof *walk->old_lasts);
    for (uint32_t i = 0; walk->old_lasts && i < count; i++)
        walk->old_lasts[i] = NO_LINE;
    bool done =
        walk->old_lasts && walk_lines(walk) &&
        an_coverage_find_old_ends(walk->build, walk->origin, walk->counted, walk->old_lasts);
    free(walk->old_lasts);
    return done;
}

static bool walk_function(struct an_coverage_build *build, size_t number)
{
    const struct an_coverage_origin *origin = &build->origins.items[number];
    const struct an_covered *object = &build->objects[origin->object];
    struct walk walk = {.build = build,
                        .object = object,
                        .origin = origin,
                        .function = &object->gcno.functions.items[origin->number],
                        .counted = &build->functions[number],
                        .is_llvm = object->as_llvm};
    describe(&walk, number);
    count_blocks(&walk);
    walk.counted->totals.functions = 1;
    walk.counted->totals.functions_executed = walk.counted->count > 0;
    return an_coverage_is_old(build, object) ? walk_old(&walk) : walk_lines(&walk);
}

enum an_code an_coverage_find_ends(struct an_coverage_build *build, struct an_error *error)
{
    build->lines = an_alloc_table((size_t)build->line_count + 1, sizeof *build->lines);
    build->functions =
        an_arena_zero(&build->arena, build->origins.count + 1, sizeof *build->functions);
    bool done = build->lines && build->functions;
    for (size_t i = 0; done && i < build->origins.count; i++)
        done = walk_function(build, i);
    return done ? AN_OK : an_fail_memory(error);
}
