/* Paths as text. */
#include "base/path.h"

#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

static void expect_canonical(const char *path, bool blindly, const char *expected)
{
    char canonical[256];
    an_path_canonical(canonical, path, blindly);
    assert_string_equal(canonical, expected);
}

static void test_canonical(void **context)
{
    char folder[] = "/tmp/test-path.XXXXXX", path[64], link[64];
    (void)context;
    expect_canonical("a/./b//c.c", true, "a/b/c.c");
    expect_canonical("./c.c", true, "c.c");
    expect_canonical("../../c.c", true, "../../c.c");
    expect_canonical("not-there/../c.c", true, "not-there/../c.c");
    expect_canonical("/usr/include/../lib/x.h", false, "/usr/lib/x.h");
    expect_canonical("/usr/include/../../tmp/x.h", false, "/tmp/x.h");
    expect_canonical("/usr/../../x.h", false, "/../x.h");
    assert_non_null(mkdtemp(folder));
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink("/usr/include", link), 0);
    snprintf(path, sizeof path, "%s/link/../x.h", folder);
    expect_canonical(path, false, path); /* it is /usr/x.h */
    char blind[64];
    snprintf(blind, sizeof blind, "%s/x.h", folder);
    expect_canonical(path, true, blind);
    unlink(link);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_canonical)};
    return RUN_TESTS(tests);
}
