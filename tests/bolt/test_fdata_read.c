/* One file, as records and as a profile; cut anywhere it is refused, unless between lines. */
#include <anneal/fdata.h>

#include "support/test.h"

static const char text[] = "1 main 1c 1 parse 0 2 340\n"
                           "1 main  1C 1 parse 0 1 2\n"
                           "\n"
                           "4 main 20 3 [heap] 7f10 12\n"
                           "0 [unknown] 0 1 lex 0 0 1\n";

static struct an_fdata_reader *opened(const char *bytes)
{
    struct an_fdata_reader *reader = NULL;
    struct an_error error;
    check(an_fdata_reader_open(&reader, bytes, strlen(bytes), &error) == AN_OK, "%s", error.what);
    return reader;
}

static void records_in_the_files_order(void **state)
{
    (void)state;
    struct an_fdata_reader *reader = opened(text);
    const struct an_fdata_info *info = an_fdata_reader_info(reader);
    assert_int_equal(info->branches, 3);
    assert_int_equal(info->memory, 1);
    assert_int_equal(info->total_count, 343);
    assert_int_equal(info->total_mispreds, 3);
    assert_int_equal(info->memory_count, 12);
    assert_int_equal(info->functions, 2); /* main, lex */
    static const uint64_t counts[] = {340, 2, 12, 1};
    struct an_fdata_record record;
    for (size_t i = 0; i < 4; i++) {
        assert_true(an_fdata_reader_next(reader, &record));
        assert_int_equal(record.count, counts[i]);
    }
    assert_false(an_fdata_reader_next(reader, &record));
    assert_false(an_fdata_reader_next(reader, &record));
    an_fdata_reader_close(reader);
    an_fdata_reader_close(NULL);
}

static void headers(void **state)
{
    (void)state;
    struct an_fdata_reader *reader = opened("boltedcollection\nno_lbr a b a\n1 main 4 5\n");
    const struct an_fdata_info *info = an_fdata_reader_info(reader);
    assert_true(info->bolted && info->no_lbr);
    assert_int_equal(info->event_count, 3);
    assert_memory_equal(info->events[1].name, "b", 1);
    assert_int_equal(info->samples, 1);
    an_fdata_reader_close(reader);
    reader = opened("boltedcollection\n");
    assert_int_equal(an_fdata_reader_info(reader)->branches, 0);
    an_fdata_reader_close(reader);
}

static void as_a_profile(void **state)
{
    (void)state;
    struct an_fdata_profile *profile;
    struct an_error error;
    assert_int_equal(an_fdata_profile_read(&profile, text, strlen(text), &error), AN_OK);
    struct an_fdata_record record;
    assert_int_equal(an_fdata_profile_info(profile)->branches, 2);
    assert_true(an_fdata_profile_record(profile, 0, &record)); /* [unknown] comes before main */
    assert_int_equal(record.count, 1);
    assert_true(an_fdata_profile_record(profile, 1, &record));
    assert_int_equal(record.count, 342);
    assert_int_equal(record.mispreds, 3);
    assert_true(an_fdata_profile_record(profile, 2, &record));
    assert_int_equal(record.kind, AN_FDATA_MEMORY);
    assert_false(an_fdata_profile_record(profile, 3, &record));
    an_fdata_profile_free(profile);
}

static bool only_main(void *asked, const char *name, size_t length)
{
    ++*(int *)asked;
    return length == 4 && memcmp(name, "main", 4) == 0;
}

static void filtered(void **state)
{
    (void)state;
    struct an_fdata_profile *profile;
    struct an_error error;
    size_t removed;
    int asked = 0;
    assert_int_equal(an_fdata_profile_read(&profile, text, strlen(text), &error), AN_OK);
    assert_int_equal(an_fdata_profile_filter(profile, only_main, &asked, &removed, &error), AN_OK);
    assert_int_equal(removed, 1);
    assert_int_equal(asked, 2); /* main, lex; parse need not be known */
    assert_int_equal(an_fdata_profile_settle(profile, &error), AN_OK);
    assert_int_equal(an_fdata_profile_info(profile)->branches, 1);
    assert_int_equal(an_fdata_profile_info(profile)->functions, 1);
    an_fdata_profile_free(profile);
}

/* In memory of just that size, so that a sanitizer sees what is read behind it. */
static enum an_code read_cut(const char *whole, size_t size, struct an_error *error)
{
    char *copy = malloc(size ? size : 1);
    memcpy(copy, whole, size);
    struct an_fdata_profile *profile = NULL;
    struct an_fdata_reader *reader = NULL;
    struct an_error other;
    enum an_code code = an_fdata_profile_read(&profile, copy, size, error);
    assert_int_equal(an_fdata_reader_open(&reader, copy, size, &other), code);
    if (code != AN_OK) {
        assert_int_equal(other.offset, error->offset);
        assert_string_equal(other.what, error->what);
    }
    an_fdata_profile_free(profile);
    an_fdata_reader_close(reader);
    free(copy);
    return code;
}

static void cut_anywhere(void **state)
{
    (void)state;
    static const char headed[] = "no_lbr a\nboltedcollection\n1 main 4 5\n1 main 5 61\n";
    static const char *const files[] = {text, headed};
    for (size_t f = 0; f < 2; f++)
        for (size_t size = 0; size <= strlen(files[f]); size++) {
            struct an_error error;
            enum an_code code = read_cut(files[f], size, &error);
            if (size == 0)
                assert_int_equal(code, AN_EMPTY);
            else if (files[f][size - 1] == '\n')
                assert_int_equal(code, AN_OK);
            else
                check(code == AN_TRUNCATED || (size < 8 && code == AN_UNKNOWN), "%zu of %s: %s",
                      size, files[f], error.what);
        }
}

static void a_torn_line(void **state)
{
    (void)state;
    static const char torn[] = "1 main 0 1 main 4 0 1\n1 main 1 main 0 1 main 8 0 3\n";
    struct an_error error;
    assert_int_equal(read_cut(torn, strlen(torn), &error), AN_MALFORMED);
    assert_non_null(strstr(error.what, "line 2"));
    assert_non_null(strstr(error.what, "expected"));
    assert_non_null(strstr(error.hint, "torn"));
    assert_int_equal(error.offset, strlen("1 main 0 1 main 4 0 1\n1 main 1 "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_in_the_files_order),
        cmocka_unit_test(headers),
        cmocka_unit_test(as_a_profile),
        cmocka_unit_test(filtered),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(a_torn_line),
    };
    return RUN_TESTS(tests);
}
