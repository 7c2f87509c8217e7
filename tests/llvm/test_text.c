/* lib/llvm/text_read and text_write: the syntax, where errors are, and that reading undoes writing. */
#include "llvm/text.h"

#include "support/profiles.h"
#include "support/test.h"

static struct an_bytes bytes_of(const char *text)
{
    return (struct an_bytes){(const uint8_t *)text, strlen(text)};
}

static struct text_image parsed(const char *text)
{
    struct text_image image;
    struct an_error error = {0};
    enum an_code code = an_text_open(&image, bytes_of(text), &error);
    check(code == AN_OK, "%s", error.what);
    return image;
}

static void numbers_of_all_bases(void **state)
{
    (void)state;
    struct text_image image = parsed("f\n0x1F\n4\n1\n2\n3\n18446744073709551615\n"
                                     "g\n0b101\n1\n7\n"
                                     "h\n017\n1\n7\n"
                                     "i\n0o17\n1\n08\n"
                                     "j\n0\n1\n0\n");
    assert_int_equal(image.records.count, 5);
    assert_int_equal(image.records.items[0].hash, 0x1f);
    assert_int_equal(image.records.items[0].count_number, 4);
    assert_true(image.records.items[0].counts[3] == UINT64_MAX);
    assert_int_equal(image.records.items[1].hash, 5);
    assert_int_equal(image.records.items[2].hash, 15);
    assert_int_equal(image.records.items[3].hash, 15);
    assert_int_equal(image.records.items[3].counts[0], 8); /* counts are decimal */
    assert_int_equal(image.records.items[4].hash, 0);
    an_text_close(&image);
}

static void markers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned variants;
    } cases[] = {
        {"", 0},
        {"# nothing but a comment\n\n", 0},
        {":fe\n", AN_LLVM_FRONTEND},
        {":ir\n", AN_LLVM_IR},
        {":IR\n", AN_LLVM_IR},
        {":csir\n", AN_LLVM_IR | AN_LLVM_CONTEXT_SENSITIVE},
        {":ir\n:entry_first\n", AN_LLVM_IR | AN_LLVM_ENTRY_FIRST},
        {":entry_first\n:not_entry_first\n", 0},
        {"# a\n:ir\n# b\n\n:single_byte_coverage\n", AN_LLVM_IR | AN_LLVM_BYTE_COVERAGE},
        {":ir\n:temporal_prof_traces\n0\n0\n", AN_LLVM_IR | AN_LLVM_TEMPORAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_image image = parsed(cases[i].text);
        check(image.variants == cases[i].variants, "%s", cases[i].text);
        assert_int_equal(image.records.count, 0);
        an_text_close(&image);
    }
}

static void lines_end_as_they_like(void **state)
{
    (void)state;
    struct text_image image = parsed("\r\n# a comment\r\nf g\r\n1\r\n1\r\n5\r\n\r\n\n\nh\n2\n1\n6");
    assert_int_equal(image.records.count, 2);
    assert_int_equal(image.records.items[0].name_length, 3);
    assert_memory_equal(image.records.items[0].name, "f g", 3);
    assert_int_equal(image.records.items[1].counts[0], 6);
    an_text_close(&image);
}

static void values_of_all_kinds(void **state)
{
    (void)state;
    struct text_image image = parsed("f\n1\n1\n9\n3\n"
                                     "0\n2\n0\n2\na.c:g:7\n** External Symbol **:3\n"
                                     "1\n1\n1\n64:5\n"
                                     "2\n1\n1\n_ZTV1A:4\n");
    const struct an_llvm_values *values = image.records.items[0].values;
    assert_int_equal(values->site_count[AN_LLVM_INDIRECT_CALL], 2);
    assert_int_equal(values->sites[AN_LLVM_INDIRECT_CALL][0].count, 0);
    const struct an_llvm_site *site = &values->sites[AN_LLVM_INDIRECT_CALL][1];
    assert_int_equal(site->count, 2);
    assert_true(site->values[0].value == an_llvm_name_hash("a.c:g", 5)); /* the last colon counts */
    assert_int_equal(site->values[0].count, 7);
    assert_int_equal(site->values[1].value, 0);
    assert_int_equal(values->sites[AN_LLVM_MEMOP_SIZE][0].values[0].value, 64);
    assert_true(values->sites[AN_LLVM_VTABLE][0].values[0].value == an_llvm_name_hash("_ZTV1A", 6));
    assert_int_equal(image.vtable_names.count, 1);
    an_text_close(&image);
}

static void bitmaps_and_traces(void **state)
{
    (void)state;
    struct text_image image = parsed(":temporal_prof_traces\n2\n5\n3\nf, g,h\n1\n,f,,\n"
                                     "f\n1\n1\n9\n$3\n0x1\n255\n0\n"
                                     "g\n1\n1\n9\n$ 1\n7\n1\n1\n1\n0\n");
    assert_int_equal(image.traces.count, 2);
    assert_int_equal(image.trace_stream_size, 5);
    assert_int_equal(image.traces.items[0].weight, 3);
    assert_int_equal(image.traces.items[0].function_count, 3);
    assert_true(image.traces.items[0].functions[1] == an_llvm_name_hash("g", 1));
    assert_int_equal(image.traces.items[1].function_count, 1);
    assert_int_equal(image.records.items[0].bitmap_bytes, 3);
    assert_int_equal(image.records.items[0].bitmap[1], 255);
    assert_int_equal(image.records.items[1].bitmap[0], 7);
    assert_int_equal(image.records.items[1].values->site_count[AN_LLVM_MEMOP_SIZE], 1);
    an_text_close(&image);
}

