/*
 * Counter files of GCC 4.7 to 8, which no compiler at hand writes any more: made by hand to the layout that
 * lib/gcc draws, they come back byte for byte, and merge by the rules of libgcov of that time.
 */
#include "support/gcda_add.h"

#include "support/test.h"

enum { GCC_4_7 = 0x3430372a, GCC_4_8 = 0x3430382a, GCC_5_4 = 0x4135342a, GCC_8_3 = 0x4138332a };

struct made {
    uint32_t words[160];
    size_t count;
};

static void put(struct made *made, uint32_t word)
{
    assert_true(made->count < sizeof made->words / sizeof *made->words);
    made->words[made->count++] = word;
}

static void put_wide(struct made *made, uint64_t value)
{
    put(made, (uint32_t)value);
    put(made, (uint32_t)(value >> 32));
}

static struct made begin(uint32_t version)
{
    struct made made = {.count = 0};
    put(&made, 0x67636461);
    put(&made, version);
    put(&made, 7); /* stamp */
    return made;
}

struct bucket {
    unsigned number;
    uint32_t counters;
    uint64_t least, sum;
};

/* A program's summary; `count` of 0 is one without a histogram. */
static void put_program(struct made *made, uint32_t checksum, uint64_t sum, uint64_t greatest,
                        const struct bucket *buckets, unsigned count)
{
    uint32_t map[8] = {0};
    put(made, 0xa3000000);
    put(made, count ? 9 + 8 + 5 * count : 9);
    put(made, checksum);
    put(made, 3); /* counters */
    put(made, 1); /* runs */
    put_wide(made, sum);
    put_wide(made, greatest);
    put_wide(made, greatest);
    for (unsigned i = 0; i < count; i++)
        map[buckets[i].number / 32] |= 1u << buckets[i].number % 32;
    for (unsigned i = 0; count && i < 8; i++)
        put(made, map[i]);
    for (unsigned i = 0; i < count; i++) {
        put(made, buckets[i].counters);
        put_wide(made, buckets[i].least);
        put_wide(made, buckets[i].sum);
    }
}

static void put_function(struct made *made)
{
    put(made, 0x01000000);
    put(made, 3);
    put(made, 1);
    put(made, 2);
    put(made, 3);
}

static void put_counters(struct made *made, unsigned kind, const uint64_t *values, unsigned count)
{
    put(made, 0x01a10000 + (kind << 17));
    put(made, 2 * count);
    for (unsigned i = 0; i < count; i++)
        put_wide(made, values[i]);
}

static struct an_bytes bytes_of(const struct made *made)
{
    return (struct an_bytes){(const uint8_t *)made->words, 4 * made->count};
}

static struct an_gcda take(const struct made *made)
{
    struct an_gcda gcda;
    struct an_error error;
    check(an_gcda_read(&gcda, bytes_of(made), &error) == AN_OK, "%s", error.what);
    return gcda;
}

static void expect_bytes(const struct an_gcda *gcda, const struct made *made)
{
    struct an_buffer buffer = {0};
    an_gcda_write(gcda, &buffer);
    assert_int_equal(buffer.size, 4 * made->count);
    for (size_t i = 0; i < made->count; i++)
        check(an_load32(buffer.data + 4 * i) == made->words[i], "word %zu: %#x, not %#x", i,
              an_load32(buffer.data + 4 * i), made->words[i]);
    an_buffer_free(&buffer);
}

static void expect_sum(const struct made *one, const struct made *later, enum an_gcda_order order,
                       const struct made *sum)
{
    struct an_gcda into = take(one);
    struct an_gcda_added added;
    struct an_error error;
    expect_bytes(&into, one);
    check(gcda_add(&into, bytes_of(later), order, &added, &error) == AN_OK, "%s", error.what);
    expect_bytes(&into, sum);
    an_gcda_free(&into);
}

static void expect_refused(const struct made *made, enum an_code code, const char *what)
{
    struct an_gcda gcda;
    struct an_error error;
    assert_int_equal(an_gcda_read(&gcda, bytes_of(made), &error), code);
    check(strstr(error.what, what), "'%s' in: %s", what, error.what);
}

