/*
 * Dumps in digits. What GCC's own libgcov printed, in all the ways in which it is carried, becomes what
 * gcov-tool merge-stream makes of it (tests/data/console); and the formats of some small systems.
 */
#include "support/console_build.h"

#include <sha2.h>

#include "base/file.h"

static struct an_file load(const char *name)
{
    struct an_file file = {.capacity = 0};
    struct an_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/../console/%s", GCC_CORPUS, name);
    check(an_file_load(&file, path, &error) == AN_OK, "%s: %s", path, error.what);
    return file;
}

static const char *const modules[] = {"app.gcda", "work.gcda"};

/* Both files of the stream, with this status. */
static void expect_modules(const struct an_buffer *log, const char *corpus,
                           enum an_console_status status)
{
    struct an_console *console = read_log((struct an_bytes){log->data, log->size}, false);
    check(an_console_count(console) == 2, "%zu files", an_console_count(console));
    for (size_t i = 0; i < 2; i++) {
        const struct an_console_file *file = an_console_file(console, i);
        char name[64];
        snprintf(name, sizeof name, "%s/%s", corpus, modules[i]);
        struct an_file expected = load(name);
        assert_string_equal(an_file_name(file->name), modules[i]);
        check(file->status == status, "%s: %s: %s", name, an_console_status_name(file->status),
              file->problem);
        assert_int_equal(file->size, expected.bytes.size);
        assert_memory_equal(file->bytes, expected.bytes.data, file->size);
        an_file_close(&expected);
    }
    an_console_free(console);
}

static void put_digits(struct an_buffer *log, const char *prefix, struct an_bytes bytes,
                       const char *digits, bool low_first, size_t width)
{
    an_buffer_print(log, "%s", prefix);
    for (size_t i = 0; i < bytes.size; i++) {
        unsigned high = bytes.data[i] >> 4, low = bytes.data[i] & 15;
        an_buffer_print(log, "%c%c", digits[low_first ? low : high],
                        digits[low_first ? high : low]);
        if (width && (i + 1) % width == 0 && i + 1 < bytes.size)
            an_buffer_print(log, "\r\n[   1%zu.345678] usb: device\r\n%s", i % 10, prefix);
    }
    an_buffer_print(log, "\r\n");
}

static void test_streams(void **context)
{
    static const struct {
        const char *digits;
        bool low_first;
        size_t width;
        const char *prefix;
    } forms[] = {
        {"0123456789abcdef", false, 0, ""},
        {"0123456789ABCDEF", false, 0, ""},
        {"0123456789abcdef", false, 32, ""},
        {"0123456789abcdef", false, 32, "PP3: "},
        {"abcdefghijklmnop", true, 0, ""},
        {"abcdefghijklmnop", true, 40, "[core 3] "},
        {"0123456789abcdef", false, 0, "gcov data: "},
    };
    static const char *const corpora[] = {"gcc-13", "gcc-14"};
    (void)context;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t k = 0; k < 2; k++) {
            char name[64];
            snprintf(name, sizeof name, "%s/stream.bin", corpora[k]);
            struct an_file stream = load(name);
            struct an_buffer log = {0};
            an_buffer_print(&log, "U-Boot 1.1.1\nstarting\n");
            put_digits(&log, forms[i].prefix, stream.bytes, forms[i].digits, forms[i].low_first,
                       forms[i].width);
            an_buffer_print(&log, "done: the end.\n");
            expect_modules(&log, corpora[k], AN_CONSOLE_UNVERIFIED);
            an_buffer_free(&log);
            an_file_close(&stream);
        }
}

/* ---- RTEMS ---- */

