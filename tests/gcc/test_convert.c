/*
 * gcda files as those of other releases: there and back they are the same bytes where nothing is lost; what is
 * lost is told; what cannot be is refused.
 */
#include <anneal/gcc.h>

#include "base/file.h"
#include "gcc/gcda.h"
#include "support/test.h"

static struct an_file load(const char *name)
{
    struct an_file file = {.capacity = 0};
    struct an_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", GCC_CORPUS, name);
    check(an_file_load(&file, path, &error) == AN_OK, "%s: %s", path, error.what);
    return file;
}

static struct an_gcc_converted convert(struct an_bytes bytes, unsigned major, unsigned minor,
                                       enum an_gcc_order order)
{
    const struct an_gcc_convert_options options = {
        .size = sizeof options, .major = major, .minor = minor, .order = order};
    struct an_gcc_converted converted;
    struct an_error error;
    check(an_gcc_convert(&options, bytes.data, bytes.size, &converted, &error) == AN_OK,
          "%u.%u: %s", major, minor, error.what);
    return converted;
}

static struct an_bytes bytes_of(const struct an_gcc_converted *converted)
{
    return (struct an_bytes){converted->bytes, converted->size};
}

static void expect_same(const struct an_gcc_converted *converted, struct an_bytes bytes,
                        const char *name)
{
    check(converted->size == bytes.size && memcmp(converted->bytes, bytes.data, bytes.size) == 0,
          "%s: %zu bytes, not these %zu", name, converted->size, bytes.size);
}

struct way {
    const char *name;
    unsigned major, minor; /* there */
    bool is_lossless;
};

static void test_there_and_back(void **context)
{
    static const struct way ways[] = {
        {"gcc-11/values-all.gcda", 13, 2, true},    {"gcc-11/values-all.gcda", 11, 4, true},
        {"gcc-12/values-all.gcda", 15, 1, true},    {"gcc-12-s390x/values-all.gcda", 14, 2, true},
        {"gcc-13/values-all.gcda", 12, 3, true},    {"gcc-14/values-all.gcda", 12, 2, false},
        {"gcc-15/values-all.gcda", 14, 2, false},   {"gcc-9/values-all.gcda", 9, 5, true},
        {"gcc-12/right-a.gcda", 9, 1, false},       {"clang-14/flow-408-all.gcda", 11, 4, true},
        {"clang-19/flow-A93-all.gcda", 4, 8, true},
    };
    (void)context;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct way *way = &ways[i];
        struct an_file file = load(way->name);
        struct an_gcda gcda;
        struct an_error error;
        assert_int_equal(an_gcda_read(&gcda, file.bytes, &error), AN_OK);
        struct an_gcc_converted there =
            convert(file.bytes, way->major, way->minor, AN_GCC_ORDER_KEPT);
        assert_int_equal(there.major, way->major);
        assert_int_equal(there.minor, way->minor);
        struct an_gcc_converted back = convert(bytes_of(&there), gcda.header.version.major,
                                               gcda.header.version.minor, AN_GCC_ORDER_KEPT);
        bool is_same =
            back.size == file.bytes.size && memcmp(back.bytes, file.bytes.data, back.size) == 0;
        bool lacks_checksum = gcda.header.version.has_checksum && way->major < 12;
        check(is_same == way->is_lossless, "%s", way->name);
        check(way->is_lossless == (there.left_out_count == 0 && !lacks_checksum), "%s: %zu",
              way->name, there.left_out_count);
        an_gcda_free(&gcda);
        free(there.bytes);
        free(back.bytes);
        an_file_close(&file);
    }
}

