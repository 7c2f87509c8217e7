/* The words of response files, by GCC's rules and by LLVM's; tests/cli/test_drop_in.sh asks the tools themselves. */
#include "base/response.h"

#include "support/test.h"

static void expect_words(enum an_response_rules rules, const char *text, size_t size,
                         const char *const *expected)
{
    struct an_response response =
        an_response_of(rules, (struct an_bytes){(const uint8_t *)text, size});
    char *word = malloc(size + 1), *start = word; /* no byte more than is promised */
    for (; an_response_next(&response, word); word += strlen(word) + 1) {
        assert_non_null(*expected);
        assert_string_equal(word, *expected++);
    }
    assert_null(*expected);
    free(start);
}

#define EXPECT(rules, text, ...)                                                                   \
    expect_words(rules, text, sizeof text - 1, (const char *const[]){__VA_ARGS__ NULL})

static void usual(void **state)
{
    (void)state;
    for (enum an_response_rules rules = AN_RESPONSE_GCC; rules <= AN_RESPONSE_LLVM; rules++) {
        EXPECT(rules, "", );
        EXPECT(rules, " \n\t\r\n", );
        EXPECT(rules, "one", "one", );
        EXPECT(rules, " one\ntwo\r\n\tthree ", "one", "two", "three", );
        EXPECT(rules, "'a b' \"c  d\" e'f g'h", "a b", "c  d", "ef gh", );
        EXPECT(rules, "'it\"s' \"it's\"", "it\"s", "it's", );
        EXPECT(rules, "a\\ b \\\\ 'c\\'d' \"e\\\"f\"", "a b", "\\", "c'd", "e\"f", );
        EXPECT(rules, "'not ended", "not ended", );
        EXPECT(rules, "a#b # c", "a#b", "#", "c", );
        EXPECT(rules, "\\\n", "\n", );
    }
}

static void edges(void **state)
{
    (void)state;
    EXPECT(AN_RESPONSE_GCC, "a\vb\fc", "a", "b", "c", );
    EXPECT(AN_RESPONSE_LLVM, "a\vb\fc", "a\vb\fc", );
    EXPECT(AN_RESPONSE_GCC, "'' a \"\"", "", "a", "", );
    EXPECT(AN_RESPONSE_LLVM, "'' a \"\"", "a", );
    EXPECT(AN_RESPONSE_GCC, "a\\", "a", );
    EXPECT(AN_RESPONSE_LLVM, "a\\", "a\\", );
    EXPECT(AN_RESPONSE_GCC,
           "\xef\xbb\xbf"
           "a",
           "\xef\xbb\xbf"
           "a", );
    EXPECT(AN_RESPONSE_LLVM,
           "\xef\xbb\xbf"
           "a",
           "a", );
    EXPECT(AN_RESPONSE_GCC, "a\0b c", "a", );
    EXPECT(AN_RESPONSE_LLVM, "a\0b c", "a", "c", );
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(usual), cmocka_unit_test(edges)};
    return RUN_TESTS(tests);
}
