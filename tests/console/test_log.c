/* Whole logs: which files are found in them, and what is said about each. */
#include "support/console_build.h"

#include "base/file.h"

static const struct an_console_file *only_file(const struct an_console *console)
{
    check(an_console_count(console) == 1, "%zu files", an_console_count(console));
    return an_console_file(console, 0);
}

static void expect_file(const struct an_console_file *file, const char *name, const char *content,
                        enum an_console_status status)
{
    assert_string_equal(file->name, name);
    check(file->status == status, "%s: %s: %s (line %u)", name,
          an_console_status_name(file->status), file->problem, (unsigned)file->problem_line);
    assert_int_equal(file->size, strlen(content));
    assert_memory_equal(file->bytes, content, file->size);
}

static void expect_text(const char *log, const char *content, enum an_console_status status)
{
    struct an_console *console = read_text(log);
    expect_file(only_file(console), "f", content, status);
    an_console_free(console);
}

/* A file that is damaged in this line, for a reason with these words. */
static void expect_damage(const char *log, unsigned line, const char *words)
{
    struct an_console *console = read_text(log);
    const struct an_console_file *file = only_file(console);
    check(file->status == AN_CONSOLE_DAMAGED, "taken as good: %s", log);
    check(file->problem_line == line, "line %u, expected %u: %s", (unsigned)file->problem_line,
          line, file->problem);
    check(strstr(file->problem, words), "'%s' in: %s", words, file->problem);
    an_console_free(console);
}

#define FULL "M5&AE('%U:6-K(&)R;W=N(&9O>\"!J=6UP<R!O=F5R('1H92!L87IY(&1O9RX*"
#define FOX "The quick brown fox jumps over the lazy dog.\n"

static void test_plain(void **context)
{
    (void)context;
    expect_text("begin 644 f\n" FULL "\n#86)C\n`\nend\n", FOX "abc", AN_CONSOLE_UNVERIFIED);
    expect_text("begin 644 f\n" FULL "\n`\nend\n", FOX, AN_CONSOLE_UNVERIFIED);
    expect_text("begin 644 f\n`\nend\n", "", AN_CONSOLE_UNVERIFIED);
    expect_text("begin 0644 f\n \nend", "", AN_CONSOLE_UNVERIFIED);
    expect_text("begin 644 f\r\n" FULL "\r\n#86)C\r\n`\r\nend\r\n", FOX "abc",
                AN_CONSOLE_UNVERIFIED);
    expect_text("begin 644 f\r" FULL "\r#86)C\r`\rend\r", FOX "abc", AN_CONSOLE_UNVERIFIED);
    expect_text("begin 644 f  \n" FULL "   \n#86)C  \n\nend  \n", FOX "abc", AN_CONSOLE_UNVERIFIED);
    expect_text("begin 644 f\n#86)C\n`\nend\ncrc32 352441c2 3 f\n", "abc", AN_CONSOLE_VERIFIED);
    expect_text("\xef\xbb\xbf"
                "begin 644 f\n#86)C\n`\nend\n",
                "abc", AN_CONSOLE_UNVERIFIED);
}

static void test_noise(void **context)
{
    (void)context;
    expect_text("U-Boot 1.1.1\n=> go\nbegin 644 f\n[   12.345678] usb 1-1: new device\n" FULL
                "\n\n^C\nDumping files on core 0\n# \n" FULL
                "\n$ \n#86)C\n<6>net: up\n`\nend\nend\n"
                "Done dumping files on core 0\n",
                FOX FOX "abc", AN_CONSOLE_UNVERIFIED);
}

static void test_escapes(void **context)
{
    (void)context;
    expect_text("\x1b[1mbegin 644 f\x1b[0m\n\x1b[K" FULL "\x1b[0m\n#8Z\b6)C\n\x07`\n\x1b]0;x\x07"
                "end\n",
                FOX "abc", AN_CONSOLE_UNVERIFIED);
}