static void test_order(void **context)
{
    (void)context;
    struct an_file big = load("gcc-12-s390x/values-all.gcda");
    struct an_gcc_converted little = convert(big.bytes, 0, 0, AN_GCC_LITTLE_ENDIAN);
    assert_memory_equal(little.bytes, "adcg", 4);
    struct an_gcc_converted same = convert(bytes_of(&little), 0, 0, AN_GCC_LITTLE_ENDIAN);
    expect_same(&same, bytes_of(&little), "little");
    struct an_gcc_converted back = convert(bytes_of(&little), 0, 0, AN_GCC_BIG_ENDIAN);
    expect_same(&back, big.bytes, "big");
    free(little.bytes);
    free(same.bytes);
    free(back.bytes);
    an_file_close(&big);
}

static void test_left_out(void **context)
{
    (void)context;
    struct an_file file = load("gcc-15/values-all.gcda");
    struct an_gcc_converted converted = convert(file.bytes, 13, 1, AN_GCC_ORDER_KEPT);
    assert_int_equal(converted.left_out_count, 2);
    assert_string_equal(converted.left_out[0].kind, "conditions");
    assert_string_equal(converted.left_out[1].kind, "paths");
    assert_true(converted.left_out[1].functions > 0);
    free(converted.bytes);
    an_file_close(&file);
    file = load("gcc-9/values-all.gcda");
    converted = convert(file.bytes, 12, 2, AN_GCC_ORDER_KEPT);
    assert_int_equal(converted.left_out_count, 2);
    assert_string_equal(converted.left_out[0].kind, "single");
    assert_string_equal(converted.left_out[1].kind, "indirect_call");
    assert_int_equal(converted.left_out[0].functions, 1);
    free(converted.bytes);
    an_file_close(&file);
}

/* ---- made by hand ---- */

struct made {
    uint32_t words[160];
    size_t count;
};

static void put(struct made *made, uint32_t word)
{
    assert_true(made->count < sizeof made->words / sizeof *made->words);
    made->words[made->count++] = word;
}

/* A file with one function, whose counters of that kind are these. */
static struct made make(unsigned major, unsigned minor, unsigned kind, const int64_t *values,
                        size_t count)
{
    struct made made = {.count = 0};
    unsigned unit = major < 12 ? 1 : 4;
    put(&made, AN_GCDA_MAGIC);
    put(&made, an_gcc_version_word(major, minor));
    put(&made, 7);
    if (major >= 12)
        put(&made, 0);
    put(&made, AN_GCC_FUNCTION);
    put(&made, 3 * unit);
    for (uint32_t i = 1; i <= 3; i++)
        put(&made, i);
    put(&made, AN_GCC_COUNTERS + (kind << AN_GCC_KIND_SHIFT));
    put(&made, (uint32_t)(2 * count * unit));
    for (size_t i = 0; i < count; i++) {
        put(&made, (uint32_t)values[i]);
        put(&made, (uint32_t)((uint64_t)values[i] >> 32));
    }
    put(&made, 0);
    return made;
}

static struct an_bytes made_bytes(const struct made *made)
{
    return (struct an_bytes){(const uint8_t *)made->words, 4 * made->count};
}

static void expect_becomes(const struct made *from, unsigned major, const struct made *to)
{
    struct an_gcc_converted converted = convert(made_bytes(from), major, 1, AN_GCC_ORDER_KEPT);
    assert_int_equal(converted.left_out_count, 0);
    expect_same(&converted, made_bytes(to), "made by hand");
    free(converted.bytes);
}

/* Lists and four values: an empty one, one of fewer, one of more, of which the most frequent stay. */
static void test_lists(void **context)
{
    enum { TOPN = 3 };
    static const int64_t lists[] = {0, 0, 9, 2, 5, 4, 6, 5, 30, 6, 1,
                                    4, 2, 7, 3, 4, 4, 9, 5, 3,  6, 8};
    static const int64_t fours[] = {0, 0, 0, 0, 0,   0, 0, 0, 0, 9, 6, 5, 5, 4,
                                    0, 0, 0, 0, -30, 4, 9, 6, 8, 2, 7, 1, 4};
    static const int64_t back[] = {0, 0, 9, 2, 6, 5, 5, 4, -30, 4, 4, 9, 6, 8, 2, 7, 1, 4};
    (void)context;
    struct made of_lists = make(12, 1, TOPN, lists, sizeof lists / sizeof *lists);
    struct made of_fours = make(10, 1, TOPN, fours, sizeof fours / sizeof *fours);
    struct made of_back = make(12, 1, TOPN, back, sizeof back / sizeof *back);
    expect_becomes(&of_lists, 10, &of_fours);
    expect_becomes(&of_fours, 12, &of_back);
}

