/* Splitting logs into lines, and cleaning these. */
#include "console/line.h"

#include "support/test.h"

static void expect_lines(const char *log, size_t size, const char *expected)
{
    struct an_lines lines = an_lines_of((struct an_bytes){(const uint8_t *)log, size});
    struct an_buffer clean = {0}, all = {0};
    struct an_line line;
    while (an_lines_next(&lines, &line)) {
        line = an_line_clean(line, &clean);
        an_buffer_print(&all, "%u:%.*s|", (unsigned)line.number, (int)line.size, line.text);
    }
    an_buffer_put(&all, "", 1);
    assert_string_equal((const char *)all.data, expected);
    an_buffer_free(&all);
    an_buffer_free(&clean);
}

#define EXPECT(log, expected) expect_lines(log, sizeof(log) - 1, expected)

static void test_ends(void **context)
{
    (void)context;
    EXPECT("", "");
    EXPECT("a", "1:a|");
    EXPECT("a\nb\n", "1:a|2:b|");
    EXPECT("a\r\nb\r\n", "1:a|2:b|");
    EXPECT("a\rb\rc", "1:a|1:b|1:c|");
    EXPECT("a\r\r\nb", "1:a|1:|2:b|");
    EXPECT("a\n\nb", "1:a|2:|3:b|");
    EXPECT("a\n\r\nb\r", "1:a|2:|3:b|");
    EXPECT("\xef\xbb\xbf"
           "a\n",
           "1:a|");
}

static void test_terminals(void **context)
{
    (void)context;
    EXPECT("\x1b[1;31mred\x1b[0m\n", "1:red|");
    EXPECT("\x1b]0;title\x07text\n", "1:text|");
    EXPECT("\x1b]0;title\x1b\\text\n", "1:text|");
    EXPECT("\x1b[?2004hM123\x1b[K\n", "1:M123|");
    EXPECT("\x1b(Babc\x1b"
           "7\n",
           "1:abc|");
    EXPECT("ab\b \bc\n", "1:ac|");
    EXPECT("\b\ba\n", "1:a|");
    EXPECT("\x07"
           "a\x00"
           "b\x7f"
           "c\n",
           "1:abc|");
    EXPECT("a\x1b", "1:a|");
    EXPECT("a\x1b[", "1:a|");
    EXPECT("a\x1b]no end\n", "1:ano end|");
    EXPECT("a\tb\n", "1:a\tb|");
}

static void test_skipping(void **context)
{
    static const char log[] = "one\ntwo\r\nthree\rfour\nfive";
    struct an_line line;
    (void)context;
    for (size_t offset = 0; offset < sizeof log - 1; offset++) {
        struct an_lines lines =
            an_lines_of((struct an_bytes){(const uint8_t *)log, sizeof log - 1});
        assert_true(an_lines_next(&lines, &line));
        if (offset < 4)
            continue;
        an_lines_skip_to(&lines, offset);
        assert_true(an_lines_next(&lines, &line));
        const char *expected = offset < 9    ? "two"
                               : offset < 15 ? "three"
                               : offset < 20 ? "four"
                                             : "five";
        if (offset == 8)
            expected = ""; /* between CR and LF */
        assert_int_equal(line.size, strlen(expected));
        assert_memory_equal(line.text, expected, line.size);
        assert_int_equal(line.number, offset < 9 ? 2 : offset < 20 ? 3 : 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_terminals),
        cmocka_unit_test(test_skipping),
    };
    return RUN_TESTS(tests);
}