static void test_versions(void **context)
{
    static const struct {
        uint32_t word;
        unsigned major, minor, kinds;
        const char *fifth;
        bool programs, histogram, zeros, checksum;
    } versions[] = {
        {GCC_4_7, 4, 7, 8, "delta", true, false, false, false},
        {GCC_4_8, 4, 8, 8, "delta", true, true, false, false},
        {0x3430392a, 4, 9, 9, "delta", true, true, false, false},
        {GCC_5_4, 5, 4, 10, "delta", true, true, false, false},
        {0x4137352a, 7, 5, 9, "indirect_call", true, true, false, false},
        {GCC_8_3, 8, 3, 9, "indirect_call", true, true, false, false},
        {0x4139332a, 9, 3, 9, "indirect_call", false, false, false, false},
        {0x4230322a, 10, 2, 8, "indirect_call", false, false, false, false},
        {0x4231342a, 11, 4, 8, "indirect_call", false, false, true, false},
        {0x4232322a, 12, 2, 8, "indirect_call", false, false, true, true},
        {0x4234322a, 14, 2, 9, "indirect_call", false, false, true, true},
        {0x4235312a, 15, 1, 10, "indirect_call", false, false, true, true},
    };
    (void)context;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct an_gcc_version version;
        struct an_error error;
        assert_int_equal(an_gcc_version_of(versions[i].word, &version, &error), AN_OK);
        assert_int_equal(version.major, versions[i].major);
        assert_int_equal(version.minor, versions[i].minor);
        assert_int_equal(version.kind_count, versions[i].kinds);
        assert_string_equal(version.kinds[4].name, versions[i].fifth);
        assert_int_equal(version.has_programs, versions[i].programs);
        assert_int_equal(version.has_histogram, versions[i].histogram);
        assert_int_equal(version.has_zeros, versions[i].zeros);
        assert_int_equal(version.has_checksum, versions[i].checksum);
        assert_int_equal(version.unit, versions[i].checksum ? 1 : 4);
    }
}

/* Two runs of one program, and one of another that has the object, too. */
static void test_programs(void **context)
{
    struct made one = begin(GCC_4_7), two = one, other = one, same = one, both = one;
    (void)context;
    put_program(&one, 11, 9, 5, NULL, 0);
    put(&one, 0);
    put_program(&two, 11, 30, 20, NULL, 0);
    put(&two, 0);
    put_program(&other, 12, 1, 1, NULL, 0);
    put(&other, 0);
    put_program(&same, 11, 39, 20, NULL, 0);
    same.words[7] = 2;   /* runs */
    same.words[12] = 25; /* the greatest of each, added up */
    put(&same, 0);
    expect_sum(&one, &two, AN_GCDA_LATER_FIRST, &same);
    put_program(&both, 11, 9, 5, NULL, 0);
    put_program(&both, 12, 1, 1, NULL, 0);
    put(&both, 0);
    expect_sum(&one, &other, AN_GCDA_LATER_FIRST, &both);
}

/* The counters of one bucket are taken to have the same part of its sum each. */
static void test_histograms(void **context)
{
    static const struct bucket ones[] = {{0, 1, 0, 0}, {4, 2, 4, 9}};
    static const struct bucket twos[] = {{0, 1, 0, 0}, {1, 1, 1, 1}, {8, 1, 8, 8}};
    static const struct bucket sums[] = {{0, 1, 0, 0}, {5, 1, 5, 6}, {10, 1, 12, 12}};
    static const struct bucket fewer[] = {{8, 1, 8, 8}};
    static const struct bucket left[] = {{0, 1, 0, 0}, {4, 1, 4, 5}, {10, 1, 12, 12}};
    static const struct bucket swept[] = {{10, 1, 12, 17}};
    struct made one = begin(GCC_8_3), two = one, few = one, sum = one;
    (void)context;
    put_program(&one, 11, 9, 5, ones, 2);
    put(&one, 0);
    put_program(&two, 11, 9, 8, twos, 3);
    put(&two, 0);
    put_program(&few, 11, 8, 8, fewer, 1);
    put(&few, 0);
    put_program(&sum, 11, 18, 8, sums, 3);
    sum.words[7] = 2;
    sum.words[12] = 13;
    put(&sum, 0);
    expect_sum(&one, &two, AN_GCDA_LATER_FIRST, &sum);
    sum = begin(GCC_8_3);
    put_program(&sum, 11, 17, 8, left, 3);
    sum.words[7] = 2;
    sum.words[12] = 13;
    put(&sum, 0);
    expect_sum(&one, &few, AN_GCDA_LATER_FIRST, &sum);
    sum = begin(GCC_8_3);
    put_program(&sum, 11, 17, 8, swept, 1); /* what finds no counter goes to the last bucket */
    sum.words[7] = 2;
    sum.words[12] = 13;
    put(&sum, 0);
    expect_sum(&few, &one, AN_GCDA_LATER_FIRST, &sum);
}

