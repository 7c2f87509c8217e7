/* lib/base/error: an error says everything it knows in one printable line. */
#include "base/error.h"

#include <errno.h>

#include "support/test.h"

static const char *formatted(const struct an_error *error)
{
    static char text[2048];
    return an_error_format(error, text, sizeof text);
}

static void parts_that_are_unknown_are_left_out(void **state)
{
    (void)state;
    struct an_error error;
    assert_int_equal(an_fail(&error, AN_MALFORMED, "%d apples", 3), AN_MALFORMED);
    assert_string_equal(formatted(&error), "3 apples");
    an_fail_at(&error, AN_TRUNCATED, 17, "no apples");
    assert_string_equal(formatted(&error), "at byte 17: no apples");
    assert_int_equal(an_error_hint(&error, "pick %s", "some"), AN_TRUNCATED);
    assert_int_equal(an_error_in(&error, "basket"), AN_TRUNCATED);
    assert_string_equal(formatted(&error), "basket: at byte 17: no apples (pick some)");
    an_fail(&error, AN_MISMATCH, "%s", "");
    assert_string_equal(formatted(&error), "mismatch"); /* the code's name, for want of a text */
}

static void a_new_error_forgets_the_old_one(void **state)
{
    (void)state;
    struct an_error error;
    an_fail_at(&error, AN_TRUNCATED, 17, "old");
    an_error_hint(&error, "old");
    an_error_in(&error, "old");
    an_fail(&error, AN_SYSTEM, "new");
    assert_string_equal(formatted(&error), "new");
    assert_true(error.offset == AN_NO_OFFSET);
}

static void system_errors(void **state)
{
    (void)state;
    struct an_error error;
    errno = ENOENT;
    assert_int_equal(an_fail_errno(&error, "a/b", "cannot open"), AN_SYSTEM);
    assert_string_equal(formatted(&error), "a/b: cannot open: No such file or directory");
    errno = ENOENT;
    an_fail_errno(&error, NULL, "cannot open");
    assert_string_equal(formatted(&error), "cannot open: No such file or directory");
    assert_int_equal(an_fail_memory(&error), AN_NO_MEMORY);
}

/* What a file contains can be quoted: it must not move the cursor or break the line. */
static void one_printable_line(void **state)
{
    (void)state;
    struct an_error error;
    an_fail(&error, AN_MALFORMED, "found %s", "\n\x1b[31m\r\x7f");
    assert_string_equal(formatted(&error), "found ??[31m??");
    an_error_hint(&error, "%s", "a\tb");
    assert_string_equal(error.hint, "a?b");
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    static char path[3000];
    struct an_error error;
    memset(path, 'd', sizeof path - 1);
    memcpy(path + sizeof path - 10, "/name.raw", 10);
    an_fail(&error, AN_MALFORMED, "%s", path);
    assert_int_equal(strlen(error.what), sizeof error.what - 1);
    an_error_in(&error, path);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_memory_equal(error.file, "...", 3); /* the end is what tells files apart */
    assert_string_equal(error.file + sizeof error.file - 10, "/name.raw");
    path[sizeof error.file - 1] = '\0'; /* just fits */
    an_error_in(&error, path);
    assert_string_equal(error.file, path);
    path[sizeof error.file - 1] = 'd';
    path[sizeof error.file] = '\0'; /* just does not */
    an_error_in(&error, path);
    assert_memory_equal(error.file, "...d", 4);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
}

static void cut_to_the_callers_size(void **state)
{
    (void)state;
    struct an_error error;
    char small[8] = "xxxxxxx";
    an_fail(&error, AN_MALFORMED, "a long text");
    an_error_format(&error, small, 0);
    assert_string_equal(small, "xxxxxxx");
    assert_string_equal(an_error_format(&error, small, 5), "a lo");
}

static void every_code_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int a = AN_OK; a <= AN_USAGE; a++) {
        assert_string_not_equal(an_code_name((enum an_code)a), "unknown");
        for (int b = AN_OK; b < a; b++)
            assert_string_not_equal(an_code_name((enum an_code)a), an_code_name((enum an_code)b));
    }
    assert_string_equal(an_code_name(AN_TRUNCATED), "truncated");
    assert_non_null(an_code_name((enum an_code)1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_that_are_unknown_are_left_out),
        cmocka_unit_test(a_new_error_forgets_the_old_one),
        cmocka_unit_test(system_errors),
        cmocka_unit_test(one_printable_line),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(cut_to_the_callers_size),
        cmocka_unit_test(every_code_has_a_name_of_its_own),
    };
    return RUN_TESTS(tests);
}