static void test_glued(void **context)
{
    (void)context;
    expect_text("login: begin 644 f\n" FULL "\n#86)C\n`\nend\n", FOX "abc", AN_CONSOLE_UNVERIFIED);
    expect_text("begin 644 f\n^C" FULL "\nusb 1-1: new" FULL "\n#86)C\n`\nend\n", FOX FOX "abc",
                AN_CONSOLE_UNVERIFIED);
    expect_text("PP3:~CONSOLE-> # begin 644 f\nPP4:~CONSOLE-> " FULL "\nPP3:~CONSOLE-> " FULL
                "\nPP3:~CONSOLE-> `\nPP3:~CONSOLE-> end\n",
                FOX, AN_CONSOLE_UNVERIFIED);
}

#define FOX_64 "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZy4K"

static void test_base64(void **context)
{
    (void)context;
    expect_text("begin-base64 644 f\n" FOX_64 "\n" FOX_64 "\nYWJj\n====\n", FOX FOX "abc",
                AN_CONSOLE_UNVERIFIED);
    expect_text("begin-base64 644 f\n" FOX_64 "\n====\ncrc32 eb50cc6a 45 f\n", FOX,
                AN_CONSOLE_VERIFIED);
    expect_text("begin-base64 644 f\n====\n", "", AN_CONSOLE_UNVERIFIED);
    expect_text("begin-base64 644 f\n[   12.345678] usb 1-1: new device\n" FOX_64
                "\n\n^C\n# \nboot\n" FOX_64 "\nYQ==\n====  \nend\n",
                FOX FOX "a", AN_CONSOLE_UNVERIFIED);
    expect_text("# begin-base64 644 f\n" FOX_64 "\n====\n", FOX, AN_CONSOLE_UNVERIFIED);
    expect_text("PP3: begin-base64 644 f\nPP4: " FOX_64 "\nPP3: " FOX_64 "\nPP3: ====\n", FOX,
                AN_CONSOLE_UNVERIFIED);
    expect_damage("begin-base64 644 f\n" FOX_64 "A\n====\n", 2, "may have been a line of data");
    expect_damage("begin-base64 644 f\n" FOX_64 "\nYWJjZGVmZ2hp\n" FOX_64 "\n====\n", 3,
                  "this line has 9 bytes, expected 45");
    expect_damage("begin-base64 644 f\n" FOX_64 "\n" FOX_64 "AAAA\n====\n", 3,
                  "this line has 48 bytes, expected 45");
    expect_damage("begin-base64 644 f\n" FOX_64 "\nYR==\n====\n", 3, "bits beyond its last byte");
    expect_damage("begin-base64 644 f\n" FOX_64 "\nYW$j\n====\n", 3, "last line of data");
    expect_damage("begin-base64 644 f\n" FOX_64 "\nend\n", 3, "empty line before it, is missing");
}

/* Two cores at a time, by line. */
static void test_cores(void **context)
{
    static const char *const prefixes[][2] = {
        {"PP3:~CONSOLE-> ", "PP13:~CONSOLE-> "},
        {"[core 3] ", "[core 13] "},
        {"3: ", "13: "},
        {"c3| ", "c13| "},
        {"<3>", "<13>"},
        {"", "[core 13] "},
    };
    (void)context;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        struct an_buffer log = {0};
        const char *const lines[] = {"begin 644 f", FULL, "#86)C", "`", "end"};
        for (size_t k = 0; k < 5; k++)
            for (size_t core = 0; core < 2; core++)
                an_buffer_print(&log, "%s%s%s\n", prefixes[i][core],
                                core && k == 2 ? "#>'EZ" : lines[k], k || !core ? "" : "13");
        struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
        assert_int_equal(an_console_count(console), 2);
        expect_file(an_console_file(console, 0), "f", FOX "abc", AN_CONSOLE_UNVERIFIED);
        expect_file(an_console_file(console, 1), "f13", FOX "xyz", AN_CONSOLE_UNVERIFIED);
        assert_int_equal(an_console_file(console, 0)->core, prefixes[i][0][0] ? 3 : -1);
        assert_int_equal(an_console_file(console, 1)->core, 13);
        an_console_free(console);
        an_buffer_free(&log);
    }
}

static void test_times(void **context)
{
    (void)context;
    expect_text("[    9.999998] 3: begin 644 f\n[    9.999999] 4: " FULL "\n[   10.000001] 3: " FULL
                "\n[   10.000002] 3: `\n[   10.000002] 3: end\n"
                "[   10.000003] 3: crc32 eb50cc6a 45 f\n",
                FOX, AN_CONSOLE_VERIFIED);
}

