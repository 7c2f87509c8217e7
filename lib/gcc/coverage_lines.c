/* Counts of lines from their blocks, and totals; see coverage_build.h and loops.h. */
#include "gcc/coverage_build.h"
#include "gcc/loops.h"

struct counting {
    struct an_coverage_build *build;
    struct an_coverage_end *ends; /* sorted by line */
    uint32_t *first_end;          /* of each line, and at last, how many there are */
    uint32_t **nodes; /* of each object: the node of each block in the line, + 1; 0: none */
    struct an_loops loops;
    struct {
        AN_VECTOR(uint32_t);
    } starts;
    size_t blocks, branches; /* used of the arrays */
};

static const struct an_covered_block *block_of(const struct counting *counting,
                                               const struct an_coverage_end *end)
{
    return &counting->build->objects[end->object].blocks[end->block];
}

static int64_t entered_of(const struct counting *counting, const struct an_coverage_end *end)
{
    return an_covered_entered(&counting->build->objects[end->object], end->block);
}

/* ---- blocks of lines ---- */

/* Sorts the ends by line; those of a line stay in their order. */
static bool sort_ends(struct counting *counting)
{
    const struct an_coverage_build *build = counting->build;
    uint32_t *first = an_alloc_zero((size_t)build->line_count + 2, sizeof *first);
    counting->first_end = first;
    counting->ends = an_alloc(build->ends.count + 1, sizeof *counting->ends);
    if (!first || !counting->ends)
        return false;
    for (size_t i = 0; i < build->ends.count; i++)
        first[build->ends.items[i].line + 2]++;
    for (size_t i = 2; i < (size_t)build->line_count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < build->ends.count; i++)
        counting->ends[first[build->ends.items[i].line + 1]++] = build->ends.items[i];
    return true;
}

/* Room for the blocks of all lines and their ways out. */
static bool make_room(struct counting *counting)
{
    struct an_coverage_build *build = counting->build;
    size_t branches = 0;
    for (size_t i = 0; i < build->ends.count; i++)
        if (!counting->ends[i].is_passed)
            branches += block_of(counting, &counting->ends[i])->arc_count;
    build->blocks = an_alloc_table(build->ends.count + 1, sizeof *build->blocks);
    build->branches = an_alloc_table(branches + 1, sizeof *build->branches);
    counting->nodes = an_alloc_zero(build->object_count + 1, sizeof *counting->nodes);
    if (!build->blocks || !build->branches || !counting->nodes)
        return false;
    for (size_t i = 0; i < build->object_count; i++) {
        const struct an_covered *object = &build->objects[i];
        uint32_t blocks = object->first_block[object->gcno.functions.count];
        counting->nodes[i] = an_alloc_zero((size_t)blocks + 1, sizeof **counting->nodes);
        if (!counting->nodes[i])
            return false;
    }
    return true;
}

static void put_block(struct counting *counting, struct an_coverage_line *line,
                      const struct an_coverage_end *end)
{
    const struct an_coverage_build *build = counting->build;
    const struct an_covered *object = &build->objects[end->object];
    const struct an_covered_block *block = &object->blocks[end->block];
    const struct an_coverage_branch *arcs = object->arcs + block->first_arc;
    struct an_coverage_branch *branches = build->branches + counting->branches;
    const uint32_t *conditions = build->block_conditions[end->object];
    build->blocks[counting->blocks++] =
        (struct an_coverage_block){.count = an_coverage_count(build, block->count),
                                   .number = block->number,
                                   .branch_count = block->arc_count,
                                   .condition = conditions ? conditions[end->block] : 0,
                                   .is_exceptional = block->is_exceptional,
                                   .is_call_return = block->is_call_return};
    for (uint32_t i = 0; i < block->arc_count; i++) {
        branches[i] = arcs[i];
        branches[i].count = an_coverage_count(build, arcs[i].count);
        branches[i].block_count = an_coverage_count(build, arcs[i].block_count);
        line->is_below_zero |= branches[i].count != arcs[i].count;
    }
    counting->branches += block->arc_count;
    line->block_count++;
    line->branch_count += block->arc_count;
}

/* ---- how often a line ran ---- */

