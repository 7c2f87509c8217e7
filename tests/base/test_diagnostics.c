/* lib/base/diagnostics: lists, their worst level, and texts that are cut rather than overrun. */
#include "base/diagnostics.h"

#include "support/test.h"

static void keeps_what_is_added(void **state)
{
    (void)state;
    struct an_diagnostics diagnostics = {0};
    assert_int_equal(an_diagnostics_worst(&diagnostics), AN_IN_ORDER);
    an_diagnostics_add(&diagnostics, "first", AN_IN_ORDER, "%d of %s", 3, "these");
    assert_int_equal(an_diagnostics_worst(&diagnostics), AN_IN_ORDER);
    an_diagnostic_remedy(an_diagnostics_add(&diagnostics, "second", AN_PROBLEM, "gone"),
                         "look for %s", "it");
    an_diagnostics_add(&diagnostics, "third", AN_LOSS, "little");
    assert_int_equal(diagnostics.count, 3);
    assert_string_equal(diagnostics.items[0].about, "first");
    assert_string_equal(diagnostics.items[0].what, "3 of these");
    assert_string_equal(diagnostics.items[0].remedy, "");
    assert_string_equal(diagnostics.items[1].remedy, "look for it");
    assert_int_equal(an_diagnostics_worst(&diagnostics), AN_PROBLEM);
    diagnostics.items[1].level = AN_LOSS;
    assert_int_equal(an_diagnostics_worst(&diagnostics), AN_LOSS);
}

static void cuts_long_texts(void **state)
{
    (void)state;
    struct an_diagnostics diagnostics = {0};
    char text[1000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    struct an_diagnostic *diagnostic =
        an_diagnostics_add(&diagnostics, "long", AN_LOSS, "%s", text);
    an_diagnostic_remedy(diagnostic, "%s", text);
    assert_int_equal(strlen(diagnostic->what), sizeof diagnostic->what - 1);
    assert_int_equal(strlen(diagnostic->remedy), sizeof diagnostic->remedy - 1);
}

static void names_levels(void **state)
{
    (void)state;
    assert_string_equal(an_level_name(AN_IN_ORDER), "ok");
    assert_string_equal(an_level_name(AN_LOSS), "warning");
    assert_string_equal(an_level_name(AN_PROBLEM), "problem");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_is_added),
        cmocka_unit_test(cuts_long_texts),
        cmocka_unit_test(names_levels),
    };
    return RUN_TESTS(tests);
}
