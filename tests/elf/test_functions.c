/* Which functions a binary has, where they begin and end, and what they are called. */
#include "elf/functions.h"

#include "elf/fragments.h"
#include "support/elf_build.h"
#include "support/test.h"

static const uint8_t nops[256] = {[0 ... 255] = 0x90};

static struct an_elf *elf;

static struct an_functions find(const struct elf_builder *b)
{
    struct an_functions functions;
    struct an_error error;
    elf = elf_open(b);
    assert_int_equal(an_functions_find(elf, &functions, &error), AN_OK);
    return functions;
}

static void finish(struct an_functions *functions)
{
    an_functions_free(functions);
    an_elf_close(elf);
}

static const struct an_function *at(const struct an_functions *functions, uint64_t address)
{
    size_t index = an_functions_at(functions, address);
    assert_true(index != AN_NO_FUNCTION);
    return &functions->items[index];
}

static struct elf_builder with_text(size_t size)
{
    struct elf_builder b = {0};
    elf_section(&b, ".text", 0x1000, SHF_EXECINSTR, nops, size);
    return b;
}

static void numbers_local_names_by_address(void **state)
{
    (void)state;
    struct elf_builder b = with_text(256);
    elf_symbol(&b, "b.c", STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
    elf_symbol(&b, "f", STB_LOCAL, STT_FUNC, 1, 0x1040, 16);
    elf_symbol(&b, "a.c", STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
    elf_symbol(&b, "f", STB_LOCAL, STT_FUNC, 1, 0x1000, 16);
    elf_symbol(&b, "f", STB_GLOBAL, STT_FUNC, 1, 0x1080, 16);
    elf_symbol(&b, "g", STB_WEAK, STT_FUNC, 1, 0x1080, 16);
    struct an_functions functions = find(&b);
    assert_int_equal(functions.count, 3);
    assert_string_equal(at(&functions, 0x1000)->name, "f/1");
    assert_string_equal(at(&functions, 0x1000)->file_name, "f/a.c/1");
    assert_string_equal(at(&functions, 0x1040)->name, "f/2");
    assert_string_equal(at(&functions, 0x1040)->file_name, "f/b.c/1");
    assert_string_equal(at(&functions, 0x1080)->name, "f");
    assert_null(at(&functions, 0x1080)->file_name);
    finish(&functions);
}

static void names_what_would_be_a_label_or_nothing(void **state)
{
    (void)state;
    struct elf_builder b = with_text(256);
    elf_symbol(&b, ".Lpart", STB_LOCAL, STT_FUNC, 1, 0x1000, 16);
    elf_symbol(&b, "", STB_GLOBAL, STT_FUNC, 1, 0x1010, 16);
    elf_symbol(&b, "", STB_GLOBAL, STT_FUNC, 1, 0x1020, 16);
    struct an_functions functions = find(&b);
    assert_string_equal(at(&functions, 0x1000)->name, "PG.Lpart/1");
    assert_string_equal(at(&functions, 0x1010)->name, "ANONYMOUS.0");
    assert_string_equal(at(&functions, 0x1020)->name, "ANONYMOUS.1");
    finish(&functions);
}

static void ends_them_at_the_next_symbol(void **state)
{
    (void)state;
    struct elf_builder b = with_text(256);
    elf_symbol(&b, "padded", STB_GLOBAL, STT_FUNC, 1, 0x1000, 10);
    elf_symbol(&b, "sizeless", STB_GLOBAL, STT_FUNC, 1, 0x1020, 0);
    elf_symbol(&b, "last", STB_GLOBAL, STT_FUNC, 1, 0x1050, 4);
    struct an_functions functions = find(&b);
    assert_int_equal(at(&functions, 0x1000)->size, 10);
    assert_int_equal(at(&functions, 0x1000)->reach, 0x20);
    assert_int_equal(at(&functions, 0x1020)->size, 0x30);
    assert_int_equal(at(&functions, 0x1050)->reach, 256 - 0x50);
    assert_int_equal(an_functions_with_code(&functions, 0x100a), AN_NO_FUNCTION);
    assert_int_equal(an_functions_containing(&functions, 0x100a), 0);
    assert_int_equal(an_functions_containing(&functions, 0x10ff), 2);
    assert_int_equal(an_functions_containing(&functions, 0x1100), AN_NO_FUNCTION);
    assert_int_equal(an_functions_containing(&functions, 0xfff), AN_NO_FUNCTION);
    assert_int_equal(an_functions_containing(&functions, UINT64_MAX), AN_NO_FUNCTION);
    finish(&functions);
}

/* A function within another is an entry of it; a label within one is none of its own. */
static void keeps_symbols_inside_as_entries(void **state)
{
    (void)state;
    struct elf_builder b = with_text(256);
    elf_symbol(&b, "label", STB_LOCAL, STT_NOTYPE, 1, 0x1008, 0);
    elf_symbol(&b, "outer", STB_GLOBAL, STT_FUNC, 1, 0x1000, 0x20);
    elf_symbol(&b, "inner", STB_GLOBAL, STT_FUNC, 1, 0x1010, 0x10);
    elf_symbol(&b, "next", STB_GLOBAL, STT_FUNC, 1, 0x1020, 0x10);
    struct an_functions functions = find(&b);
    assert_int_equal(functions.count, 2);
    const struct an_function *outer = at(&functions, 0x1000);
    assert_false(outer->conflicting);
    assert_int_equal(outer->reach, 0x20);
    assert_int_equal(outer->entry_count, 2);
    assert_int_equal(functions.entries[outer->entry], 0x1008);
    assert_int_equal(functions.entries[outer->entry + 1], 0x1010);
    finish(&functions);
}

/* Data in code ends what stands before it, whatever that says of its size. */
static void marks_contradictions(void **state)
{
    (void)state;
    struct elf_builder b = with_text(256);
    elf_symbol(&b, "long", STB_GLOBAL, STT_FUNC, 1, 0x1000, 0x1000);
    elf_symbol(&b, "longest", STB_GLOBAL, STT_FUNC, 1, 0x10f0, UINT64_MAX);
    struct an_functions functions = find(&b);
    assert_int_equal(functions.count, 1);
    assert_true(functions.items[0].conflicting);
    assert_true(functions.items[0].reach >= functions.items[0].size);
    finish(&functions);
}

static void survives_sizes_beyond_all_addresses(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 0x80, UINT64_MAX, UINT64_MAX - 0xff0, 1ull << 63};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct elf_builder b = {0};
        elf_section(&b, ".text", UINT64_MAX - 0xff, SHF_EXECINSTR, nops, 128);
        b.sections[0].claimed = sizes[i];
        elf_symbol(&b, "first", STB_GLOBAL, STT_FUNC, 1, UINT64_MAX - 0xff, sizes[i]);
        elf_symbol(&b, "last", STB_GLOBAL, STT_FUNC, 1, UINT64_MAX, sizes[i]);
        struct an_functions functions = find(&b);
        for (size_t k = 0; k < functions.count; k++) {
            assert_true(functions.items[k].reach >= functions.items[k].size);
            assert_int_equal(an_functions_at(&functions, functions.items[k].address), k);
        }
        finish(&functions);
    }
}

