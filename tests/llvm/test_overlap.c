/*
 * lib/llvm/overlap: what can be worked out on paper. That the output for real profiles is that of
 * llvm-profdata is in tests/golden/test_show.sh.
 */
#include <anneal/llvm.h>

#include <math.h>

#include "base/error.h"
#include "support/profiles.h"
#include "support/test.h"

static void assert_close(double value, double expected)
{
    check(fabs(value - expected) < 1e-9, "%.12f, expected %.12f", value, expected);
}

static struct an_llvm_overlap overlap_of(const char *base, const char *test,
                                         struct an_llvm_overlap_options options)
{
    struct memory_file files[2] = {memory_file(base, strlen(base)),
                                   memory_file(test, strlen(test))};
    struct an_llvm_overlap overlap;
    struct an_error error = {0};
    options.size = sizeof options;
    enum an_code code = an_llvm_overlap(files[0].path, files[1].path, &options, &overlap, &error);
    check(code == AN_OK, "%s", error.what);
    memory_file_close(&files[0]);
    memory_file_close(&files[1]);
    return overlap;
}

#define F "f\n1\n3\n60\n30\n10\n"
#define F_TIMES_10 "f\n1\n3\n600\n300\n100\n"
#define F_OTHER_WAY "f\n1\n3\n10\n30\n60\n"
#define G "g\n2\n1\n100\n"

static void the_same_shares_overlap_wholly(void **state)
{
    (void)state;
    struct an_llvm_overlap o = overlap_of(F, F_TIMES_10, (struct an_llvm_overlap_options){0});
    assert_close(o.overlap.counts, 1);
    assert_int_equal(o.overlap.entries, 1);
    assert_close(o.base.counts, 100);
    assert_close(o.test.counts, 1000);
    assert_int_equal(o.mismatch.entries + o.unique.entries, 0);
}

static void the_smaller_share_counts(void **state)
{
    (void)state;
    struct an_llvm_overlap o = overlap_of(F, F_OTHER_WAY, (struct an_llvm_overlap_options){0});
    assert_close(o.overlap.counts, 0.1 + 0.3 + 0.1);
    o = overlap_of(F G, F, (struct an_llvm_overlap_options){0});
    assert_close(o.overlap.counts, 0.5); /* f has half of the base */
}

static void functions_without_counterpart(void **state)
{
    (void)state;
    struct an_llvm_overlap o = overlap_of(F, F G, (struct an_llvm_overlap_options){0});
    assert_close(o.overlap.counts, 0.5);
    assert_int_equal(o.unique.entries, 1);
    assert_close(o.unique.counts, 0.5);
    o = overlap_of(F, "f\n9\n3\n1\n1\n2\n", (struct an_llvm_overlap_options){0}); /* other hash */
    assert_close(o.overlap.counts, 0);
    assert_int_equal(o.mismatch.entries, 1);
    assert_close(o.mismatch.counts, 1);
    o = overlap_of(F, "f\n1\n2\n1\n1\n", (struct an_llvm_overlap_options){0}); /* fewer counters */
    assert_int_equal(o.mismatch.entries, 1);
}

#define SIZES(a, b) ":ir\nf\n1\n1\n10\n1\n1\n1\n2\n8:" a "\n64:" b "\n"

static void values_are_compared_too(void **state)
{
    (void)state;
    struct an_llvm_overlap o =
        overlap_of(SIZES("30", "10"), SIZES("1", "1"), (struct an_llvm_overlap_options){0});
    assert_close(o.base.values[AN_LLVM_MEMOP_SIZE], 40);
    assert_close(o.overlap.values[AN_LLVM_MEMOP_SIZE], 0.5 + 0.25);
    assert_close(o.overlap.counts, 1);
}

/* Bit 60 of the hash marks a record as context-sensitive. */
static void context_sensitive_records_by_themselves(void **state)
{
    (void)state;
    static const char both[] = ":csir\nf\n1\n1\n10\nf\n1152921504606846977\n1\n7\n";
    struct an_llvm_overlap o = overlap_of(both, both, (struct an_llvm_overlap_options){0});
    assert_close(o.base.counts, 10);
    o = overlap_of(both, both, (struct an_llvm_overlap_options){.context_sensitive = true});
    assert_close(o.base.counts, 7);
}

struct seen {
    size_t both, base_only, test_only, changed;
    double base_shares, test_shares;
};

static void see(void *context, const struct an_llvm_overlap_function *function)
{
    struct seen *seen = context;
    seen->both += function->in_base && function->in_test;
    seen->base_only += function->in_base && !function->in_test;
    seen->test_only += !function->in_base && function->in_test;
    seen->changed += function->mismatch;
    seen->base_shares += function->base_share;
    seen->test_shares += function->test_share;
}

static void every_function_is_reported_once(void **state)
{
    (void)state;
    struct seen seen = {0};
    overlap_of(F G "only_base\n1\n1\n5\n",
               F "g\n3\n1\n7\n"
                 "only_test\n1\n1\n9\n",
               (struct an_llvm_overlap_options){.report = see, .context = &seen});
    assert_int_equal(seen.both, 1);
    assert_int_equal(seen.base_only, 1);
    assert_int_equal(seen.test_only, 2); /* g changed: its record is new */
    assert_int_equal(seen.changed, 1);
    assert_close(seen.test_shares, 1);
}