static void test_damage(void **context)
{
    (void)context;
    expect_damage("begin 644 f\n" FULL
                  "\nM5&AE('%U:6-K(&)R;W=N(&9O>\"!J=6UP<R!O=F5R('1H92!\n`\nend\n",
                  3, "shorter than its first character says");
    expect_damage("begin 644 f\n" FULL "A B\n`\nend\n", 2, "may have been a line of data");
    expect_damage("begin 644 f\n" FULL "A\n" FULL "\n`\nend\n", 2, "one character too many");
    expect_damage(
        "begin 644 f\nM5&AE('%U:6-K(&)R;W=N(&9O>\"xJ=6UP<R!O=F5R('1H92!L87IY(&1O9RX*\n`\nend\n", 2,
        "may have been a line of data");
    expect_damage("begin 644 f\n" FULL, 2, "its end, or the empty line");
    expect_damage("begin 644 f\n" FULL "\nend\n", 3, "empty line before it, is missing");
    expect_damage("begin 644 f\n" FULL "\n`\n", 3, "'end' is missing");
    expect_damage("begin 644 f\n" FULL "\n`\n" FULL "\n`\nend\n", 4,
                  "data follows the line that ends it");
    expect_damage("begin 644 f\n#86)C\n#86)C\n`\nend\n", 2,
                  "expected 45 in every line but the last");
    expect_damage("begin 644 f\n!86)C\n`\nend\n", 2, "bits beyond its last byte");
    expect_damage("begin 644 f\n" FULL "\n#86b)C\n`\nend\n", 3, "last line of data");
    expect_damage(FULL "\n#86)C\n`\nend\n", 4, "whose 'begin' is lost");
    expect_damage("begin 644 f\n#86)C\n`\nend\ncrc32 352441c3 3 f\n", 5, "its CRC-32 is 352441c2");
    expect_damage("begin 644 f\n#86)C\n`\nend\ncrc32 352441c2 4 f\n", 5,
                  "it has 3 bytes, but had 4");
    expect_damage("begin 644 f\n#86)C\n`\nend\ncrx32 352441c2 3 f\n", 5, "checksum is damaged");
    expect_damage("begin 644 f\n#86)C\n`\nend\n352441c2 3 f\n", 5, "checksum is damaged");
    expect_damage("crc32 352441c2 3 f\n", 1, "only its checksum is there");
    expect_damage("begin 644 f.gcda\n#86)C\n`\nend\n", 1, "does not begin like one");
}

/* What a checksum proves is right, whatever else is wrong with it. */
static void test_proved(void **context)
{
    (void)context;
    expect_text("begin 644 f\n#86)C\nend\ncrc32 352441c2 3 f\n", "abc", AN_CONSOLE_VERIFIED);
    expect_text("begin 644 f\n#86)C\n`\ncrc32 352441c2 3 f\n", "abc", AN_CONSOLE_VERIFIED);
}

enum { SUM = 0x20 + 17 }; /* the bytes of FOX, added up, modulo 64 */

static void test_sums(void **context)
{
    static const char right[] = {SUM, 0}, wrong[] = {SUM ^ 1, 0};
    const struct {
        const char *first, *second, *last, *words;
    } cases[] = {
        {right, right, "F", NULL},
        {right, wrong, "F", "the checksum at the end of this line"},
        {right, "", "F", "this line has no checksum"},
        {right, right, "G", "the checksum at the end of this line"},
        {"X", "X", "X", NULL}, /* it means nothing */
        {"X", "X", "", "one character too many"},
    };
    (void)context;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "begin 644 f\n%s%s\n%s%s\n#86)C%s\n`\nend\n", FULL,
                 cases[i].first, FULL, cases[i].second, cases[i].last);
        if (!cases[i].words)
            expect_text(text, FOX FOX "abc", AN_CONSOLE_UNVERIFIED);
        else
            expect_damage(text, i == 3 ? 4 : i == 5 ? 2 : 3, cases[i].words);
    }
}

