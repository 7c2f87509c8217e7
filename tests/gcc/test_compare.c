/*
 * How alike profiles are, of files made by hand whose shares are easy to tell, and of compilers' files as a whole.
 * That the figures are those of gcov-tool's formula is tested with the program (tests/cli/test_gcov_tool.sh).
 */
#include "gcc/compare.h"

#include "support/test.h"

struct made {
    uint32_t words[128];
    size_t count;
};

static void put(struct made *made, uint32_t word)
{
    assert_true(made->count < sizeof made->words / sizeof *made->words);
    made->words[made->count++] = word;
}

static struct made begin(void)
{
    struct made made = {.count = 0};
    put(&made, 0x67636461);
    put(&made, 0x4232322a); /* 12.2 */
    put(&made, 7);          /* stamp */
    put(&made, 8);          /* checksum */
    return made;
}

/* A function of two arcs; a flow of 0 is none that is there. */
static void put_function(struct made *made, uint32_t ident, uint32_t flow, uint32_t one,
                         uint32_t two)
{
    put(made, 0x01000000);
    put(made, flow ? 12 : 0);
    if (!flow)
        return;
    put(made, ident);
    put(made, 1);
    put(made, flow);
    put(made, 0x01a10000);
    put(made, 16);
    put(made, one);
    put(made, 0);
    put(made, two);
    put(made, 0);
}

static struct an_gcda take(const struct made *made)
{
    struct an_gcda gcda;
    struct an_error error;
    struct an_bytes bytes = {(const uint8_t *)made->words, 4 * made->count};
    check(an_gcda_read(&gcda, bytes, &error) == AN_OK, "%s", error.what);
    return gcda;
}

struct expected {
    uint32_t ident;
    bool in_base, in_test, changed, has_counts, is_hot;
    double overlap, base_share, test_share;
};

static void expect_function(const struct an_gcc_overlap_function *function,
                            const struct expected *expected)
{
    check(function->ident == expected->ident, "%u", function->ident);
    check(function->in_base == expected->in_base && function->in_test == expected->in_test, "%u",
          function->ident);
    check(function->changed == expected->changed, "%u", function->ident);
    check(function->has_counts == expected->has_counts, "%u", function->ident);
    check(function->is_hot == expected->is_hot, "%u", function->ident);
    check(function->overlap == expected->overlap, "%u: %g", function->ident, function->overlap);
    check(function->base_share == expected->base_share, "%u: %g", function->ident,
          function->base_share);
    check(function->test_share == expected->test_share, "%u: %g", function->ident,
          function->test_share);
}

/* Functions are found by their numbers, wherever they are. */
static void test_functions(void **context)
{
    static const struct expected expected[] = {
        {1, true, true, false, true, true, 0.25, 0.5, 0.5},
        {2, true, true, true, true, true, 0, 0.25, 0.125},
        {3, true, false, false, true, true, 0, 0.25, 0},
        {4, true, true, false, false, false, 0, 0, 0},
        {4, true, false, false, false, false, 0, 0, 0}, /* a number that is there twice */
        {5, false, true, false, true, true, 0, 0, 0.3125},
        {6, false, true, false, true, false, 0, 0, 0.0625},
    };
    struct made one = begin(), other = begin();
    struct an_gcc_overlap_module module = {.count = 0};
    struct an_gcc_side base_side, test_side;
    struct an_error error;
    (void)context;
    put_function(&one, 1, 11, 8, 8);
    put_function(&one, 2, 12, 0, 8);
    put_function(&one, 0, 0, 0, 0);
    put_function(&one, 3, 13, 8, 0);
    put_function(&one, 4, 14, 0, 0);
    put_function(&one, 4, 14, 0, 0);
    put_function(&other, 2, 99, 0, 2);
    put_function(&other, 5, 15, 5, 0);
    put_function(&other, 1, 11, 0, 8);
    put_function(&other, 6, 16, 0, 1);
    put_function(&other, 4, 14, 0, 0);
    struct an_gcda base = take(&one), test = take(&other);
    an_gcc_side_of(&base_side, an_gcda_total(&base), 0.125);
    an_gcc_side_of(&test_side, an_gcda_total(&test), 0.125);
    assert_int_equal(an_gcc_compare(&base_side, &base, &test_side, &test, &module, &error), AN_OK);
    assert_int_equal(module.base_functions, 6);
    assert_int_equal(module.test_functions, 5);
    assert_int_equal(module.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < module.count; i++)
        expect_function(&module.functions[i], &expected[i]);
    assert_true(module.overlap == 0.25 && module.base_share == 1 && module.test_share == 1);
    free(module.functions);
    an_gcda_free(&base);
    an_gcda_free(&test);
}

