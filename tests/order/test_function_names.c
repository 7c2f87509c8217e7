/* lib/order/names: which names mean one function. */
#include "order/names.h"

#include "support/test.h"

static void stem_is(const char *symbol, const char *stem)
{
    size_t length = an_name_stem(symbol, strlen(symbol));
    assert_int_equal(length, strlen(stem));
    assert_memory_equal(symbol, stem, length);
}

static void additions_of_compilers_are_no_part_of_a_name(void **state)
{
    (void)state;
    stem_is("main", "main");
    stem_is("f.constprop.0", "f");
    stem_is("f.isra.0", "f");
    stem_is("f.isra.0.constprop.12", "f");
    stem_is("f.part.3.lto_priv.0", "f");
    stem_is("f.llvm.8123471298347", "f");
    stem_is("f.__uniq.123.llvm.456", "f");
    stem_is("_ZN1aC2Ev.localalias", "_ZN1aC2Ev");
}

static void full_stops_of_a_name_stay(void **state)
{
    (void)state;
    stem_is("f.1", "f.1"); /* a function within a function, in GCC's C */
    stem_is("f.part", "f");
    stem_is("os.open.3", "os.open.3"); /* Go and others */
    stem_is(".part.0", ".part.0");
    stem_is("a.b.constprop.0", "a.b");
    stem_is("", "");
}

static void cold_parts_are_known(void **state)
{
    (void)state;
    assert_true(an_name_is_cold("f.cold"));
    assert_true(an_name_is_cold("f.cold.1"));
    assert_true(an_name_is_cold("f.constprop.0.cold"));
    assert_false(an_name_is_cold("f.colder"));
    assert_false(an_name_is_cold("cold"));
    assert_false(an_name_is_cold(".cold"));
    assert_false(an_name_is_cold("f"));
}

static void files_are_compared_from_their_end(void **state)
{
    (void)state;
    assert_true(an_name_same_file("a.c", "a.c"));
    assert_true(an_name_same_file("src/a.c", "a.c"));
    assert_true(an_name_same_file("a.c", "/build/src/a.c"));
    assert_true(an_name_same_file("../src/a.c", "/build/src/a.c"));
    assert_true(an_name_same_file("/build/src/a.c", "./a.c"));
    assert_false(an_name_same_file("../one/a.c", "two/a.c"));
    assert_false(an_name_same_file("one/a.c", "two/a.c"));
    assert_false(an_name_same_file("a.c", "ba.c"));
    assert_false(an_name_same_file("a.c", "a.cc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(additions_of_compilers_are_no_part_of_a_name),
        cmocka_unit_test(full_stops_of_a_name_stay),
        cmocka_unit_test(cold_parts_are_known),
        cmocka_unit_test(files_are_compared_from_their_end),
    };
    return RUN_TESTS(tests);
}