static struct an_buffer base64(struct an_bytes bytes, const char *digits)
{
    struct an_buffer text = {0};
    for (size_t i = 0; i < bytes.size; i += 3) {
        uint8_t group[3] = {0};
        size_t count = bytes.size - i < 3 ? bytes.size - i : 3;
        memcpy(group, bytes.data + i, count);
        unsigned bits = (unsigned)group[0] << 16 | (unsigned)group[1] << 8 | group[2];
        an_buffer_print(&text, "%c%c%c%c", digits[bits >> 18], digits[bits >> 12 & 63],
                        count > 1 ? digits[bits >> 6 & 63] : '=',
                        count > 2 ? digits[bits & 63] : '=');
    }
    return text;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* A dump as RTEMS prints it, with the sum behind it, or without. */
static struct an_buffer rtems(struct an_bytes stream, bool with_sum)
{
    struct an_buffer text = base64(stream, LETTERS "+/"), log = {0}, hashed = {0};
    uint8_t sum[SHA256_DIGEST_LENGTH];
    SHA2_CTX hash;
    for (size_t i = 0; i < text.size; i += 76)
        an_buffer_print(&hashed, "%.*s\n", (int)(text.size - i < 76 ? text.size - i : 76),
                        (const char *)text.data + i);
    an_buffer_print(&log,
                    "\n*** BEGIN OF GCOV INFO BASE64 ***\n%.*s*** END OF GCOV INFO BASE64 ***\n",
                    (int)hashed.size, (const char *)hashed.data);
    SHA256Init(&hash);
    SHA256Update(&hash, hashed.data, hashed.size);
    SHA256Final(sum, &hash);
    struct an_buffer sum_text = base64((struct an_bytes){sum, sizeof sum}, LETTERS "-_");
    if (with_sum)
        an_buffer_print(&log, "*** GCOV INFO SHA256 %.*s ***\n", (int)sum_text.size,
                        (const char *)sum_text.data);
    an_buffer_free(&sum_text);
    an_buffer_free(&text);
    an_buffer_free(&hashed);
    return log;
}

static void test_rtems(void **context)
{
    struct an_file stream = load("gcc-14/stream.bin");
    (void)context;
    struct an_buffer log = rtems(stream.bytes, false);
    expect_modules(&log, "gcc-14", AN_CONSOLE_UNVERIFIED);
    an_buffer_free(&log);
    log = rtems(stream.bytes, true);
    expect_modules(&log, "gcc-14", AN_CONSOLE_VERIFIED);
    for (size_t i = 36; i < log.size - 2; i++) { /* any change is noticed */
        uint8_t was = log.data[i];
        if (was == '\n')
            continue;
        log.data[i] = was == 'A' ? 'B' : 'A';
        struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
        for (size_t k = 0; k < an_console_count(console); k++)
            if (an_console_file(console, k)->status == AN_CONSOLE_VERIFIED) {
                const struct an_console_file *file = an_console_file(console, k);
                char name[64];
                snprintf(name, sizeof name, "gcc-14/%s", an_file_name(file->name));
                struct an_file expected = load(name);
                assert_int_equal(file->size, expected.bytes.size);
                assert_memory_equal(file->bytes, expected.bytes.data, file->size);
                an_file_close(&expected);
            }
        an_console_free(console);
        log.data[i] = was;
    }
    an_buffer_free(&log);
    an_file_close(&stream);
}

/* ---- the dumps of systems ---- */

static const char *hex_of(struct an_bytes bytes)
{
    static char text[4096];
    assert_true(2 * bytes.size < sizeof text);
    for (size_t i = 0; i < bytes.size; i++)
        sprintf(text + 2 * i, "%02x", bytes.data[i]);
    return text;
}

static void expect_one(const char *log, enum an_console_form form, enum an_console_status status,
                       const char *words)
{
    struct an_file expected = load("gcc-14/work.gcda");
    struct an_console *console = read_text(log);
    check(an_console_count(console) == 1, "%zu files in: %s", an_console_count(console), log);
    const struct an_console_file *file = an_console_file(console, 0);
    check(file->status == status, "%s: %s", an_console_status_name(file->status), file->problem);
    assert_int_equal(file->form, form);
    assert_string_equal(file->name, "/src/work.gcda");
    check(strstr(file->problem, words), "'%s' in: %s", words, file->problem);
    if (status != AN_CONSOLE_DAMAGED) {
        assert_int_equal(file->size, expected.bytes.size);
        assert_memory_equal(file->bytes, expected.bytes.data, file->size);
    }
    an_console_free(console);
    an_file_close(&expected);
}

static void test_zephyr(void **context)
{
    struct an_file file = load("gcc-14/work.gcda");
    char log[8192];
    (void)context;
    snprintf(log, sizeof log,
             "GCOV_COVERAGE_DUMP_START\n*/src/work.gcda<%s\n\nGCOV_COVERAGE_DUMP_END\n",
             hex_of(file.bytes));
    expect_one(log, AN_CONSOLE_ZEPHYR, AN_CONSOLE_UNVERIFIED, "");
    *strstr(log, "GCOV_COVERAGE_DUMP_END") = 'X';
    expect_one(log, AN_CONSOLE_ZEPHYR, AN_CONSOLE_DAMAGED, "the end of the dump is missing");
    snprintf(log, sizeof log,
             "3: GCOV_COVERAGE_DUMP_START\n3: */src/work.gcda<%.*s\n3: "
             "GCOV_COVERAGE_DUMP_END\n",
             61, hex_of(file.bytes));
    expect_one(log, AN_CONSOLE_ZEPHYR, AN_CONSOLE_DAMAGED, "half a byte");
    an_file_close(&file);
}

/* Dumps of several runs or tests are kept apart: Zephyr's own tool adds them up. */
static void test_zephyr_runs(void **context)
{
    static const struct {
        const char *tests[2], *names[2];
        uint64_t numbers[2];
        bool doubts;
    } cases[] = {
        {{"", ""}, {"src/work.gcda", "src/work.gcda"}, {0, 2}, true},
        {{" suite.test_a", " suite.test_b"},
         {"src/work.gcda@@suite.test_a", "src/work.gcda@@suite.test_b"},
         {0, 0},
         false},
        {{" ../test", " a b"}, {"src/work.gcda", "src/work.gcda"}, {0, 2}, true},
    };
    struct an_file file = load("gcc-14/work.gcda");
    struct an_buffer other = {0};
    char log[16384];
    (void)context;
    an_buffer_put(&other, file.bytes.data, file.bytes.size);
    for (size_t at = other.size; at-- > 0;) /* a count, the last byte that is not 0 */
        if (other.data[at]) {
            other.data[at]++;
            break;
        }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int size =
            snprintf(log, sizeof log,
                     "GCOV_COVERAGE_DUMP_START%s\n*/src/work.gcda<%s\nGCOV_COVERAGE_DUMP_END\n",
                     cases[i].tests[0], hex_of(file.bytes));
        snprintf(log + size, sizeof log - (size_t)size,
                 "GCOV_COVERAGE_DUMP_START%s\n*/src/work.gcda<%s\nGCOV_COVERAGE_DUMP_END\n",
                 cases[i].tests[1], hex_of((struct an_bytes){other.data, other.size}));
        struct an_console *console = read_text(log);
        assert_int_equal(an_console_count(console), 2);
        for (size_t k = 0; k < 2; k++) {
            const struct an_console_file *found = an_console_file(console, k);
            assert_int_equal(found->status, AN_CONSOLE_UNVERIFIED);
            assert_int_equal(found->number, cases[i].numbers[k]);
            assert_string_equal(found->name + (found->name[0] == '/'), cases[i].names[k]);
            assert_int_equal(strstr(found->doubt, "as of two runs") != NULL, cases[i].doubts);
        }
        an_console_free(console);
    }
    an_buffer_free(&other);
    an_file_close(&file);
}

