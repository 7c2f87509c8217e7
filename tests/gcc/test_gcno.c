/*
 * gcno files: those of compilers come back byte for byte, and mean what gcov-dump and llvm-cov say of them;
 * what is damaged is refused, or read as something that is whole.
 */
#include "support/gcno_write.h"

#include "base/file.h"
#include "support/test.h"

static const char *const files[] = {
    "gcc-9/flow.gcno",          "gcc-10/flow.gcno",       "gcc-11/flow.gcno",
    "gcc-12/flow.gcno",         "gcc-12-s390x/flow.gcno", "gcc-13/flow.gcno",
    "gcc-14/flow.gcno",         "gcc-15/flow.gcno",       "gcc-9/values.gcno",
    "gcc-10/values.gcno",       "gcc-11/values.gcno",     "gcc-12/values.gcno",
    "gcc-12-s390x/values.gcno", "gcc-13/values.gcno",     "gcc-14/values.gcno",
    "gcc-15/values.gcno",       "gcc-16/flow.gcno",       "gcc-16/values.gcno",
    "clang-14/flow-407.gcno",   "clang-14/flow-408.gcno", "clang-14/flow-A82.gcno",
    "clang-14/flow-A93.gcno",   "clang-14/flow-B14.gcno", "clang-19/flow-407.gcno",
    "clang-19/flow-408.gcno",   "clang-19/flow-A82.gcno", "clang-19/flow-A93.gcno",
    "clang-19/flow-B14.gcno",
};
enum { FILES = sizeof files / sizeof *files };

static struct an_file load(const char *name)
{
    struct an_file file = {.capacity = 0};
    struct an_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", GCC_CORPUS, name);
    check(an_file_load(&file, path, &error) == AN_OK, "%s: %s", path, error.what);
    return file;
}

static struct an_gcno read_good(const char *name)
{
    struct an_file file = load(name);
    struct an_gcno gcno;
    struct an_error error;
    check(an_gcno_read(&gcno, file.bytes, &error) == AN_OK, "%s: at %ju: %s", name,
          (uintmax_t)error.offset, error.what);
    an_file_close(&file);
    return gcno;
}

static void expect_written(const struct an_gcno *gcno, struct an_bytes bytes, const char *name)
{
    struct an_buffer buffer = {0};
    gcno_write(gcno, &buffer);
    check(!buffer.failed && buffer.size == bytes.size &&
              memcmp(buffer.data, bytes.data, buffer.size) == 0,
          "%s: %zu bytes, not these %zu", name, buffer.size, bytes.size);
    an_buffer_free(&buffer);
}

static void test_same_bytes(void **context)
{
    (void)context;
    for (unsigned i = 0; i < FILES; i++) {
        struct an_file file = load(files[i]);
        struct an_gcno gcno = read_good(files[i]);
        assert_true(gcno.functions.count > 0);
        expect_written(&gcno, file.bytes, files[i]);
        an_gcno_free(&gcno);
        an_file_close(&file);
    }
}

static const struct an_gcno_function *find(const struct an_gcno *gcno, const char *name)
{
    for (size_t i = 0; i < gcno->functions.count; i++)
        if (strcmp(gcno->functions.items[i].name, name) == 0)
            return &gcno->functions.items[i];
    fail_msg("no %s", name);
    return NULL;
}

/* Whether a block with the line has the other one next, both with their files. */
static bool has_lines(const struct an_gcno *gcno, const struct an_gcno_function *function,
                      uint32_t number, uint32_t next, const char *file)
{
    const struct an_gcno_line *lines = gcno->lines.items + function->first_line;
    for (uint32_t i = 0; i + 1 < function->line_count; i++)
        if (lines[i].number == number && lines[i + 1].number == next &&
            lines[i].block == lines[i + 1].block && strcmp(lines[i].file, "flow.cpp") == 0 &&
            strcmp(lines[i + 1].file, file) == 0)
            return true;
    return false;
}

