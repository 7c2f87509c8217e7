/* lib/perf/mapped: trees of mappings that share nodes, against copies of plain lists. */
#include "perf/mapped.h"

#include "support/test.h"

enum { PROCESSES = 4, MOMENTS = 400, MOST = 64, SPACE = 1000 };

/* What a process has mapped, in the order in which that was added. */
struct plain {
    struct an_mapping items[MOST];
    size_t count;
};

static void plain_end(struct plain *plain, uint64_t start, uint64_t end)
{
    size_t kept = 0;
    for (size_t i = 0; i < plain->count; i++)
        if (plain->items[i].start >= end || start >= plain->items[i].end)
            plain->items[kept++] = plain->items[i];
    plain->count = kept;
}

static void compare(const struct an_mapped *mapped, uint32_t tree, const struct plain *plain)
{
    const struct an_mapping *oldest = an_mapped_oldest(mapped, tree);
    assert_int_equal(oldest != NULL, plain->count > 0);
    if (oldest)
        assert_memory_equal(oldest, &plain->items[0], sizeof *oldest);
    for (uint64_t address = 0; address < SPACE + 50; address++) {
        const struct an_mapping *found = an_mapped_find(mapped, tree, address), *expected = NULL;
        for (size_t i = 0; i < plain->count; i++)
            if (address >= plain->items[i].start && address < plain->items[i].end)
                expected = &plain->items[i];
        assert_int_equal(found != NULL, expected != NULL);
        if (found)
            assert_memory_equal(found, expected, sizeof *found);
    }
}

/* One thing that happens to a process: another mapping, an end of some, a fork, an exec. */
static void step(struct an_mapped *mapped, uint32_t trees[PROCESSES],
                 struct plain plains[PROCESSES], uint64_t *seed)
{
    size_t one = number_below(seed, PROCESSES), other = number_below(seed, PROCESSES);
    uint64_t start = number_below(seed, SPACE), end = start + 1 + number_below(seed, 40);
    uint64_t what = number_below(seed, 20);
    if (what == 0) {
        an_mapped_keep(mapped);
        trees[other] = trees[one];
        plains[other] = plains[one];
        return;
    }
    if (what == 1) {
        start = 0;
        end = UINT64_MAX;
    }
    an_mapped_end(mapped, &trees[one], start, end);
    plain_end(&plains[one], start, end);
    if (what < 5 || plains[one].count == MOST)
        return;
    struct an_mapping mapping = {start, end, next_number(seed)};
    an_mapped_add(mapped, &trees[one], mapping);
    plains[one].items[plains[one].count++] = mapping;
}

static void every_moment_stays(void **state)
{
    (void)state;
    static struct plain plains[MOMENTS][PROCESSES];
    static uint32_t trees[MOMENTS][PROCESSES];
    struct an_mapped mapped = {0};
    uint64_t seed = 1;
    for (size_t moment = 0; moment + 1 < MOMENTS; moment++) {
        for (size_t i = 0; i <= number_below(&seed, 4); i++)
            step(&mapped, trees[moment], plains[moment], &seed);
        an_mapped_keep(&mapped);
        memcpy(trees[moment + 1], trees[moment], sizeof *trees);
        memcpy(plains[moment + 1], plains[moment], sizeof *plains);
    }
    assert_false(mapped.failed);
    for (size_t moment = 0; moment < MOMENTS; moment++)
        for (size_t process = 0; process < PROCESSES; process++)
            compare(&mapped, trees[moment][process], &plains[moment][process]);
    an_mapped_free(&mapped);
}

static unsigned depth(const struct an_mapped *mapped, uint32_t tree)
{
    if (!tree)
        return 0;
    unsigned left = depth(mapped, mapped->nodes.items[tree].left);
    unsigned right = depth(mapped, mapped->nodes.items[tree].right);
    return 1 + (left > right ? left : right);
}

/* The expected depth is below 40; that it is above 120 does not happen. */
static void trees_are_shallow(void **state)
{
    (void)state;
    enum { MAPPINGS = 20000 };
    struct an_mapped mapped = {0};
    uint32_t tree = 0;
    for (uint64_t i = 0; i < MAPPINGS; i++) {
        an_mapped_keep(&mapped);
        an_mapped_add(&mapped, &tree, (struct an_mapping){i << 12, (i + 1) << 12, 0});
    }
    assert_in_range(depth(&mapped, tree), 15, 120);
    check(mapped.nodes.count < 100 * MAPPINGS, "%zu nodes", mapped.nodes.count);
    an_mapped_free(&mapped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_moment_stays),
        cmocka_unit_test(trees_are_shallow),
    };
    return RUN_TESTS(tests);
}