/* Zeros as blanks, of which those at the end of lines are lost: all of them, or some by damage. */
static void test_lost_blanks(void **context)
{
    static const uint8_t content[100] = {[3] = 1, [50] = 2, [91] = 3};
    (void)context;
    for (unsigned all = 0; all < 2; all++) {
        struct an_buffer log = {0}, cut = {0};
        const struct an_bytes bytes = {content, sizeof content};
        uu_file(&log, "", "f", bytes, UU_BLANKS, "\n");
        size_t line = 0;
        for (size_t i = 0; i < log.size; i++) {
            if (log.data[i] == '\n' && (all || line++ == 1))
                while (cut.size && cut.data[cut.size - 1] == ' ')
                    cut.size--;
            an_buffer_put(&cut, log.data + i, 1);
        }
        struct an_console *console = read_log((struct an_bytes){cut.data, cut.size}, false);
        const struct an_console_file *file = only_file(console);
        assert_int_equal(file->status, all ? AN_CONSOLE_UNVERIFIED : AN_CONSOLE_DAMAGED);
        assert_int_equal(file->size, sizeof content);
        assert_memory_equal(file->bytes, content, sizeof content);
        an_console_free(console);
        an_buffer_free(&log);
        an_buffer_free(&cut);
    }
}

#define TWICE(a, b) "begin 644 f\n" a "\n`\nend\nbegin 644 f\n" b "\n`\nend\n"

static void test_copies(void **context)
{
    (void)context;
    struct an_console *console = read_text(TWICE("#86)C", "#86)C"));
    expect_file(only_file(console), "f", "abc", AN_CONSOLE_VERIFIED);
    assert_int_equal(only_file(console)->proof, AN_CONSOLE_COPY);
    assert_int_equal(only_file(console)->copies, 2);
    an_console_free(console);
    console = read_text(TWICE("#86)C", "#86)D"));
    assert_int_equal(an_console_count(console), 2);
    for (size_t i = 0; i < 2; i++) {
        const struct an_console_file *file = an_console_file(console, i);
        assert_int_equal(file->status, AN_CONSOLE_DAMAGED);
        assert_non_null(strstr(file->problem, "differs at byte 2"));
        assert_int_equal(file->number, i ? 2 : 0);
    }
    an_console_free(console);
    console = read_text(TWICE("#86)C", "!86)C")); /* a damaged one, and a good one */
    expect_file(only_file(console), "f", "abc", AN_CONSOLE_UNVERIFIED);
    assert_non_null(strstr(only_file(console)->doubt, "another copy, in lines 5 to 8, is damaged"));
    an_console_free(console);
    console = read_text("begin 644 f\n#86)C\n`\nend\ncrc32 352441c2 3 f\n"
                        "begin 644 f\n#86)D\n`\nend\ncrc32 ab40d461 3 f\n");
    assert_int_equal(an_console_count(console), 2);
    an_console_free(console);
}

/* In a log in which one file has a checksum, one without has lost it. */
static void test_checksum_of_some(void **context)
{
    (void)context;
    struct an_console *console = read_text("begin 644 f\n#86)C\n`\nend\ncrc32 352441c2 3 f\n"
                                           "begin 644 g\n#86)C\n`\nend\n");
    assert_int_equal(an_console_count(console), 2);
    expect_file(an_console_file(console, 0), "f", "abc", AN_CONSOLE_VERIFIED);
    expect_file(an_console_file(console, 1), "g", "abc", AN_CONSOLE_DAMAGED);
    an_console_free(console);
}

/* That a nameless file is lost says nothing about checksums. */
static void test_orphan_beside(void **context)
{
    (void)context;
    struct an_console *console = read_text("begin 644 f\n#86)C\n`\nend\nnoise\n" FULL "\n`\nend\n");
    assert_int_equal(an_console_count(console), 2);
    expect_file(an_console_file(console, 0), "f", "abc", AN_CONSOLE_UNVERIFIED);
    assert_int_equal(an_console_file(console, 1)->status, AN_CONSOLE_DAMAGED);
    an_console_free(console);
}

static void test_required(void **context)
{
    static const char log[] = "begin 644 f\n#86)C\n`\nend\n";
    (void)context;
    struct an_console *console =
        read_log((struct an_bytes){(const uint8_t *)log, sizeof log - 1}, true);
    assert_int_equal(only_file(console)->status, AN_CONSOLE_DAMAGED);
    an_console_free(console);
}