static void expect_choose(const char *name)
{
    struct an_gcno gcno = read_good(name);
    const struct an_gcno_function *function = find(&gcno, "_Z6choosei");
    bool is_clang = strncmp(name, "clang", 5) == 0;
    assert_string_equal(function->file, "flow.cpp");
    assert_int_equal(function->line, 32);
    assert_false(function->is_artificial);
    if (!is_clang && gcno.version.major >= 8) {
        assert_int_equal(function->column, 5);
        assert_int_equal(function->last_line, 45);
        assert_int_equal(function->last_column, gcno.version.major >= 9);
        assert_true(gcno.folder != an_gcno_no_name);
    }
    assert_int_equal(gcno.end_words, is_clang ? 2 : 0);
    assert_int_equal(an_gcno_exit(&gcno, function),
                     gcno.version.major == 4 && gcno.version.minor == 7 ? function->block_count - 1
                                                                        : 1);
    if (!is_clang)
        check(has_lines(&gcno, function, 38, 0, "part.inc"), "%s", name);
    an_gcno_free(&gcno);
}

static void test_meaning(void **context)
{
    (void)context;
    for (unsigned i = 0; i < FILES; i++)
        if (strstr(files[i], "flow"))
            expect_choose(files[i]);
}

/* Every arc of the exit's and the entry's is where gcov wants it: none begins at one or ends at the other. */
static void test_ends(void **context)
{
    (void)context;
    for (unsigned i = 0; i < FILES; i++) {
        struct an_gcno gcno = read_good(files[i]);
        for (size_t k = 0; k < gcno.functions.count; k++) {
            const struct an_gcno_function *function = &gcno.functions.items[k];
            for (uint32_t a = 0; a < function->arc_count; a++) {
                const struct an_gcno_arc *arc = &gcno.arcs.items[function->first_arc + a];
                check(arc->to != 0, "%s: %s", files[i], function->name);
                check(arc->from != an_gcno_exit(&gcno, function), "%s: %s", files[i],
                      function->name);
            }
        }
        an_gcno_free(&gcno);
    }
}

/* ---- what is new in a version ---- */

static void expect_conditions(const char *name, bool has_paths)
{
    struct an_gcno gcno = read_good(name);
    const struct an_gcno_function *function = find(&gcno, "main");
    assert_int_equal(function->condition_count, 3);
    assert_int_equal(gcno.conditions.items[function->first_condition + 1].block, 9);
    assert_int_equal(gcno.conditions.items[function->first_condition + 1].terms, 3);
    assert_int_equal(function->has_paths, has_paths);
    function = find(&gcno, "_Z5limitIiET_S0_S0_");
    assert_int_equal(function->condition_count, 1);
    assert_int_equal(function->path_count, has_paths ? 2 : 0);
    an_gcno_free(&gcno);
}

static void test_conditions(void **context)
{
    (void)context;
    expect_conditions("gcc-14/flow.gcno", false);
    expect_conditions("gcc-15/flow.gcno", true);
    expect_conditions("gcc-16/flow.gcno", true);
}

/* ---- damage ---- */

/* Refused with words and a place, or whole. */
static enum an_code try_bytes(struct an_bytes bytes, const char *name)
{
    struct an_gcno gcno;
    struct an_error error;
    enum an_code code = an_gcno_read(&gcno, bytes, &error);
    if (code == AN_OK) {
        expect_written(&gcno, bytes, name);
        an_gcno_free(&gcno);
        return code;
    }
    check(error.code == code && error.what[0], "%s: %d", name, (int)code);
    check(code == AN_UNSUPPORTED || error.offset <= bytes.size, "%s: %s", name, error.what);
    return code;
}

/* Wherever a file ends, it is refused or ends between records. */
static void test_torn(void **context)
{
    (void)context;
    for (unsigned i = 0; i < FILES; i++) {
        struct an_file file = load(files[i]);
        unsigned whole = 0;
        for (size_t size = 0; size < file.bytes.size; size++) {
            /* in a block of its own, so that sanitizers see what is read behind it */
            uint8_t *copy = malloc(size + !size);
            assert_non_null(copy);
            memcpy(copy, file.bytes.data, size);
            whole += try_bytes((struct an_bytes){copy, size}, files[i]) == AN_OK;
            free(copy);
        }
        check(whole > 0 && whole < file.bytes.size / 8, "%s: %u", files[i], whole);
        an_file_close(&file);
    }
}

