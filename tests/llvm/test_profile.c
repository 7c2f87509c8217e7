/* lib/llvm/profile: finding, adding, weighing, mismatches, overflow, filtering. */
#include "llvm/profile.h"

#include "base/error.h"
#include "support/profiles.h"
#include "support/test.h"

#define LARGEST (UINT64_MAX - 2)

static unsigned add(struct an_llvm_profile *profile, const struct an_llvm_record *record,
                    uint64_t weight)
{
    struct an_error error;
    unsigned warnings = 0;
    assert_int_equal(an_llvm_profile_add(profile, record, weight, &warnings, &error), AN_OK);
    return warnings;
}

static unsigned add_counts(struct an_llvm_profile *profile, const char *name, uint64_t hash,
                           uint64_t *counts, uint32_t number, uint64_t weight)
{
    struct an_llvm_record record = record_of(name, hash, counts, number);
    return add(profile, &record, weight);
}

static const struct record *find(const struct an_llvm_profile *profile, const char *name,
                                 uint64_t hash)
{
    size_t function = an_names_find(&profile->names, name, strlen(name));
    return function == AN_NO_NAME ? NULL : an_profile_find(profile, function, hash, NULL);
}

static void counts_add_up(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    uint64_t one[] = {1, 2, 3}, other[] = {10, 0, 30};
    assert_int_equal(add_counts(profile, "f", 7, one, 3, 1), 0);
    assert_int_equal(add_counts(profile, "f", 7, other, 3, 1), 0);
    assert_int_equal(add_counts(profile, "f", 7, one, 3, 100), 0);
    assert_int_equal(add_counts(profile, "f", 8, one, 3, 5), 0); /* another structure */
    const struct record *record = find(profile, "f", 7);
    assert_int_equal(record->counts[0], 111);
    assert_int_equal(record->counts[1], 202);
    assert_int_equal(record->counts[2], 333);
    assert_int_equal(find(profile, "f", 8)->counts[2], 15);
    assert_null(find(profile, "f", 9));
    assert_null(find(profile, "g", 7));
    assert_int_equal(an_llvm_profile_functions(profile), 1);
    assert_int_equal(an_llvm_profile_records(profile), 2);
    assert_int_equal(one[0], 1); /* the caller's record was copied */
    an_llvm_profile_free(profile);
    an_llvm_profile_free(NULL);
}

static bool is_not_g(void *context, const char *name, size_t length)
{
    (void)context;
    return !(length == 1 && name[0] == 'g');
}

/* Each record that is in the profile once, and those that were filtered never. */
static void walks_meet_all(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    struct an_llvm_record record;
    uint64_t one[] = {1, 2}, two[] = {3};
    assert_false(an_llvm_profile_next(profile, &(struct an_llvm_cursor){0}, &record));
    add_counts(profile, "f", 7, one, 2, 1);
    add_counts(profile, "g", 1, one, 2, 1);
    add_counts(profile, "h", 9, two, 1, 2);
    add_counts(profile, "f", 3, two, 1, 1);
    add_counts(profile, "f", 7, one, 2, 10);
    assert_int_equal(an_llvm_profile_filter(profile, is_not_g, NULL), 1);
    static const struct {
        const char *name;
        uint64_t hash, first;
    } expected[] = {{"f", 7, 11}, {"f", 3, 3}, {"h", 9, 6}};
    struct an_llvm_cursor cursor = {0};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(an_llvm_profile_next(profile, &cursor, &record));
        assert_int_equal(record.name_length, 1);
        assert_memory_equal(record.name, expected[i].name, 1);
        assert_int_equal(record.hash, expected[i].hash);
        assert_int_equal(record.counts[0], expected[i].first);
    }
    assert_false(an_llvm_profile_next(profile, &cursor, &record));
    assert_false(an_llvm_profile_next(profile, &cursor, &record));
    an_llvm_profile_free(profile);
}

