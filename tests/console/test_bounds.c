/*
 * Logs that are made to cost much: what they take of memory must grow with their size and not faster, and what
 * is found in them must end. So must the time: nothing here measures it, but if one of these logs were read
 * again and again, the test would not end before it is stopped.
 */
#include "support/console_build.h"

enum { SIZE = 1 << 20 };

/* `first`, then `again` until the log has its size; # in it becomes a number. */
static struct an_buffer make_log(const char *first, const char *again, size_t size)
{
    struct an_buffer log = {0};
    const char *number = strchr(again, '#');
    an_buffer_print(&log, "%s", first);
    for (unsigned i = 0; log.size < size; i++)
        if (number)
            an_buffer_print(&log, "%.*s%u%s", (int)(number - again), again, i, number + 1);
        else
            an_buffer_put(&log, again, strlen(again));
    return log;
}

/* 256 files that are open, each with a prefix of its own. */
static char *many_open(const char *prefix)
{
    struct an_buffer text = {0};
    for (unsigned i = 0; i < 256; i++)
        an_buffer_print(&text, "%s%03u: begin 644 f.g\nM\n", prefix, i);
    an_buffer_put(&text, "", 1);
    return (char *)text.data;
}

/* Reads it; returns how many files are in the list, and how many bytes they have together. */
static size_t read_it(const char *first, const char *again, size_t *bytes)
{
    struct an_buffer log = make_log(first, again, SIZE);
    struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
    size_t count = an_console_count(console);
    *bytes = 0;
    for (size_t i = 0; i < count; i++)
        *bytes += an_console_file(console, i)->size;
    check(*bytes <= 23 * log.size, "%zu bytes of %zu", *bytes, log.size);
    an_console_free(console);
    an_buffer_free(&log);
    return count;
}

static void test_time(void **context)
{
    static const char *const logs[] = {
        "begin 644 f.gcda\n",
        "begin 644 word\n",
        "begin 644 ",
        "begin ",
        "crc32 ",
        "M\n`\nend\n",
        "\b",
        "\x1b]",
        "\r",
        "x",
        "6e666367",
        "66 6e666367\n",
        "Emitting 9 bytes for x#\n",
        "gcov start filename:f size: 9Byte\n",
        "*** BEGIN OF GCOV INFO BASE64 ***\n",
        "PP#: begin 644 f.g\n",
        "begin 644 f#\n#86)C\n`\nend\na\n",
    };
    size_t bytes;
    (void)context;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        read_it("", logs[i], &bytes);
        read_it("begin 644 f.g\nM\n", logs[i], &bytes);
    }
}

/* Each line may be one of any file that is open. */
static void test_many_open(void **context)
{
    static const char *const prefixes[] = {"", "[1:00] ", "1:00"};
    static const char *const lines[] = {"\n", "noise, small\n", "[1:00] noise\n", "1:00x\n"};
    size_t bytes;
    (void)context;
    for (size_t i = 0; i < 3; i++) {
        char *open = many_open(prefixes[i]);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(read_it(open, lines[k], &bytes), 256);
        free(open);
    }
}

/* Blanks behind something that is looked for again and again. */
static void test_blanks(void **context)
{
    char *first = malloc(SIZE / 2);
    size_t bytes;
    (void)context;
    for (size_t i = 0; i < SIZE / 2; i++)
        first[i] = "begin 644 "[i % 10];
    first[SIZE / 2 - 1] = '\0';
    read_it(first, " ", &bytes);
    free(first);
}

static void test_many_files(void **context)
{
    static const char *const logs[] = {"begin 644 f.g\n", "crc32 12345678 1 n\n", "*f<00\n"};
    (void)context;
    for (size_t i = 0; i < 3; i++) {
        size_t each = strlen(logs[i]), all = AN_CONSOLE_MOST_FILES + 1000;
        struct an_buffer log =
            make_log(i == 2 ? "GCOV_COVERAGE_DUMP_START\n" : "", logs[i], all * each);
        struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
        assert_int_equal(an_console_count(console), AN_CONSOLE_MOST_FILES);
        assert_in_range(an_console_left_out(console), 990, 1000);
        an_console_free(console);
        an_buffer_free(&log);
    }
}

static void test_few_files(void **context)
{
    size_t bytes;
    (void)context;
    assert_int_equal(read_it("begin 644 f\n#86)C\n`\nend\n", "noise\n", &bytes), 1);
    assert_int_equal(bytes, 3);
    struct an_console *console = read_text("begin 644 f\n#86)C\n`\nend\n");
    assert_int_equal(an_console_left_out(console), 0);
    an_console_free(console);
}

/* What has more characters is no name. */
static void test_long_names(void **context)
{
    static const char *const before[] = {"begin 644 ", "crc32 12345678 1 ", "Emitting 9 bytes for ",
                                         "GCOV_COVERAGE_DUMP_START\n*", "gcov start filename:"};
    static const char *const behind[] = {"\n#86)C\n`\nend\n", "\n", "\n00000000: 00\n", "<00\n",
                                         " size: 9Byte\n00\n"};
    (void)context;
    for (size_t i = 0; i < 5; i++)
        for (unsigned is_long = 0; is_long < 2; is_long++) {
            struct an_buffer log = make_log(before[i], "/n", is_long ? 5000 : 3000);
            an_buffer_print(&log, "%s", behind[i]);
            struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
            for (size_t k = 0; k < an_console_count(console); k++)
                assert_true(strlen(an_console_file(console, k)->name) <= 4096);
            if (!is_long)
                check(an_console_count(console) == 1 && an_console_file(console, 0)->name[0], "%s",
                      before[i]);
            an_console_free(console);
            an_buffer_free(&log);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),      cmocka_unit_test(test_many_open),
        cmocka_unit_test(test_blanks),    cmocka_unit_test(test_many_files),
        cmocka_unit_test(test_few_files), cmocka_unit_test(test_long_names),
    };
    return RUN_TESTS(tests);
}