/* Each word in turn is something else. */
static void test_mutated(void **context)
{
    static const uint32_t words[] = {0, 1, 2, 0xff, 0x7fffffff, 0xffffffff, 0x01430000, 0x01450000};
    (void)context;
    for (unsigned i = 0; i < FILES; i++) {
        struct an_file file = load(files[i]);
        uint8_t *copy = malloc(file.bytes.size);
        unsigned refused = 0;
        assert_non_null(copy);
        memcpy(copy, file.bytes.data, file.bytes.size);
        for (size_t at = 0; at + 4 <= file.bytes.size; at++)
            for (unsigned k = 0; k < sizeof words / sizeof *words; k++) {
                memcpy(copy + at, &words[k], 4);
                refused += try_bytes((struct an_bytes){copy, file.bytes.size}, files[i]) != AN_OK;
                memcpy(copy + at, file.bytes.data + at, 4);
            }
        assert_true(refused > file.bytes.size);
        free(copy);
        an_file_close(&file);
    }
}

/* ---- made by hand ---- */

struct made {
    uint32_t words[64];
    size_t count;
};

static void put(struct made *made, const uint32_t *words, size_t count)
{
    assert_true(made->count + count <= sizeof made->words / sizeof *made->words);
    memcpy(made->words + made->count, words, 4 * count);
    made->count += count;
}

/* A function of GCC 4.8 called "f" of "a" with three blocks. */
static struct made begin(uint32_t version)
{
    static const uint32_t function[] = {0x01000000, 8, 1, 2, 3, 1, 'f', 1, 'a', 5};
    static const uint32_t blocks[] = {0x01410000, 3, 0, 0, 0};
    const uint32_t header[] = {0x67636e6f, version, 7};
    struct made made = {.count = 0};
    put(&made, header, 3);
    put(&made, function, 10);
    put(&made, blocks, 5);
    return made;
}

static void expect(const struct made *made, enum an_code code, const char *what)
{
    struct an_bytes bytes = {(const uint8_t *)made->words, 4 * made->count};
    struct an_gcno gcno;
    struct an_error error = {.what = ""};
    enum an_code found = an_gcno_read(&gcno, bytes, &error);
    check(found == code, "%d, not %d: %s", (int)found, (int)code, error.what);
    check(strstr(error.what, what), "'%s' in: %s", what, error.what);
    if (code != AN_OK)
        return;
    expect_written(&gcno, bytes, "made by hand");
    an_gcno_free(&gcno);
}

static void expect_with(const uint32_t *words, size_t count, enum an_code code, const char *what)
{
    struct made made = begin(0x3430382a);
    put(&made, words, count);
    expect(&made, code, what);
}

#define EXPECT(code, what, ...)                                                                    \
    expect_with((const uint32_t[]){__VA_ARGS__},                                                   \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), code, what)

enum { BLOCKS = 0x01410000, ARCS = 0x01430000, LINES = 0x01450000 };

static void test_refused(void **context)
{
    (void)context;
    EXPECT(AN_OK, "", ARCS, 3, 0, 2, 4, ARCS, 5, 2, 1, 0, 2, 1);
    EXPECT(AN_MALFORMED, "a block that the function does not have", ARCS, 3, 3, 1, 0);
    EXPECT(AN_MALFORMED, "a block that the function does not have", ARCS, 3, 0, 3, 0);
    EXPECT(AN_MALFORMED, "a block that the function does not have", LINES, 3, 7, 0, 0);
    EXPECT(AN_OK, "", ARCS, 1, 0);
    EXPECT(AN_OK, "", ARCS, 1, 0, ARCS, 3, 1, 2, 4, ARCS, 1, 2);
    EXPECT(AN_OK, "", ARCS, 5, 0, 1, 0, 2, 0, ARCS, 1, 1, ARCS, 3, 2, 1, 4);
    EXPECT(AN_MALFORMED, "a second record", ARCS, 3, 0, 2, 4, ARCS, 3, 0, 1, 4);
    EXPECT(AN_MALFORMED, "shorter than its contents", ARCS, 2, 0, 1);
    EXPECT(AN_MALFORMED, "out of order", BLOCKS, 1, 0);
    EXPECT(AN_MALFORMED, "unknown kind", 0x01470000, 2, 0, 1);
    EXPECT(AN_TRUNCATED, "ends within a record", ARCS, 9, 0, 1);
    EXPECT(AN_OK, "", 0);
    EXPECT(AN_OK, "", 0, 0);
    EXPECT(AN_MALFORMED, "data after its end", 0, 0, 0);
    EXPECT(AN_MALFORMED, "data after its end", 0, 1);
}

