/* How densely branches cover code: loops of known lengths. */
#include "record/density.h"

#include "support/test.h"

enum { PIECE = 32, ROUNDS = 100, LENGTH = 8 };

/* A loop from `start` over `size` bytes, as often as it is told. */
static void loop(struct an_density *density, uint64_t start, uint64_t size, unsigned rounds)
{
    struct an_perf_branch branches[LENGTH];
    for (unsigned i = 0; i < LENGTH; i++)
        branches[i] = (struct an_perf_branch){start + size - 1, start};
    for (unsigned i = 0; i < rounds; i++)
        an_density_add(density, branches, LENGTH);
}

static void finish(struct an_density *density, uint64_t hot_bytes, double expected)
{
    struct an_record_counts counts;
    an_density_finish(density, &counts);
    assert_int_equal(counts.hot_bytes, hot_bytes);
    assert_true(counts.density > expected * 0.999 && counts.density < expected * 1.001);
    an_density_free(density);
}

static void counts_code(void **state)
{
    (void)state;
    struct an_density density = {0};
    loop(&density, 0x1000, 4 * PIECE, ROUNDS);
    finish(&density, 4 * PIECE, (double)ROUNDS * LENGTH / (4 * PIECE));
}

/* Code on which less than a twentieth falls is not hot; what lies between two pieces is none. */
static void leaves_cold_code_out(void **state)
{
    (void)state;
    struct an_density density = {0};
    loop(&density, 0x1000, 2 * PIECE, ROUNDS);
    loop(&density, 0x9000, 64 * PIECE, 0);
    loop(&density, 0x20000, 8 * PIECE, 1);
    finish(&density, 2 * PIECE, (double)(ROUNDS + 1) * LENGTH / (2 * PIECE));
}

/* One million pieces, executed once each: all but a twentieth of them. */
static void knows_much_code(void **state)
{
    (void)state;
    enum { PIECES = 100000 };
    struct an_density density = {0};
    for (uint64_t i = 0; i < PIECES; i++) {
        uint64_t start = 0x1000 + i * PIECE;
        const struct an_perf_branch branches[] = {{0, start}, {start + 1, 0}};
        an_density_add(&density, branches, 2);
    }
    finish(&density, (uint64_t)PIECES / 100 * 95 * PIECE, 2.0 / PIECE * 100 / 95);
}

/* The kernel's own code, a gap in the stack, a branch backwards: no code between branches. */
static void knows_no_code(void **state)
{
    (void)state;
    static const struct an_perf_branch branches[] = {
        {1, UINT64_MAX - 100}, {UINT64_MAX - 50, 0x1000}, {0x1000000, 0x5000}, {0x4000, 0}};
    struct an_density density = {0};
    struct an_record_counts counts;
    an_density_add(&density, branches, sizeof branches / sizeof *branches);
    an_density_finish(&density, &counts);
    assert_int_equal(counts.hot_bytes, 0);
    assert_true(counts.density == 0);
    an_density_free(&density);
}

/* The kernel writes the newest branch first. */
static void reads_stacks(void **state)
{
    (void)state;
    const uint64_t stack[2][3] = {{0x1000 + 3 * PIECE, 0x5000, 0}, {0x500, 0x1000, 0}};
    struct an_density density = {0};
    an_density_add_stack(&density, (const uint8_t *)stack, sizeof stack, 2);
    an_density_add_stack(&density, (const uint8_t *)stack, sizeof stack - 1, 2); /* too short */
    finish(&density, 4 * PIECE, 2.0 / (4 * PIECE));
}

/* Of a single piece, there have to be some thousand branches all the same. */
static void knows_when_it_is_enough(void **state)
{
    (void)state;
    enum { FEW = 1200, PIECES = 4000, BRANCHES = PIECES * PIECE * 5 / 4 };
    struct an_density small = {0}, large = {0};
    loop(&small, 0x1000, PIECE, FEW);
    assert_false(an_density_is_enough(&small));
    loop(&small, 0x1000, PIECE, FEW);
    assert_true(an_density_is_enough(&small));
    assert_true(an_density_is_enough(&small)); /* whoever asks */
    an_density_free(&small);
    unsigned rounds = 0;
    for (; !an_density_is_enough(&large) && rounds < 2 * BRANCHES / LENGTH; rounds++)
        loop(&large, 0x1000 + (uint64_t)(rounds % PIECES) * PIECE, PIECE, 1);
    struct an_record_counts counts;
    an_density_finish(&large, &counts);
    assert_true(counts.density >= 1.25 * AN_RECORD_DENSE && counts.density < 1.4 * AN_RECORD_DENSE);
    an_density_free(&large);
}

static void says_how_much_is_missing(void **state)
{
    (void)state;
    assert_true(an_record_seconds_more(&(struct an_record_counts){.seconds = 10}) == 0);
    assert_true(an_record_seconds_more(&(struct an_record_counts){
                    .seconds = 10, .density = 2 * AN_RECORD_DENSE}) == 0);
    double more = an_record_seconds_more(
        &(struct an_record_counts){.seconds = 10, .density = AN_RECORD_DENSE / 4});
    assert_true(more > 29.9 && more < 30.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_code),
        cmocka_unit_test(leaves_cold_code_out),
        cmocka_unit_test(knows_much_code),
        cmocka_unit_test(knows_no_code),
        cmocka_unit_test(reads_stacks),
        cmocka_unit_test(knows_when_it_is_enough),
        cmocka_unit_test(says_how_much_is_missing),
    };
    return RUN_TESTS(tests);
}