/* A module is hot above the threshold, not at it. */
static void test_heat(void **context)
{
    struct made cold = begin(), zero = begin();
    struct an_gcc_side side;
    (void)context;
    put_function(&cold, 1, 1, 5, 3);
    put_function(&zero, 1, 1, 0, 0);
    struct an_gcda one = take(&cold), other = take(&zero), none = {.runs = 0};
    an_gcc_side_of(&side, 1000, 0.005);
    assert_int_equal(an_gcc_heat_of(&side, &one), AN_GCC_COLD);
    assert_int_equal(an_gcc_heat_of(&side, &other), AN_GCC_ZERO);
    assert_int_equal(an_gcc_heat_of(&side, &none), AN_GCC_ABSENT);
    an_gcc_side_of(&side, 999, 0.005);
    assert_int_equal(an_gcc_heat_of(&side, &one), AN_GCC_HOT);
    an_gcc_side_of(&side, UINT64_MAX, 1e300);
    assert_int_equal(an_gcc_heat_of(&side, &one), AN_GCC_COLD);
    an_gcda_free(&one);
    an_gcda_free(&other);
}

static void test_whole_profiles(void **context)
{
    static const struct an_gcc_pair pairs[] = {
        {GCC_CORPUS "/gcc-12/values-1.gcda", GCC_CORPUS "/gcc-12/values-1.gcda"},
        {GCC_CORPUS "/gcc-12/right-a.gcda", NULL},
        {"/dev/null", GCC_CORPUS "/gcc-12/right-b.gcda"},
    };
    struct an_gcc_overlap *overlap;
    struct an_error error;
    (void)context;
    assert_int_equal(an_gcc_overlap(pairs, 1, 0.005, &overlap, &error), AN_OK);
    check(overlap->overlap > 0.999999 && overlap->overlap < 1.000001, "%g", overlap->overlap);
    assert_int_equal(overlap->base_total, overlap->test_total);
    an_gcc_overlap_free(overlap);
    assert_int_equal(an_gcc_overlap(pairs, 3, 0.005, &overlap, &error), AN_OK);
    const struct an_gcc_overlap_module *modules = overlap->modules;
    assert_int_equal(overlap->count, 3);
    assert_int_equal(modules[1].test_heat, AN_GCC_ABSENT);
    assert_int_equal(modules[2].base_heat, AN_GCC_ABSENT);
    assert_int_equal(modules[0].base_heat, AN_GCC_HOT);
    assert_true(modules[1].overlap == 0 && modules[1].base_share > 0 && modules[1].test_share == 0);
    assert_true(modules[2].overlap == 0 && modules[2].base_share == 0 && modules[2].test_share > 0);
    double shares[] = {modules[0].base_share + modules[1].base_share,
                       modules[0].test_share + modules[2].test_share};
    check(shares[0] > 0.999999 && shares[0] < 1.000001, "%g", shares[0]);
    check(shares[1] > 0.999999 && shares[1] < 1.000001, "%g", shares[1]);
    assert_true(overlap->overlap == modules[0].overlap);
    an_gcc_overlap_free(overlap);
}

static void test_refused(void **context)
{
    static const struct an_gcc_pair pairs[] = {
        {GCC_CORPUS "/gcc-12/values-1.gcda", NULL},
        {NULL, GCC_CORPUS "/gcc-12/values.gcno"},
    };
    struct an_gcc_overlap *overlap;
    struct an_error error;
    (void)context;
    assert_int_equal(an_gcc_overlap(pairs, 2, 0.005, &overlap, &error), AN_MALFORMED);
    assert_null(overlap);
    assert_string_equal(error.file, pairs[1].test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_heat),
        cmocka_unit_test(test_whole_profiles),
        cmocka_unit_test(test_refused),
    };
    return RUN_TESTS(tests);
}