static void test_lines(void **context)
{
    enum { A = 'a', B = 'b' };
    (void)context;
    EXPECT(AN_OK, "", LINES, 9, 2, 0, 1, A, 5, 6, 6, 0, 0);
    EXPECT(AN_OK, "", LINES, 12, 2, 0, 1, A, 0, 1, B, 0, 1, A, 0, 0);
    EXPECT(AN_OK, "", LINES, 14, 2, 0, 1, A, 5, 0, 1, A, 0, 1, A, 6, 0, 0);
    EXPECT(AN_OK, "", LINES, 7, 2, 0, 1, A, 5, 0, 0, LINES, 7, 0, 0, 1, A, 5, 0, 0);
    EXPECT(AN_MALFORMED, "a second record", LINES, 7, 2, 0, 1, A, 5, 0, 0, LINES, 7, 2, 0, 1, A, 6,
           0, 0);
    EXPECT(AN_OK, "", LINES, 3, 2, 0, 0);
    EXPECT(AN_MALFORMED, "a line without a file", LINES, 4, 2, 5, 0, 0);
    EXPECT(AN_MALFORMED, "shorter than its contents", LINES, 5, 2, 0, 1, A, 5);
    EXPECT(AN_MALFORMED, "longer than its contents", LINES, 8, 2, 0, 1, A, 5, 0, 0, 0);
    EXPECT(AN_MALFORMED, "shorter than its length", LINES, 8, 2, 0, 2, A, 0, 5, 0, 0);
    EXPECT(AN_MALFORMED, "shorter than its length", LINES, 7, 2, 0, 1, 0x61616161, 5, 0, 0);
    EXPECT(AN_MALFORMED, "after its end", LINES, 7, 2, 0, 1, 0x61006161, 5, 0, 0);
}

static void test_functions(void **context)
{
    struct made made = begin(0x3430382a), bad;
    (void)context;
    expect(&made, AN_OK, "");
    bad = made;
    bad.words[1] = 0x3430362a;
    expect(&bad, AN_UNSUPPORTED, "GCC 4.6");
    bad = made;
    bad.words[0] = 0x67636461;
    expect(&bad, AN_MALFORMED, "not a gcno file");
    bad = made;
    bad.words[3] = ARCS;
    expect(&bad, AN_MALFORMED, "without a function");
    bad = made;
    bad.words[4] = 7;
    expect(&bad, AN_MALFORMED, "shorter");
    made.words[1] = 0x3430372a;
    expect(&made, AN_OK, "");
}

/* Blocks cost nothing in a file of GCC 8 and later: a number must not claim memory. */
static void test_blocks(void **context)
{
    static const uint32_t start[] = {0x67636e6f, 0x4138332a, 7, 0, 0x01000000, 11, 1, 2, 3,
                                     1,          'f',        0, 1, 'a',        5,  1, 9};
    const uint32_t blocks[] = {BLOCKS, 1, 20};
    struct made made = {.count = 0};
    (void)context;
    put(&made, start, sizeof start / sizeof *start);
    put(&made, blocks, 3);
    expect(&made, AN_OK, "");
    made.words[made.count - 1] = 21;
    expect(&made, AN_MALFORMED, "more than the file can hold");
    made.words[made.count - 1] = 0;
    expect(&made, AN_MALFORMED, "without blocks");
    made.words[11] = 2;
    expect(&made, AN_MALFORMED, "a flag");
}

/* What clang writes when it is asked for GCC 12 is no such file, and the hint says what to do. */
static void test_clang_of_12(void **context)
{
    static const uint32_t words[] = {0x67636e6f, 0x4232322a, 7,   1, 0, 0,   0x01000000, 12, 1, 2,
                                     3,          1,          'f', 0, 1, 'a', 5,          0,  5, 0};
    struct an_gcno gcno;
    struct an_error error;
    (void)context;
    assert_int_equal(
        an_gcno_read(&gcno, (struct an_bytes){(const uint8_t *)words, sizeof words}, &error),
        AN_MALFORMED);
    check(strstr(error.what, "shorter than its contents"), "%s", error.what);
    check(strstr(error.hint, "-coverage-version"), "%s", error.hint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),  cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_ends),        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_torn),        cmocka_unit_test(test_mutated),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_lines),
        cmocka_unit_test(test_functions),   cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_clang_of_12),
    };
    return RUN_TESTS(tests);
}