/* The board says that it has no memory, right behind what it printed. */
static void test_zephyr_memory(void **context)
{
    struct an_file file = load("gcc-14/work.gcda");
    char log[8192];
    (void)context;
    snprintf(log, sizeof log,
             "GCOV_COVERAGE_DUMP_START\n*/src/work.gcda<%sNo Mem available to continue dump\n\n"
             "GCOV_COVERAGE_DUMP_END\n",
             hex_of(file.bytes));
    struct an_console *console = read_text(log);
    assert_int_equal(an_console_count(console), 2);
    const struct an_console_file *first = an_console_file(console, 0);
    assert_int_equal(first->status, AN_CONSOLE_UNVERIFIED);
    assert_int_equal(first->size, file.bytes.size);
    assert_memory_equal(first->bytes, file.bytes.data, first->size);
    assert_int_equal(an_console_file(console, 1)->status, AN_CONSOLE_DAMAGED);
    assert_non_null(strstr(an_console_file(console, 1)->problem, "the board ran out of memory"));
    an_console_free(console);
    console =
        read_text("\nGCOV_COVERAGE_DUMP_STARTWrite Error on buff\n\nGCOV_COVERAGE_DUMP_END\n");
    assert_int_equal(an_console_count(console), 1);
    assert_int_equal(an_console_file(console, 0)->status, AN_CONSOLE_DAMAGED);
    an_console_free(console);
    an_file_close(&file);
}

/* As Zephyr and NuttX write it: without a summary, and without a mark at the end. */
static void test_bare(void **context)
{
    static const char *const logs[] = {
        "GCOV_COVERAGE_DUMP_START\n*/src/f.gcda<%s\nGCOV_COVERAGE_DUMP_END\n",
        "gcov start filename:/src/f.gcda size: 60Byte\n%s\n"
        "gcov end filename:/src/f.gcda checksum: %s\n"};
    const uint32_t words[] = {0x67636461, 0x4232342a, 1,  2, 0x01000000, 12, 3, 4,
                              5,          0x01a10000, 16, 6, 0,          0,  0};
    uint8_t bytes[sizeof words];
    char log[512], sum[16];
    unsigned total = 0;
    (void)context;
    for (size_t i = 0; i < sizeof bytes; i++)
        total += bytes[i] = (uint8_t)(words[i / 4] >> i % 4 * 8);
    snprintf(sum, sizeof sum, "%#0x", total);
    for (size_t i = 0; i < 2; i++) {
        snprintf(log, sizeof log, logs[i], hex_of((struct an_bytes){bytes, sizeof bytes}), sum);
        struct an_console *console = read_text(log);
        assert_int_equal(an_console_count(console), 1);
        check(an_console_file(console, 0)->status == AN_CONSOLE_UNVERIFIED, "%s",
              an_console_file(console, 0)->problem);
        assert_int_equal(an_console_file(console, 0)->size, sizeof bytes);
        an_console_free(console);
    }
}

