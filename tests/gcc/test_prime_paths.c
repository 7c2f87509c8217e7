/* Prime paths of small graphs: what they are, in which order, and that a search ends. */
#include <stdio.h>
#include <string.h>

#include "gcc/prime_paths.h"
#include "support/test.h"

enum { MOST_NODES = 32, MOST_WAYS = 128, PLENTY = 1 << 20 };

struct graph {
    uint32_t first[MOST_NODES + 1], to[MOST_WAYS];
    struct an_prime_graph graph;
};

/* Of "0>1 1>2 1>3": ways, by their beginnings and ends. */
static void read_graph(struct graph *graph, uint32_t nodes, const char *ways)
{
    bool is_way[MOST_NODES][MOST_NODES] = {{false}};
    unsigned from, to;
    int size;
    uint32_t used = 0;
    for (; sscanf(ways, " %u>%u%n", &from, &to, &size) == 2; ways += size) {
        assert_true(from < nodes && to < nodes);
        is_way[from][to] = true;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        graph->first[i] = used;
        for (uint32_t k = 0; k < nodes; k++)
            if (is_way[i][k])
                graph->to[used++] = k;
    }
    graph->first[nodes] = used;
    graph->graph = (struct an_prime_graph){nodes, graph->first, graph->to};
}

/* The paths, each in a line. */
static const char *paths_of(uint32_t nodes, const char *ways)
{
    static char text[4096];
    struct graph graph;
    struct an_prime_paths paths;
    char *to = text;
    read_graph(&graph, nodes, ways);
    *to = '\0';
    assert_true(an_prime_paths_start(&paths, &graph.graph, PLENTY));
    enum an_prime what;
    while ((what = an_prime_paths_next(&paths)) == AN_PRIME_PATH) {
        for (uint32_t i = 0; i < paths.length; i++)
            to += sprintf(to, i ? " %u" : "%u", paths.path[i]);
        to += sprintf(to, "\n");
    }
    assert_int_equal(what, AN_PRIME_END);
    an_prime_paths_free(&paths);
    return text;
}

static void test_straight(void **context)
{
    (void)context;
    assert_string_equal(paths_of(0, ""), "");
    assert_string_equal(paths_of(1, ""), "0\n");
    assert_string_equal(paths_of(3, "0>1 1>2"), "0 1 2\n");
    assert_string_equal(paths_of(3, "0>2"), "0 2\n1\n"); /* nothing leads to 1 */
    assert_string_equal(paths_of(5, "0>2 2>3 2>4 3>4 4>1"), "0 2 3 4 1\n0 2 4 1\n");
    assert_string_equal(paths_of(4, "3>2 2>1 1>0"), "3 2 1 0\n");
}

/* The drawing in the header, and a node that leads to itself. */
static void test_loops(void **context)
{
    (void)context;
    assert_string_equal(paths_of(5, "0>1 1>2 2>3 2>4 3>1"), "0 1 2 3\n"
                                                            "0 1 2 4\n"
                                                            "1 2 3 1\n"
                                                            "2 3 1 2\n"
                                                            "3 1 2 3\n"
                                                            "3 1 2 4\n");
    assert_string_equal(paths_of(3, "0>1 1>1 1>2"), "0 1 2\n1 1\n");
    assert_string_equal(paths_of(2, "0>1 1>0"), "0 1 0\n1 0 1\n");
}

/*
 * A loop in a loop:
 *
 *     0 ──► 2 ◄──────── 5
 *           │           ▲
 *           ▼           │
 *           3 ◄──► 4    │
 *           └───────────┘──► 1
 */
static void test_nested(void **context)
{
    (void)context;
    assert_string_equal(paths_of(6, "0>2 2>3 3>4 4>3 3>5 5>2 5>1"), "0 2 3 4\n"
                                                                    "0 2 3 5 1\n"
                                                                    "2 3 5 2\n"
                                                                    "3 4 3\n"
                                                                    "3 5 2 3\n"
                                                                    "4 3 4\n"
                                                                    "4 3 5 1\n"
                                                                    "4 3 5 2\n"
                                                                    "5 2 3 4\n"
                                                                    "5 2 3 5\n");
}

/* A loop that nothing leaves is cut off, and so is what leads only there; gcc does so. */
static void test_cut_off(void **context)
{
    (void)context;
    assert_string_equal(paths_of(5, "0>2 2>3 3>4 4>3"), "0\n1\n2\n3 4 3\n4 3 4\n");
    assert_string_equal(paths_of(5, "0>2 2>3 2>1 3>4 4>3"), "0 2 1\n3 4 3\n4 3 4\n");
    /* One that nothing leads to */
    assert_string_equal(paths_of(5, "0>1 2>3 3>2 3>4"), "0 1\n2 3 2\n3 2 3\n4\n");
}

/* ---- beside what the definition says ---- */