static void sums_stop_at_the_largest_count(void **state)
{
    (void)state;
    static const struct {
        uint64_t old, count, weight, sum;
        bool overflow;
    } cases[] = {
        {LARGEST - 5, 5, 1, LARGEST, false},
        {LARGEST - 5, 6, 1, LARGEST, true},
        {LARGEST, 1, 1, LARGEST, true},
        {LARGEST, 0, 1, LARGEST, false},
        {0, LARGEST, 1, LARGEST, false},
        {0, 1ull << 63, 2, LARGEST, true},
        {1, 1ull << 62, 3, (3ull << 62) + 1, false},
        {5, UINT64_MAX / 7, 8, LARGEST, true},
        {0, 0, UINT64_MAX, 0, false},
        {3, 1, LARGEST - 3, LARGEST, false},
        {4, 1, LARGEST - 3, LARGEST, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct an_llvm_profile *profile = an_llvm_profile_new();
        uint64_t old = cases[i].old, count = cases[i].count;
        add_counts(profile, "f", 1, &old, 1, 1);
        unsigned warnings = add_counts(profile, "f", 1, &count, 1, cases[i].weight);
        check(find(profile, "f", 1)->counts[0] == cases[i].sum, "case %zu", i);
        check(warnings == (cases[i].overflow ? 1u << AN_LLVM_COUNTER_OVERFLOW : 0), "case %zu", i);
        an_llvm_profile_free(profile);
    }
}

/* The first record of a function can overflow too, by its weight. */
static void weights_stop_at_the_largest_count(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    uint64_t counts[] = {1ull << 62, 4, 0};
    assert_int_equal(add_counts(profile, "f", 1, counts, 3, 4), 1u << AN_LLVM_COUNTER_OVERFLOW);
    assert_true(find(profile, "f", 1)->counts[0] == LARGEST);
    assert_int_equal(find(profile, "f", 1)->counts[1], 16);
    assert_int_equal(find(profile, "f", 1)->counts[2], 0);
    an_llvm_profile_free(profile);
}

/* Many large counts one after the other: no single addition looks dangerous. */
static void overflow_creeps_up(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    uint64_t large = 1ull << 56;
    unsigned __int128 expected = 0;
    for (int i = 0; i < 600; i++) {
        unsigned warnings = add_counts(profile, "f", 1, &large, 1, 1);
        expected += large;
        uint64_t sum = expected > LARGEST ? LARGEST : (uint64_t)expected;
        check(find(profile, "f", 1)->counts[0] == sum, "after %d", i);
        assert_int_equal(warnings, expected > LARGEST ? 1u << AN_LLVM_COUNTER_OVERFLOW : 0);
    }
    an_llvm_profile_free(profile);
}

static void another_number_of_counters_is_not_merged(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    uint64_t three[] = {1, 2, 3};
    add_counts(profile, "f", 1, three, 3, 1);
    assert_int_equal(add_counts(profile, "f", 1, three, 2, 1), 1u << AN_LLVM_COUNT_MISMATCH);
    assert_int_equal(find(profile, "f", 1)->count_number, 3);
    assert_int_equal(find(profile, "f", 1)->counts[0], 1);
    an_llvm_profile_free(profile);
}

static void bitmaps_are_united(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    uint64_t count = 1;
    uint8_t a[] = {0x01, 0x80}, b[] = {0x02, 0x81};
    struct an_llvm_record record = record_of("f", 1, &count, 1);
    record.bitmap = a;
    record.bitmap_bytes = 2;
    add(profile, &record, 1);
    record.bitmap = b;
    add(profile, &record, 9); /* weights are for counts */
    assert_int_equal(find(profile, "f", 1)->bitmap[0], 0x03);
    assert_int_equal(find(profile, "f", 1)->bitmap[1], 0x81);
    assert_int_equal(find(profile, "f", 1)->counts[0], 10);
    record.bitmap_bytes = 1;
    assert_int_equal(add(profile, &record, 1), 1u << AN_LLVM_BITMAP_MISMATCH);
    assert_int_equal(find(profile, "f", 1)->counts[0], 11); /* the counts were merged before */
    an_llvm_profile_free(profile);
}

static void another_number_of_sites_is_not_merged(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    uint64_t count = 1;
    struct an_llvm_value value = {64, 5};
    struct an_llvm_site sites[2] = {{&value, 1, 1}, {0}};
    struct an_llvm_values values = {.site_count = {[AN_LLVM_MEMOP_SIZE] = 2},
                                    .sites = {[AN_LLVM_MEMOP_SIZE] = sites}};
    struct an_llvm_record record = record_of("f", 1, &count, 1);
    record.values = &values;
    add(profile, &record, 1);
    values.site_count[AN_LLVM_MEMOP_SIZE] = 1;
    assert_int_equal(add(profile, &record, 1), 1u << AN_LLVM_VALUE_SITE_MISMATCH);
    record.values = NULL;
    assert_int_equal(add(profile, &record, 1), 1u << AN_LLVM_VALUE_SITE_MISMATCH);
    const struct record *kept = find(profile, "f", 1);
    assert_int_equal(kept->values->sites[AN_LLVM_MEMOP_SIZE][0].values[0].count, 5);
    assert_int_equal(kept->counts[0], 3);
    an_llvm_profile_free(profile);
}

/* UINT64_MAX and UINT64_MAX - 1 as first count say "hot" and "warm" for want of a profile. */
static void pseudo_counts(void **state)
{
    (void)state;
    uint64_t hot[] = {UINT64_MAX, 0}, warm[] = {UINT64_MAX - 1, 0}, usual[] = {3, 4};
    struct an_llvm_profile *profile = an_llvm_profile_new();
    add_counts(profile, "f", 1, warm, 2, 1);
    assert_int_equal(add_counts(profile, "f", 1, usual, 2, 1), 1u << AN_LLVM_COUNT_MISMATCH);
    assert_true(find(profile, "f", 1)->counts[0] == UINT64_MAX - 1);
    assert_int_equal(add_counts(profile, "f", 1, hot, 2, 1), 0);
    assert_true(find(profile, "f", 1)->counts[0] == UINT64_MAX);
    assert_int_equal(add_counts(profile, "f", 1, warm, 2, 1), 0);
    assert_true(find(profile, "f", 1)->counts[0] == UINT64_MAX); /* hot wins */
    add_counts(profile, "g", 1, usual, 2, 1);
    assert_int_equal(add_counts(profile, "g", 1, hot, 2, 1), 1u << AN_LLVM_COUNT_MISMATCH);
    assert_int_equal(find(profile, "g", 1)->counts[0], 3);
    an_llvm_profile_free(profile);
}

/* Hundreds of structures under one name, among them hashes that differ in few bits. */
static void many_records_of_one_name(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    uint64_t counts[] = {1};
    for (int round = 1; round <= 2; round++)
        for (uint64_t i = 0; i < 64; i++)
            for (uint64_t low = 0; low < 8; low++)
                add_counts(profile, "f", (1ull << i) + low, counts, 1, 1);
    size_t distinct = 0;
    for (uint64_t hash = 0; hash < 64; hash++)
        distinct += find(profile, "f", hash) != NULL;
    assert_int_equal(distinct, 15 + 8 + 8); /* 1..15, 16..23, 32..39 */
    for (uint64_t i = 6; i < 64; i++)
        for (uint64_t low = 0; low < 8; low++)
            assert_int_equal(find(profile, "f", (1ull << i) + low)->counts[0], 2);
    assert_null(find(profile, "f", (1ull << 40) + 8));
    assert_int_equal(an_llvm_profile_functions(profile), 1);
    an_llvm_profile_free(profile);
}

static void a_record_needs_a_counter(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    struct an_llvm_record record = record_of("f", 1, NULL, 0);
    struct an_error error;
    unsigned warnings = 0;
    assert_int_equal(an_llvm_profile_add(profile, &record, 1, &warnings, &error), AN_USAGE);
    assert_int_equal(an_llvm_profile_functions(profile), 0);
    an_llvm_profile_free(profile);
}

static void names_are_bytes_and_may_be_empty(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    uint64_t counts[] = {1};
    struct an_llvm_record zero = {
        .name = "a\0b", .name_length = 3, .counts = counts, .count_number = 1};
    struct an_llvm_record shorter = {
        .name = "a", .name_length = 1, .counts = counts, .count_number = 1};
    struct an_llvm_record none = {
        .name = "", .name_length = 0, .counts = counts, .count_number = 1};
    add(profile, &zero, 1);
    add(profile, &shorter, 1);
    add(profile, &none, 1);
    add(profile, &zero, 1);
    assert_int_equal(an_llvm_profile_functions(profile), 3);
    struct an_bytes bytes = written(profile, 0);
    struct an_llvm_reader *reader;
    struct an_error error;
    assert_int_equal(an_llvm_reader_open(&reader, bytes.data, bytes.size, &error), AN_OK);
    assert_int_equal(an_llvm_reader_info(reader)->functions, 3);
    assert_int_equal(an_llvm_reader_info(reader)->total_count, 4);
    an_llvm_reader_close(reader);
    free_bytes(bytes);
    an_llvm_profile_free(profile);
}

static bool keep_short(void *context, const char *name, size_t length)
{
    (void)name;
    return length <= *(size_t *)context;
}

static void filtering(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    uint64_t counts[] = {1};
    size_t most = 2;
    add_counts(profile, "long", 1, counts, 1, 1);
    add_counts(profile, "long", 2, counts, 1, 1);
    add_counts(profile, "ab", 1, counts, 1, 1);
    add_counts(profile, "longer", 1, counts, 1, 1);
    assert_int_equal(an_llvm_profile_filter(profile, keep_short, &most), 2);
    assert_int_equal(an_llvm_profile_records(profile), 1);
    char *text = written_text(profile);
    assert_non_null(strstr(text, "ab\n"));
    assert_null(strstr(text, "long"));
    free(text);
    add_counts(profile, "long", 2, counts, 1, 1); /* it can come back */
    text = written_text(profile);
    assert_non_null(strstr(text, "long\n"));
    free(text);
    assert_int_equal(an_llvm_profile_filter(profile, keep_short, &most), 1);
    an_llvm_profile_free(profile);
}

/* Writing puts values into their final order; adding goes on from there. */
static void written_twice_and_added_to(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/c-ir-clang19-run1.profraw");
    struct an_llvm_profile *profile = merge_bytes(NULL, &file, 1);
    struct an_bytes first = written(profile, 0), second = written(profile, 0);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    struct an_llvm_profile *twice = merge_bytes(NULL, (struct an_bytes[]){file, file}, 2);
    struct an_llvm_reader *reader;
    struct an_llvm_record record;
    struct an_error error;
    assert_int_equal(an_llvm_reader_open(&reader, file.data, file.size, &error), AN_OK);
    while (an_llvm_reader_next(reader, &record))
        assert_int_equal(add(profile, &record, 1), 0);
    an_llvm_reader_close(reader);
    char *expected = written_text(twice), *text = written_text(profile);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    free_bytes(first);
    free_bytes(second);
    free_bytes(file);
    an_llvm_profile_free(twice);
    an_llvm_profile_free(profile);
}

static void warnings_have_texts(void **state)
{
    (void)state;
    for (int w = 0; w < AN_LLVM_WARNINGS; w++)
        assert_string_not_equal(an_llvm_warning_text((enum an_llvm_warning)w),
                                an_llvm_warning_text(AN_LLVM_WARNINGS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(walks_meet_all),
        cmocka_unit_test(sums_stop_at_the_largest_count),
        cmocka_unit_test(weights_stop_at_the_largest_count),
        cmocka_unit_test(overflow_creeps_up),
        cmocka_unit_test(another_number_of_counters_is_not_merged),
        cmocka_unit_test(bitmaps_are_united),
        cmocka_unit_test(another_number_of_sites_is_not_merged),
        cmocka_unit_test(pseudo_counts),
        cmocka_unit_test(many_records_of_one_name),
        cmocka_unit_test(a_record_needs_a_counter),
        cmocka_unit_test(names_are_bytes_and_may_be_empty),
        cmocka_unit_test(filtering),
        cmocka_unit_test(written_twice_and_added_to),
        cmocka_unit_test(warnings_have_texts),
    };
    return RUN_TESTS(tests);
}