/* Where NuttX' sum is zero, it is printed as 0, and not as 0x0. */
static void test_nuttx_zero(void **context)
{
    enum { COUNTERS = 128, SIZE = 16 + 20 + 8 + 8 * COUNTERS };
    const uint32_t head[] = {0x67636461, 0x4232342a, 1, 2,          0x01000000,  12,
                             3,          4,          5, 0x01a10000, 8 * COUNTERS};
    uint8_t bytes[SIZE] = {0};
    char log[8192];
    unsigned left = 65536;
    (void)context;
    for (size_t i = 0; i < sizeof head; i++)
        left -= bytes[i] = (uint8_t)(head[i / 4] >> i % 4 * 8);
    for (size_t i = sizeof head; i < SIZE; i++)
        if (i % 8 < 7) /* counters stay below 2^63, whichever byte of each is the highest */
            left -= bytes[i] = left < 100 ? (uint8_t)left : 100;
    assert_int_equal(left, 0);
    snprintf(log, sizeof log,
             "gcov start filename:/src/work.gcda size: %dByte\n%s\n"
             "gcov end filename:/src/work.gcda checksum: 0\n",
             SIZE, hex_of((struct an_bytes){bytes, SIZE}));
    struct an_console *console = read_text(log);
    check(an_console_file(console, 0)->status == AN_CONSOLE_UNVERIFIED, "%s",
          an_console_file(console, 0)->problem);
    an_console_free(console);
    *strstr(log, "checksum: 0") = 'X';
    console = read_text(log);
    assert_non_null(
        strstr(an_console_file(console, 0)->problem, "line with its checksum is damaged"));
    an_console_free(console);
}

static void test_nuttx(void **context)
{
    struct an_file file = load("gcc-14/work.gcda");
    unsigned sum = 0;
    char log[8192];
    (void)context;
    for (size_t i = 0; i < file.bytes.size; i++)
        sum += file.bytes.data[i];
    snprintf(log, sizeof log,
             "gcov start filename:/src/work.gcda size: %zuByte\n%s\ngcov end "
             "filename:/src/work.gcda checksum: 0x%04x\n",
             file.bytes.size, hex_of(file.bytes), sum & 0xffff);
    expect_one(log, AN_CONSOLE_NUTTX, AN_CONSOLE_UNVERIFIED, "");
    char *digit = strstr(log, "42000000"); /* a counter */
    assert_non_null(digit);
    *digit = '5';
    expect_one(log, AN_CONSOLE_NUTTX, AN_CONSOLE_DAMAGED, "the sum of its bytes");
    an_file_close(&file);
}

static void test_hexdump(void **context)
{
    struct an_file file = load("gcc-14/work.gcda");
    struct an_buffer log = {0};
    (void)context;
    an_buffer_print(&log, "Emitting %6zu bytes for /src/work.gcda\n", file.bytes.size);
    for (size_t i = 0; i < file.bytes.size; i++) {
        if (i % 16 == 0)
            an_buffer_print(&log, "%s%08zx:", i ? "\n" : "", i);
        an_buffer_print(&log, " %02x", file.bytes.data[i]);
    }
    an_buffer_print(&log, "\n/src/work.gcda\nGcov End\n");
    an_buffer_put(&log, "", 1);
    expect_one((char *)log.data, AN_CONSOLE_HEXDUMP, AN_CONSOLE_UNVERIFIED, "");
    *strstr((char *)log.data, "00000020:") = '1';
    expect_one((char *)log.data, AN_CONSOLE_HEXDUMP, AN_CONSOLE_DAMAGED, "may have been a line");
    an_buffer_free(&log);
    an_file_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),     cmocka_unit_test(test_rtems),
        cmocka_unit_test(test_zephyr),      cmocka_unit_test(test_nuttx),
        cmocka_unit_test(test_hexdump),     cmocka_unit_test(test_zephyr_memory),
        cmocka_unit_test(test_zephyr_runs), cmocka_unit_test(test_bare),
        cmocka_unit_test(test_nuttx_zero),
    };
    return RUN_TESTS(tests);
}
