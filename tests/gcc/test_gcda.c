/*
 * gcda files: those of compilers are read and come back byte for byte; merging makes what libgcov and
 * gcov-tool make (tests/data/gcc); and what no compiler would write is refused.
 */
#include "support/gcda_add.h"

#include <anneal/gcc.h>

#include "base/file.h"
#include "gcc/places.h"
#include "gcc/top.h"
#include "support/test.h"

static const char *const corpora[] = {"gcc-9",  "gcc-10", "gcc-11", "gcc-12", "gcc-12-s390x",
                                      "gcc-13", "gcc-14", "gcc-15", "gcc-16"};
enum { CORPORA = sizeof corpora / sizeof *corpora };

static struct an_file load(const char *corpus, const char *name)
{
    struct an_file file = {.capacity = 0};
    struct an_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", GCC_CORPUS, corpus, name);
    check(an_file_load(&file, path, &error) == AN_OK, "%s: %s", path, error.what);
    return file;
}

static struct an_gcda read_good(const char *corpus, const char *name)
{
    struct an_file file = load(corpus, name);
    struct an_gcda gcda;
    struct an_error error;
    check(an_gcda_read(&gcda, file.bytes, &error) == AN_OK, "%s/%s: %s", corpus, name, error.what);
    an_file_close(&file);
    return gcda;
}

static void expect_written(const struct an_gcda *gcda, const char *corpus, const char *name)
{
    struct an_file file = load(corpus, name);
    struct an_buffer buffer = {0};
    an_gcda_write(gcda, &buffer);
    check(buffer.size == file.bytes.size && memcmp(buffer.data, file.bytes.data, buffer.size) == 0,
          "%s/%s: %zu bytes, not these %zu", corpus, name, buffer.size, file.bytes.size);
    an_buffer_free(&buffer);
    an_file_close(&file);
}

static void test_same_bytes(void **context)
{
    static const char *const names[] = {"values-1.gcda",    "values-2.gcda", "values-3.gcda",
                                        "values-all.gcda",  "right-a.gcda",  "right-b.gcda",
                                        "values-tool.gcda", "right-all.gcda"};
    (void)context;
    for (unsigned i = 0; i < CORPORA; i++)
        for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
            struct an_gcda gcda = read_good(corpora[i], names[k]);
            expect_written(&gcda, corpora[i], names[k]);
            an_gcda_free(&gcda);
        }
}

/* Merges `count` files and compares the result with another one. */
static void expect_merged(const char *corpus, const char *const *names, unsigned count,
                          enum an_gcda_order order, const char *result)
{
    struct an_gcda into = read_good(corpus, names[0]);
    struct an_error error;
    for (unsigned i = 1; i < count; i++) {
        struct an_file later = load(corpus, names[i]);
        struct an_gcda_added added;
        check(gcda_add(&into, later.bytes, order, &added, &error) == AN_OK, "%s/%s: %s", corpus,
              names[i], error.what);
        struct an_gcda alone = read_good(corpus, names[i]);
        assert_int_equal(added.total, an_gcda_total(&alone));
        an_gcda_free(&alone);
        an_file_close(&later);
    }
    if (order == AN_GCDA_EARLIER_FIRST)
        into.header.big = false; /* gcov-tool writes in the byte order of its own machine */
    if (order == AN_GCDA_EARLIER_FIRST && into.header.version.major == 9)
        into.runs = 1; /* that one forgot to count */
    expect_written(&into, corpus, result);
    an_gcda_free(&into);
}

static void test_as_libgcov(void **context)
{
    static const char *const runs[] = {"values-1.gcda", "values-2.gcda", "values-3.gcda"};
    static const char *const programs[] = {"right-a.gcda", "right-b.gcda"};
    (void)context;
    for (unsigned i = 0; i < CORPORA; i++) {
        expect_merged(corpora[i], runs, 3, AN_GCDA_LATER_FIRST, "values-all.gcda");
        expect_merged(corpora[i], programs, 2, AN_GCDA_LATER_FIRST, "right-all.gcda");
    }
}

/* But for gcov-tool 10, which loses values that the first run did not have (docs/formats/gcc.md). */
static void test_as_gcov_tool(void **context)
{
    static const char *const runs[] = {"values-1.gcda", "values-2.gcda"};
    (void)context;
    for (unsigned i = 0; i < CORPORA; i++)
        if (strcmp(corpora[i], "gcc-10") != 0)
            expect_merged(corpora[i], runs, 2, AN_GCDA_EARLIER_FIRST, "values-tool.gcda");
}

