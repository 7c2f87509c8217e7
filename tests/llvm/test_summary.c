/*
 * lib/llvm/summary: against the plain way, which sorts all counters, and against the summaries that
 * the peer wrote into its indexed files.
 */
#include "llvm/summary.h"

#include "support/profiles.h"
#include "support/test.h"
#include "llvm/format.h"

static int largest_first(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left < right) - (left > right);
}

static void against_sorting_all_counters(void **state)
{
    (void)state;
    static const uint32_t cutoffs[] = {0, 1, 500000, 999999, 10000, 990000, 500001};
    for (uint64_t round = 0; round < 60; round++) {
        uint64_t seed = round + 1, counts[400], total = 0, most_first = 0, most_other = 0;
        uint32_t number = (uint32_t)(1 + number_below(&seed, 400));
        uint64_t distinct = round % 3 == 0 ? 5 : round % 3 == 1 ? 1000 : 1ull << 40;
        for (uint32_t i = 0; i < number; i++)
            counts[i] = number_below(&seed, distinct);
        struct an_llvm_summary_builder *builder = an_llvm_summary_builder_new();
        for (uint32_t i = 0, length; i < number; i += length) {
            length = (uint32_t)(1 + number_below(&seed, 9));
            length = length < number - i ? length : number - i;
            struct an_llvm_record record = record_of("f", 1, counts + i, length);
            assert_true(an_llvm_summary_builder_add(builder, &record));
            most_first = counts[i] > most_first ? counts[i] : most_first;
            for (uint32_t c = i + 1; c < i + length; c++)
                most_other = counts[c] > most_other ? counts[c] : most_other;
        }
        struct an_llvm_summary summary;
        struct an_error error;
        assert_int_equal(an_llvm_summary_builder_finish(builder, cutoffs, 7, &summary, &error),
                         AN_OK);
        qsort(counts, number, sizeof *counts, largest_first);
        for (uint32_t i = 0; i < number; i++)
            total += counts[i];
        assert_true(summary.total_count == total);
        assert_int_equal(summary.blocks, number);
        assert_true(summary.max_count == counts[0]);
        assert_true(summary.max_function_count == most_first);
        assert_true(summary.max_internal_count == most_other);
        assert_int_equal(summary.entry_count, 7);
        for (size_t e = 0; e < 7; e++) {
            const struct an_llvm_summary_entry *entry = &summary.entries[e];
            if (e)
                assert_true(entry->cutoff >= entry[-1].cutoff);
            /* whole groups of equal counts, until the share is reached */
            uint64_t wanted = (uint64_t)((unsigned __int128)total * entry->cutoff / 1000000);
            uint64_t sum = 0, least = 0;
            uint32_t blocks = 0;
            while (sum < wanted) {
                least = counts[blocks];
                for (; blocks < number && counts[blocks] == least; blocks++)
                    sum += least;
            }
            check(entry->min_count == least && entry->blocks == blocks,
                  "round %d, cutoff %u: %llu in %llu, expected %llu in %u", (int)round,
                  entry->cutoff, (unsigned long long)entry->min_count,
                  (unsigned long long)entry->blocks, (unsigned long long)least, blocks);
        }
        an_llvm_summary_clear(&summary);
        an_llvm_summary_builder_free(builder);
    }
}