static void expect_merged_counters(uint32_t version, unsigned kind, const uint64_t *one,
                                   const uint64_t *two, const uint64_t *sum, unsigned count,
                                   enum an_gcda_order order)
{
    struct made a = begin(version), b = a, both = a;
    put_function(&a);
    put_counters(&a, kind, one, count);
    put(&a, 0);
    put_function(&b);
    put_counters(&b, kind, two, count);
    put(&b, 0);
    put_function(&both);
    put_counters(&both, kind, sum, count);
    put(&both, 0);
    expect_sum(&a, &b, order, &both);
}

/* value, lead, total: the same value; another that leads by more; by less; by as much. */
static void test_single(void **context)
{
    static const uint64_t one[] = {5, 10, 10, 5, 10, 12, 5, 10, 12, 5, 4, 4};
    static const uint64_t two[] = {5, 3, 3, 6, 30, 30, 6, 3, 4, 6, 4, 4};
    static const uint64_t sum[] = {5, 13, 13, 6, 20, 42, 5, 7, 16, 5, 0, 8};
    static const uint64_t later[] = {5, 13, 13, 6, 20, 42, 5, 7, 16, 6, 0, 8};
    (void)context;
    expect_merged_counters(GCC_4_7, 3, one, two, sum, 12, AN_GCDA_EARLIER_FIRST);
    expect_merged_counters(GCC_8_3, 4, one, two, later, 12, AN_GCDA_LATER_FIRST);
}

/* last value, difference, lead, total: the last value is the last run's. */
static void test_delta(void **context)
{
    static const uint64_t one[] = {100, 5, 10, 10, 100, 5, 10, 12};
    static const uint64_t two[] = {200, 5, 3, 3, 200, 6, 30, 30};
    static const uint64_t sum[] = {200, 5, 13, 13, 200, 6, 20, 42};
    (void)context;
    expect_merged_counters(GCC_5_4, 4, one, two, sum, 8, AN_GCDA_LATER_FIRST);
}

/* evictions, then pairs of target and count, the most frequent first. */
static void test_calls(void **context)
{
    static const uint64_t one[] = {1, 10, 50, 20, 40, 30, 5, 0, 0};
    static const uint64_t two[] = {2, 20, 30, 40, 7, 50, 6, 60, 1};
    static const uint64_t sum[] = {2, 20, 70, 10, 50, 40, 7, 50, 6};
    (void)context;
    expect_merged_counters(GCC_5_4, 9, one, two, sum, 9, AN_GCDA_LATER_FIRST);
    expect_merged_counters(GCC_8_3, 8, one, two, sum, 9, AN_GCDA_LATER_FIRST);
}

/* GCC 10: total, then pairs; a value that has to go makes the total negative. */
static void test_four(void **context)
{
    static const uint64_t one[] = {10, 1, 4, 2, 3, 3, 2, 4, 1}, two[] = {5, 1, 1, 9, 4, 0, 0, 0, 0};
    static const uint64_t sum[] = {(uint64_t)-15, 1, 5, 2, 3, 3, 2, 9, 4};
    static const uint64_t less[] = {1, 9, 1, 0, 0, 0, 0, 0, 0};
    static const uint64_t spent[] = {(uint64_t)-11, 1, 4, 2, 3, 3, 2, 4, 0};
    (void)context;
    expect_merged_counters(0x4230322a, 3, one, two, sum, 9, AN_GCDA_EARLIER_FIRST);
    expect_merged_counters(0x4230322a, 3, one, less, spent, 9, AN_GCDA_EARLIER_FIRST);
}