/* Gives each block of the line a node, in its order, which is that of the blocks in each function. */
static bool make_nodes(struct counting *counting, const struct an_coverage_end *ends, size_t count)
{
    struct an_loops *loops = &counting->loops;
    loops->nodes.count = loops->arcs.count = counting->starts.count = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t *node = &counting->nodes[ends[i].object][ends[i].block];
        uint32_t *start = an_vector_push(&counting->starts);
        if (!start)
            return false;
        if (*node == 0) {
            struct an_loop_node *added = an_vector_push(&loops->nodes);
            if (!added)
                return false;
            *node = (uint32_t)loops->nodes.count;
        }
        *start = *node - 1;
    }
    return true;
}

/* The arcs that stay in the line; how often they were taken is added up in *within. */
static bool add_arcs(struct counting *counting, const struct an_coverage_end *end,
                     const uint32_t *times, uint64_t *within)
{
    struct an_loops *loops = &counting->loops;
    const struct an_covered *object = &counting->build->objects[end->object];
    const struct an_covered_block *block = &object->blocks[end->block];
    const struct an_coverage_branch *arcs = object->arcs + block->first_arc;
    const uint32_t *nodes = counting->nodes[end->object];
    struct an_loop_node *node = &loops->nodes.items[nodes[end->block] - 1];
    node->first_arc = (uint32_t)loops->arcs.count;
    node->arc_count = 0;
    for (uint32_t i = 0; i < block->arc_count; i++) {
        uint32_t to = nodes[end->block - block->number + arcs[i].destination];
        if (to == 0)
            continue;
        struct an_loop_arc *added = an_vector_push(&loops->arcs);
        if (!added)
            return false;
        *added = (struct an_loop_arc){to - 1, arcs[i].count};
        *within += (uint64_t)arcs[i].count * times[to - 1];
        node->arc_count++;
    }
    return true;
}

/* How often the line has each of its blocks: one that has lines of several files ends there repeatedly. */
static uint32_t *count_times(struct counting *counting)
{
    size_t nodes = counting->loops.nodes.count, starts = counting->starts.count;
    if (!an_vector_reserve(&counting->starts, starts + nodes))
        return NULL;
    uint32_t *times = counting->starts.items + starts;
    memset(times, 0, nodes * sizeof *times);
    for (size_t i = 0; i < starts; i++)
        times[counting->starts.items[i]]++;
    return times;
}

/* What came into the line, and what went around in it. Whatever enters a block leaves it. */
static bool count_flow(struct counting *counting, const struct an_coverage_end *ends, size_t count,
                       int64_t *flow)
{
    uint64_t entered = 0, within = 0;
    int64_t around;
    bool done = make_nodes(counting, ends, count);
    const uint32_t *times = done ? count_times(counting) : NULL;
    done = times != NULL;
    for (size_t i = 0; done && i < count; i++) {
        entered += (uint64_t)entered_of(counting, &ends[i]);
        if (i == 0 || counting->starts.items[i] > counting->starts.items[i - 1])
            done = add_arcs(counting, &ends[i], times, &within);
    }
    for (size_t i = 0; i < count; i++)
        counting->nodes[ends[i].object][ends[i].block] = 0;
    done = done && an_loops_count(&counting->loops, counting->starts.items, count, &around);
    if (done)
        *flow = (int64_t)(entered - within + (uint64_t)around);
    return done;
}

/* Most lines end one block, which does not lead to itself. */
static bool is_simple(const struct counting *counting, const struct an_coverage_end *end)
{
    const struct an_covered_block *block = block_of(counting, end);
    const struct an_coverage_branch *arcs =
        counting->build->objects[end->object].arcs + block->first_arc;
    for (uint32_t i = 0; i < block->arc_count; i++)
        if (arcs[i].destination == arcs[i].block)
            return false;
    return true;
}

/* Up to 7, gcov does not count the flow unless it shows blocks: what the blocks had stays. */
static bool is_sum(const struct counting *counting, const struct an_coverage_end *end)
{
    const struct an_coverage_build *build = counting->build;
    return an_coverage_is_old(build, &build->objects[end->object]) && !build->options->all_blocks;
}

