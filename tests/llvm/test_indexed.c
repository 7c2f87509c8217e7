/*
 * lib/llvm/indexed_read and indexed_write: a written file serves a compiler, which looks one name
 * up through the hash table; every version keeps what it can; damaged files are refused with the
 * place of the damage.
 */
#include "llvm/indexed.h"

#include "support/profiles.h"
#include "support/test.h"

static uint64_t word(struct an_bytes file, size_t index)
{
    assert_true(8 * index + 8 <= file.size);
    return an_get64(file.data + 8 * index, false);
}

static unsigned header_words(unsigned version)
{
    return version >= 12 ? 9 : version >= 10 ? 8 : version >= 9 ? 7 : version >= 8 ? 6 : 5;
}

/* A file with everything: calls, sizes, virtual tables, bitmaps, traces, binary ids. */
static struct an_llvm_profile *everything(void)
{
    static const char *const paths[] = {
        "raw/c-ir-clang19-run1.profraw", "raw/cxx-ir-vtable-clang19-run1.profraw",
        "raw/c-ir-temporal-clang19-run1.profraw", "raw/c-ir-i386-clang19-run1.profraw"};
    const char *full[4];
    for (int i = 0; i < 4; i++)
        full[i] = corpus_path(paths[i]);
    struct an_llvm_merge_options keep = {
        .size = sizeof keep, .threads = 1, .keep_vtable_names = true};
    struct an_llvm_profile *profile = merge_paths(&keep, full, 4);
    uint64_t count = 5;
    uint8_t bitmap[] = {1, 0xff, 0};
    struct an_llvm_record record = record_of("with_bitmap", 9, &count, 1);
    struct an_error error;
    unsigned warnings = 0;
    record.bitmap = bitmap;
    record.bitmap_bytes = 3;
    assert_int_equal(an_llvm_profile_add(profile, &record, 1, &warnings, &error), AN_OK);
    return profile;
}

static struct an_llvm_reader *opened(struct an_bytes file)
{
    struct an_llvm_reader *reader;
    struct an_error error = {0};
    enum an_code code = an_llvm_reader_open(&reader, file.data, file.size, &error);
    check(code == AN_OK, "%s", error.what);
    return reader;
}

/* Looks a name up as OnDiskIterableChainedHashTable does. Returns how many records it has, or 0. */
static size_t look_up(struct an_bytes file, const char *name, size_t length)
{
    uint64_t table = word(file, 4), hash = an_llvm_name_hash(name, length);
    uint64_t buckets = word(file, table / 8);
    assert_int_equal(table % 8, 0);
    assert_int_equal(buckets & (buckets - 1), 0);
    uint64_t at = word(file, table / 8 + 2 + (hash & (buckets - 1)));
    if (at == 0)
        return 0;
    struct an_cursor cursor = an_cursor_at(file, at, false);
    for (unsigned items = an_cursor_u16(&cursor); items; items--) {
        uint64_t item_hash = an_cursor_u64(&cursor);
        uint64_t name_length = an_cursor_u64(&cursor), data_length = an_cursor_u64(&cursor);
        const uint8_t *item_name = an_cursor_take(&cursor, name_length);
        an_cursor_take(&cursor, data_length);
        assert_false(cursor.short_read);
        if (item_hash == hash && name_length == length && memcmp(item_name, name, length) == 0)
            return data_length;
    }
    return 0;
}

static void every_function_is_found_through_the_table(void **state)
{
    (void)state;
    for (unsigned version = 5; version <= 12; version++)
        for (int many = 0; many < 2; many++) {
            struct an_bytes text = corpus("proftext/gen/many_names.proftext");
            struct an_llvm_profile *profile = many ? merge_bytes(NULL, &text, 1) : everything();
            struct an_bytes file = written(profile, version);
            struct an_llvm_reader *reader = opened(file);
            struct an_llvm_record record;
            size_t found = 0;
            while (an_llvm_reader_next(reader, &record)) {
                assert_true(look_up(file, record.name, record.name_length) > 0);
                found++;
            }
            assert_int_equal(found, an_llvm_profile_records(profile));
            assert_int_equal(look_up(file, "not there", 9), 0);
            an_llvm_reader_close(reader);
            free_bytes(file);
            free_bytes(text);
            an_llvm_profile_free(profile);
        }
}

