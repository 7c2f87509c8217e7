/* lib/llvm/names: name hashes, and the name sections of raw profiles, also damaged ones. */
#include "llvm/names.h"

#include <zlib.h>

#include <anneal/llvm.h>

#include "support/test.h"

/* RFC 1321's examples, and the hash that every compiled program has. */
static void hashes_are_the_start_of_md5(void **state)
{
    (void)state;
    assert_true(an_llvm_name_hash("", 0) == 0x04b2008fd98c1dd4u);
    assert_true(an_llvm_name_hash("abc", 3) == 0xb04fd23c98500190u);
    assert_true(an_llvm_name_hash("message digest", 14) == 0x8d93b77c7d696bf9u);
    assert_true(an_llvm_name_hash("main", 4) == 0xdb956436e78dd5fau);
}

static bool has(const struct an_symbols *symbols, const char *name)
{
    const struct an_name *found = an_symbols_find(symbols, an_llvm_name_hash(name, strlen(name)));
    return found && found->length == strlen(name) && memcmp(found->text, name, found->length) == 0;
}

static enum an_code read_section(struct an_symbols *symbols, const struct an_buffer *section,
                                 struct an_error *error)
{
    return an_symbols_read(symbols, (struct an_bytes){section->data, section->size}, 1000, error);
}

static void put_plain(struct an_buffer *section, const char *joined, size_t size)
{
    an_buffer_uleb128(section, size);
    an_buffer_uleb128(section, 0);
    an_buffer_put(section, joined, size);
}

static void put_compressed(struct an_buffer *section, const char *joined, size_t size)
{
    uint8_t packed[4096];
    uLongf packed_size = sizeof packed;
    assert_int_equal(compress(packed, &packed_size, (const Bytef *)joined, size), Z_OK);
    an_buffer_uleb128(section, size);
    an_buffer_uleb128(section, packed_size);
    an_buffer_put(section, packed, packed_size);
}

static void blocks_of_both_kinds(void **state)
{
    (void)state;
    struct an_buffer section = {0};
    struct an_symbols symbols = {0};
    struct an_error error;
    put_plain(&section, "main\1f", 6);
    an_buffer_put(&section, "\0\0\0", 3); /* between the names of two object files */
    put_compressed(&section, "file.c:g\1_Z1hv\1main", 19);
    put_plain(&section, "i", 1);
    an_buffer_put(&section, "\0", 1);
    assert_int_equal(read_section(&symbols, &section, &error), AN_OK);
    assert_true(has(&symbols, "main") && has(&symbols, "f") && has(&symbols, "file.c:g"));
    assert_true(has(&symbols, "_Z1hv") && has(&symbols, "i"));
    assert_int_equal(symbols.names.count, 5);
    assert_null(an_symbols_find(&symbols, 12345));
    an_symbols_free(&symbols);
    an_buffer_free(&section);
}

static void an_empty_section_has_no_names(void **state)
{
    (void)state;
    struct an_symbols symbols = {0};
    struct an_error error;
    assert_int_equal(an_symbols_read(&symbols, (struct an_bytes){NULL, 0}, 0, &error), AN_OK);
    assert_int_equal(symbols.names.count, 0);
    an_symbols_free(&symbols);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    enum { NAMES = 300 };
    static char text[NAMES][200];
    struct an_name names[NAMES];
    struct an_buffer section = {0};
    struct an_symbols symbols = {0};
    struct an_error error;
    uint64_t seed = 5;
    for (int i = 0; i < NAMES; i++) {
        int length = snprintf(text[i], sizeof text[i], "f%d.", i);
        for (uint64_t more = number_below(&seed, 150); more; more--)
            text[i][length++] = (char)('a' + number_below(&seed, 26));
        names[i] = (struct an_name){text[i], (size_t)length};
    }
    assert_int_equal(an_names_section_write(&section, names, NAMES, &error), AN_OK);
    assert_int_equal(read_section(&symbols, &section, &error), AN_OK);
    assert_int_equal(symbols.names.count, NAMES);
    for (int i = 0; i < NAMES; i++)
        assert_true(has(&symbols, text[i]));
    an_symbols_free(&symbols);
    an_buffer_free(&section);
}

static void refuses(const struct an_buffer *section, uint64_t at, const char *what)
{
    struct an_symbols symbols = {0};
    struct an_error error = {0};
    enum an_code code = read_section(&symbols, section, &error);
    check(code == AN_MALFORMED, "%s: %s", what, an_code_name(code));
    check(error.offset == at, "%s: at %llu", what, (unsigned long long)error.offset);
    an_symbols_free(&symbols);
}

static void damaged_sections(void **state)
{
    (void)state;
    struct an_buffer section = {0};
    put_plain(&section, "main", 4);
    section.size--;
    refuses(&section, 1000, "plain names that are cut");
    section.size = 0;

    put_compressed(&section, "main\1f", 6);
    section.size--;
    refuses(&section, 1000, "compressed names that are cut");
    section.size++;
    section.data[section.size - 1] ^= 1; /* the checksum */
    refuses(&section, 1000, "a wrong checksum");
    section.data[section.size - 1] ^= 1;
    section.data[0]++;
    refuses(&section, 1000, "one byte less than was promised");
    section.size = 0;

    put_plain(&section, "a", 1);
    size_t second = section.size;
    an_buffer_uleb128(&section, 1ull << 40);
    an_buffer_uleb128(&section, 5);
    an_buffer_put(&section, "xxxxx", 5);
    refuses(&section, 1000 + second, "more names than deflate could hold");
    section.size = 0;

    put_plain(&section, "a\1\1b", 4);
    refuses(&section, 1000, "an empty name");
    section.size = 0;
    put_plain(&section, "a\1", 2);
    refuses(&section, 1000, "an empty last name");
    section.size = 0;
    an_buffer_put(&section, "\x80", 1);
    refuses(&section, 1000, "a cut number");
    section.size = 0;
    an_buffer_uleb128(&section, UINT64_MAX);
    an_buffer_uleb128(&section, 0);
    refuses(&section, 1000, "an absurd size");
    section.size = 0;
    an_buffer_uleb128(&section, 1);
    an_buffer_uleb128(&section, UINT64_MAX);
    refuses(&section, 1000, "an absurd compressed size");
    an_buffer_free(&section);
}

/* A small section must not make the reader allocate much, whatever it claims. */
static void a_bomb_is_not_allocated(void **state)
{
    (void)state;
    struct an_buffer section = {0};
    struct an_symbols symbols = {0};
    struct an_error error;
    an_buffer_uleb128(&section, 1 << 20);
    an_buffer_uleb128(&section, 500);
    for (int i = 0; i < 500; i++)
        an_buffer_put(&section, "x", 1);
    assert_int_equal(read_section(&symbols, &section, &error), AN_MALFORMED);
    assert_true(symbols.arena.total < 600 * 1032);
    an_symbols_free(&symbols);
    an_buffer_free(&section);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_the_start_of_md5),
        cmocka_unit_test(blocks_of_both_kinds),
        cmocka_unit_test(an_empty_section_has_no_names),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(damaged_sections),
        cmocka_unit_test(a_bomb_is_not_allocated),
    };
    return RUN_TESTS(tests);
}