static void test_weights(void **context)
{
    static const uint64_t single[] = {5, 10, 12}, delta[] = {7, 5, 10, 12};
    static const uint64_t calls[] = {1, 10, 50, 20, 40, 30, 5, 0, 0};
    static const uint64_t single_3[] = {5, 30, 36}, delta_3[] = {7, 5, 30, 36};
    static const uint64_t calls_3[] = {3, 10, 150, 20, 120, 30, 15, 0, 0};
    static const struct bucket one[] = {{0, 2, 0, 0}, {4, 1, 4, 4}};
    static const struct bucket three[] = {{0, 2, 0, 0}, {10, 1, 12, 12}};
    struct made before = begin(GCC_5_4), after = before;
    (void)context;
    put_program(&before, 11, 4, 4, one, 2);
    put_function(&before);
    put_counters(&before, 3, single, 3);
    put_counters(&before, 4, delta, 4);
    put_counters(&before, 9, calls, 9);
    put(&before, 0);
    put_program(&after, 11, 12, 4, three, 2);
    after.words[7] = 3;
    after.words[12] = 12;
    put_function(&after);
    put_counters(&after, 3, single_3, 3);
    put_counters(&after, 4, delta_3, 4);
    put_counters(&after, 9, calls_3, 9);
    put(&after, 0);
    struct an_gcda gcda = take(&before);
    an_gcda_scale(&gcda, 3);
    expect_bytes(&gcda, &after);
    an_gcda_free(&gcda);
}

/* Kernels and boards write files without a summary. */
static void test_no_summary(void **context)
{
    static const uint64_t one[] = {1, 2}, two[] = {10, 20}, sum[] = {11, 22};
    (void)context;
    expect_merged_counters(GCC_8_3, 0, one, two, sum, 2, AN_GCDA_LATER_FIRST);
    expect_merged_counters(0x4139332a, 0, one, two, sum, 2, AN_GCDA_LATER_FIRST);
}

static void test_refused(void **context)
{
    static const struct bucket buckets[] = {{0, 2, 0, 0}, {4, 1, 4, 4}};
    static const uint64_t values[] = {1, 2, 3, 4};
    struct made good = begin(GCC_4_8), bad;
    (void)context;
    put_program(&good, 11, 4, 4, buckets, 2);
    put_function(&good);
    put(&good, 0);
    bad = good;
    bad.words[14] |= 2; /* a bucket more */
    expect_refused(&bad, AN_MALFORMED, "shorter than its length");
    bad = good;
    bad.words[21] |= 0xf0000000; /* beyond the last bucket */
    expect_refused(&bad, AN_MALFORMED, "shorter than its length");
    bad = good;
    bad.words[4] = 0x40000000;
    expect_refused(&bad, AN_TRUNCATED, "a summary");
    bad = good;
    bad.words[3] = 0xa1000000; /* the object's, which came later */
    expect_refused(&bad, AN_MALFORMED, "unknown kind");
    bad = begin(GCC_8_3);
    put_function(&bad);
    put_counters(&bad, 3, values, 4); /* not a multiple of three */
    expect_refused(&bad, AN_MALFORMED, "lists of values shorter");
    bad = begin(GCC_8_3);
    put_function(&bad);
    put(&bad, 0x01a10000);
    put(&bad, (uint32_t)-4); /* zeros came later */
    expect_refused(&bad, AN_MALFORMED, "counters whose length");
    bad = begin(0x3430362a);
    expect_refused(&bad, AN_UNSUPPORTED, "GCC 4.6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),   cmocka_unit_test(test_programs),
        cmocka_unit_test(test_histograms), cmocka_unit_test(test_single),
        cmocka_unit_test(test_delta),      cmocka_unit_test(test_calls),
        cmocka_unit_test(test_four),       cmocka_unit_test(test_weights),
        cmocka_unit_test(test_no_summary), cmocka_unit_test(test_refused),
    };
    return RUN_TESTS(tests);
}
