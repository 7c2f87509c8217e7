/*
 * Changing counts: the arithmetic, what is changed and what is not, and whole profiles. That the results are those
 * of gcov-tool is tested with the program (tests/cli/test_gcov_tool.sh).
 */
#include "gcc/gcda.h"
#include "gcc/places.h"

#include <anneal/gcc.h>

#include "base/file.h"
#include "support/test.h"

static void expect_scaled(struct an_gcc_scale scale, uint64_t count, uint64_t expected)
{
    uint64_t scaled = an_gcc_scaled(count, &scale);
    check(scaled == expected, "%lld becomes %lld, not %lld", (long long)count, (long long)scaled,
          (long long)expected);
}

static void test_fractions(void **context)
{
    const struct an_gcc_scale third = {AN_GCC_BY_FRACTION, 7, 3, 0};
    (void)context;
    expect_scaled(third, 0, 0);
    expect_scaled(third, 1, 0);
    expect_scaled(third, 2, 7);
    expect_scaled(third, 100, 231); /* rounded first, and then multiplied */
    expect_scaled(third, (uint64_t)-100, (uint64_t)-231);
    expect_scaled(third, INT64_MAX, INT64_MAX);
    expect_scaled(third, (uint64_t)INT64_MIN, (uint64_t)INT64_MIN);
    expect_scaled((struct an_gcc_scale){AN_GCC_BY_FRACTION, 1, 4, 0}, INT64_MAX, 1ull << 61);
    expect_scaled((struct an_gcc_scale){AN_GCC_BY_FRACTION, 0, 1, 0}, INT64_MAX, 0);
}

static void test_factors(void **context)
{
    const struct an_gcc_scale half = {AN_GCC_BY_FACTOR, 0, 0, 0.5f};
    (void)context;
    expect_scaled(half, 3, 1);
    expect_scaled(half, (uint64_t)-3, (uint64_t)-1);
    expect_scaled(half, (1 << 25) + 2, 1 << 24); /* 24 bits are left */
    expect_scaled((struct an_gcc_scale){AN_GCC_BY_FACTOR, 0, 0, 3}, INT64_MAX, INT64_MAX);
    expect_scaled((struct an_gcc_scale){AN_GCC_BY_FACTOR, 0, 0, 0}, INT64_MAX, 0);
}

static void test_shares(void **context)
{
    (void)context;
    expect_scaled((struct an_gcc_scale){AN_GCC_TO_GREATEST, 10, 3, 0}, 3, 10);
    expect_scaled((struct an_gcc_scale){AN_GCC_TO_GREATEST, 10, 3, 0}, 2, 7);
    expect_scaled((struct an_gcc_scale){AN_GCC_TO_GREATEST, 1, INT64_MAX, 0}, INT64_MAX, 1);
    expect_scaled((struct an_gcc_scale){AN_GCC_TO_GREATEST, INT64_MAX, 3, 0}, 3, INT64_MAX);
    expect_scaled((struct an_gcc_scale){AN_GCC_TO_GREATEST, INT64_MAX, 3, 0}, 9, INT64_MAX);
    expect_scaled((struct an_gcc_scale){AN_GCC_TO_GREATEST, 10, 0, 0}, 0, 0);
}

static struct an_gcda read_file(const char *path)
{
    struct an_file file = {.capacity = 0};
    struct an_gcda gcda;
    struct an_error error;
    check(an_gcda_load(&gcda, &file, path, &error) == AN_OK, "%s", error.what);
    an_file_close(&file);
    return gcda;
}

/* Whether a value of such counters is one that grows with the runs. */
static bool is_count(const struct an_gcda *gcda, const struct an_gcda_counters *counters,
                     const uint64_t *values, size_t number)
{
    enum an_gcc_rule rule = an_gcda_rule(gcda, counters);
    size_t size = an_gcc_place_size(rule), at = 0;
    if (size)
        return an_places_counts(rule) >> number % size & 1;
    while (rule == AN_GCC_TOP && at + 2 + 2 * values[at + 1] <= number)
        at += 2 + 2 * values[at + 1];
    if (rule == AN_GCC_TOP)
        return number == at || (number > at + 1 && (number - at) % 2 == 1);
    return rule == AN_GCC_ADD;
}