/* Zeros take room in older files only; a file cannot claim memory by them. */
static void test_zeros(void **context)
{
    static const int64_t zeros[] = {0, 0, 0};
    (void)context;
    struct made old = make(10, 1, 0, zeros, 3), new = make(12, 1, 0, zeros, 0);
    new.words[new.count - 2] = (uint32_t)-24;
    expect_becomes(&old, 12, &new);
    expect_becomes(&new, 10, &old);
    new.words[new.count - 2] = (uint32_t)-0x7ffffff8;
    for (unsigned major = 10; major < 14; major += 3) {
        const struct an_gcc_convert_options options = {
            .size = sizeof options, .major = major, .minor = 1};
        struct an_gcc_converted converted;
        struct an_error error;
        struct an_bytes bytes = made_bytes(&new);
        assert_int_equal(an_gcc_convert(&options, bytes.data, bytes.size, &converted, &error),
                         AN_UNSUPPORTED);
        check(strstr(error.what, "more counters of 0"), "%s", error.what);
        assert_null(converted.bytes);
    }
}

/* A program's summary of GCC 8 is one of the object later, and never the other way round. */
static void test_programs(void **context)
{
    static const uint32_t program[] = {AN_GCC_PROGRAM, 17, 11, 3, 5, 40, 0, 9, 0, 30, 0};
    struct made old = {.count = 0}, new = {.count = 0};
    (void)context;
    put(&old, AN_GCDA_MAGIC);
    put(&old, an_gcc_version_word(8, 3));
    put(&old, 7);
    for (size_t i = 0; i < sizeof program / sizeof *program; i++)
        put(&old, program[i]);
    for (unsigned i = 0; i < 8; i++)
        put(&old, 0); /* no bucket */
    put(&old, 0);
    put(&new, AN_GCDA_MAGIC);
    put(&new, an_gcc_version_word(9, 1));
    put(&new, 7);
    put(&new, AN_GCC_SUMMARY);
    put(&new, 2);
    put(&new, 5);
    put(&new, 30);
    put(&new, 0);
    expect_becomes(&old, 9, &new);
}

static void expect_refused(const char *name, unsigned major, unsigned minor, const char *why)
{
    const struct an_gcc_convert_options options = {
        .size = sizeof options, .major = major, .minor = minor};
    struct an_file file = load(name);
    struct an_gcc_converted converted;
    struct an_error error;
    check(an_gcc_convert(&options, file.bytes.data, file.bytes.size, &converted, &error) ==
              AN_UNSUPPORTED,
          "%s", name);
    check(strstr(error.what, why), "'%s' in: %s", why, error.what);
    assert_null(converted.bytes);
    an_file_close(&file);
}

static void test_refused(void **context)
{
    (void)context;
    expect_refused("gcc-12/values-all.gcda", 8, 3, "requires program summaries");
    expect_refused("gcc-12/values-all.gcda", 4, 6, "from 4.7 to 16");
    expect_refused("gcc-12/values-all.gcda", 17, 1, "from 4.7 to 16");
    expect_refused("clang-19/flow-A93-all.gcda", 12, 2, "clang wrote it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_order),
        cmocka_unit_test(test_left_out),       cmocka_unit_test(test_lists),
        cmocka_unit_test(test_zeros),          cmocka_unit_test(test_programs),
        cmocka_unit_test(test_refused),
    };
    return RUN_TESTS(tests);
}
