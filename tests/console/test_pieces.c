/*
 * Logs that are read piece by piece have the same lines as those that lie in memory, wherever a piece ends;
 * and words and lines of data that a piece ends in are found.
 */
#include "console/pieces.h"

#include "support/console_build.h"
#include "support/random.h"

enum { PIECE = 1 << 18 };

static int log_of(struct an_bytes bytes)
{
    int fd = memfd_create("log", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.data, bytes.size), (ssize_t)bytes.size);
    return fd;
}

/* Each line of the log, and each time also a little of what was before it. */
static void expect_same_lines(struct an_bytes log)
{
    struct an_lines expected = an_lines_of(log), lines;
    struct an_pieces pieces;
    struct an_error error;
    struct an_line line, other;
    char path[40];
    int fd = log_of(log);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(an_pieces_open(&pieces, path, &error), AN_OK);
    while (an_pieces_next(&pieces, &lines, &error) == AN_OK && lines.at < lines.log.size) {
        while (an_lines_next(&lines, &line)) {
            assert_true(an_lines_next(&expected, &other));
            assert_int_equal(line.number, other.number);
            assert_int_equal(line.size, other.size);
            assert_memory_equal(line.text, other.text, line.size);
            size_t before = lines.at < AN_PIECES_BEFORE ? lines.at : AN_PIECES_BEFORE;
            assert_memory_equal(lines.log.data + lines.at - before,
                                expected.log.data + expected.at - before, before);
        }
        assert_int_equal(an_pieces_done(&pieces, &lines), expected.at);
    }
    assert_false(an_lines_next(&expected, &other));
    assert_int_equal(lines.number, expected.number);
    an_pieces_close(&pieces);
    close(fd);
}

/* Lines of random lengths, a few of them longer than a piece. */
static void test_lines(void **context)
{
    static const char *const ends[] = {"\n", "\r\n", "\r", "\r\r\n", "\n\r"};
    uint64_t state = 11;
    (void)context;
    for (unsigned trial = 0; trial < 20; trial++) {
        struct an_buffer log = {0};
        while (log.size < 5 * PIECE / 2) {
            uint64_t most = number_below(&state, 4000) ? 120 : 400000;
            size_t size = number_below(&state, most);
            memset(an_buffer_extend(&log, size + 1), 'x', size + 1);
            log.size -= log.size > 1;
            an_buffer_print(
                &log, "%s",
                ends[trial < 3 ? trial : number_below(&state, sizeof ends / sizeof *ends)]);
        }
        expect_same_lines((struct an_bytes){log.data, log.size});
        an_buffer_free(&log);
    }
}

static void test_small(void **context)
{
    static const char *const logs[] = {"",    "\n",   "\r",   "a",
                                       "a\r", "\r\n", "a\rb", "\xef\xbb\xbf\nb"};
    (void)context;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        expect_same_lines((struct an_bytes){(const uint8_t *)logs[i], strlen(logs[i])});
}

static const char sent[] = "The quick brown fox jumps over the lazy dog, and then it sleeps.";

/* A piece ends in every place of a file. */
static void test_words(void **context)
{
    struct an_buffer file = {0};
    const struct an_bytes bytes = {(const uint8_t *)sent, sizeof sent};
    (void)context;
    uu_file(&file, "PP3: ", "f", bytes, UU_CHECKSUM, "\r\n");
    for (size_t cut = 0; cut <= file.size; cut++) {
        struct an_buffer log = {0};
        memset(an_buffer_extend(&log, PIECE - cut), '\n', PIECE - cut);
        an_buffer_put(&log, file.data, file.size);
        struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
        check(an_console_count(console) == 1, "%zu files, cut at %zu", an_console_count(console),
              cut);
        const struct an_console_file *found = an_console_file(console, 0);
        assert_int_equal(found->status, AN_CONSOLE_VERIFIED);
        assert_int_equal(found->first_line, PIECE - cut + 1);
        assert_int_equal(found->last_line, PIECE - cut + 5);
        assert_int_equal(an_console_lines(console), PIECE - cut + 6);
        an_console_free(console);
        an_buffer_free(&log);
    }
    an_buffer_free(&file);
}

/* A file whose beginning is lost: only what was before its end tells. */
static void test_orphans(void **context)
{
    static const char rest[] = "#86)C\n`\nend\n";
    (void)context;
    for (size_t cut = 0; cut < sizeof rest; cut++) {
        struct an_buffer log = {0};
        memset(an_buffer_extend(&log, PIECE - cut), '\n', PIECE - cut);
        an_buffer_print(&log, "%s", rest);
        struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
        check(an_console_count(console) == 1, "none, cut at %zu", cut);
        assert_int_equal(an_console_file(console, 0)->problem_line, PIECE - cut + 3);
        an_console_free(console);
        an_buffer_free(&log);
    }
}

/* Two megabytes of each of three cores: room is made for all of it, and each gets its own. */
static void test_large(void **context)
{
    enum { CORES = 3, SIZE = 2 << 20 };
    static uint8_t contents[CORES][SIZE];
    struct an_buffer parts[CORES] = {0}, log = {0};
    uint64_t state = 5;
    (void)context;
    for (unsigned core = 0; core < CORES; core++) {
        char prefix[8], name[8];
        for (size_t i = 0; i < SIZE; i++)
            contents[core][i] = (uint8_t)next_number(&state);
        snprintf(prefix, sizeof prefix, "%u> ", core);
        snprintf(name, sizeof name, "f%u", core);
        uu_file(&parts[core], prefix, name, (struct an_bytes){contents[core], SIZE}, UU_CHECKSUM,
                "\n");
    }
    for (size_t at = 0; at < parts[0].size;) { /* their lines have the same lengths */
        size_t size = (size_t)((uint8_t *)memchr(parts[0].data + at, '\n', parts[0].size - at) -
                               parts[0].data) +
                      1 - at;
        for (unsigned core = 0; core < CORES; core++)
            an_buffer_put(&log, parts[core].data + at, size);
        at += size;
    }
    struct an_console *console = read_log((struct an_bytes){log.data, log.size}, false);
    assert_int_equal(an_console_count(console), CORES);
    for (unsigned core = 0; core < CORES; core++) {
        const struct an_console_file *file = an_console_file(console, core);
        assert_int_equal(file->status, AN_CONSOLE_VERIFIED);
        assert_int_equal(file->core, core);
        assert_int_equal(file->size, SIZE);
        assert_memory_equal(file->bytes, contents[core], SIZE);
        an_buffer_free(&parts[core]);
    }
    an_console_free(console);
    an_buffer_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_small), cmocka_unit_test(test_words),
        cmocka_unit_test(test_orphans), cmocka_unit_test(test_large),
    };
    return RUN_TESTS(tests);
}
