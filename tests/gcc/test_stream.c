/*
 * Streams of freestanding programs: their files become what gcov-tool merge-stream makes of them, on its own and
 * merged with what is there; a stream that is damaged gives nothing.
 */
#include <anneal/gcc.h>

#include "base/file.h"
#include "support/test.h"

static const char *const versions[] = {"gcc-13", "gcc-14"};

static struct an_file load(const char *version, const char *name)
{
    struct an_file file = {.capacity = 0};
    struct an_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/../console/%s/%s", GCC_CORPUS, version, name);
    check(an_file_load(&file, path, &error) == AN_OK, "%s: %s", path, error.what);
    return file;
}

static void expect_file(const struct an_gcc_file *file, const char *version)
{
    struct an_file expected = load(version, strrchr(file->name, '/') + 1);
    assert_int_equal(file->size, expected.bytes.size);
    assert_memory_equal(file->bytes, expected.bytes.data, file->size);
    an_file_close(&expected);
}

static void test_files(void **context)
{
    (void)context;
    for (unsigned i = 0; i < 2; i++) {
        struct an_file stream = load(versions[i], "stream.bin");
        struct an_gcc_file *files;
        struct an_error error;
        size_t count;
        assert_int_equal(
            an_gcc_stream_read(stream.bytes.data, stream.bytes.size, &files, &count, &error),
            AN_OK);
        assert_int_equal(count, 2);
        for (size_t k = 0; k < count; k++)
            expect_file(&files[k], versions[i]);
        an_gcc_stream_free(files, count);
        an_file_close(&stream);
    }
}

/* Wherever a stream ends, it is refused, or it ends between files. */
static void test_torn(void **context)
{
    struct an_file stream = load("gcc-14", "stream.bin");
    unsigned whole = 0;
    (void)context;
    for (size_t size = 0; size < stream.bytes.size; size++) {
        struct an_gcc_file *files;
        struct an_error error;
        size_t count;
        if (an_gcc_stream_read(stream.bytes.data, size, &files, &count, &error) == AN_OK) {
            assert_int_equal(count, whole++);
            an_gcc_stream_free(files, count);
            continue;
        }
        assert_null(files);
        assert_int_equal(count, 0);
        check(error.offset <= size || error.offset == AN_NO_OFFSET, "%zu: at %llu", size,
              (unsigned long long)error.offset);
    }
    assert_int_equal(whole, 2);
    an_file_close(&stream);
}

/* Files in memory are merged as others are. */
static void test_merged(void **context)
{
    const struct an_gcc_merge_options options = {.size = sizeof options, .as_gcov_tool = true};
    const char *const path = GCC_CORPUS "/gcc-12/values-1.gcda";
    struct an_file other = {.capacity = 0}, expected = {.capacity = 0};
    struct an_gcc_merged *merged;
    struct an_ledger *ledger;
    struct an_error error;
    (void)context;
    assert_int_equal(an_file_load(&other, GCC_CORPUS "/gcc-12/values-2.gcda", &error), AN_OK);
    assert_int_equal(an_file_load(&expected, GCC_CORPUS "/gcc-12/values-tool.gcda", &error), AN_OK);
    const struct an_gcc_input inputs[] = {
        {.path = path, .weight = 1},
        {.path = "nowhere", .weight = 1, .bytes = other.bytes.data, .size = other.bytes.size}};
    assert_int_equal(an_gcc_merge(&options, inputs, 2, 1, &merged, &ledger, &error), AN_OK);
    assert_int_equal(merged->size, expected.bytes.size);
    assert_memory_equal(merged->bytes, expected.bytes.data, merged->size);
    an_gcc_merged_free(merged, 1);
    an_ledger_free(ledger);
    an_file_close(&other);
    an_file_close(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_torn),
        cmocka_unit_test(test_merged),
    };
    return RUN_TESTS(tests);
}
