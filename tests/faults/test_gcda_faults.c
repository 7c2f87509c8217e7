/*
 * Merging, changing and comparing GCC's profiles, and taking streams apart, while every allocation and read fails
 * in turn: the call says so and hands out nothing, or finds another way to the same result; and it leaks nothing
 * (the address sanitizer sees to that).
 */
#include <anneal/gcc.h>

#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "support/test.h"

static const char *const runs[] = {GCC_CORPUS "/gcc-12/values-1.gcda",
                                   GCC_CORPUS "/gcc-12/values-2.gcda",
                                   GCC_CORPUS "/gcc-12/values-3.gcda"};
enum { RUNS = sizeof runs / sizeof *runs };

static struct an_file stream;

/* A number that stands for a result; 0: there is none. */
static uint64_t digest(const void *bytes, size_t size)
{
    uint64_t sum = 1;
    for (size_t i = 0; bytes && i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
    return bytes ? sum | 1 : 0;
}

/* Each does its work and tells what came of it. */
static enum an_code merge(uint64_t *result, struct an_error *error)
{
    const struct an_gcc_merge_options options = {.size = sizeof options, .threads = 1};
    struct an_gcc_input inputs[RUNS];
    struct an_gcc_merged *merged;
    struct an_ledger *ledger;
    for (size_t i = 0; i < RUNS; i++)
        inputs[i] = (struct an_gcc_input){.path = runs[i], .weight = 1 + i};
    enum an_code code = an_gcc_merge(&options, inputs, RUNS, 1, &merged, &ledger, error);
    *result = merged ? digest(merged->bytes, merged->size) : 0;
    an_gcc_merged_free(merged, 1);
    an_ledger_free(ledger);
    return code;
}

/* Two runs of a folder and one that came before, as a partial result. */
static enum an_code add_up(bool is_partial, const char *before, void **bytes, size_t *size,
                           struct an_error *error)
{
    const struct an_gcc_sum_options options = {
        .size = sizeof options, .threads = 1, .partial = is_partial};
    struct an_gcc_source sources[RUNS];
    struct an_gcc_sum *sum;
    struct an_ledger *ledger;
    *bytes = NULL;
    for (size_t i = 0; i < RUNS; i++)
        sources[i] = (struct an_gcc_source){runs[i], 1 + i, i, "a/b.gcda", 8};
    if (before)
        sources[0] = (struct an_gcc_source){before, 1, AN_GCC_ALONE, "", 0};
    enum an_code code = an_gcc_sum_make(&options, sources, before ? RUNS : 1, &sum, &ledger, error);
    if (code == AN_OK)
        code = is_partial ? an_gcc_sum_write_partial(sum, ledger, bytes, size, error)
                          : an_gcc_sum_write(sum, 0, bytes, size, error);
    an_gcc_sum_free(sum);
    an_ledger_free(ledger);
    return code;
}

static char before[] = "/tmp/anneal-faults-XXXXXX";

static enum an_code finish_sum(uint64_t *result, struct an_error *error)
{
    void *bytes;
    size_t size = 0;
    enum an_code code = add_up(false, before, &bytes, &size, error);
    *result = digest(bytes, size);
    free(bytes);
    return code;
}

static enum an_code continue_sum(uint64_t *result, struct an_error *error)
{
    void *bytes;
    size_t size = 0;
    enum an_code code = add_up(true, before, &bytes, &size, error);
    *result = digest(bytes, size);
    free(bytes);
    return code;
}

static void write_before(void)
{
    struct an_error error;
    void *bytes;
    size_t size = 0;
    int file = mkstemp(before);
    assert_true(file >= 0);
    assert_int_equal(add_up(true, NULL, &bytes, &size, &error), AN_OK);
    assert_int_equal(write(file, bytes, size), size);
    free(bytes);
    close(file);
}

static enum an_code rewrite(uint64_t *result, struct an_error *error)
{
    const struct an_gcc_scale scale = {AN_GCC_TO_GREATEST, 1000, 0, 0};
    struct an_gcc_input inputs[RUNS];
    struct an_gcc_merged *rewritten;
    for (size_t i = 0; i < RUNS; i++)
        inputs[i] = (struct an_gcc_input){.path = runs[i], .weight = 1};
    enum an_code code = an_gcc_rewrite(&scale, inputs, RUNS, &rewritten, error);
    *result = rewritten ? digest(rewritten[2].bytes, rewritten[2].size) : 0;
    an_gcc_merged_free(rewritten, RUNS);
    return code;
}

static enum an_code overlap(uint64_t *result, struct an_error *error)
{
    const struct an_gcc_pair pairs[] = {
        {runs[0], runs[1]}, {runs[2], NULL}, {NULL, GCC_CORPUS "/gcc-14/right-a.gcda"}};
    struct an_gcc_overlap *all;
    enum an_code code = an_gcc_overlap(pairs, 3, 0.005, &all, error);
    *result = all ? digest(&all->overlap, sizeof all->overlap) : 0;
    an_gcc_overlap_free(all);
    return code;
}

static enum an_code take_apart(uint64_t *result, struct an_error *error)
{
    struct an_gcc_file *files;
    size_t count;
    enum an_code code =
        an_gcc_stream_read(stream.bytes.data, stream.bytes.size, &files, &count, error);
    *result = files ? digest(files[1].bytes, files[1].size) : 0;
    an_gcc_stream_free(files, count);
    return code;
}

static void test_all(void **context)
{
    static enum an_code (*const works[])(uint64_t *, struct an_error *) = {
        merge, rewrite, overlap, take_apart, finish_sum, continue_sum};
    struct an_error error;
    (void)context;
    assert_int_equal(an_file_load(&stream, GCC_CORPUS "/../console/gcc-14/stream.bin", &error),
                     AN_OK);
    write_before();
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        uint64_t expected, result;
        long calls = 0;
        assert_int_equal(works[i](&expected, &error), AN_OK);
        for (bool failed = true; failed; calls++) {
            an_fault_countdown = calls;
            enum an_code code = works[i](&result, &error);
            failed = an_fault_countdown < 0;
            an_fault_countdown = -1;
            check(result == (code == AN_OK ? expected : 0), "%zu: call %ld", i, calls);
            check(failed || code == AN_OK, "%zu: call %ld: %d", i, calls, (int)code);
            if (code != AN_OK)
                assert_true(error.what[0] && error.code == code);
        }
        check(calls > 5, "%zu: %ld calls", i, calls);
    }
    an_file_close(&stream);
    unlink(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return RUN_TESTS(tests);
}