static void versions_keep_what_they_can(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = everything();
    for (unsigned version = 5; version <= 12; version++) {
        struct an_llvm_write_options options = {.size = sizeof options, .format_version = version};
        struct an_llvm_left_out left_out;
        struct an_error error;
        void *bytes;
        size_t size;
        assert_int_equal(an_llvm_profile_write(profile, &options, &bytes, &size, &left_out, &error),
                         AN_OK);
        struct an_bytes file = {bytes, size};
        struct an_llvm_reader *reader = opened(file);
        const struct an_llvm_info *info = an_llvm_reader_info(reader);
        struct an_llvm_record record;
        size_t bitmaps = 0, vtable_sites = 0, calls = 0;
        while (an_llvm_reader_next(reader, &record)) {
            bitmaps += record.bitmap_bytes != 0;
            if (record.values) {
                calls += record.values->site_count[AN_LLVM_INDIRECT_CALL];
                vtable_sites += record.values->site_count[AN_LLVM_VTABLE];
            }
        }
        assert_int_equal(word(file, 1) & 0xffffffff, version);
        assert_int_equal(info->version, version);
        assert_true(info->variants & AN_LLVM_IR);
        assert_true(calls > 0);
        /* what is there, and what is said to have been left out */
        assert_int_equal(bitmaps, version >= 11);
        assert_int_equal(left_out.bitmap_functions, version < 11);
        assert_int_equal(vtable_sites > 0, version >= 12);
        assert_int_equal(left_out.vtable_sites > 0, version < 12);
        assert_int_equal(info->trace_count, version >= 10);
        assert_int_equal((info->variants & AN_LLVM_TEMPORAL) != 0, version >= 10);
        assert_int_equal(left_out.traces, version < 10);
        assert_int_equal(info->binary_id_count, version >= 9);
        assert_int_equal(left_out.binary_ids, version < 9);
        an_llvm_reader_close(reader);
        free(bytes);
    }
    an_llvm_profile_free(profile);
}

static void other_versions_are_not_written(void **state)
{
    (void)state;
    static const unsigned wrong[] = {1, 4, 15, 1000};
    struct an_llvm_profile *profile = an_llvm_profile_new();
    for (size_t i = 0; i < 4; i++) {
        struct an_llvm_write_options options = {.size = sizeof options, .format_version = wrong[i]};
        struct an_error error;
        void *bytes = NULL;
        size_t size;
        assert_int_equal(an_llvm_profile_write(profile, &options, &bytes, &size, NULL, &error),
                         AN_USAGE);
        assert_null(bytes);
    }
    struct an_bytes usual = written(profile, 0); /* an empty profile is a file as well */
    assert_int_equal(word(usual, 1), AN_LLVM_DEFAULT_VERSION);
    struct an_llvm_reader *reader = opened(usual);
    assert_int_equal(an_llvm_reader_info(reader)->functions, 0);
    an_llvm_reader_close(reader);
    free_bytes(usual);
    an_llvm_profile_free(profile);
}

/* The record's sizes are as the format says: no version reads past or short of another's data. */
static void what_is_written_is_read(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = everything();
    struct an_llvm_merge_options keep = {
        .size = sizeof keep, .threads = 1, .keep_vtable_names = true};
    char *expected = written_text(profile);
    struct an_bytes file = written(profile, 12);
    struct an_llvm_profile *again = merge_bytes(&keep, &file, 1);
    char *text = written_text(again);
    assert_string_equal(text, expected);
    struct an_bytes second = written(again, 12);
    assert_int_equal(second.size, file.size);
    assert_memory_equal(second.data, file.data, file.size);
    free(text);
    free(expected);
    free_bytes(file);
    free_bytes(second);
    an_llvm_profile_free(again);
    an_llvm_profile_free(profile);
}

/* Traces are read where they stand in the file, or copied if that is no place to read numbers from. */
static void traces_are_read_from_any_address(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = everything();
    struct an_bytes file = written(profile, 12);
    uint8_t *moved = malloc(file.size + 8);
    struct an_llvm_reader *reader = opened(file);
    const struct an_llvm_info *info = an_llvm_reader_info(reader);
    assert_true(info->trace_count > 0);
    for (size_t shift = 0; shift < 8; shift++) {
        memcpy(moved + shift, file.data, file.size);
        struct an_llvm_reader *other = opened((struct an_bytes){moved + shift, file.size});
        const struct an_llvm_info *same = an_llvm_reader_info(other);
        assert_int_equal(same->trace_count, info->trace_count);
        for (size_t t = 0; t < info->trace_count; t++) {
            const struct an_llvm_trace *trace = &same->traces[t], *expected = &info->traces[t];
            assert_int_equal((uintptr_t)trace->functions % _Alignof(uint64_t), 0);
            assert_int_equal(trace->weight, expected->weight);
            assert_int_equal(trace->function_count, expected->function_count);
            assert_memory_equal(trace->functions, expected->functions, 8 * trace->function_count);
        }
        an_llvm_reader_close(other);
    }
    an_llvm_reader_close(reader);
    free(moved);
    free_bytes(file);
    an_llvm_profile_free(profile);
}

static void refused(struct an_bytes file, enum an_code code, const char *what)
{
    struct an_llvm_reader *reader;
    struct an_error error = {0};
    enum an_code got = an_llvm_reader_open(&reader, file.data, file.size, &error);
    check(got == code, "%s: %s (%s)", what, an_code_name(got), error.what);
    check(error.what[0], "%s: no message", what);
}

