/*
 * Circles within lines: how often they were gone around, in which order they are found, and that a search
 * ends. tests/cli/test_gcov.sh compares lines with gcov's.
 */
#include "gcc/loops.h"
#include "support/test.h"

struct arc {
    uint32_t from, to;
    int64_t count;
};

static void fill(struct an_loops *loops, uint32_t nodes, const struct arc *arcs, size_t count)
{
    loops->nodes.count = loops->arcs.count = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        struct an_loop_node *node = an_vector_push(&loops->nodes);
        assert_non_null(node);
        *node = (struct an_loop_node){.first_arc = (uint32_t)loops->arcs.count};
        for (size_t k = 0; k < count; k++) {
            if (arcs[k].from != i)
                continue;
            struct an_loop_arc *arc = an_vector_push(&loops->arcs);
            assert_non_null(arc);
            *arc = (struct an_loop_arc){arcs[k].to, arcs[k].count};
            loops->nodes.items[i].arc_count++;
        }
    }
}

static int64_t around(uint32_t nodes, const struct arc *arcs, size_t count, const uint32_t *starts,
                      size_t start_count)
{
    struct an_loops loops = {.nodes = {0}};
    int64_t result = -1;
    fill(&loops, nodes, arcs, count);
    assert_true(an_loops_count(&loops, starts, start_count, &result));
    an_loops_free(&loops);
    return result;
}

#define AROUND(nodes, ...)                                                                         \
    around(nodes, (const struct arc[]){__VA_ARGS__},                                               \
           sizeof((const struct arc[]){__VA_ARGS__}) / sizeof(struct arc), in_turn, nodes)