static void expect_changed(const struct an_gcda *before, const struct an_gcda *after,
                           uint64_t factor)
{
    assert_int_equal(before->counters.count, after->counters.count);
    for (size_t i = 0; i < before->counters.count; i++) {
        const struct an_gcda_counters *counters = &before->counters.items[i];
        const uint64_t *one = before->values.items + counters->first;
        const uint64_t *other = after->values.items + after->counters.items[i].first;
        assert_int_equal(counters->count, after->counters.items[i].count);
        for (size_t k = 0; !counters->are_zero && k < counters->count; k++)
            assert_int_equal(other[k], one[k] * (is_count(before, counters, one, k) ? factor : 1));
    }
}

/* Of all generations of lists: the counts are changed, and neither values nor the summary. */
static void test_what_is_changed(void **context)
{
    static const char *const paths[] = {
        GCC_CORPUS "/gcc-9/values-1.gcda",  GCC_CORPUS "/gcc-10/values-1.gcda",
        GCC_CORPUS "/gcc-11/values-2.gcda", GCC_CORPUS "/gcc-12-s390x/values-1.gcda",
        GCC_CORPUS "/gcc-14/values-3.gcda",
    };
    const struct an_gcc_scale scale = {AN_GCC_BY_FRACTION, 5, 1, 0};
    (void)context;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct an_gcc_input input = {.path = paths[i], .weight = 1};
        struct an_gcda before = read_file(paths[i]), after;
        struct an_gcc_merged *rewritten;
        struct an_error error;
        assert_int_equal(an_gcc_rewrite(&scale, &input, 1, &rewritten, &error), AN_OK);
        struct an_bytes bytes = {rewritten->bytes, rewritten->size};
        assert_int_equal(an_gcda_read(&after, bytes, &error), AN_OK);
        assert_int_equal(after.runs, before.runs);
        assert_int_equal(after.sum_max, before.sum_max);
        expect_changed(&before, &after, 5);
        an_gcda_free(&before);
        an_gcda_free(&after);
        an_gcc_merged_free(rewritten, 1);
    }
}

/* The greatest count of all files becomes what was asked for, not that of each. */
static void test_normalised(void **context)
{
    const struct an_gcc_input inputs[] = {
        {.path = GCC_CORPUS "/gcc-12/values-1.gcda", .weight = 1},
        {.path = "/dev/null", .weight = 1},
        {.path = GCC_CORPUS "/gcc-12/values-2.gcda", .weight = 1}};
    const struct an_gcc_scale scale = {AN_GCC_TO_GREATEST, 123456789, 0, 0};
    struct an_gcc_merged *rewritten;
    struct an_error error;
    uint64_t before[2], after[2];
    (void)context;
    assert_int_equal(an_gcc_rewrite(&scale, inputs, 3, &rewritten, &error), AN_OK);
    for (unsigned i = 0; i < 2; i++) {
        struct an_gcda one = read_file(inputs[2 * i].path), other;
        struct an_bytes bytes = {rewritten[2 * i].bytes, rewritten[2 * i].size};
        assert_int_equal(an_gcda_read(&other, bytes, &error), AN_OK);
        before[i] = an_gcda_greatest(&one);
        after[i] = an_gcda_greatest(&other);
        an_gcda_free(&one);
        an_gcda_free(&other);
    }
    unsigned greater = before[1] > before[0];
    assert_true(before[!greater] < before[greater]);
    assert_int_equal(after[greater], 123456789);
    assert_in_range(after[!greater] * before[greater], (before[!greater] - 1) * after[greater],
                    (before[!greater] + 1) * after[greater]);
    assert_null(rewritten[1].bytes);
    an_gcc_merged_free(rewritten, 3);
}

static void test_refused(void **context)
{
    const struct an_gcc_input inputs[] = {{.path = GCC_CORPUS "/gcc-12/values-1.gcda", .weight = 1},
                                          {.path = GCC_CORPUS "/gcc-12/values.gcno", .weight = 1}};
    const struct an_gcc_scale scale = {AN_GCC_BY_FACTOR, 0, 0, 2};
    struct an_gcc_merged *rewritten;
    struct an_error error;
    (void)context;
    assert_int_equal(an_gcc_rewrite(&scale, inputs, 2, &rewritten, &error), AN_MALFORMED);
    assert_null(rewritten);
    assert_string_equal(error.file, inputs[1].path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fractions),  cmocka_unit_test(test_factors),
        cmocka_unit_test(test_shares),     cmocka_unit_test(test_what_is_changed),
        cmocka_unit_test(test_normalised), cmocka_unit_test(test_refused),
    };
    return RUN_TESTS(tests);
}