/* A profile with itself: all of it, whatever records it has; llvm-profdata finds more than all of some. */
static void no_share_is_above_one(void **state)
{
    (void)state;
    static const char *const profiles[] = {
        ":csir\nf\n1\n1\n10\nf\n1152921504606846977\n1\n7\n",
        "f\n1\n3\n18446744073709551615\n18446744073709551615\n5\n" G,
        F "f\n1\n3\n6\n3\n100\n" G,
        "f\n1\n1\n5\n1\n1\n1\n2\n7:18446744073709551615\n8:18446744073709551615\n",
    };
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct seen seen = {0};
        struct an_llvm_overlap o = overlap_of(
            profiles[i], profiles[i],
            (struct an_llvm_overlap_options){.report = see, .context = &seen, .one_kind = true});
        assert_close(o.overlap.counts, 1);
        assert_close(seen.base_shares, 1);
        assert_close(seen.test_shares, 1);
        assert_int_equal(seen.both, o.overlap.entries);
        assert_int_equal(seen.both, i == 1 || i == 2 ? 2 : 1);
        assert_close(o.overlap.values[1], i == 3);
    }
}

/* The other kind is no part of the comparison: not as a function that came, nor as one that went. */
static void the_other_kind_is_left_out(void **state)
{
    (void)state;
    static const char plain[] = ":csir\nf\n1\n1\n10\ng\n1\n1\n30\n";
    static const char both[] = ":csir\nf\n1\n1\n5\nf\n1152921504606846977\n1\n7\n"
                               "h\n1152921504606846977\n1\n9\n";
    struct seen seen = {0};
    struct an_llvm_overlap_options options = {.report = see, .context = &seen, .one_kind = true};
    struct an_llvm_overlap o = overlap_of(plain, both, options);
    assert_close(o.test.counts, 5);
    assert_close(o.overlap.counts, 0.25);
    assert_int_equal(seen.both, 1);
    assert_int_equal(seen.base_only, 1);
    assert_int_equal(seen.test_only, 0);
    options.context_sensitive = true;
    seen = (struct seen){0};
    o = overlap_of(both, both, options);
    assert_close(o.base.counts, 16);
    assert_close(o.overlap.counts, 1);
    assert_int_equal(seen.both, 2);
}

/* LLVM up to 17 and later ones name a local function in two ways; it neither came nor went. */
static void names_of_two_releases_are_one_function(void **state)
{
    (void)state;
    static const char old[] = ":ir\na.c:f\n1\n1\n10\ng\n1\n1\n30\n1\n0\n1\n1\na.c:f:10\n";
    static const char new[] = ":ir\na.c;f\n1\n1\n10\ng\n1\n1\n30\n1\n0\n1\n1\na.c;f:10\n";
    static const char both[] = ":ir\na.c:f\n1\n1\n4\na.c;f\n1\n1\n6\n"
                               "g\n1\n1\n30\n1\n0\n1\n2\na.c:f:7\na.c;f:3\n";
    static const char *const profiles[] = {old, new, both};
    for (size_t i = 0; i < 9; i++) {
        struct seen seen = {0};
        struct an_llvm_overlap o = overlap_of(
            profiles[i / 3], profiles[i % 3],
            (struct an_llvm_overlap_options){.report = see, .context = &seen, .one_kind = true});
        assert_close(o.overlap.counts, 1);
        assert_close(o.overlap.values[AN_LLVM_INDIRECT_CALL], 1);
        assert_close(seen.base_shares, 1);
        assert_close(seen.test_shares, 1);
        assert_int_equal(seen.both, 2);
        assert_int_equal(seen.base_only + seen.test_only, 0);
    }
    struct seen seen = {0};
    struct an_llvm_overlap_options as_llvm = {.report = see, .context = &seen};
    assert_close(overlap_of(old, new, as_llvm).overlap.counts, 0.75);
    assert_int_equal(seen.both, 1);
    assert_int_equal(seen.base_only, 1);
    assert_int_equal(seen.test_only, 1);
}

static void nothing_to_compare(void **state)
{
    (void)state;
    struct an_llvm_overlap o = overlap_of("f\n1\n1\n0\n", F, (struct an_llvm_overlap_options){0});
    assert_close(o.base.counts, 0);
    assert_close(o.overlap.counts, 0);
    struct an_error error;
    assert_int_equal(an_llvm_overlap("/no/such/file", "/dev/null", NULL, &o, &error), AN_SYSTEM);
    assert_string_equal(error.file, "/no/such/file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_shares_overlap_wholly),
        cmocka_unit_test(the_smaller_share_counts),
        cmocka_unit_test(functions_without_counterpart),
        cmocka_unit_test(values_are_compared_too),
        cmocka_unit_test(context_sensitive_records_by_themselves),
        cmocka_unit_test(every_function_is_reported_once),
        cmocka_unit_test(no_share_is_above_one),
        cmocka_unit_test(the_other_kind_is_left_out),
        cmocka_unit_test(names_of_two_releases_are_one_function),
        cmocka_unit_test(nothing_to_compare),
    };
    return RUN_TESTS(tests);
}