static bool count_line(struct counting *counting, uint32_t place)
{
    struct an_coverage_line *line = &counting->build->lines[place];
    const struct an_coverage_end *ends = counting->ends + counting->first_end[place];
    size_t count = counting->first_end[place + 1] - counting->first_end[place];
    line->blocks = counting->build->blocks + counting->blocks;
    line->branches = counting->build->branches + counting->branches;
    for (size_t i = 0; i < count; i++)
        if (!ends[i].is_passed)
            put_block(counting, line, &ends[i]);
    if (count > 0 && is_sum(counting, ends))
        return true;
    if (count == 1 && is_simple(counting, ends)) {
        line->count = entered_of(counting, ends);
        return true;
    }
    return count == 0 || count_flow(counting, ends, count, &line->count);
}

static void mend(const struct an_coverage_build *build, struct an_coverage_line *line)
{
    int64_t count = an_coverage_count(build, line->count);
    line->is_below_zero |= count != line->count;
    line->count = count;
}

static bool count_all(struct counting *counting)
{
    bool done = true;
    for (uint32_t i = 0; done && i < counting->build->line_count; i++) {
        struct an_coverage_line *line = &counting->build->lines[i];
        if (!line->exists && !counting->build->entering)
            continue;
        done = count_line(counting, i);
        mend(counting->build, line);
    }
    return done;
}

/* ---- totals ---- */

static void find_most(struct an_coverage_source *source, const struct an_coverage_line *lines,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i].block_count && lines[i].count > source->most)
            source->most = lines[i].count;
}

static void add_outcomes(struct an_coverage_source *source, const struct an_coverage_line *line)
{
    for (uint32_t i = 0; i < line->block_count; i++)
        if (line->blocks[i].condition)
            an_coverage_add_outcomes(&source->totals,
                                     &source->conditions[line->blocks[i].condition - 1]);
}

static void add_lines(struct an_coverage_source *source, const struct an_coverage_line *lines,
                      size_t count, bool adds_branches)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i].exists) {
            source->totals.lines++;
            source->totals.lines_executed += lines[i].count != 0;
            if (adds_branches)
                an_coverage_add_branches(&source->totals, lines[i].branches, lines[i].branch_count);
            add_outcomes(source, &lines[i]);
        }
    find_most(source, lines, count);
}

/* Counts of an instance's lines are added to those of the source. */
static void add_instance(struct an_coverage_source *source, struct an_coverage_line *lines,
                         const struct an_coverage_function *function)
{
    for (size_t i = 0; i < function->line_count; i++) {
        const struct an_coverage_line *own = &function->lines[i];
        struct an_coverage_line *line = &lines[own->number];
        if (!own->exists)
            continue;
        if (!line->exists)
            source->totals.lines++;
        if (!line->count && own->count)
            source->totals.lines_executed++;
        line->is_exceptional = own->is_exceptional && (line->is_exceptional || !line->exists);
        line->exists = true;
        line->number = own->number;
        line->has_unexecuted_block |= own->has_unexecuted_block;
        line->is_below_zero |= own->is_below_zero;
        line->count = (int64_t)((uint64_t)line->count + (uint64_t)own->count);
    }
}

/* A function that is several in the objects is one, and ran if one of these did. */
static void add_function(const struct an_coverage_build *build, struct an_coverage_source *source,
                         const struct an_coverage_origin *origin, bool *is_known)
{
    if (!is_known[origin->whole]) {
        source->totals.functions++;
        source->totals.functions_executed += build->wholes[origin->whole].count > 0;
    }
    is_known[origin->whole] = true;
}

static bool add_functions(struct an_coverage_build *build, struct an_coverage_source *sources)
{
    bool *is_known = an_alloc_zero(build->whole_count + 1, sizeof *is_known);
    for (size_t i = 0; is_known && i < build->origins.count; i++) {
        const struct an_coverage_origin *origin = &build->origins.items[i];
        struct an_coverage_source *source = &sources[origin->source];
        const struct an_coverage_function *function = &build->functions[i];
        add_function(build, source, origin, is_known);
        source->function_count++;
        source->conditions = build->conditions;
        if (an_coverage_counts_instances(build, origin))
            add_lines(source, function->lines, function->line_count, true);
        find_most(source, function->lines, function->line_count);
    }
    bool done = is_known != NULL;
    free(is_known);
    return done && (build->options->as_gcov || an_coverage_add_instances_branches(build, sources));
}

