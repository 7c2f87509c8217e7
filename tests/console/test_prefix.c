/* What lines have in front: the same text, with times that differ. */
#include "console/prefix.h"

#include "support/test.h"

static bool matches(const char *begin, const char *line)
{
    struct an_prefix prefix;
    assert_true(an_prefix_of(&prefix, begin, strlen(begin)));
    size_t at = an_prefix_match(&prefix, prefix.size, line, strlen(line));
    return at != SIZE_MAX && line[at] == 'M';
}

static void test_same(void **context)
{
    static const char *const pairs[][2] = {
        {"", "M"},
        {"PP3:~CONSOLE-> ", "PP3:~CONSOLE-> M"},
        {"[core 3] ", "[core 3] M"},
        {"c3| ", "c3| M"},
        {"<3>", "<3>M"},
        {"[   12.345678] ", "[  412.345679] M"},
        {"[    9.999999] cpu3: ", "[   10.000001] cpu3: M"},
        {"[12.345678][3] ", "[13.000000][3] M"},
        {"05:48:50 3: ", "05:49:01 3: M"},
        {"05:48:50.123 3: ", "05:49:01.007 3: M"},
        {"[00:00:12.345,678] ", "[00:01:12.345,679] M"},
        {"2024-05-01T05:48:50.123Z 7> ", "2024-05-02T00:00:00.001Z 7> M"},
        {"2024-05-01 05:48:50+0200 7> ", "2024-05-01 05:48:51+0200 7> M"},
        {"May  1 23:59:59 board[3]: ", "May 02 00:00:00 board[3]: M"},
        {"1714542530.123456 PP3: ", "1714542531.000000 PP3: M"},
        {"[May 01 05:48:50] [   12.345678] PP3: ", "[May 01 05:48:51] [   13.345678] PP3: M"},
    };
    (void)context;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check(matches(pairs[i][0], pairs[i][1]), "'%s' and '%s'", pairs[i][0], pairs[i][1]);
}

static void test_other(void **context)
{
    static const char *const pairs[][2] = {
        {"PP3:~CONSOLE-> ", "PP4:~CONSOLE-> M"},
        {"PP1:~CONSOLE-> ", "PP11:~CONSOLE-> M"},
        {"[core 3] ", "[core 13] M"},
        {"3: ", "13: M"},
        {"[   12.345678] PP3: ", "[   12.345678] PP4: M"},
        {"05:48:50 3: ", "05:48:50 4: M"},
        {"3 05:48:50 ", "4 05:48:50 M"},
        {"3:05:48:50 ", "4:05:48:50 M"},
        {"3-1: ", "3-2: M"},
        {"3.1: ", "3.2: M"},
        {"[3,1] ", "[3,2] M"},
        {"1.2.3.4: ", "1.2.3.5: M"},
        {"PP3: ", "M"},
    };
    (void)context;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check(!matches(pairs[i][0], pairs[i][1]), "'%s' and '%s'", pairs[i][0], pairs[i][1]);
}

static void test_cores(void **context)
{
    static const struct {
        const char *text;
        int core;
    } cases[] = {{"PP3:~CONSOLE-> ", 3},          {"[core 15] ", 15},
                 {"[   12.345678] PP3: ", 3},     {"<6>", 6},
                 {"[   12.345678] ", -1},         {"", -1},
                 {"May  1 05:48:50 ", -1},        {"99999999999: ", -1},
                 {"2024-05-01T05:48:50Z c7| ", 7}};
    (void)context;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct an_prefix prefix;
        assert_true(an_prefix_of(&prefix, cases[i].text, strlen(cases[i].text)));
        check(an_prefix_core(&prefix) == cases[i].core, "'%s': %d", cases[i].text,
              an_prefix_core(&prefix));
    }
}

/* A line of nothing may lose the blanks that the prefix ends with. */
static void test_lost_blanks(void **context)
{
    struct an_prefix prefix;
    (void)context;
    assert_true(an_prefix_of(&prefix, "PP3:  ", 6));
    for (size_t size = 0; size <= 6; size++)
        assert_int_equal(an_prefix_match(&prefix, prefix.size, "PP3:  ", size),
                         size < 4 ? SIZE_MAX : size);
}

static void test_too_long(void **context)
{
    char text[AN_PREFIX_MOST + 2];
    struct an_prefix prefix;
    (void)context;
    memset(text, 'x', sizeof text);
    assert_true(an_prefix_of(&prefix, text, AN_PREFIX_MOST));
    assert_false(an_prefix_of(&prefix, text, AN_PREFIX_MOST + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),     cmocka_unit_test(test_other),
        cmocka_unit_test(test_cores),    cmocka_unit_test(test_lost_blanks),
        cmocka_unit_test(test_too_long),
    };
    return RUN_TESTS(tests);
}
