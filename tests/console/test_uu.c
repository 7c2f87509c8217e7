/* Lines of uuencode: all values of all lengths come back, and what is no such line is told. */
#include "console/uu.h"

#include "support/console_build.h"

static void test_round(void **context)
{
    uint64_t state = 7;
    (void)context;
    for (unsigned flags = 0; flags < 4; flags++)
        for (size_t count = 1; count <= 45; count++) {
            uint8_t bytes[45];
            char text[72];
            struct an_uu line;
            for (size_t i = 0; i < count; i++)
                bytes[i] = (uint8_t)next_number(&state);
            uu_line(text, bytes, count, flags);
            assert_true(an_uu_decode(text, strlen(text), &line));
            assert_int_equal(line.count, count);
            assert_memory_equal(line.bytes, bytes, count);
            assert_int_equal(line.lost, 0);
            assert_false(line.has_filling);
            assert_true(line.extra_is_sum == line.has_extra);
        }
}

/* Blanks at the end are lost or added. */
static void test_blanks(void **context)
{
    static const uint8_t bytes[45] = {1, 2, 3, 4};
    char text[80];
    struct an_uu line;
    (void)context;
    uu_line(text, bytes, 45, UU_BLANKS);
    size_t size = strlen(text);
    while (text[size - 1] == ' ')
        size--;
    assert_true(an_uu_decode(text, size, &line));
    assert_memory_equal(line.bytes, bytes, 45);
    assert_int_equal(line.lost, 61 - size);
    assert_true(an_uu_decode("M", 1, &line));
    assert_int_equal(line.count, 45);
    uu_line(text, bytes, 45, 0);
    strcat(text, "   ");
    assert_true(an_uu_decode(text, strlen(text), &line));
    assert_int_equal(line.lost, 0);
    assert_false(line.has_extra);
}

static void test_zero(void **context)
{
    struct an_uu line;
    (void)context;
    assert_true(an_uu_decode("`", 1, &line) && line.count == 0 && line.has_back_quote);
    assert_true(an_uu_decode("`  ", 3, &line) && line.count == 0);
    assert_true(an_uu_decode(" ", 1, &line) && line.count == 0 && !line.has_back_quote);
    assert_true(an_uu_decode("", 0, &line) && line.count == 0);
    assert_false(an_uu_decode("`x", 2, &line));
    assert_false(an_uu_decode(" x", 2, &line));
}

static void test_wrong(void **context)
{
    static const char *const texts[] = {"#abcd",   "#ABC\x7f", "N",     "_ABCD",
                                        "#ABCDEF", "end",      "#A\tCD"};
    struct an_uu line;
    (void)context;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(!an_uu_decode(texts[i], strlen(texts[i]), &line), "%s", texts[i]);
    assert_true(an_uu_decode("!86)B", 5, &line)); /* bits behind its only byte */
    assert_true(line.has_filling);
    assert_true(an_uu_decode("#86%BX", 6, &line) && line.has_extra && !line.extra_is_sum);
}

/* Every character changed in any way decodes as something else, or not at all; ' ' and '`' are the same. */
static void test_changes(void **context)
{
    static const uint8_t bytes[45] = "The quick brown fox jumps over the lazy dog.";
    char text[72];
    struct an_uu line;
    (void)context;
    uu_line(text, bytes, 45, 0);
    for (size_t i = 1; i < 61; i++)
        for (unsigned c = 1; c < 256; c++) {
            char was = text[i];
            if (was == (char)c || (was == '`' && c == ' '))
                continue;
            text[i] = (char)c;
            if (an_uu_decode(text, 61, &line))
                assert_memory_not_equal(line.bytes, bytes, 45);
            text[i] = was;
        }
}

/* RFC 4648's own examples, and what is no line of base64. */
static void test_base64(void **context)
{
    static const char *const right[][2] = {{"Zg==", "f"},           {"Zm8=", "fo"},
                                           {"Zm9v", "foo"},         {"Zm9vYg==", "foob"},
                                           {"Zm9vYmE=  ", "fooba"}, {"Zm9vYmFy", "foobar"}};
    static const char *const wrong[] = {
        "", "====", "Z", "Zg=", "Zg", "Z===", "Zg=v", "=g==", "Zg==Zg==", "Zm9 ", "Zm9-"};
    char text[90];
    struct an_uu line;
    (void)context;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(an_uu_decode_base64(right[i][0], strlen(right[i][0]), &line));
        assert_int_equal(line.count, strlen(right[i][1]));
        assert_memory_equal(line.bytes, right[i][1], line.count);
        assert_false(line.has_filling);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check(!an_uu_decode_base64(wrong[i], strlen(wrong[i]), &line), "%s", wrong[i]);
    assert_true(an_uu_decode_base64("Zh==", 4, &line) && line.has_filling);
    memset(text, 'A', sizeof text);
    assert_true(an_uu_decode_base64(text, 84, &line) && line.count == 63);
    assert_false(an_uu_decode_base64(text, 88, &line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round), cmocka_unit_test(test_blanks),  cmocka_unit_test(test_zero),
        cmocka_unit_test(test_wrong), cmocka_unit_test(test_changes), cmocka_unit_test(test_base64),
    };
    return RUN_TESTS(tests);
}
