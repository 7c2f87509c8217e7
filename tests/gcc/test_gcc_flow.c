/*
 * Counts of all arcs and blocks from those that have counters: graphs made by hand as compilers make them,
 * and walks through random ones, of which all counts are known. tests/cli/test_cov.sh compares with gcov.
 */
#include "gcc/flow.h"
#include "support/random.h"
#include "support/test.h"

enum { T = AN_GCNO_ON_TREE, F = AN_GCNO_FAKE, MOST = 64, MOST_ARCS = 4 * MOST };

struct graph {
    struct an_gcno gcno;
    struct an_gcno_function function;
    struct an_gcno_arc arcs[MOST_ARCS];
    uint64_t counters[MOST_ARCS];
    int64_t arc_counts[MOST_ARCS], block_counts[MOST];
};

static void solve(struct graph *graph)
{
    struct an_flow_work work = {0};
    graph->gcno.arcs.items = graph->arcs;
    graph->gcno.arcs.count = graph->function.arc_count;
    assert_true(an_flow_solve(&work, &graph->gcno, &graph->function, graph->counters,
                              graph->arc_counts, graph->block_counts));
    an_flow_work_free(&work);
}

/* The drawing in flow.h. */
static void test_drawing(void **context)
{
    (void)context;
    struct graph graph = {.gcno.version = {.major = 12},
                          .function = {.block_count = 4, .arc_count = 4},
                          .arcs = {{0, 2, T}, {2, 1, 0}, {2, 3, 0}, {3, 1, T}},
                          .counters = {7, 3}};
    solve(&graph);
    assert_int_equal(an_flow_counters(&graph.gcno, &graph.function), 2);
    static const int64_t arcs[] = {10, 7, 3, 3}, blocks[] = {10, 10, 10, 3};
    assert_memory_equal(graph.arc_counts, arcs, sizeof arcs);
    assert_memory_equal(graph.block_counts, blocks, sizeof blocks);
}

/* A call that did not return twice, and a setjmp that returned once more. */
static void test_fake(void **context)
{
    (void)context;
    struct graph graph = {
        .gcno.version = {.major = 12},
        .function = {.block_count = 5, .arc_count = 7},
        .arcs = {{0, 2, T}, {0, 3, F}, {2, 3, T}, {2, 1, F}, {3, 4, T}, {3, 1, F}, {4, 1, 0}},
        .counters = {1, 2, 0, 9}};
    solve(&graph);
    static const int64_t arcs[] = {10, 1, 8, 2, 9, 0, 9}, blocks[] = {11, 11, 10, 9, 9};
    assert_memory_equal(graph.arc_counts, arcs, sizeof arcs);
    assert_memory_equal(graph.block_counts, blocks, sizeof blocks);
}

/* In GCC 4.7 the last block is the exit. */
static void test_last_exit(void **context)
{
    (void)context;
    struct graph graph = {.gcno.version = {.major = 4, .minor = 7},
                          .function = {.block_count = 4, .arc_count = 4},
                          .arcs = {{0, 1, T}, {1, 2, 0}, {1, 3, 0}, {2, 3, T}},
                          .counters = {4, 5}};
    solve(&graph);
    static const int64_t arcs[] = {9, 4, 5, 4}, blocks[] = {9, 9, 4, 9};
    assert_memory_equal(graph.arc_counts, arcs, sizeof arcs);
    assert_memory_equal(graph.block_counts, blocks, sizeof blocks);
}

/* Counters stand in the order of blocks, not of the file. */
static void test_unordered(void **context)
{
    (void)context;
    struct graph graph = {.gcno.version = {.major = 12},
                          .function = {.block_count = 4, .arc_count = 4},
                          .arcs = {{3, 1, T}, {2, 1, 0}, {0, 2, 0}, {2, 3, T}},
                          .counters = {10, 7}};
    solve(&graph);
    static const int64_t arcs[] = {3, 7, 10, 3}, blocks[] = {10, 10, 10, 3};
    assert_memory_equal(graph.arc_counts, arcs, sizeof arcs);
    assert_memory_equal(graph.block_counts, blocks, sizeof blocks);
}

static void test_never_ran(void **context)
{
    (void)context;
    struct graph graph = {.gcno.version = {.major = 12},
                          .function = {.block_count = 3, .arc_count = 2},
                          .arcs = {{0, 2, T}, {2, 1, 0}},
                          .arc_counts = {5, 5},
                          .block_counts = {5, 5, 5}};
    struct an_flow_work work = {0};
    graph.gcno.arcs.items = graph.arcs;
    assert_true(an_flow_solve(&work, &graph.gcno, &graph.function, NULL, graph.arc_counts,
                              graph.block_counts));
    an_flow_work_free(&work);
    assert_int_equal(graph.arc_counts[0] | graph.arc_counts[1], 0);
    assert_int_equal(graph.block_counts[0] | graph.block_counts[1] | graph.block_counts[2], 0);
}

