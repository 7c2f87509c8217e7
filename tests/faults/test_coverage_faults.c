/*
 * Coverage while every allocation and read fails in turn: it says so, or the file is rejected that could not be
 * read; nothing is half there, and nothing leaks (the address sanitizer sees to that).
 */
#include <anneal/coverage.h>

#include "base/memory.h"
#include "support/test.h"

static const char *const gcda[] = {GCC_CORPUS "/gcc-12/values-1.gcda",
                                   GCC_CORPUS "/gcc-12/values-2.gcda"};

static enum an_code read_it(struct an_coverage **coverage, struct an_ledger **ledger,
                            struct an_error *error)
{
    const struct an_coverage_options options = {.size = sizeof options,
                                                .threads = 1,
                                                .demangle = true,
                                                .folder = "/",
                                                .keep_instances_apart = true};
    /* Twice the same, so that there are instances. */
    const struct an_coverage_input inputs[] = {{GCC_CORPUS "/gcc-12/values.gcno", gcda, 2},
                                               {GCC_CORPUS "/gcc-12/values.gcno", gcda, 1}};
    return an_coverage_read(&options, inputs, 2, coverage, ledger, error);
}

static void claim_good(const struct an_coverage *coverage, const struct an_ledger *ledger,
                       bool failed)
{
    assert_int_equal(ledger->count, 5);
    assert_int_equal(ledger->used + ledger->rejected, 5);
    assert_true(failed || ledger->rejected == 0);
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->entries[i].error)
            assert_int_equal(ledger->entries[i].error->code,
                             i == 0 || i == 3 || ledger->entries[i].error->code == AN_SYSTEM
                                 ? AN_SYSTEM
                                 : AN_MISMATCH); /* of a gcno that could not be read */
    assert_int_equal(coverage->object_count, 2);
}

static void test_reading(void **context)
{
    long calls = 0, without_memory = 0;
    (void)context;
    for (bool failed = true; failed; calls++) {
        struct an_coverage *coverage;
        struct an_ledger *ledger;
        struct an_error error;
        an_fault_countdown = calls;
        enum an_code code = read_it(&coverage, &ledger, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        check(code == AN_OK || (failed && code == AN_NO_MEMORY), "call %ld: %d", calls, (int)code);
        assert_true((code == AN_OK) == (coverage != NULL));
        assert_true((code == AN_OK) == (ledger != NULL));
        if (code == AN_OK)
            claim_good(coverage, ledger, failed);
        without_memory += code != AN_OK;
        an_coverage_free(coverage);
        an_ledger_free(ledger);
    }
    check(without_memory > 40, "%ld of %ld calls", without_memory, calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reading)};
    return RUN_TESTS(tests);
}
