/* One line of fdata: what llvm-bolt takes is taken, and what is wrong is told where it is wrong. */
#include "bolt/fdata_line.h"
#include "support/test.h"

static struct fdata_line parsed(const char *text, bool no_lbr)
{
    struct fdata_line line;
    check(an_fdata_line_parse(text, strlen(text), no_lbr, AN_FDATA_MOST, &line),
          "\"%s\": expected %s at %zu", text, line.wanted, line.wrong_at);
    return line;
}

static bool is_location(const struct an_fdata_location *location, unsigned kind, const char *name,
                        uint64_t offset)
{
    return location->kind == kind && location->name_length == strlen(name) &&
           memcmp(location->name, name, strlen(name)) == 0 && location->offset == offset;
}

static void a_branch(void **state)
{
    (void)state;
    struct fdata_line line = parsed("1 main 1c 2 parse/1 0 2 340", false);
    assert_int_equal(line.record.kind, AN_FDATA_BRANCH);
    assert_true(is_location(&line.record.from, 1, "main", 0x1c));
    assert_true(is_location(&line.record.to, 2, "parse/1", 0));
    assert_int_equal(line.record.mispreds, 2);
    assert_int_equal(line.record.count, 340);
    assert_int_equal(line.locations_length, strlen("1 main 1c 2 parse/1 0"));
    assert_true(line.plain && line.canonical);
}

static void a_sample_and_memory(void **state)
{
    (void)state;
    struct fdata_line line = parsed("1 main ffffffffffffffff 9223372036854775807", true);
    assert_int_equal(line.record.kind, AN_FDATA_SAMPLE);
    assert_true(is_location(&line.record.from, 1, "main", UINT64_MAX));
    assert_true(line.record.count == INT64_MAX);
    assert_int_equal(line.locations_length, strlen("1 main ffffffffffffffff"));
    for (int no_lbr = 0; no_lbr < 2; no_lbr++) {
        line = parsed("4 main 20 3 [heap] 7f10 12", no_lbr);
        assert_int_equal(line.record.kind, AN_FDATA_MEMORY);
        assert_true(is_location(&line.record.from, 4, "main", 0x20));
        assert_true(is_location(&line.record.to, 3, "[heap]", 0x7f10));
        assert_int_equal(line.record.count, 12);
    }
}

static void names_with_backslashes(void **state)
{
    (void)state;
    struct fdata_line line = parsed("1 operator\\ new\\\\ 0 1 b 0 0 1", false);
    char plain[40];
    assert_true(is_location(&line.record.from, 1, "operator\\ new\\\\", 0));
    size_t length = an_fdata_unescape(line.record.from.name, line.record.from.name_length, plain);
    assert_int_equal(length, strlen("operator new\\"));
    assert_memory_equal(plain, "operator new\\", length);
    assert_int_equal(an_fdata_unescape("a\\", 2, plain), 2);
}

static void other_ways_to_write_it(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool plain;
    } lines[] = {
        {"1 main 1C 1 parse 0 2 340", true},     {"1 main 01c 1 parse 0 2 340", true},
        {"1  main 1c 1 parse 0 2 340", false},   {"1 main  1c 1 parse 0 2 340", false},
        {"1 main 1c 1 parse 00 2 340  ", false}, {"1 main 1c   1 parse 0 2 340", false},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct fdata_line line = parsed(lines[i].text, false);
        assert_true(is_location(&line.record.from, 1, "main", 0x1c));
        assert_true(is_location(&line.record.to, 1, "parse", 0));
        assert_int_equal(line.record.count, 340);
        assert_false(line.canonical);
        assert_int_equal(line.plain, lines[i].plain);
    }
}

static void what_is_wrong_and_where(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
        size_t at;
    } lines[] = {
        {"", "a line that begins with 0 to 5", 0},
        {"6 a 0 1 b 0 0 1", "a line that begins with 0 to 5", 0},
        {"1", "a space after the kind", 1},
        {"1 ", "a name", 2},
        {"1 a", "an offset after the name", 3},
        {"1 a\\", "a character after the backslash", 4},
        {"1 a g", "an offset, hexadecimal", 4},
        {"1 a 0", "a space after the offset", 5},
        {"1 a 0x1 1 b 0 0 1", "a space after the offset", 5},
        {"1 a 0 3 b 0 0 1", "0, 1 or 2", 6},
        {"1 a 0 1 b 0 ", "a number of mispredictions", 12},
        {"1 a 0 1 b 0 1", "a space after the mispredictions", 13},
        {"1 a 0 1 b 0 1 x", "a count, decimal", 14},
        {"1 a 0 1 b 0 1 2x", "the end of the line", 15},
        {"1 a 0 1 b 0 1 2 3", "the end of the line", 16},
        {"1 a 0 1 b 0 1 9223372036854775808", "a count below 2^63", 14},
        {"1 a 0 1 b 0 18446744073709551616 0", "a number of at most 64 bits", 31},
        {"1 a 12345678123456789 1 b 0 0 1", "an offset of at most 64 bits", 20},
        {"4 a 0 1 b 0 1", "3, 4 or 5", 6},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct fdata_line line;
        assert_false(
            an_fdata_line_parse(lines[i].text, strlen(lines[i].text), false, AN_FDATA_MOST, &line));
        check(strncmp(line.wanted, lines[i].wanted, strlen(lines[i].wanted)) == 0,
              "\"%s\": expected %s", lines[i].text, line.wanted);
        check(line.wrong_at == lines[i].at, "\"%s\": at %zu", lines[i].text, line.wrong_at);
    }
}

static void decoding_a_key(void **state)
{
    (void)state;
    const char *key = "1 operator\\ new 1c 2 b ffffffffffffffff", *at = key;
    struct an_fdata_location from = an_fdata_location_decode(&at, key + strlen(key));
    struct an_fdata_location to = an_fdata_location_decode(&at, key + strlen(key));
    assert_true(is_location(&from, 1, "operator\\ new", 0x1c));
    assert_true(is_location(&to, 2, "b", UINT64_MAX));
    assert_ptr_equal(at, key + strlen(key));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch),
        cmocka_unit_test(a_sample_and_memory),
        cmocka_unit_test(names_with_backslashes),
        cmocka_unit_test(other_ways_to_write_it),
        cmocka_unit_test(what_is_wrong_and_where),
        cmocka_unit_test(decoding_a_key),
    };
    return RUN_TESTS(tests);
}