/* A sentence is no file, and does not damage one. */
static void test_sentence(void **context)
{
    (void)context;
    expect_text("begin 500 iterations\n\n# \nbegin 644 f\n#86)C\n`\nend\nbegin 600 more\n", "abc",
                AN_CONSOLE_UNVERIFIED);
    expect_damage("begin 644 obj/f\n", 1, "its end, or the empty line");
}

/* Counter files that are too old for the reader, as GCC 4.1 wrote them for a big-endian board. */
static void test_old_gcda(void **context)
{
    uint32_t words[] = {0x67636461, 0x3430312a, 7,          /* gcda, 401*, a stamp */
                        0x01000000, 2,          1, 2,       /* a function */
                        0x01a10000, 4,          0, 1, 0, 2, /* two counters */
                        0xa1000000, 1,          9,          /* summaries */
                        0xa3000000, 1,          9, 0};
    enum { WORDS = sizeof words / sizeof *words };
    (void)context;
    for (size_t wrong = 0; wrong < WORDS; wrong++) {
        uint8_t bytes[4 * WORDS];
        struct an_buffer log = {0};
        for (size_t i = 0; i < WORDS; i++)
            for (unsigned k = 0; k < 4; k++)
                bytes[4 * i + k] =
                    (uint8_t)((words[i] ^ (i && i == wrong ? 3u : 0)) >> (24 - 8 * k));
        uu_file(&log, "PP0:~CONSOLE-> ", "obj/f.gcda0", (struct an_bytes){bytes, sizeof bytes},
                UU_BLANKS, "\r\n");
        struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
        bool is_structure = wrong && (words[wrong] >= 0x01000000 || words[wrong - 1] >= 0x01000000);
        bool is_other =
            wrong <= 2; /* the version's last character, and the stamp, mean nothing here */
        bool is_end = wrong == WORDS - 1;
        if (wrong == WORDS - 3) { /* the last record takes the end mark in */
            assert_non_null(strstr(only_file(console)->doubt, "no end marker"));
            is_other = true;
        }
        check(only_file(console)->status == ((is_structure && !is_other) || is_end
                                                 ? AN_CONSOLE_DAMAGED
                                                 : AN_CONSOLE_UNVERIFIED),
              "word %zu: %s", wrong, only_file(console)->problem);
        an_console_free(console);
        an_buffer_free(&log);
    }
}

static void test_mixed(void **context)
{
    (void)context;
    struct an_console *console =
        read_text("begin 644 f\n" FULL "\nbegin 644 g\n" FULL "\n" FULL "\n`\nend\n`\nend\n");
    assert_int_equal(an_console_count(console), 2);
    assert_int_equal(an_console_file(console, 0)->status, AN_CONSOLE_DAMAGED);
    assert_int_equal(an_console_file(console, 1)->status, AN_CONSOLE_DAMAGED);
    an_console_free(console);
}

static void test_nothing(void **context)
{
    static const char *const logs[] = {
        "",      "\n",           "begin\n",           "begin 644\n",
        "end\n", "begin 9 x\n",  "the end\n`\nend\n", "beginning of the end\n",
        "crc32", "crc32 1 2 3\n"};
    (void)context;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct an_console *console = read_text(logs[i]);
        check(an_console_count(console) == 0, "in '%s'", logs[i]);
        an_console_free(console);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),         cmocka_unit_test(test_noise),
        cmocka_unit_test(test_escapes),       cmocka_unit_test(test_glued),
        cmocka_unit_test(test_cores),         cmocka_unit_test(test_times),
        cmocka_unit_test(test_damage),        cmocka_unit_test(test_proved),
        cmocka_unit_test(test_sums),          cmocka_unit_test(test_lost_blanks),
        cmocka_unit_test(test_copies),        cmocka_unit_test(test_checksum_of_some),
        cmocka_unit_test(test_orphan_beside), cmocka_unit_test(test_required),
        cmocka_unit_test(test_mixed),         cmocka_unit_test(test_old_gcda),
        cmocka_unit_test(test_base64),        cmocka_unit_test(test_sentence),
        cmocka_unit_test(test_nothing),
    };
    return RUN_TESTS(tests);
}
