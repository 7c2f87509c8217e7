/* The version in the headers, the one in the build files, and what the library says of itself. */
#include <anneal/anneal.h>

#include "support/test.h"

static void is_one(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", AN_VERSION_MAJOR, AN_VERSION_MINOR, AN_VERSION_PATCH);
    assert_string_equal(an_version(), BUILT_VERSION);
    assert_string_equal(an_version(), text);
    assert_int_equal(an_version_number(), AN_VERSION_NUMBER);
}

static void can_be_compared(void **state)
{
    (void)state;
#if AN_VERSION_NUMBER < 100
    fail();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_one),
        cmocka_unit_test(can_be_compared),
    };
    return RUN_TESTS(tests);
}