static void errors_say_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum an_code code;
        uint64_t at;
    } cases[] = {
        {"f\n", AN_TRUNCATED, 2},
        {"f\n1\n2\n5\n", AN_TRUNCATED, 8},
        {"f\nx\n", AN_MALFORMED, 2},
        {"f\n1\n0x1\n5\n", AN_MALFORMED, 4}, /* the number of counters is decimal */
        {"f\n1\n0\n", AN_MALFORMED, 4},
        {"f\n1\n1\n-5\n", AN_MALFORMED, 6},
        {"f\n1\n1\n18446744073709551616\n", AN_MALFORMED, 6},
        {"f\n1\n1\n5 \n", AN_MALFORMED, 6},
        {"f\n1\n4000000000\n5\n", AN_TRUNCATED, 4},
        {"f\n1\n99999999999\n5\n", AN_MALFORMED, 4},
        {":wrong\n", AN_MALFORMED, 0},
        {"f\n1\n1\n5\n$1\n256\n", AN_MALFORMED, 11},
        {"f\n1\n1\n5\n$x\n", AN_MALFORMED, 8},
        {"f\n1\n1\n5\n$9999\n", AN_TRUNCATED, 8},
        {"f\n1\n1\n5\n4\n", AN_MALFORMED, 8},                    /* kinds */
        {"f\n1\n1\n5\n1\n3\n1\n", AN_MALFORMED, 10},             /* a kind */
        {"f\n1\n1\n5\n2\n1\n1\n0\n1\n1\n0\n", AN_MALFORMED, 18}, /* the same kind again */
        {"f\n1\n1\n5\n1\n1\n99999\n", AN_TRUNCATED, 12},         /* sites */
        {"f\n1\n1\n5\n1\n1\n1\n99999\n", AN_TRUNCATED, 14},      /* values */
        {"f\n1\n1\n5\n1\n1\n1\n1\n5\n", AN_MALFORMED, 16},       /* no colon */
        {"f\n1\n1\n5\n1\n1\n1\n1\n5:x\n", AN_MALFORMED, 16},
        {"f\n1\n1\n5\n1\n1\n1\n1\ng:1\n", AN_MALFORMED, 16}, /* a size must be a number */
        {"f\n1\n1\n5\n1\n0\n1\n1\n:1\n", AN_MALFORMED, 16},  /* a name must not be empty */
        {":temporal_prof_traces\n2\n2\n1\nf\n", AN_TRUNCATED, 30},
        {":temporal_prof_traces\n4294967295\n1\n", AN_TRUNCATED, 35},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_image image;
        struct an_error error = {0};
        enum an_code code = an_text_open(&image, bytes_of(cases[i].text), &error);
        an_text_close(&image);
        check(code == cases[i].code, "case %zu: %s: %s", i, an_code_name(code), error.what);
        check(error.offset == cases[i].at, "case %zu: at %llu: %s", i,
              (unsigned long long)error.offset, error.what);
    }
}

static void what_may_be_text(void **state)
{
    (void)state;
    assert_true(an_text_recognise(bytes_of("main\n1\n1\n5\n")));
    assert_true(an_text_recognise(bytes_of(":ir\n\n")));
    assert_false(an_text_recognise(bytes_of("main\x01")));
    assert_false(an_text_recognise((struct an_bytes){(const uint8_t *)"abc\0defg", 8}));
    assert_false(an_text_recognise(bytes_of("abcdef\xc3\xa9")));
    assert_true(an_text_recognise(bytes_of("abcdefgh\xc3\xa9"))); /* beyond the first eight */
}

/* Every text of the corpus, which the peer wrote, comes back as it was. */
static void reading_undoes_writing(void **state)
{
    (void)state;
    static const char *const files[] = {
        "text/all-fe-clang19.profdata.text",
        "text/cxx-ir-clang19.merged.profdata.text",
        "text/c-base-and-csir-clang19.profdata.text",
        "text/c-ir-block-clang19.merged.profdata.text",
        "text/cond-fe-mcdc-clang19.merged.profdata.text",
        "text/text-vtable-keep.profdata.text",
        "text/text-pseudo-llvm13.profdata.text",
    };
    struct an_llvm_merge_options keep = {
        .size = sizeof keep, .threads = 1, .keep_vtable_names = true};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct an_bytes file = corpus(files[i]);
        struct an_llvm_profile *profile = merge_bytes(&keep, &file, 1);
        char *text = written_text(profile);
        check(strlen(text) == file.size && memcmp(text, file.data, file.size) == 0, "%s", files[i]);
        free(text);
        an_llvm_profile_free(profile);
        free_bytes(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_all_bases),   cmocka_unit_test(markers),
        cmocka_unit_test(lines_end_as_they_like), cmocka_unit_test(values_of_all_kinds),
        cmocka_unit_test(bitmaps_and_traces),     cmocka_unit_test(errors_say_where),
        cmocka_unit_test(what_may_be_text),       cmocka_unit_test(reading_undoes_writing),
    };
    return RUN_TESTS(tests);
}
