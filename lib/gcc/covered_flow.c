/*
 * Counts of all blocks and arcs of an object, and what kinds they are of. The rules are gcov's:
 *
 *     a fake arc stands for a call that may not return; its block is a call
 *     the only arc of a block that is not fake is unconditional
 *     of a call, an arc that neither is fake nor falls through leads to where an exception is caught
 *     what only these lead to is exceptional
 *     what a call alone falls through to is the rest of its block, which was cut there
 */
#include "gcc/covered.h"

struct solving {
    struct an_covered *covered;
    const struct an_gcno_function *function;
    struct an_covered_block *blocks; /* the function's */
    uint32_t first_arc;              /* likewise */
    struct an_flow_work flow;
    int64_t *arc_counts; /* in the order of the gcno */
    uint32_t *entered;   /* by how many arcs each block is; then blocks to visit */
};

/* Puts the arcs of each block together. */
static void place_arcs(struct solving *solving)
{
    const struct an_gcno_function *function = solving->function;
    const struct an_gcno_arc *arcs = an_gcno_arcs(&solving->covered->gcno, function);
    struct an_covered_block *blocks = solving->blocks;
    for (uint32_t i = 0; i < function->arc_count; i++)
        blocks[arcs[i].from].arc_count++;
    uint32_t first = solving->first_arc;
    for (uint32_t i = 0; i < function->block_count; i++) {
        blocks[i].number = i;
        blocks[i].first_arc = first;
        first += blocks[i].arc_count;
        blocks[i].arc_count = 0;
    }
    for (uint32_t i = 0; i < function->arc_count; i++) {
        struct an_covered_block *block = &blocks[arcs[i].from];
        solving->covered->arcs[block->first_arc + block->arc_count++] =
            (struct an_coverage_branch){.count = solving->arc_counts[i],
                                        .block_count = block->count,
                                        .block = arcs[i].from,
                                        .destination = arcs[i].to,
                                        .is_call = arcs[i].flags & AN_GCNO_FAKE,
                                        .is_fall_through = arcs[i].flags & AN_GCNO_FALL_THROUGH,
                                        .is_true = arcs[i].flags & AN_GCNO_TRUE,
                                        .is_false = arcs[i].flags & AN_GCNO_FALSE};
        solving->entered[arcs[i].to]++;
    }
}

static int by_destination(const void *one, const void *other)
{
    const struct an_coverage_branch *a = one, *b = other;
    if (a->destination != b->destination)
        return a->destination < b->destination ? -1 : 1;
    return a->block < b->block ? -1 : 1;
}

/* A stable sort of many arcs: what they have in common makes room for their places meanwhile. */
static void sort_many(struct an_coverage_branch *arcs, uint32_t count)
{
    uint32_t block = arcs[0].block;
    for (uint32_t i = 0; i < count; i++)
        arcs[i].block = i;
    qsort(arcs, count, sizeof *arcs, by_destination);
    for (uint32_t i = 0; i < count; i++)
        arcs[i].block = block;
}

/* Compilers have them in order, but for one or two. */
static void sort_arcs(struct an_coverage_branch *arcs, uint32_t count)
{
    uint32_t moved = 0;
    for (uint32_t i = 1; i < count; i++) {
        struct an_coverage_branch moving = arcs[i];
        uint32_t hole = i;
        for (; hole > 0 && arcs[hole - 1].destination > moving.destination; hole--)
            arcs[hole] = arcs[hole - 1];
        arcs[hole] = moving;
        moved += i - hole;
        if (moved > 16 * count) {
            sort_many(arcs, count);
            return;
        }
    }
}

/* A block with one way out that is not fake. */
static void mark_unconditional(struct solving *solving, struct an_coverage_branch *arc, bool calls)
{
    arc->is_unconditional = true;
    if (calls && arc->is_fall_through && solving->entered[arc->destination] == 1)
        solving->blocks[arc->destination].is_call_return = true;
}

/* Whether something that is thrown may be caught. Fake arcs of the entry lead to where setjmp returns. */
static bool mark_arcs(struct solving *solving, uint32_t number)
{
    const struct an_covered_block *block = &solving->blocks[number];
    struct an_coverage_branch *arcs = solving->covered->arcs + block->first_arc;
    uint32_t fake = 0;
    for (uint32_t i = 0; i < block->arc_count; i++)
        fake += arcs[i].is_call;
    bool calls = fake && number != 0, throws = false;
    for (uint32_t i = 0; i < block->arc_count; i++) {
        if (!arcs[i].is_call && block->arc_count - fake == 1)
            mark_unconditional(solving, &arcs[i], calls);
        if (calls && !arcs[i].is_call && !arcs[i].is_fall_through)
            throws = arcs[i].is_throw = true;
    }
    return throws;
}

static void mark_returns(struct solving *solving)
{
    struct an_coverage_branch *arcs = solving->covered->arcs + solving->first_arc;
    for (uint32_t i = 0; i < solving->function->arc_count; i++)
        arcs[i].returns_from_call = solving->blocks[arcs[i].destination].is_call_return;
}