/* clang writes the layout of GCC 4.8, or of a later one; its summary stands last. */
static void test_as_clang(void **context)
{
    static const char *const folders[] = {"clang-14", "clang-19"};
    static const char *const versions[] = {"408", "A93"};
    char paths[3][32];
    const char *names[] = {paths[0], paths[1], paths[2]};
    (void)context;
    for (unsigned i = 0; i < 4; i++) {
        const char *folder = folders[i % 2], *version = versions[i / 2];
        snprintf(paths[0], sizeof paths[0], "flow-%s-1.gcda", version);
        snprintf(paths[1], sizeof paths[1], "flow-%s-2.gcda", version);
        snprintf(paths[2], sizeof paths[2], "flow-%s-all.gcda", version);
        for (unsigned k = 0; k < 3; k++) {
            struct an_gcda gcda = read_good(folder, names[k]);
            assert_int_equal(gcda.runs, k == 2 ? 2 : 1);
            expect_written(&gcda, folder, names[k]);
            an_gcda_free(&gcda);
        }
        expect_merged(folder, names, 2, AN_GCDA_LATER_FIRST, names[2]);
    }
}

/* All at once, and the order of lists as it was asked for. */
static void test_whole_merge(void **context)
{
    static const char *const results[] = {"values-all.gcda", "values-tool.gcda"};
    (void)context;
    for (unsigned as_tool = 0; as_tool < 2; as_tool++) {
        const struct an_gcc_merge_options options = {.size = sizeof options,
                                                     .as_gcov_tool = as_tool};
        struct an_gcc_input inputs[] = {{.path = GCC_CORPUS "/gcc-12/values-1.gcda", .weight = 1},
                                        {.path = GCC_CORPUS "/gcc-12/values-2.gcda", .weight = 1},
                                        {.path = GCC_CORPUS "/gcc-12/values-3.gcda", .weight = 1}};
        struct an_gcc_merged *merged;
        struct an_ledger *ledger;
        struct an_error error;
        size_t count = as_tool ? 2 : 3;
        assert_int_equal(an_gcc_merge(&options, inputs, count, 1, &merged, &ledger, &error), AN_OK);
        assert_int_equal(merged->inputs, count);
        struct an_file file = load("gcc-12", results[as_tool]);
        assert_int_equal(merged->size, file.bytes.size);
        assert_memory_equal(merged->bytes, file.bytes.data, file.bytes.size);
        an_file_close(&file);
        an_gcc_merged_free(merged, 1);
        an_ledger_free(ledger);
    }
}

/* Several threads at one module keep the order of its inputs, also those that are damaged or missing. */
static void test_threads(void **context)
{
    enum { INPUTS = 60 };
    static const char *const paths[] = {
        GCC_CORPUS "/gcc-12/values-1.gcda", GCC_CORPUS "/gcc-12/values-2.gcda",
        GCC_CORPUS "/gcc-12/values-3.gcda", GCC_CORPUS "/gcc-12/right-a.gcda",
        GCC_CORPUS "/gcc-12/values.gcno",   GCC_CORPUS "/gcc-12/nowhere.gcda",
    };
    struct an_gcc_input inputs[INPUTS];
    struct an_gcc_merged *alone = NULL;
    (void)context;
    for (size_t i = 0; i < INPUTS; i++)
        inputs[i] = (struct an_gcc_input){.path = paths[i < 3 ? 5 - i : i * i % 7 % 6],
                                          .weight = 1 + i % 5 / 4};
    for (unsigned threads = 1; threads < 9; threads++) {
        struct an_gcc_merge_options options = {
            .size = sizeof options, .threads = threads, .failure_mode = AN_FAIL_WARN};
        struct an_gcc_merged *merged;
        struct an_ledger *ledger;
        struct an_error error;
        assert_int_equal(an_gcc_merge(&options, inputs, INPUTS, 1, &merged, &ledger, &error),
                         AN_OK);
        assert_int_equal(merged->inputs, ledger->used);
        assert_true(ledger->used > 0 && ledger->rejected > 2);
        an_ledger_free(ledger);
        if (!alone) {
            alone = merged;
            continue;
        }
        assert_int_equal(merged->size, alone->size);
        assert_memory_equal(merged->bytes, alone->bytes, alone->size);
        an_gcc_merged_free(merged, 1);
    }
    an_gcc_merged_free(alone, 1);
}

/* ---- made by hand ---- */

struct made {
    uint32_t words[64];
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
    put(&made, 0xa1000000);
    put(&made, 8);
    put(&made, 1);
    put(&made, 5);
    return made;
}

static void put_function(struct made *made, uint32_t ident, uint32_t flow)
{
    put(made, 0x01000000);
    put(made, 12);
    put(made, ident);
    put(made, 0x11111111);
    put(made, flow);
}

