/* What is fdata, and what its first lines say. */
#include "bolt/fdata_header.h"
#include "support/test.h"

static bool recognised(const char *text)
{
    return an_fdata_recognise(text, strlen(text));
}

static void what_is_fdata(void **state)
{
    (void)state;
    static const char *const are[] = {
        "1 main 0 1 main 4 0 1\n",
        "0 [unknown] 0 1 main 0 0 1\n",
        "4 main 20 3 [heap] 7f 1",
        "no_lbr\n",
        "no_lbr cycles:u:\n",
        "no_lbr",
        "boltedcollection\n1 m",
        "\n\n1 main 0 1 main 4 0 1\n",
        "1 main 0 1 ma",
        "1 main",
        "1 mai\\",
        "torn\n1 main 0 1 main 4 0 1\n",
        "1 ma\x01in 0 1 main 4 0 1\n",
        "1 ma\x1b[31min 0 1 main 4 0 1\n",
    };
    static const char *const are_not[] = {
        "",
        "1",
        "1 2 3\n",
        "main\n0x1234\n1\n",
        ":ir\nmain\n",
        "B 4005d0 4005e0 3 0\n",
        "no_lbrs\n",
        "boltedcollections\n",
        "6 main 0 1 main 4 0 1\n",
        "1 main\n0x5\n",
        "1  \n",
        "1 ma\x01in",
        "1 ma\x01in 0",
        "---\nheader:\n",
    };
    for (size_t i = 0; i < sizeof are / sizeof *are; i++)
        check(recognised(are[i]), "\"%s\"", are[i]);
    for (size_t i = 0; i < sizeof are_not / sizeof *are_not; i++)
        check(!recognised(are_not[i]), "\"%s\"", are_not[i]);
}

static struct fdata_header header_of(const char *text)
{
    struct fdata_header header;
    struct an_error error;
    struct an_bytes file = {(const uint8_t *)text, strlen(text)};
    check(an_fdata_header_read(file, &header, &error) == AN_OK, "%s: %s", text, error.what);
    return header;
}

static void header_lines(void **state)
{
    (void)state;
    struct fdata_header header = header_of("1 main 0 1 main 4 0 1\n");
    assert_false(header.no_lbr || header.bolted);
    assert_int_equal(header.size, 0);
    header = header_of("boltedcollection\n1 main 0 1 main 4 0 1\n");
    assert_true(header.bolted && !header.no_lbr);
    assert_int_equal(header.size, 17);
    header = header_of("boltedcollection\nno_lbr a\n1 main 0 1\n");
    assert_true(header.bolted && header.no_lbr);
    assert_int_equal(header.size, 26);
    header = header_of("no_lbr a\nboltedcollection\n1 main 0 1\n");
    assert_true(header.bolted && header.no_lbr);
    assert_int_equal(header.size, 26);
    header = header_of("no_lbr\nno_lbr\n"); /* the second one is no record: for the next reader */
    assert_int_equal(header.size, 7);
    header = header_of("no_lbr");
    assert_int_equal(header.size, 0);
}

static void events(void **state)
{
    (void)state;
    struct fdata_header header = header_of("no_lbr  cycles:u: a\\ b \n");
    const char *at = header.events, *end = at + header.events_length;
    struct an_fdata_event event;
    assert_true(an_fdata_next_event(&at, end, &event));
    assert_int_equal(event.length, 9);
    assert_memory_equal(event.name, "cycles:u:", 9);
    assert_true(an_fdata_next_event(&at, end, &event));
    assert_int_equal(event.length, 4);
    assert_memory_equal(event.name, "a\\ b", 4);
    assert_false(an_fdata_next_event(&at, end, &event));
}

static void too_many_events(void **state)
{
    (void)state;
    static char text[4000] = "no_lbr";
    for (int i = 0; i < 1001; i++)
        strcat(text, " e");
    strcat(text, "\n");
    struct fdata_header header;
    struct an_error error;
    struct an_bytes file = {(const uint8_t *)text, strlen(text)};
    assert_int_equal(an_fdata_header_read(file, &header, &error), AN_MALFORMED);
    assert_int_equal(error.offset, strlen(text) - 2);
}

static void strangers(void **state)
{
    (void)state;
    struct fdata_header header;
    struct an_error error;
    assert_int_equal(an_fdata_header_read((struct an_bytes){(const uint8_t *)"PERFILE2xxx", 11},
                                          &header, &error),
                     AN_UNKNOWN);
    assert_non_null(strstr(error.what, "perf.data"));
    assert_int_equal(
        an_fdata_header_read((struct an_bytes){(const uint8_t *)"hello\n", 6}, &header, &error),
        AN_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_fdata),   cmocka_unit_test(header_lines), cmocka_unit_test(events),
        cmocka_unit_test(too_many_events), cmocka_unit_test(strangers),
    };
    return RUN_TESTS(tests);
}
