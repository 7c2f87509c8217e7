/* lib/perf/preaggregated: the lines of BOLT's documentation, and lines that are wrong. */
#include "perf/preaggregated.h"

#include "support/test.h"

struct seen {
    struct an_preaggregated_entry entries[64];
    size_t count;
    size_t stop_at; /* SIZE_MAX: never */
};

static enum an_code on_entry(void *context, const struct an_preaggregated_entry *entry,
                             struct an_error *error)
{
    struct seen *seen = context;
    if (seen->count == seen->stop_at)
        return an_fail(error, AN_USAGE, "enough");
    assert_true(seen->count < 64);
    seen->entries[seen->count++] = *entry;
    return AN_OK;
}

static enum an_code read_text(const char *text, struct seen *seen, struct an_error *error)
{
    struct an_bytes bytes = {(const uint8_t *)text, strlen(text)};
    *seen = (struct seen){.stop_at = SIZE_MAX};
    *error = (struct an_error){0};
    return an_preaggregated_read(bytes, on_entry, seen, error);
}

static const char all_kinds[] = "E cycles:u\n"
                                "S 41be50 3\n"
                                "E br_inst_retired.near_taken\n"
                                "B 4b1942 39b57f0 3 1\n"
                                "F 41be50 41be90 4\n"
                                "f 0 ffffffffffffffff 9223372036854775807\n"
                                "r 41be50 41be90 0\n"
                                "T 4b196f 4b19e0 4b19ef 2\n"
                                "R 4b196f 4b19e0 4b19ef 7\n"
                                "B 0123abcd:10 X:20 3 0\n"
                                "T 4b196f 4b19e0 4b19ef 5 2\n";

static void every_kind(void **state)
{
    (void)state;
    struct seen seen;
    struct an_error error;
    check(read_text(all_kinds, &seen, &error) == AN_OK, "%s", error.what);
    const struct an_preaggregated_entry *e = seen.entries;
    assert_int_equal(seen.count, 11);
    assert_int_equal(e[0].kind, AN_PREAGGREGATED_EVENT);
    assert_int_equal(e[0].event_length, 8);
    assert_memory_equal(e[0].event, "cycles:u", 8);
    assert_true(e[1].kind == AN_PREAGGREGATED_SAMPLE && e[1].from.offset == 0x41be50);
    assert_true(e[1].count == 3 && e[1].file_offset == 11);
    assert_true(e[3].kind == AN_PREAGGREGATED_BRANCH && e[3].from.offset == 0x4b1942);
    assert_true(e[3].to.offset == 0x39b57f0 && e[3].count == 3 && e[3].mispredictions == 1);
    assert_true(e[4].kind == AN_PREAGGREGATED_RUN && e[4].to.offset == 0x41be90);
    assert_true(e[5].kind == AN_PREAGGREGATED_RUN_FROM_OUTSIDE && e[5].to.offset == UINT64_MAX);
    assert_true(e[5].count == INT64_MAX);
    assert_int_equal(e[6].kind, AN_PREAGGREGATED_RUN_FROM_RETURN);
    assert_true(e[7].kind == AN_PREAGGREGATED_TRACE && e[7].run_to.offset == 0x4b19ef);
    assert_true(e[8].kind == AN_PREAGGREGATED_TRACE_RETURN && e[8].count == 7);
    assert_null(e[8].from.build_id);
    assert_int_equal(e[9].from.build_id_length, 8);
    assert_memory_equal(e[9].from.build_id, "0123abcd", 8);
    assert_true(e[9].from.offset == 0x10 && e[9].to.offset == 0x20);
    assert_true(e[9].to.build_id_length == 1 && *e[9].to.build_id == 'X');
    assert_true(e[10].count == 5 && e[10].mispredictions == 2);
}

/* As BOLT writes them from LLVM 23 on. */
static void addresses_that_are_not_there(void **state)
{
    (void)state;
    struct seen seen;
    struct an_error error;
    check(read_text("T 10 20 -1 4 0\nT -1 20 30 4 0\nT -2 20 30 4 0\nR -3 20 30 4 0\n"
                    "T 10 20 ffffffffffffffff 4\nB 10 -1 4 0\nT X:-1 20 30 4\n",
                    &seen, &error) == AN_OK,
          "%s", error.what);
    const struct an_preaggregated_entry *e = seen.entries;
    assert_int_equal(seen.count, 7);
    assert_true(e[0].run_to.offset == AN_PREAGGREGATED_ABSENT && e[0].count == 4);
    assert_true(e[1].from.offset == AN_PREAGGREGATED_ABSENT && e[1].run_to.offset == 0x30);
    assert_true(e[2].from.offset == AN_PREAGGREGATED_OUTSIDE);
    assert_true(e[3].from.offset == AN_PREAGGREGATED_RETURN);
    assert_true(e[4].run_to.offset == AN_PREAGGREGATED_ABSENT);
    assert_true(e[5].to.offset == AN_PREAGGREGATED_ABSENT);
    assert_true(e[6].from.offset == AN_PREAGGREGATED_ABSENT && e[6].from.build_id_length == 1);
}