static bool is_within(const uint32_t *path, uint32_t length, const uint32_t *other,
                      uint32_t other_length)
{
    for (uint32_t i = 0; i + length <= other_length; i++)
        if (memcmp(path, other + i, length * sizeof *path) == 0)
            return true;
    return false;
}

struct list {
    uint32_t paths[512][MOST_NODES + 1], lengths[512];
    size_t count;
};

/* All simple paths from the end of this one on. */
static void add_simple(struct list *list, const struct graph *graph, uint32_t *path,
                       uint32_t length)
{
    assert_true(list->count < 512);
    memcpy(list->paths[list->count], path, length * sizeof *path);
    list->lengths[list->count++] = length;
    if (length > 1 && path[0] == path[length - 1])
        return;
    uint32_t end = path[length - 1];
    for (uint32_t i = graph->first[end]; i < graph->first[end + 1]; i++) {
        bool is_new = true;
        for (uint32_t k = 1; k < length; k++)
            is_new &= path[k] != graph->to[i];
        path[length] = graph->to[i];
        if (is_new)
            add_simple(list, graph, path, length + 1);
    }
}

static void claim_as_defined(const struct graph *graph)
{
    static struct list list;
    struct an_prime_paths found;
    uint32_t path[MOST_NODES + 1], next = 0;
    list.count = 0;
    for (path[0] = 0; path[0] < graph->graph.count; path[0]++) {
        uint32_t start = path[0];
        add_simple(&list, graph, path, 1);
        path[0] = start;
    }
    assert_true(an_prime_paths_start(&found, &graph->graph, PLENTY));
    for (size_t i = 0; i < list.count; i++) {
        bool is_prime = true;
        for (size_t k = 0; k < list.count; k++)
            is_prime &= k == i ||
                        !is_within(list.paths[i], list.lengths[i], list.paths[k], list.lengths[k]);
        if (!is_prime)
            continue;
        assert_int_equal(an_prime_paths_next(&found), AN_PRIME_PATH);
        assert_int_equal(found.length, list.lengths[i]);
        assert_memory_equal(found.path, list.paths[i], found.length * sizeof *found.path);
        next++;
    }
    assert_true(next > 0);
    assert_int_equal(an_prime_paths_next(&found), AN_PRIME_END);
    an_prime_paths_free(&found);
}

/* Every graph of a beginning, an end and three nodes between them that have ways in any number, one of which enters and one of
 * which leaves: then nothing is cut off. */
static void test_as_defined(void **context)
{
    (void)context;
    for (unsigned bits = 0; bits < 512; bits++) {
        char ways[256] = "0>1 0>2 0>3 1>4 2>4 3>4";
        struct graph graph;
        for (unsigned i = 0; i < 9; i++)
            if (bits >> i & 1)
                sprintf(ways + strlen(ways), " %u>%u", 1 + i / 3, 1 + i % 3);
        read_graph(&graph, 5, ways);
        claim_as_defined(&graph);
        strcpy(ways, "0>1 3>4 1>2 2>3");
        for (unsigned i = 0; i < 9; i++)
            if (bits >> i & 1)
                sprintf(ways + strlen(ways), " %u>%u", 1 + i / 3, 1 + i % 3);
        read_graph(&graph, 5, ways);
        claim_as_defined(&graph);
    }
}

/* In twenty diamonds there are a million paths. */
static void test_too_many(void **context)
{
    (void)context;
    uint32_t first[62], to[81], used = 0;
    for (uint32_t i = 0; i < 20; i++) {
        first[3 * i] = used;
        to[used++] = 3 * i + 1;
        to[used++] = 3 * i + 2;
        first[3 * i + 1] = used;
        to[used++] = 3 * i + 3;
        first[3 * i + 2] = used;
        to[used++] = 3 * i + 3;
    }
    first[60] = first[61] = used;
    struct an_prime_graph graph = {61, first, to};
    struct an_prime_paths paths;
    uint64_t count = 0;
    enum an_prime what;
    assert_true(an_prime_paths_start(&paths, &graph, 1000));
    while ((what = an_prime_paths_next(&paths)) == AN_PRIME_PATH)
        count++;
    assert_int_equal(what, AN_PRIME_BEYOND);
    assert_int_equal(paths.steps, 0);
    assert_true(count > 0 && count < 1000);
    an_prime_paths_free(&paths);
    assert_true(an_prime_paths_start(&paths, &graph, UINT64_MAX));
    for (count = 0; an_prime_paths_next(&paths) == AN_PRIME_PATH; count++)
        assert_int_equal(paths.length, 41);
    assert_int_equal(count, 1 << 20);
    an_prime_paths_free(&paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),   cmocka_unit_test(test_loops),
        cmocka_unit_test(test_nested),     cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_as_defined), cmocka_unit_test(test_too_many),
    };
    return RUN_TESTS(tests);
}