static void finds_the_parents_of_parts(void **state)
{
    (void)state;
    struct elf_builder b = with_text(256);
    elf_symbol(&b, "a.c", STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
    elf_symbol(&b, "f", STB_LOCAL, STT_FUNC, 1, 0x1000, 16);
    elf_symbol(&b, "f.cold", STB_LOCAL, STT_FUNC, 1, 0x1040, 16);
    elf_symbol(&b, "b.c", STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
    elf_symbol(&b, "f.cold", STB_LOCAL, STT_FUNC, 1, 0x1050, 16);
    elf_symbol(&b, "f", STB_LOCAL, STT_FUNC, 1, 0x1010, 16);
    elf_symbol(&b, "g.cold.3", STB_LOCAL, STT_FUNC, 1, 0x1060, 16);
    elf_symbol(&b, "lost.cold", STB_LOCAL, STT_FUNC, 1, 0x1070, 16);
    elf_symbol(&b, "g", STB_GLOBAL, STT_FUNC, 1, 0x1020, 16);
    elf_symbol(&b, "g.colder", STB_GLOBAL, STT_FUNC, 1, 0x1080, 16);
    struct an_functions functions = find(&b);
    assert_int_equal(at(&functions, 0x1040)->parent, 1 + an_functions_at(&functions, 0x1000));
    assert_int_equal(at(&functions, 0x1050)->parent, 1 + an_functions_at(&functions, 0x1010));
    assert_int_equal(at(&functions, 0x1060)->parent, 1 + an_functions_at(&functions, 0x1020));
    assert_int_equal(at(&functions, 0x1070)->parent, 0);
    assert_true(at(&functions, 0x1020)->has_fragments);
    assert_false(at(&functions, 0x1060)->has_fragments);
    size_t part = an_functions_at(&functions, 0x1050), whole = an_functions_at(&functions, 0x1010);
    assert_int_equal(an_fragments_root(&functions, part), whole);
    assert_int_equal(an_fragments_root(&functions, whole), whole);
    assert_true(an_fragments_related(&functions, part, whole));
    assert_true(an_fragments_related(&functions, whole, part));
    assert_false(an_fragments_related(&functions, part, an_functions_at(&functions, 0x1000)));
    finish(&functions);
}

static void finds_data(void **state)
{
    (void)state;
    struct elf_builder b = with_text(64);
    unsigned data = elf_section(&b, ".data", 0x2000, SHF_WRITE, nops, 128);
    elf_symbol(&b, "table", STB_LOCAL, STT_OBJECT, data, 0x2010, 24);
    elf_symbol(&b, "f", STB_GLOBAL, STT_FUNC, 1, 0x1000, 16);
    struct an_functions functions = find(&b);
    assert_int_equal(functions.count, 1);
    const struct an_object *object = an_functions_object(&functions, 0x2027);
    assert_non_null(object);
    assert_string_equal(object->name, "table/1");
    assert_null(an_functions_object(&functions, 0x2028));
    assert_null(an_functions_object(&functions, 0x200f));
    finish(&functions);
}

/* The index must find what a search from the first to the last one finds. */
static void looks_up_the_same_by_index(void **state)
{
    (void)state;
    struct elf_builder b = {0};
    static const uint8_t code[4096];
    char names[60][8];
    elf_section(&b, ".text", 0x400000, SHF_EXECINSTR, code, sizeof code);
    uint64_t seed = 5, address = 0x400000;
    for (int i = 0; i < 60; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        uint64_t size = 1 + number_below(&seed, 60);
        elf_symbol(&b, names[i], STB_GLOBAL, STT_FUNC, 1, address, size);
        address += size + number_below(&seed, 8);
    }
    struct an_functions functions = find(&b);
    assert_int_equal(functions.count, 60);
    for (uint64_t i = 0x3ffff0; i < 0x401010; i++) {
        size_t expected = AN_NO_FUNCTION;
        for (size_t k = 0; k < functions.count; k++)
            if (i >= functions.items[k].address &&
                i < functions.items[k].address + functions.items[k].reach)
                expected = k;
        assert_int_equal(an_functions_containing(&functions, i), expected);
    }
    finish(&functions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_local_names_by_address),
        cmocka_unit_test(names_what_would_be_a_label_or_nothing),
        cmocka_unit_test(ends_them_at_the_next_symbol),
        cmocka_unit_test(keeps_symbols_inside_as_entries),
        cmocka_unit_test(marks_contradictions),
        cmocka_unit_test(survives_sizes_beyond_all_addresses),
        cmocka_unit_test(finds_the_parents_of_parts),
        cmocka_unit_test(finds_data),
        cmocka_unit_test(looks_up_the_same_by_index),
    };
    return RUN_TESTS(tests);
}
