/* lib/base/findings: lists, their worst level, and texts that are cut rather than overrun. */
#include "base/findings.h"

#include "support/test.h"

static void keeps_what_is_added(void **state)
{
    (void)state;
    struct an_findings findings = {0};
    assert_int_equal(an_findings_worst(&findings), AN_IN_ORDER);
    an_findings_add(&findings, "first", AN_IN_ORDER, "%d of %s", 3, "these");
    assert_int_equal(an_findings_worst(&findings), AN_IN_ORDER);
    an_finding_remedy(an_findings_add(&findings, "second", AN_PROBLEM, "gone"), "look for %s",
                      "it");
    an_findings_add(&findings, "third", AN_LOSS, "little");
    assert_int_equal(findings.count, 3);
    assert_string_equal(findings.items[0].about, "first");
    assert_string_equal(findings.items[0].what, "3 of these");
    assert_string_equal(findings.items[0].remedy, "");
    assert_string_equal(findings.items[1].remedy, "look for it");
    assert_int_equal(an_findings_worst(&findings), AN_PROBLEM);
    findings.items[1].level = AN_LOSS;
    assert_int_equal(an_findings_worst(&findings), AN_LOSS);
}

static void cuts_long_texts(void **state)
{
    (void)state;
    struct an_findings findings = {0};
    char text[1000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    struct an_finding *finding = an_findings_add(&findings, "long", AN_LOSS, "%s", text);
    an_finding_remedy(finding, "%s", text);
    assert_int_equal(strlen(finding->what), sizeof finding->what - 1);
    assert_int_equal(strlen(finding->remedy), sizeof finding->remedy - 1);
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