static void put_arcs(struct made *made, uint32_t first, uint32_t second)
{
    put(made, 0x01a10000);
    put(made, 16);
    put(made, first);
    put(made, 0);
    put(made, second);
    put(made, 0);
}

static struct an_bytes bytes_of(const struct made *made)
{
    return (struct an_bytes){(const uint8_t *)made->words, 4 * made->count};
}

static enum an_code read_made(const struct made *made, struct an_gcda *gcda, struct an_error *error)
{
    return an_gcda_read(gcda, bytes_of(made), error);
}

static struct an_gcda take(const struct made *made)
{
    struct an_gcda gcda;
    struct an_error error;
    check(read_made(made, &gcda, &error) == AN_OK, "%s", error.what);
    return gcda;
}

/* Functions that one of the programs does not have come from the other. */
static void test_absent_functions(void **context)
{
    struct made one = begin(), other = begin();
    struct an_error error;
    (void)context;
    put_function(&one, 1, 2);
    put_arcs(&one, 3, 4);
    put(&one, 0x01000000);
    put(&one, 0);
    put(&one, 0);
    put(&other, 0x01000000);
    put(&other, 0);
    put_function(&other, 5, 6);
    put_arcs(&other, 0, 9);
    put(&other, 0);
    struct an_gcda into = take(&one);
    struct an_gcda_added added;
    assert_int_equal(gcda_add(&into, bytes_of(&other), AN_GCDA_LATER_FIRST, &added, &error), AN_OK);
    assert_int_equal(added.total, 9);
    assert_int_equal(added.functions, 1);
    assert_int_equal(into.runs, 2);
    assert_int_equal(into.sum_max, 10);
    for (unsigned i = 0; i < 2; i++) {
        const struct an_gcda_function *function = &into.functions.items[i];
        const uint64_t *values = into.values.items + into.counters.items[function->first].first;
        assert_true(function->is_present);
        assert_int_equal(function->ident, i ? 5 : 1);
        assert_int_equal(values[0], i ? 0 : 3);
        assert_int_equal(values[1], i ? 9 : 4);
    }
    an_gcda_free(&into);
}

/* A record of zeros says how many there are and takes no room: it must not claim memory either. */
static void test_zeros(void **context)
{
    struct made made = begin();
    struct an_error error;
    (void)context;
    put_function(&made, 1, 2);
    put(&made, 0x01a10000);
    put(&made, (uint32_t)-0x7ffffff8);
    put(&made, 0);
    struct an_gcda one = take(&made);
    struct an_gcda_added added;
    assert_int_equal(one.values.count, 0);
    assert_int_equal(gcda_add(&one, bytes_of(&made), AN_GCDA_LATER_FIRST, &added, &error), AN_OK);
    struct an_buffer buffer = {0};
    made.words[6] = 2; /* runs */
    made.words[7] = 10;
    an_gcda_write(&one, &buffer);
    assert_int_equal(buffer.size, 4 * made.count);
    assert_memory_equal(buffer.data, made.words, buffer.size);
    an_buffer_free(&buffer);
    an_gcda_free(&one);
}

static void expect_mismatch(const struct made *one, const struct made *other, const char *what)
{
    struct an_gcda into = take(one);
    struct an_gcda_added added;
    struct an_error error;
    assert_int_equal(gcda_add(&into, bytes_of(other), AN_GCDA_LATER_FIRST, &added, &error),
                     AN_MISMATCH);
    check(strstr(error.what, what), "'%s' in: %s", what, error.what);
    assert_int_equal(into.runs, 1);
    an_gcda_free(&into);
}

static void test_mismatches(void **context)
{
    struct made one = begin(), other;
    (void)context;
    put_function(&one, 1, 2);
    put_arcs(&one, 3, 4);
    other = one;
    other.words[12] = 3;
    expect_mismatch(&one, &other,
                    "coverage mismatch: the checksum of the control flow of function 0 (ident 1) "
                    "is 0x00000003, and 0x00000002");
    other = one;
    other.words[11] = 3;
    expect_mismatch(&one, &other, "checksum of the lines");
    other = one;
    other.words[10] = 9;
    expect_mismatch(&one, &other, "another number");
    other = one;
    other.words[2] = 9;
    expect_mismatch(&one, &other, "stamp is 0x00000009");
    other = one;
    other.words[1] = 0x4234322a;
    expect_mismatch(&one, &other, "GCC 14.2");
    other = one;
    put_function(&other, 4, 4);
    expect_mismatch(&one, &other, "2 functions");
    other = one;
    other.words[13] = 0x01a30000;
    expect_mismatch(&one, &other, "other counters");
    other = one;
    other.count -= 6; /* the record of counters */
    expect_mismatch(&one, &other, "other kinds of counters");
}