/* A file of the peer: header, then 6 fields and 16 cutoffs; both of them for context-sensitive ones. */
static void compare_with_file(const char *name, unsigned header_words, bool context_sensitive)
{
    struct an_bytes file = corpus(name);
    struct an_llvm_reader *reader;
    struct an_error error;
    struct an_llvm_record record;
    assert_int_equal(an_llvm_reader_open(&reader, file.data, file.size, &error), AN_OK);
    struct an_llvm_summary_builder *builder = an_llvm_summary_builder_new();
    while (an_llvm_reader_next(reader, &record))
        if (AN_LLVM_IS_CONTEXT_SENSITIVE(record.hash) == context_sensitive)
            assert_true(an_llvm_summary_builder_add(builder, &record));
    struct an_llvm_summary summary;
    assert_int_equal(an_llvm_summary_builder_finish(builder, NULL, 0, &summary, &error), AN_OK);
    struct an_cursor cursor =
        an_cursor_at(file, 8 * (header_words + (context_sensitive ? 2 + 6 + 3 * 16 : 0)), false);
    assert_int_equal(an_cursor_u64(&cursor), 6);
    assert_int_equal(an_cursor_u64(&cursor), 16);
    assert_int_equal(an_cursor_u64(&cursor), summary.functions);
    assert_int_equal(an_cursor_u64(&cursor), summary.blocks);
    assert_int_equal(an_cursor_u64(&cursor), summary.max_function_count);
    assert_int_equal(an_cursor_u64(&cursor), summary.max_count);
    assert_int_equal(an_cursor_u64(&cursor), summary.max_internal_count);
    assert_int_equal(an_cursor_u64(&cursor), summary.total_count);
    assert_int_equal(summary.entry_count, 16);
    for (size_t i = 0; i < 16; i++) {
        assert_int_equal(an_cursor_u64(&cursor), summary.entries[i].cutoff);
        assert_int_equal(an_cursor_u64(&cursor), summary.entries[i].min_count);
        assert_int_equal(an_cursor_u64(&cursor), summary.entries[i].blocks);
    }
    an_llvm_summary_clear(&summary);
    an_llvm_summary_builder_free(builder);
    an_llvm_reader_close(reader);
    free_bytes(file);
}

static void against_the_peers_files(void **state)
{
    (void)state;
    compare_with_file("indexed/c-ir-clang13.merged.profdata", 5, false);
    compare_with_file("indexed/cxx-fe-clang15.merged.profdata", 6, false);
    compare_with_file("indexed/all-fe-clang16.profdata", 7, false);
    compare_with_file("indexed/all-fe-clang19.profdata", 9, false);
    compare_with_file("indexed/cxx-ir-clang19.merged.profdata", 9, false);
    compare_with_file("indexed/text-many_names-llvm19.profdata", 9, false);
    compare_with_file("indexed/text-pseudo-llvm19.profdata", 9, false);
    compare_with_file("indexed/text-saturate-weighted-llvm19.profdata", 9, false);
    compare_with_file("indexed/c-base-and-csir-clang19.profdata", 9, false);
    compare_with_file("indexed/c-base-and-csir-clang19.profdata", 9, true);
}

static void pseudo_counts_are_no_counts(void **state)
{
    (void)state;
    uint64_t hot[] = {UINT64_MAX, 1}, warm[] = {UINT64_MAX - 1, 1}, usual[] = {5, 6};
    struct an_llvm_summary_builder *builder = an_llvm_summary_builder_new();
    struct an_llvm_record records[] = {record_of("a", 1, hot, 2), record_of("b", 1, warm, 2),
                                       record_of("c", 1, usual, 2)};
    struct an_llvm_summary summary;
    struct an_error error;
    for (int i = 0; i < 3; i++)
        assert_true(an_llvm_summary_builder_add(builder, &records[i]));
    assert_int_equal(an_llvm_summary_builder_finish(builder, NULL, 0, &summary, &error), AN_OK);
    assert_int_equal(summary.functions, 1);
    assert_int_equal(summary.total_count, 11);
    an_llvm_summary_clear(&summary);
    /* The builder can be added to and asked again. */
    assert_true(an_llvm_summary_builder_add(builder, &records[2]));
    assert_int_equal(an_llvm_summary_builder_finish(builder, NULL, 0, &summary, &error), AN_OK);
    assert_int_equal(summary.total_count, 22);
    an_llvm_summary_clear(&summary);
    an_llvm_summary_builder_free(builder);
}

static void an_empty_summary(void **state)
{
    (void)state;
    struct an_llvm_summary_builder *builder = an_llvm_summary_builder_new();
    struct an_llvm_summary summary;
    struct an_error error;
    assert_int_equal(an_llvm_summary_builder_finish(builder, NULL, 0, &summary, &error), AN_OK);
    assert_int_equal(summary.entry_count, 16);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(summary.entries[i].min_count + summary.entries[i].blocks, 0);
    an_llvm_summary_clear(&summary);
    an_llvm_summary_builder_free(builder);
    an_llvm_summary_builder_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_sorting_all_counters),
        cmocka_unit_test(against_the_peers_files),
        cmocka_unit_test(pseudo_counts_are_no_counts),
        cmocka_unit_test(an_empty_summary),
    };
    return RUN_TESTS(tests);
}