static const uint32_t in_turn[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void test_plain(void **context)
{
    (void)context;
    assert_int_equal(AROUND(3, {0, 1, 5}, {1, 2, 5}), 0);            /* no circle */
    assert_int_equal(AROUND(3, {0, 2, 1}, {1, 2, 8}, {2, 1, 8}), 8); /* the drawing */
    assert_int_equal(AROUND(1, {0, 0, 7}), 7);                       /* to itself */
    assert_int_equal(AROUND(2, {0, 1, 4}, {1, 0, 0}), 0);            /* not gone around */
    assert_int_equal(AROUND(2, {0, 1, 4}, {1, 0, -3}), 0);           /* lost counts */
}

/* An inner loop within an outer one, which share an arc: 10 times around the inner, 3 around the outer. */
static void test_nested(void **context)
{
    (void)context;
    assert_int_equal(AROUND(3, {0, 1, 3}, {1, 2, 13}, {2, 1, 10}, {2, 0, 3}), 13);
}

/* Two circles share the arc from 1 to 0, which was taken 5 times: the first one found uses up 4 of them. */
static void test_shared_arc(void **context)
{
    (void)context;
    assert_int_equal(AROUND(3, {0, 1, 4}, {0, 2, 3}, {2, 1, 3}, {1, 0, 5}), 5);
    /* Where the order matters: of 0-1-0 and 0-1-2-0, that one is found first whose arc stands first. */
    assert_int_equal(AROUND(3, {0, 1, 5}, {1, 0, 4}, {1, 2, 5}, {2, 0, 5}), 5);
}

/* A node that leads nowhere is blocked, and freed when what it waits for is in a circle. */
static void test_blocked(void **context)
{
    (void)context;
    assert_int_equal(
        AROUND(5, {0, 1, 9}, {1, 2, 6}, {2, 3, 2}, {3, 1, 2}, {2, 4, 4}, {4, 0, 4}, {1, 4, 3}), 6);
    /* 0-1-3-0 twice; that leaves nothing for 0-2-1-3-0, and 1-2-1 once. */
    assert_int_equal(AROUND(4, {0, 1, 2}, {0, 2, 2}, {1, 3, 2}, {2, 1, 2}, {3, 0, 4}, {1, 2, 1}),
                     3);
}

/* A block that is in the line twice is a start twice; nothing is left of its circles by then. */
static void test_repeated_start(void **context)
{
    (void)context;
    const struct arc arcs[] = {{0, 1, 4}, {1, 0, 4}};
    const uint32_t starts[] = {0, 0, 1, 1};
    assert_int_equal(around(2, arcs, 2, starts, 4), 4);
}

/* Each node leads to all: there are more circles than anybody can count, but each uses up an arc. */
static void test_ends(void **context)
{
    enum { NODES = 200 };
    static struct arc arcs[NODES * NODES];
    static uint32_t starts[NODES];
    size_t count = 0;
    (void)context;
    for (uint32_t i = 0; i < NODES; i++) {
        starts[i] = i;
        for (uint32_t k = 0; k < NODES; k++)
            arcs[count++] = (struct arc){i, k, 1 + (i * 7 + k * 3) % 5};
    }
    int64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += arcs[i].count;
    int64_t result = around(NODES, arcs, count, starts, NODES);
    assert_true(result > 0 && result <= total);
}

/* A line that takes too long has some of its circles counted, and after many such lines others have none. */
static void test_is_bounded(void **context)
{
    enum { NODES = 3000 };
    static struct arc arcs[6 * NODES];
    static uint32_t starts[NODES];
    struct an_loops loops = {.nodes = {0}};
    uint64_t state = 1;
    (void)context;
    for (uint32_t i = 0; i < NODES; i++) {
        starts[i] = i;
        for (uint32_t k = 0; k < 6; k++)
            arcs[6 * i + k] = (struct arc){i, (uint32_t)number_below(&state, NODES),
                                           1 + (int64_t)number_below(&state, 1 << 20)};
    }
    int64_t result = 0;
    fill(&loops, NODES, arcs, 6 * NODES);
    assert_true(an_loops_count(&loops, starts, NODES, &result));
    assert_true(result > 0);
    assert_int_equal(loops.steps, AN_LOOPS_MOST_STEPS);
    loops.steps = (uint64_t)AN_LOOPS_MOST_LINES * AN_LOOPS_MOST_STEPS;
    fill(&loops, NODES, arcs, 6 * NODES);
    assert_true(an_loops_count(&loops, starts, NODES, &result));
    assert_int_equal(result, 0);
    an_loops_free(&loops);
}

/* So is a line of which single steps take long. */
static void is_bounded_with(uint32_t nodes, struct arc (*arc_of)(uint32_t number, uint32_t nodes))
{
    static const uint32_t start;
    struct an_loops loops = {.nodes = {0}};
    int64_t result;
    for (uint32_t i = 0; i < nodes; i++)
        *an_vector_push(&loops.nodes) = (struct an_loop_node){0};
    for (uint32_t i = 0; i < 2 * nodes; i++) {
        struct arc arc = arc_of(i, nodes);
        struct an_loop_node *node = &loops.nodes.items[arc.from];
        node->first_arc = node->arc_count++ ? node->first_arc : i;
        *an_vector_push(&loops.arcs) = (struct an_loop_arc){arc.to, arc.count};
    }
    assert_true(an_loops_count(&loops, &start, 1, &result));
    assert_int_equal(loops.steps, AN_LOOPS_MOST_STEPS);
    an_loops_free(&loops);
}

/* A long way around, and at its end many arcs back: 0 ─► 1 ─► 2 ... n ═►═►═► 0 */
static struct arc long_way(uint32_t number, uint32_t nodes)
{
    bool on_the_way = number + 1 < nodes;
    return on_the_way ? (struct arc){number, number + 1, INT32_MAX} : (struct arc){nodes - 1, 0, 1};
}

/* Many that wait for one that leads nowhere: 0 ─► 1, 2, 3 ... ─► n; and one that leads back */
static struct arc many_wait(uint32_t number, uint32_t nodes)
{
    if (number < nodes - 1)
        return (struct arc){0, number + 1, 1};
    if (number == nodes - 1)
        return (struct arc){0, 0, 1};
    uint32_t from = number - nodes + 1;
    return from < nodes - 1 ? (struct arc){from, nodes - 1, 1}
                            : (struct arc){nodes - 1, nodes - 1, 1};
}

static void test_is_bounded_in_all_loops(void **context)
{
    (void)context;
    is_bounded_with(16000, long_way);
    is_bounded_with(16000, many_wait);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),          cmocka_unit_test(test_nested),
        cmocka_unit_test(test_shared_arc),     cmocka_unit_test(test_blocked),
        cmocka_unit_test(test_repeated_start), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_is_bounded),     cmocka_unit_test(test_is_bounded_in_all_loops),
    };
    return RUN_TESTS(tests);
}
