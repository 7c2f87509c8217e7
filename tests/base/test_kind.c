/* lib/base/kind: what is no LLVM profile is called by its name, and a profile is not mistaken. */
#include "base/kind.h"

#include "support/profiles.h"
#include "support/test.h"

static const char *describe(const char *bytes, size_t size)
{
    return an_kind_describe((struct an_bytes){(const uint8_t *)bytes, size});
}

#define says(bytes, word)                                                                          \
    do {                                                                                           \
        const char *text = describe(bytes, sizeof bytes - 1);                                      \
        check(text &&strstr(text, word), "%s", text ? text : "nothing");                           \
    } while (0)

static void files_of_other_families(void **state)
{
    (void)state;
    says("adcgB24*\0\0\0\0", "GCC counter file");
    says("gcdaB24*\0\0\0\0", "GCC counter file");
    says("oncgB24*", "GCC notes");
    says("gcnoB24*", "GCC notes");
    says("PERFILE2\x68\0\0\0", "perf.data");
    says("2ELIFREP\0\0\0\x68", "perf.data");
    says("\x7f"
         "ELF\x02\x01\x01",
         "ELF");
    says("BC\xc0\xde\x35\x14", "bitcode");
    says("\x1f\x8b\x08\0", "gzip");
    says("\x28\xb5\x2f\xfd\0", "zstd");
    says("\xfd"
         "7zXZ\0",
         "xz");
    says("!<arch>\nfoo.o/", "archive");
    says("\x81rforpm\xff\0\0", "memory profile");
    says("1 main 0 1 main 1c 0 12\n1 main 20 1 f 0 0 1\n", "fdata");
}

/* The magic number of AutoFDO's binary formats: "SPROF42" and a byte for the format, as ULEB128. */
static void sample_profiles(void **state)
{
    (void)state;
    for (unsigned format = 0; format < 256; format += 51) {
        struct an_buffer buffer = {0};
        an_buffer_uleb128(&buffer, 0x5350524f46343200u | format);
        assert_non_null(strstr(describe((const char *)buffer.data, buffer.size), "AutoFDO"));
        an_buffer_free(&buffer);
    }
}

static void what_is_not_known(void **state)
{
    (void)state;
    assert_null(describe("", 0));
    assert_null(describe("a", 1));
    assert_null(describe("adc", 3)); /* the start of a magic number only */
    assert_null(describe("main\n123\n1\n5\n", 13));
    assert_null(describe("1\n2\n", 4));
    static const char *const profiles[] = {
        "raw/c-fe-clang19-run1.profraw", "raw/c-fe-powerpc-clang19-run1.profraw",
        "indexed/c-fe-clang13.merged.profdata", "proftext/ir_values.proftext"};
    for (size_t i = 0; i < 4; i++) {
        struct an_bytes file = corpus(profiles[i]);
        assert_null(an_kind_describe(file));
        free_bytes(file);
    }
}

/* What to do with it; a profile of another family is as it should be. */
static void hints(void **state)
{
    (void)state;
    assert_non_null(strstr(an_kind_hint((struct an_bytes){(const uint8_t *)"PERFILE2", 8}),
                           "anneal aggregate"));
    assert_non_null(
        strstr(an_kind_hint((struct an_bytes){(const uint8_t *)"oncgB24*", 8}), "gcda"));
    assert_null(an_kind_hint((struct an_bytes){(const uint8_t *)"adcgB24*", 8}));
    assert_null(an_kind_hint((struct an_bytes){(const uint8_t *)"1 main 0 1 f 0 0 1\n", 19}));
    assert_null(an_kind_hint((struct an_bytes){(const uint8_t *)"", 0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_other_families),
        cmocka_unit_test(sample_profiles),
        cmocka_unit_test(what_is_not_known),
        cmocka_unit_test(hints),
    };
    return RUN_TESTS(tests);
}