static void expect_refused(const struct made *made, enum an_code code, const char *what)
{
    struct an_gcda gcda;
    struct an_error error;
    assert_int_equal(read_made(made, &gcda, &error), code);
    check(strstr(error.what, what), "'%s' in: %s", what, error.what);
}

static void test_refused(void **context)
{
    struct made good = begin(), bad;
    (void)context;
    put_function(&good, 1, 2);
    put_arcs(&good, 3, 4);
    bad = good;
    bad.words[0] = 0x67636e6f;
    expect_refused(&bad, AN_MALFORMED, "not a gcda file");
    bad = good;
    bad.words[1] = 0x3430362a;
    expect_refused(&bad, AN_UNSUPPORTED, "GCC 4.6");
    bad.words[1] = 0x12345678;
    expect_refused(&bad, AN_UNSUPPORTED, "not a version of GCC");
    bad = good;
    bad.words[5] = 4;
    expect_refused(&bad, AN_MALFORMED, "a summary whose length");
    bad = good;
    bad.words[9] = 8;
    expect_refused(&bad, AN_MALFORMED, "a function whose length");
    bad = good;
    bad.words[14] = 12;
    expect_refused(&bad, AN_MALFORMED, "counters whose length");
    bad = good;
    bad.words[13] = 0x01b30000; /* kind 9 */
    expect_refused(&bad, AN_MALFORMED, "unknown kind");
    bad = good;
    bad.words[14] = 0x7ffffff8;
    expect_refused(&bad, AN_TRUNCATED, "counters");
    bad = good;
    bad.words[13] = 0x01a70000; /* lists: one of three pairs where there is room for none */
    expect_refused(&bad, AN_MALFORMED, "lists of values");
    bad = good;
    put_arcs(&bad, 1, 1);
    expect_refused(&bad, AN_MALFORMED, "out of order");
    bad = begin();
    put_arcs(&bad, 1, 1);
    expect_refused(&bad, AN_MALFORMED, "without a function");
}

/* Wherever a file ends, it is refused, or it ends between records. */
static void test_torn(void **context)
{
    struct made good = begin();
    (void)context;
    put_function(&good, 1, 2);
    put_arcs(&good, 3, 4);
    for (size_t size = 0; size < 4 * good.count; size++) {
        struct an_bytes bytes = {(const uint8_t *)good.words, size};
        struct an_gcda gcda;
        struct an_error error;
        enum an_code code = an_gcda_read(&gcda, bytes, &error);
        bool is_between = size == 16 || size == 32 || size == 52;
        check((code == AN_OK) == is_between, "%zu bytes: %d", size, (int)code);
        if (code == AN_OK)
            an_gcda_free(&gcda);
    }
}

/* The totals of lists that were full are negative; amounts are added, but by gcov-tool, where they cancel. */
static void test_full_lists(void **context)
{
    uint64_t full[2 + 2 * AN_TOP_MOST] = {(uint64_t)-200, AN_TOP_MOST}, merged[4 * AN_TOP_MOST + 4];
    uint64_t four[9] = {(uint64_t)-200, 1, 50, 2, 50, 3, 50, 4, 50}, other[9];
    (void)context;
    for (uint64_t i = 0; i < AN_TOP_MOST; i++) {
        full[2 + 2 * i] = i;
        full[3 + 2 * i] = 2;
    }
    assert_int_equal(an_top_merge(full, full, 1, merged, false), 2 + 2 * AN_TOP_MOST);
    assert_int_equal((int64_t)merged[0], -400);
    assert_int_equal(merged[3], 4);
    an_top_merge(full, full, 1, merged, true);
    assert_int_equal(merged[0], 0);
    memcpy(other, four, sizeof four);
    an_places_merge(other, four, 9, AN_GCC_FOUR, false);
    assert_int_equal((int64_t)other[0], -400);
    assert_int_equal(other[2], 100);
    memcpy(other, four, sizeof four);
    an_places_merge(other, four, 9, AN_GCC_FOUR, true);
    assert_int_equal(other[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_lists), cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_as_libgcov), cmocka_unit_test(test_as_gcov_tool),
        cmocka_unit_test(test_as_clang),   cmocka_unit_test(test_whole_merge),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_absent_functions),
        cmocka_unit_test(test_zeros),      cmocka_unit_test(test_mismatches),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_torn),
    };
    return RUN_TESTS(tests);
}