/* What no compiler writes: all arcs on a tree that is none, an arc to itself on it, one block. */
static void test_unsolvable(void **context)
{
    (void)context;
    struct graph circle = {.gcno.version = {.major = 12},
                           .function = {.block_count = 4, .arc_count = 5},
                           .arcs = {{0, 2, T}, {2, 3, T}, {3, 2, T}, {3, 3, T}, {3, 1, 0}},
                           .counters = {6}};
    solve(&circle);
    static const int64_t blocks[] = {0, 6, 0, 6};
    assert_memory_equal(circle.block_counts, blocks, sizeof blocks);
    struct graph small = {.gcno.version = {.major = 12},
                          .function = {.block_count = 1, .arc_count = 1},
                          .arcs = {{0, 0, 0}},
                          .counters = {6}};
    solve(&small);
    assert_int_equal(small.block_counts[0], 6);
}

/* A random graph with a way from each block to the next one, and on to the exit from the last. */
static void make_graph(struct graph *graph, uint64_t *state)
{
    uint32_t blocks = 3 + (uint32_t)number_below(state, MOST - 3);
    uint32_t count = 0;
    *graph = (struct graph){.gcno.version = {.major = 12}, .function.block_count = blocks};
    for (uint32_t from = 0; from < blocks; from++) {
        if (from == 1)
            continue;
        uint32_t next = from == 0 ? 2 : from + 1 < blocks ? from + 1 : 1;
        graph->arcs[count++] = (struct an_gcno_arc){from, next, T};
        for (uint64_t more = number_below(state, 3); more; more--) {
            uint32_t to = 1 + (uint32_t)number_below(state, blocks - 1);
            graph->arcs[count++] = (struct an_gcno_arc){from, to, 0};
        }
    }
    graph->function.arc_count = count;
}

static uint32_t root_of(const uint32_t *parents, uint32_t block)
{
    while (parents[block] != block)
        block = parents[block];
    return block;
}

/* Any spanning tree will do, of which entry and exit are one, as for the compiler. */
static void choose_tree(struct graph *graph, uint64_t *state)
{
    uint32_t parents[MOST], count = graph->function.arc_count;
    for (uint32_t i = 0; i < MOST; i++)
        parents[i] = i;
    parents[1] = 0;
    uint32_t first = (uint32_t)number_below(state, count);
    for (uint32_t i = 0; i < count; i++) {
        struct an_gcno_arc *arc = &graph->arcs[(first + i) % count];
        uint32_t from = root_of(parents, arc->from), to = root_of(parents, arc->to);
        arc->flags = from != to ? T : 0;
        parents[from] = to;
    }
}

/* Runs through the graph from the entry to the exit. */
static void walk(const struct graph *graph, uint64_t *state, int64_t *arcs, int64_t *blocks)
{
    uint32_t block = 0;
    blocks[0]++;
    while (block != 1) {
        uint32_t first = 0, own = 0;
        while (graph->arcs[first].from != block)
            first++;
        while (first + own < graph->function.arc_count && graph->arcs[first + own].from == block)
            own++;
        uint32_t taken = first + (uint32_t)number_below(state, own);
        arcs[taken]++;
        block = graph->arcs[taken].to;
        blocks[block]++;
    }
}

static void test_walks(void **context)
{
    (void)context;
    uint64_t state = 1;
    for (unsigned round = 0; round < 500; round++) {
        struct graph graph;
        int64_t arcs[MOST_ARCS] = {0}, blocks[MOST] = {0};
        make_graph(&graph, &state);
        choose_tree(&graph, &state);
        for (uint64_t runs = number_below(&state, 20); runs; runs--)
            walk(&graph, &state, arcs, blocks);
        uint32_t counters = 0;
        for (uint32_t i = 0; i < graph.function.arc_count; i++)
            if (!(graph.arcs[i].flags & T))
                graph.counters[counters++] = (uint64_t)arcs[i];
        solve(&graph);
        assert_int_equal(an_flow_counters(&graph.gcno, &graph.function), counters);
        assert_memory_equal(graph.arc_counts, arcs, graph.function.arc_count * sizeof *arcs);
        assert_memory_equal(graph.block_counts, blocks,
                            graph.function.block_count * sizeof *blocks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawing),   cmocka_unit_test(test_fake),
        cmocka_unit_test(test_last_exit), cmocka_unit_test(test_unordered),
        cmocka_unit_test(test_never_ran), cmocka_unit_test(test_unsolvable),
        cmocka_unit_test(test_walks),
    };
    return RUN_TESTS(tests);
}
