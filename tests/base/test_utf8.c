/* lib/base/utf8: names become plain, and what is text stays as it is. */
#include "base/utf8.h"

#include "base/error.h"
#include "support/test.h"

static void becomes(const char *text, const char *expected)
{
    char plain[64];
    snprintf(plain, sizeof plain, "%s", text);
    an_utf8_make_plain(plain);
    check(strcmp(plain, expected) == 0, "'%s', expected '%s'", plain, expected);
}

static void plain_text(void **unused)
{
    (void)unused;
    becomes("", "");
    becomes("/usr/bin/a program", "/usr/bin/a program");
    becomes("\x1b[2J\x07\n\t\x7f", "?[2J????");
    becomes("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82",
            "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82");
    becomes("\xc2\x9b"
            "2J\xc2\x80\xc2\xa0",
            "??2J??\xc2\xa0"); /* U+009B begins commands, too */
    becomes("\x9b"
            "2J \xe4",
            "?2J \xe4");          /* in Latin-1 */
    becomes("\xe2\x82", "\xe2?"); /* cut off */
}

static void errors_are_plain(void **unused)
{
    (void)unused;
    struct an_error error;
    char text[200];
    an_fail(&error, AN_SYSTEM, "found %s", "\x1b[31m");
    an_error_in(&error, "folder\n/\xc2\x9b"
                        "file");
    an_error_hint(&error, "use %s", "\r");
    assert_string_equal(an_error_format(&error, text, sizeof text),
                        "folder?/??file: found ?[31m (use ?)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text),
        cmocka_unit_test(errors_are_plain),
    };
    return RUN_TESTS(tests);
}
