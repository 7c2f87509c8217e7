/* Making fdata from counts: sums, order, escapes, headers; and reading it again. */
#include "branch/fdata_write.h"
#include "support/test.h"

static struct an_fdata_location at(unsigned kind, const char *name, uint64_t offset)
{
    return (struct an_fdata_location){(uint8_t)kind, name, strlen(name), offset};
}

/* The builder is finished and written; the text belongs to the caller. */
static char *text_of(struct an_fdata_builder *builder, struct an_fdata_info *info)
{
    struct an_fdata_profile *profile;
    struct an_error error;
    void *bytes;
    size_t size;
    assert_int_equal(an_fdata_builder_finish(builder, &profile, &error), AN_OK);
    assert_int_equal(an_fdata_profile_write(profile, &bytes, &size, &error), AN_OK);
    *info = *an_fdata_profile_info(profile);
    an_fdata_profile_free(profile);
    char *text = realloc(bytes, size + 1);
    text[size] = '\0';
    return text;
}

static void add(struct an_fdata_builder *builder, struct an_fdata_location from,
                struct an_fdata_location to, uint64_t mispreds, uint64_t count)
{
    struct an_error error;
    assert_int_equal(an_fdata_builder_add(builder, &from, &to, mispreds, count, &error), AN_OK);
}

static void branches(void **state)
{
    (void)state;
    struct an_fdata_builder *builder = an_fdata_builder_new(false, true);
    struct an_fdata_info info;
    struct an_error error;
    for (int i = 0; i < 3; i++)
        add(builder, at(1, "main", 0x1c), at(1, "operator new", 0), 1, 10);
    add(builder, at(1, "main", 0x4), at(1, "a\\b", 0xdeadbeef), 0, 1);
    add(builder, at(0, "", 0), at(1, "main", 0), 0, 2);
    add(builder, at(1, "main", 0x1c), at(2, "local/1", 0), 0, UINT64_MAX);
    add(builder, at(1, "main", 0x1c), at(2, "local/1", 0), 0, 5);
    add(builder, at(1, "ma", 0xffffffffffffffff), at(1, "main", 0), 0, 0);
    struct an_fdata_location load = at(4, "main", 0x20), heap = at(3, "[heap]", 0x7f10);
    assert_int_equal(an_fdata_builder_add_memory(builder, &load, &heap, 3, &error), AN_OK);
    char *text = text_of(builder, &info);
    assert_string_equal(text, "boltedcollection\n"
                              "0 [unknown] 0 1 main 0 0 2\n"
                              "1 ma ffffffffffffffff 1 main 0 0 0\n"
                              "1 main 4 1 a\\\\b deadbeef 0 1\n"
                              "1 main 1c 2 local/1 0 0 9223372036854775807\n"
                              "1 main 1c 1 operator\\ new 0 3 30\n"
                              "4 main 20 3 [heap] 7f10 3\n");
    free(text);
    assert_int_equal(info.branches, 5);
    assert_int_equal(info.memory, 1);
    assert_int_equal(info.functions, 2);
    assert_int_equal(info.memory_count, 3);
    assert_int_equal(info.total_mispreds, 3);
    assert_true(info.bolted && !info.no_lbr);
}

static void samples(void **state)
{
    (void)state;
    struct an_fdata_builder *builder = an_fdata_builder_new(true, false);
    struct an_fdata_info info;
    struct an_error error;
    struct an_fdata_location place = at(1, "main", 0xa0);
    assert_int_equal(an_fdata_builder_add_sample(builder, &place, 2, &error), AN_OK);
    assert_int_equal(an_fdata_builder_add_sample(builder, &place, 3, &error), AN_OK);
    assert_int_equal(an_fdata_builder_event(builder, "cycles:u:", 9, &error), AN_OK);
    assert_int_equal(an_fdata_builder_event(builder, "a b", 3, &error), AN_OK);
    assert_int_equal(an_fdata_builder_event(builder, "cycles:u:", 9, &error), AN_OK);
    char *text = text_of(builder, &info);
    assert_string_equal(text, "no_lbr cycles:u: a\\ b\n1 main a0 5\n");
    free(text);
    assert_int_equal(info.event_count, 2);
    assert_int_equal(info.samples, 1);
    assert_int_equal(info.total_count, 5);
}

static void nothing(void **state)
{
    (void)state;
    struct an_fdata_info info;
    char *text = text_of(an_fdata_builder_new(false, false), &info);
    assert_string_equal(text, "");
    free(text);
    text = text_of(an_fdata_builder_new(true, true), &info);
    assert_string_equal(text, "no_lbr\nboltedcollection\n");
    free(text);
    an_fdata_builder_free(NULL);
    an_fdata_builder_free(an_fdata_builder_new(false, false));
}

static void line_ends_cannot_be_said(void **state)
{
    (void)state;
    struct an_fdata_builder *builder = an_fdata_builder_new(false, false);
    struct an_fdata_location from = at(1, "a\nb", 0), to = at(1, "c", 0);
    struct an_fdata_info info;
    struct an_error error;
    assert_int_equal(an_fdata_builder_add(builder, &from, &to, 0, 1, &error), AN_UNSUPPORTED);
    assert_int_equal(an_fdata_builder_add(builder, &to, &from, 0, 1, &error), AN_UNSUPPORTED);
    assert_int_equal(an_fdata_builder_event(builder, "a\n", 2, &error), AN_UNSUPPORTED);
    assert_int_equal(an_fdata_builder_event(builder, "", 0, &error), AN_UNSUPPORTED);
    add(builder, to, to, 0, 1);
    char *text = text_of(builder, &info);
    assert_string_equal(text, "1 c 0 1 c 0 0 1\n");
    free(text);
}

/* Whatever is added comes back: names of any bytes but a line end, counts, sums. */
static void anything_comes_back(void **state)
{
    (void)state;
    struct an_fdata_builder *builder = an_fdata_builder_new(false, false);
    uint64_t random = 7, sum = 0;
    char names[50][12];
    for (int i = 0; i < 50; i++) {
        size_t length = 1 + number_below(&random, 10);
        for (size_t j = 0; j < length; j++)
            names[i][j] = " \\ab1\t\x80"[number_below(&random, 7)];
        names[i][length] = '\0';
    }
    for (int i = 0; i < 3000; i++) {
        uint64_t count = number_below(&random, 1000);
        add(builder, at(1, names[number_below(&random, 50)], number_below(&random, 9)),
            at(1, names[number_below(&random, 50)], number_below(&random, 3)), count / 9, count);
        sum += count;
    }
    struct an_fdata_info info;
    struct an_error error;
    char *text = text_of(builder, &info);
    struct an_fdata_reader *reader;
    assert_int_equal(an_fdata_reader_open(&reader, text, strlen(text), &error), AN_OK);
    assert_int_equal(an_fdata_reader_info(reader)->branches, info.branches);
    assert_int_equal(an_fdata_reader_info(reader)->total_count, sum);
    struct an_fdata_record record;
    while (an_fdata_reader_next(reader, &record)) {
        char plain[40];
        size_t length = an_fdata_unescape(record.from.name, record.from.name_length, plain);
        bool known = false;
        for (int i = 0; i < 50; i++)
            known = known || (strlen(names[i]) == length && memcmp(names[i], plain, length) == 0);
        assert_true(known);
    }
    an_fdata_reader_close(reader);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches),
        cmocka_unit_test(samples),
        cmocka_unit_test(nothing),
        cmocka_unit_test(line_ends_cannot_be_said),
        cmocka_unit_test(anything_comes_back),
    };
    return RUN_TESTS(tests);
}