static void mark_exceptional(struct solving *solving)
{
    struct an_covered_block *blocks = solving->blocks;
    uint32_t *pending = solving->entered, count = 1;
    for (uint32_t i = 0; i < solving->function->block_count; i++)
        blocks[i].is_exceptional = true;
    blocks[0].is_exceptional = false;
    pending[0] = 0;
    while (count) {
        const struct an_covered_block *block = &blocks[pending[--count]];
        const struct an_coverage_branch *arcs = solving->covered->arcs + block->first_arc;
        for (uint32_t i = 0; i < block->arc_count; i++) {
            uint32_t next = arcs[i].destination;
            if (!arcs[i].is_call && !arcs[i].is_throw && blocks[next].is_exceptional) {
                blocks[next].is_exceptional = false;
                pending[count++] = next;
            }
        }
    }
}

static void mark_all(struct solving *solving)
{
    uint32_t count = solving->function->block_count;
    bool throws = false;
    memset(solving->entered, 0, count * sizeof *solving->entered);
    place_arcs(solving);
    for (uint32_t i = 0; i < count; i++)
        sort_arcs(solving->covered->arcs + solving->blocks[i].first_arc,
                  solving->blocks[i].arc_count);
    for (uint32_t i = 0; i < count; i++)
        throws |= mark_arcs(solving, i);
    mark_returns(solving);
    if (throws)
        mark_exceptional(solving);
}

/* Nothing leads to the entry. */
static void add_entered(const struct solving *solving)
{
    const struct an_covered *covered = solving->covered;
    const struct an_coverage_branch *arcs = covered->arcs + solving->first_arc;
    int64_t *entered = covered->entered + (solving->blocks - covered->blocks);
    for (uint32_t i = 0; i < solving->function->arc_count; i++) {
        uint32_t to = arcs[i].destination;
        entered[to] = (int64_t)((uint64_t)entered[to] + (uint64_t)arcs[i].count);
    }
    if (solving->function->block_count)
        entered[0] = solving->blocks[0].count;
}

static bool solve_function(struct solving *solving, size_t number)
{
    struct an_covered *covered = solving->covered;
    const struct an_gcno_function *function = &covered->gcno.functions.items[number];
    const uint64_t *counters =
        covered->counters ? covered->counters + covered->first_counter[number] : NULL;
    int64_t *counts = covered->block_counts + covered->first_block[number];
    solving->function = function;
    solving->blocks = covered->blocks + covered->first_block[number];
    solving->first_arc = covered->first_arc[number];
    if (!an_flow_solve(&solving->flow, &covered->gcno, function, counters, solving->arc_counts,
                       counts))
        return false;
    for (uint32_t i = 0; i < function->block_count; i++)
        solving->blocks[i].count = counts[i];
    mark_all(solving);
    if (covered->as_llvm)
        add_entered(solving);
    return true;
}

static bool is_merged(const struct an_covered *covered, size_t number)
{
    return covered->is_merged && covered->is_merged[number];
}

/* Where blocks and arcs of functions begin. What is merged has none. */
static bool find_places(struct an_covered *covered)
{
    const struct an_gcno *gcno = &covered->gcno;
    size_t count = gcno->functions.count;
    covered->first_block = an_alloc(count + 1, sizeof *covered->first_block);
    covered->first_arc = an_alloc(count + 1, sizeof *covered->first_arc);
    if (!covered->first_block || !covered->first_arc)
        return false;
    uint32_t blocks = 0, arcs = 0;
    for (size_t i = 0; i < count; i++) {
        covered->first_block[i] = blocks;
        covered->first_arc[i] = arcs;
        if (is_merged(covered, i))
            continue;
        blocks += gcno->functions.items[i].block_count;
        arcs += gcno->functions.items[i].arc_count;
    }
    covered->first_block[count] = blocks;
    covered->first_arc[count] = arcs;
    return true;
}

static bool make_room(struct solving *solving)
{
    struct an_covered *covered = solving->covered;
    const struct an_gcno *gcno = &covered->gcno;
    size_t count = gcno->functions.count;
    uint32_t most_arcs = 0, most_blocks = 0;
    uint32_t blocks = covered->first_block[count], arcs = covered->first_arc[count];
    for (size_t i = 0; i < count; i++) {
        const struct an_gcno_function *function = &gcno->functions.items[i];
        most_arcs = function->arc_count > most_arcs ? function->arc_count : most_arcs;
        most_blocks = function->block_count > most_blocks ? function->block_count : most_blocks;
    }
    covered->blocks = an_alloc_table((size_t)blocks + 1, sizeof *covered->blocks);
    covered->block_counts = an_alloc((size_t)blocks + 1, sizeof *covered->block_counts);
    if (covered->as_llvm)
        covered->entered = an_alloc_zero((size_t)blocks + 1, sizeof *covered->entered);
    covered->arcs = an_alloc_table((size_t)arcs + 1, sizeof *covered->arcs);
    solving->arc_counts = an_alloc((size_t)most_arcs + 1, sizeof *solving->arc_counts);
    solving->entered = an_alloc((size_t)most_blocks + 1, sizeof *solving->entered);
    return (covered->entered || !covered->as_llvm) && covered->blocks && covered->block_counts &&
           covered->arcs && solving->arc_counts && solving->entered;
}

bool an_covered_solve(struct an_covered *covered)
{
    struct solving solving = {.covered = covered, .flow.as_llvm = covered->as_llvm};
    bool done = find_places(covered) && make_room(&solving);
    for (size_t i = 0; done && i < covered->gcno.functions.count; i++)
        done = is_merged(covered, i) || solve_function(&solving, i);
    an_flow_work_free(&solving.flow);
    free(solving.arc_counts);
    free(solving.entered);
    return done;
}