static void what_is_written_is_what_was_read(void **state)
{
    (void)state;
    struct seen seen;
    struct an_error error;
    struct an_buffer buffer = {0};
    assert_int_equal(read_text(all_kinds, &seen, &error), AN_OK);
    for (size_t i = 0; i < seen.count; i++)
        an_preaggregated_write(&buffer, &seen.entries[i]);
    assert_int_equal(buffer.size, strlen(all_kinds));
    assert_memory_equal(buffer.data, all_kinds, buffer.size);
    an_buffer_free(&buffer);
}

static void spaces_and_empty_lines(void **state)
{
    (void)state;
    struct seen seen;
    struct an_error error;
    check(read_text("\n  B  1   2 3  4 \r\n\n\tS 5 6\n\nE  x \r\r\n", &seen, &error) == AN_OK, "%s",
          error.what);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.entries[2].event_length, 1);
    assert_true(seen.entries[0].mispredictions == 4 && seen.entries[1].count == 6);
    assert_int_equal(read_text("", &seen, &error), AN_OK);
    assert_int_equal(seen.count, 0);
}

static void lines_that_are_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *expected;
    } lines[] = {
        {"X 1 2 3", "a line that begins with"},
        {"BB 1 2 3 4", "a line that begins with"},
        {"B 1 2 3", "B FROM TO COUNT MISPREDICTIONS"},
        {"B 1 2 3 4 5", "B FROM"},
        {"B 1 2 3 -4", "B FROM"},
        {"B 0x1 2 3 4", "B FROM"},
        {"B 1 2 c 4", "B FROM"},
        {"B :1 2 3 4", "B FROM"},
        {"B id: 2 3 4", "B FROM"},
        {"B 11112222333344445 2 3 4", "B FROM"},
        {"B 1 2 9223372036854775808 4", "B FROM"},
        {"F 1 2 3 4", "F FROM TO COUNT"},
        {"f 1 2", "f FROM TO COUNT"},
        {"r", "r FROM TO COUNT"},
        {"T 1 2 3", "T FROM TO RUN-TO COUNT"},
        {"R 1 2 g 3", "R FROM TO RUN-TO COUNT"},
        {"T 1 2 3 4 5 6", "T FROM TO RUN-TO COUNT [MISPREDICTIONS]"},
        {"T 1 2 3 4 -5", "T FROM TO RUN-TO COUNT [MISPREDICTIONS]"},
        {"T -4 2 3 4 5", "T FROM"},
        {"T -0 2 3 4 5", "T FROM"},
        {"T - 2 3 4 5", "T FROM"},
        {"T -11 2 3 4 5", "T FROM"},
        {"T 1 --1 3 4 5", "T FROM"},
        {"S 1", "S ADDRESS COUNT"},
        {"E ", "E EVENT"},
        {"E two words", "E EVENT"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[128];
        struct seen seen;
        struct an_error error;
        snprintf(text, sizeof text, "S 1 1\n%s\nS 1 1\n", lines[i].text);
        enum an_code code = read_text(text, &seen, &error);
        check(code == AN_MALFORMED && strstr(error.what, lines[i].expected), "%s: %s",
              lines[i].text, error.what);
        assert_int_equal(error.offset, 6);
        assert_int_equal(seen.count, 1);
    }
}

static void a_last_line_without_end(void **state)
{
    (void)state;
    struct seen seen;
    struct an_error error;
    assert_int_equal(read_text("S 1 1\nS 1 123", &seen, &error), AN_TRUNCATED);
    assert_int_equal(error.offset, 6);
    assert_true(error.hint[0]);
}

static void a_callback_that_has_enough(void **state)
{
    (void)state;
    struct an_bytes bytes = {(const uint8_t *)all_kinds, strlen(all_kinds)};
    struct seen seen = {.stop_at = 2};
    struct an_error error = {0};
    assert_int_equal(an_preaggregated_read(bytes, on_entry, &seen, &error), AN_USAGE);
    assert_string_equal(error.what, "enough");
    assert_int_equal(seen.count, 2);
}

static void recognised_by_the_first_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_one;
    } starts[] = {{all_kinds, true},
                  {"B 1 2 3 4\nwhatever", true},
                  {"B 1 2 3\n", false},
                  {"B 1 2 3 4", false},
                  {"", false},
                  {"Bx 1 2 3 4\n", false},
                  {"E x\n", true},
                  {"mode lbr\n", false},
                  {"1 main 0 1 f 0 0 1\n", false}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        struct an_bytes bytes = {(const uint8_t *)starts[i].text, strlen(starts[i].text)};
        check(an_preaggregated_recognise(bytes) == starts[i].is_one, "%s", starts[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(addresses_that_are_not_there),
        cmocka_unit_test(what_is_written_is_what_was_read),
        cmocka_unit_test(spaces_and_empty_lines),
        cmocka_unit_test(lines_that_are_wrong),
        cmocka_unit_test(a_last_line_without_end),
        cmocka_unit_test(a_callback_that_has_enough),
        cmocka_unit_test(recognised_by_the_first_line),
    };
    return RUN_TESTS(tests);
}
