/* cli/suggest: what is near to what was typed, and what is not. */
#include "../../cli/core/suggest.h"

#include "support/test.h"

static void distances(void **state)
{
    (void)state;
    static const struct {
        const char *one, *other;
        size_t distance;
    } cases[] = {
        {"", "", 0},
        {"show", "show", 0},
        {"", "show", 4},
        {"show", "", 4},
        {"shw", "show", 1},
        {"shoow", "show", 1},
        {"shaw", "show", 1},
        {"shwo", "show", 1},
        {"hsow", "show", 1},
        {"hswo", "show", 2},
        {"outpt", "output", 1},
        {"ca", "abc", 3},
        {"kitten", "sitting", 3},
        {"merge", "show", 5},
        {"aggergate", "aggregate", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t there = suggest_distance(cases[i].one, cases[i].other);
        size_t back = suggest_distance(cases[i].other, cases[i].one);
        check(there == cases[i].distance && back == there, "'%s', '%s': %zu and %zu, not %zu",
              cases[i].one, cases[i].other, there, back, cases[i].distance);
    }
}

/* Words longer than any that could be meant are as far away as they are long. */
static void long_words(void **state)
{
    (void)state;
    char word[2000];
    memset(word, 'x', sizeof word);
    word[sizeof word - 1] = '\0';
    assert_int_equal(suggest_distance(word, "show"), sizeof word - 1);
    struct suggestion suggestion = {.typed = word};
    suggest_consider(&suggestion, "show");
    assert_null(suggestion.nearest);
}

static const char *nearest(const char *typed)
{
    static const char *const words[] = {"record", "train",     "rt",        "cc",   "c++",
                                        "merge",  "show",      "diff",      "bat",  "live",
                                        "order",  "aggregate", "translate", "help", "faults"};
    struct suggestion suggestion = {.typed = typed};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        suggest_consider(&suggestion, words[i]);
    return suggestion.nearest ? suggestion.nearest : "";
}

static void the_nearest(void **state)
{
    (void)state;
    assert_string_equal(nearest("shwo"), "show");
    assert_string_equal(nearest("mrge"), "merge");
    assert_string_equal(nearest("agregat"), "aggregate");
    assert_string_equal(nearest("trian"), "train");     /* and not "translate" */
    assert_string_equal(nearest("trans"), "translate"); /* the beginning of a word is enough */
    assert_string_equal(nearest("c+"), "c++");
    assert_string_equal(nearest("fault"), "faults");
}

static void none_is_near(void **state)
{
    (void)state;
    assert_string_equal(nearest("frobnicate"), "");
    assert_string_equal(nearest("xyz"), "");
    assert_string_equal(nearest(""), "");
    assert_string_equal(nearest("./server"), "");
}

static void the_text(void **state)
{
    (void)state;
    struct suggestion suggestion = {.typed = "outpt"};
    assert_string_equal(suggest_text(&suggestion, "--"), "");
    suggest_consider(&suggestion, "output");
    assert_string_equal(suggest_text(&suggestion, "--"), "; did you mean '--output'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),    cmocka_unit_test(long_words), cmocka_unit_test(the_nearest),
        cmocka_unit_test(none_is_near), cmocka_unit_test(the_text),
    };
    return RUN_TESTS(tests);
}