static void damaged_files(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = everything();
    struct an_bytes file = written(profile, 12);
    uint8_t *bytes = (uint8_t *)file.data;
    static const struct {
        size_t word;
        uint64_t value;
        enum an_code code;
        const char *what;
    } damages[] = {
        {1, 99, AN_UNSUPPORTED, "a version to come"},
        {1, 0, AN_UNSUPPORTED, "version 0"},
        {3, 1, AN_UNSUPPORTED, "another hash"},
        {4, UINT64_MAX, AN_TRUNCATED, "a table far outside"},
        {4, UINT64_MAX - 15, AN_TRUNCATED, "a table whose end wraps around"},
        {4, 16, AN_MALFORMED, "a table inside the header"},
        {6, UINT64_MAX, AN_TRUNCATED, "binary ids outside"},
        {7, UINT64_MAX - 7, AN_TRUNCATED, "traces outside"},
        {8, 1ull << 40, AN_TRUNCATED, "names of virtual tables outside"},
        {9, UINT64_MAX, AN_TRUNCATED, "an absurd number of summary fields"},
        {10, UINT64_MAX / 24, AN_TRUNCATED, "an absurd number of cutoffs"},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        uint8_t kept[8];
        memcpy(kept, bytes + 8 * damages[i].word, 8);
        for (int b = 0; b < 8; b++)
            bytes[8 * damages[i].word + b] = (uint8_t)(damages[i].value >> (8 * b));
        refused(file, damages[i].code, damages[i].what);
        memcpy(bytes + 8 * damages[i].word, kept, 8);
    }
    free_bytes(file);
    an_llvm_profile_free(profile);
}

/* Every length in the table and behind it set to what cannot be: never accepted, never followed. */
static void absurd_lengths_in_the_table(void **state)
{
    (void)state;
    struct an_bytes file = corpus("indexed/c-ir-clang19.merged.profdata");
    uint8_t *bytes = (uint8_t *)file.data;
    size_t refused_number = 0;
    for (size_t at = 8 * header_words(12); at + 8 <= file.size; at++) {
        uint8_t kept[8];
        memcpy(kept, bytes + at, 8);
        memset(bytes + at, 0xff, 8);
        struct an_llvm_reader *reader;
        struct an_error error;
        if (an_llvm_reader_open(&reader, bytes, file.size, &error) == AN_OK) {
            struct an_llvm_record record;
            while (an_llvm_reader_next(reader, &record))
                continue;
            an_llvm_reader_close(reader);
        } else {
            refused_number++;
        }
        memcpy(bytes + at, kept, 8);
    }
    assert_true(refused_number > 100);
    free_bytes(file);
}

/* Not made by any compiler here: version 1 has no counter number, 2 no values, 3 no summary. */
static void the_oldest_versions(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= 3; version++) {
        struct an_buffer file = {0};
        an_buffer_le64(&file, 0x8169666f72706cff);
        an_buffer_le64(&file, version);
        an_buffer_le64(&file, 77); /* the largest function count */
        an_buffer_le64(&file, 0);
        an_buffer_le64(&file, 0);
        an_buffer_le(&file, 1, 2);
        an_buffer_le64(&file, an_llvm_name_hash("main", 4));
        an_buffer_le64(&file, 4);
        size_t size_at = file.size;
        an_buffer_le64(&file, 0);
        an_buffer_put(&file, "main", 4);
        size_t data_at = file.size;
        an_buffer_le64(&file, 0x1234);
        if (version >= 2)
            an_buffer_le64(&file, 2);
        an_buffer_le64(&file, 77);
        an_buffer_le64(&file, 5);
        if (version >= 3) { /* an empty block of values */
            an_buffer_le(&file, 8, 4);
            an_buffer_le(&file, 0, 4);
        }
        an_buffer_patch_le64(&file, size_at, file.size - data_at);
        while (file.size % 8)
            an_buffer_le(&file, 0, 1);
        an_buffer_patch_le64(&file, 32, file.size);
        an_buffer_le64(&file, 1);
        an_buffer_le64(&file, 1);
        an_buffer_le64(&file, 40);
        struct an_llvm_reader *reader = opened((struct an_bytes){file.data, file.size});
        struct an_llvm_record record;
        assert_true(an_llvm_reader_next(reader, &record));
        assert_int_equal(record.name_length, 4);
        assert_int_equal(record.hash, 0x1234);
        assert_int_equal(record.count_number, 2);
        assert_int_equal(record.counts[0], 77);
        assert_int_equal(record.counts[1], 5);
        assert_false(an_llvm_reader_next(reader, &record));
        an_llvm_reader_close(reader);
        an_buffer_free(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_found_through_the_table),
        cmocka_unit_test(versions_keep_what_they_can),
        cmocka_unit_test(other_versions_are_not_written),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(traces_are_read_from_any_address),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(absurd_lengths_in_the_table),
        cmocka_unit_test(the_oldest_versions),
    };
    return RUN_TESTS(tests);
}