void an_coverage_totals_add(struct an_coverage_totals *totals,
                            const struct an_coverage_totals *more)
{
    totals->lines += more->lines;
    totals->lines_executed += more->lines_executed;
    totals->branches += more->branches;
    totals->branches_executed += more->branches_executed;
    totals->branches_taken += more->branches_taken;
    totals->calls += more->calls;
    totals->calls_executed += more->calls_executed;
    totals->outcomes += more->outcomes;
    totals->outcomes_covered += more->outcomes_covered;
    totals->functions += more->functions;
    totals->functions_executed += more->functions_executed;
    totals->paths += more->paths;
    totals->paths_taken += more->paths_taken;
}

/* A copy of a source's lines, if it has none yet. */
static struct an_coverage_line *copy_lines(const struct an_coverage_source *source,
                                           struct an_coverage_line **copy)
{
    if (!*copy) {
        *copy = an_alloc(source->line_count + 1, sizeof **copy);
        if (*copy && source->line_count)
            memcpy(*copy, source->lines, source->line_count * sizeof **copy);
    }
    return *copy;
}

/* Totals have instances even if lines have not, but for those of gcov. */
static bool add_instances_apart(struct an_coverage_build *build, struct an_coverage_source *sources)
{
    struct an_coverage_line **copies = an_alloc_zero(build->ranges.count + 1, sizeof *copies);
    bool done = copies != NULL;
    for (size_t i = 0; done && i < build->origins.count; i++) {
        uint32_t source = build->origins.items[i].source;
        if (!build->origins.items[i].is_instance)
            continue;
        done = copy_lines(&sources[source], &copies[source]) != NULL;
        if (done)
            add_instance(&sources[source], copies[source], &build->functions[i]);
    }
    for (size_t i = 0; copies && i < build->ranges.count; i++)
        free(copies[i]);
    free(copies);
    return done;
}

static bool add_instances(struct an_coverage_build *build, struct an_coverage_source *sources)
{
    if (build->options->keep_instances_apart)
        return build->options->as_gcov || add_instances_apart(build, sources);
    for (size_t i = 0; i < build->origins.count; i++) {
        uint32_t source = build->origins.items[i].source;
        add_instance(&sources[source], build->lines + build->ranges.items[source].first,
                     &build->functions[i]);
    }
    return true;
}

static enum an_code make_sources(struct an_coverage_build *build, struct an_error *error)
{
    size_t count = build->ranges.count;
    struct an_coverage_source *sources = an_arena_zero(&build->arena, count + 1, sizeof *sources);
    if (!sources || !add_functions(build, sources))
        return an_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct an_coverage_range range = build->ranges.items[i];
        sources[i].name = build->sources.items.items[i].name;
        sources[i].path = build->sources.items.items[i].path;
        sources[i].lines = build->lines + range.first;
        sources[i].line_count = range.count;
        sources[i].conditions = build->conditions;
        add_lines(&sources[i], sources[i].lines, range.count, !build->entering);
        if (build->entering)
            an_coverage_totals_add(&sources[i].totals, &build->entering[i]);
    }
    if (!add_instances(build, sources))
        return an_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        an_coverage_totals_add(&build->coverage.totals, &sources[i].totals);
    build->coverage.sources = sources;
    build->coverage.source_count = count;
    return AN_OK;
}

static void free_counting(struct counting *counting)
{
    for (size_t i = 0; counting->nodes && i < counting->build->object_count; i++)
        free(counting->nodes[i]);
    free(counting->nodes);
    free(counting->ends);
    free(counting->first_end);
    an_loops_free(&counting->loops);
    an_vector_free(&counting->starts);
}

enum an_code an_coverage_count_lines(struct an_coverage_build *build, struct an_error *error)
{
    struct counting counting = {.build = build};
    bool done = sort_ends(&counting) && make_room(&counting) && count_all(&counting);
    free_counting(&counting);
    return done ? make_sources(build, error) : an_fail_memory(error);
}
