/*
 * Solving the flow of a function; see flow.h.
 *
 * Each block keeps what entered it less what left it, as far as known, how many of its arcs are unknown,
 * and these arcs' numbers, all put together by exclusive or: when there is one left, that is its number.
 * Blocks with one unknown arc are worked off like the leaves of a tree.
 */
#include "gcc/flow.h"

struct an_flow_node {
    uint64_t surplus; /* entered less left; wraps */
    uint32_t unknown; /* arcs */
    uint32_t mixed;   /* their numbers */
};

void an_flow_work_free(struct an_flow_work *work)
{
    free(work->nodes);
    free(work->ready);
    free(work->order);
    *work = (struct an_flow_work){.nodes = NULL};
}

uint32_t an_flow_counters(const struct an_gcno *gcno, const struct an_gcno_function *function)
{
    const struct an_gcno_arc *arcs = an_gcno_arcs(gcno, function);
    uint32_t count = 0;
    for (uint32_t i = 0; i < function->arc_count; i++)
        count += !(arcs[i].flags & AN_GCNO_ON_TREE);
    return count;
}

static bool make_room(struct an_flow_work *work, const struct an_gcno_function *function)
{
    size_t blocks = function->block_count;
    if (!an_vector_extend((void **)&work->nodes, &work->node_capacity, blocks,
                          sizeof *work->nodes) ||
        !an_vector_extend((void **)&work->ready, &work->ready_capacity, blocks,
                          sizeof *work->ready) ||
        !an_vector_extend((void **)&work->order, &work->order_capacity, function->arc_count,
                          sizeof *work->order))
        return false;
    memset(work->nodes, 0, blocks * sizeof *work->nodes);
    return true;
}

/* Counters stand in the order of blocks. A compiler writes arcs in that order, but need not. */
static bool is_ordered(const struct an_gcno_arc *arcs, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (arcs[i].from < arcs[i - 1].from)
            return false;
    return true;
}

/* Puts numbers of arcs in the order of their blocks; `ready` holds the places of blocks meanwhile. */
static void find_order(struct an_flow_work *work, const struct an_gcno_arc *arcs, uint32_t count,
                       uint32_t blocks)
{
    memset(work->ready, 0, blocks * sizeof *work->ready);
    for (uint32_t i = 0; i < count; i++)
        work->ready[arcs[i].from]++;
    uint32_t place = 0;
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t own = work->ready[i];
        work->ready[i] = place;
        place += own;
    }
    for (uint32_t i = 0; i < count; i++)
        work->order[work->ready[arcs[i].from]++] = i;
}

static void set_known(struct an_flow_work *work, const struct an_gcno_arc *arc, uint64_t count)
{
    work->nodes[arc->to].surplus += count;
    work->nodes[arc->from].surplus -= count;
}

static void set_unknown(struct an_flow_work *work, uint32_t block, uint32_t arc)
{
    work->nodes[block].unknown++;
    work->nodes[block].mixed ^= arc;
}

static void take_counters(struct an_flow_work *work, const struct an_gcno_arc *arcs, uint32_t count,
                          bool ordered, const uint64_t *counters, int64_t *counts)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = ordered ? i : work->order[i];
        if (arcs[k].flags & AN_GCNO_ON_TREE) {
            counts[k] = 0;
            set_unknown(work, arcs[k].from, k);
            set_unknown(work, arcs[k].to, k);
        } else {
            counts[k] = (int64_t)*counters;
            set_known(work, &arcs[k], *counters++);
        }
    }
}

/* Finds the only unknown arc of a block; returns the block at its other end. */
static uint32_t solve_block(struct an_flow_work *work, uint32_t block,
                            const struct an_gcno_arc *arcs, int64_t *counts)
{
    uint32_t k = work->nodes[block].mixed;
    const struct an_gcno_arc *arc = &arcs[k];
    bool enters = arc->to == block;
    uint64_t surplus = work->nodes[block].surplus;
    uint64_t count = enters ? -surplus : surplus;
    if (work->as_llvm && (int64_t)count < 0)
        count = -count;
    uint32_t other = enters ? arc->from : arc->to;
    counts[k] = (int64_t)count;
    set_known(work, arc, count);
    work->nodes[block].unknown--;
    work->nodes[other].unknown--;
    work->nodes[other].mixed ^= k;
    return other;
}

/* Flow begins in the entry and ends in the exit, so nothing can be said of them; all others pass it on. */
static void solve_all(struct an_flow_work *work, const struct an_gcno_arc *arcs, uint32_t blocks,
                      uint32_t exit, int64_t *counts)
{
    uint32_t ready = 0;
    for (uint32_t i = 1; i < blocks; i++)
        if (i != exit && work->nodes[i].unknown == 1)
            work->ready[ready++] = i;
    while (ready) {
        uint32_t block = work->ready[--ready];
        if (work->nodes[block].unknown != 1)
            continue;
        uint32_t other = solve_block(work, block, arcs, counts);
        if (other && other != exit && work->nodes[other].unknown == 1)
            work->ready[ready++] = other;
    }
}

static void add(int64_t *to, int64_t count)
{
    *to = (int64_t)((uint64_t)*to + (uint64_t)count);
}

/* A block ran as often as it was left; nothing leaves the exit. */
static void add_up_blocks(const struct an_gcno_arc *arcs, uint32_t count, uint32_t exit,
                          const int64_t *counts, int64_t *blocks)
{
    for (uint32_t i = 0; i < count; i++) {
        if (arcs[i].from != exit)
            add(&blocks[arcs[i].from], counts[i]);
        if (arcs[i].to == exit)
            add(&blocks[exit], counts[i]);
    }
}

bool an_flow_solve(struct an_flow_work *work, const struct an_gcno *gcno,
                   const struct an_gcno_function *function, const uint64_t *counters,
                   int64_t *arc_counts, int64_t *block_counts)
{
    const struct an_gcno_arc *arcs = an_gcno_arcs(gcno, function);
    uint32_t exit = an_gcno_exit(gcno, function);
    memset(block_counts, 0, function->block_count * sizeof *block_counts);
    if (!counters) {
        memset(arc_counts, 0, function->arc_count * sizeof *arc_counts);
        return true;
    }
    if (!make_room(work, function))
        return false;
    bool ordered = is_ordered(arcs, function->arc_count);
    if (!ordered)
        find_order(work, arcs, function->arc_count, function->block_count);
    take_counters(work, arcs, function->arc_count, ordered, counters, arc_counts);
    solve_all(work, arcs, function->block_count, exit, arc_counts);
    add_up_blocks(arcs, function->arc_count, exit, arc_counts, block_counts);
    return true;
}
