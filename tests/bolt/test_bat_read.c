/* Reading .note.bolt_bat in all encodings, and what is not one. */
#include "bolt/bat.h"

#include "base/file.h"
#include "support/bat_build.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct built_entry hot_entries[] = {
    {0x0, 0x0, false, 0x1111222233334444, 0},
    {0x8, 0x8, true, 0, 0},
    {0xa, 0xa, false, 0xabcdef, 1},
    {0x10, 0x60, false, 7, 9},
    {0x14, 0x64, true, 0, 0},
    {0x20, 0x10, false, 8, 2},
    {0x40, 0x30, false, 9, 4},
    {0x40, 0x38, false, 10, 5},
};

static const struct built_entry other_entries[] = {{0, 0, false, 1, 0}, {5, 0x15, true, 0, 0}};

static const struct built_entry cold_entries[] = {
    {0x0, 0x18, false, 11, 3}, {0x6, 0x1e, true, 0, 0}, {0x9, 0x2, false, 12, 0}};

static const struct an_bat_range low = {0x400000, 0x500000};

/* Two functions, and the cold parts of both. */
static const struct built_function usual[] = {
    {0x401000, 0, 0xfeedfacecafebeef, 10, 2, {0x10, 0x30}, COUNT(hot_entries), hot_entries},
    {0x401080, 0, 5, 1, 0, {0}, COUNT(other_entries), other_entries},
    {0x480000, 0x401080, 0, 0, 0, {0}, COUNT(cold_entries), cold_entries},
    {0x480040, 0x401000, 0, 0, 0, {0}, COUNT(cold_entries), cold_entries},
};

static struct an_bat *parse(struct an_buffer *note, const struct an_bat_range *text)
{
    struct an_bat *bat;
    struct an_error error;
    char line[1024];
    enum an_code code = an_bat_parse((struct an_bytes){note->data, note->size}, text, &bat, &error);
    check(code == AN_OK, "%s", an_error_format(&error, line, sizeof line));
    an_buffer_free(note);
    return bat;
}

static enum an_code refusal(struct an_buffer *note, const struct an_bat_range *text)
{
    struct an_bat *bat;
    struct an_error error;
    enum an_code code = an_bat_parse((struct an_bytes){note->data, note->size}, text, &bat, &error);
    assert_int_not_equal(code, AN_OK);
    assert_null(bat);
    assert_int_equal(error.code, code);
    an_buffer_free(note);
    return code;
}

static void check_function(const struct an_bat *bat, const struct built_function *expected)
{
    bool has_hashes = bat->encoding == AN_BAT_HASHES;
    const struct an_bat_function *function = an_bat_find(bat, expected->address);
    assert_non_null(function);
    assert_int_equal(function->entry_count, expected->count);
    assert_int_equal(function->is_cold, expected->parent != 0);
    if (expected->parent && bat->encoding != AN_BAT_DELTAS)
        assert_int_equal(an_bat_parent(bat, function)->address, expected->parent);
    else
        assert_ptr_equal(an_bat_parent(bat, function), function);
    for (size_t i = 0; i < expected->count; i++) {
        struct an_bat_entry entry = an_bat_entries(bat, function)[i];
        assert_int_equal(entry.output, expected->entries[i].output);
        assert_int_equal(an_bat_entry_input(entry), expected->entries[i].input);
        assert_int_equal(an_bat_entry_is_branch(entry), expected->entries[i].is_branch);
        if (!has_hashes)
            continue;
        assert_true(bat->block_hash[function->first_entry + i] == expected->entries[i].hash);
        assert_int_equal(bat->block_index[function->first_entry + i], expected->entries[i].index);
    }
    if (!has_hashes || expected->parent)
        return;
    assert_true(function->hash == expected->hash);
    assert_int_equal(function->blocks, expected->blocks);
    assert_int_equal(function->secondary_count, expected->secondary_count);
    for (size_t i = 0; i < expected->secondary_count; i++)
        assert_int_equal(an_bat_secondary_id(bat, function, expected->secondary[i]), i + 1);
    assert_int_equal(an_bat_secondary_id(bat, function, 0x11), 0);
}

static void check_all(enum an_bat_encoding encoding, const struct built_function *functions,
                      size_t count, bool among_all, const struct an_bat_range *text)
{
    struct an_buffer note = bat_build(encoding, functions, count, among_all);
    struct an_bat *bat = parse(&note, text);
    assert_int_equal(bat->encoding, encoding);
    assert_int_equal(bat->function_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(bat->functions[i].address == functions[i].address);
        check_function(bat, &functions[i]);
    }
    an_bat_free(bat);
}

static void every_encoding_is_told_from_the_others(void **state)
{
    (void)state;
    for (int encoding = AN_BAT_WORDS; encoding <= AN_BAT_HASHES; encoding++) {
        /* In words no two entries of one offset are written, but they do no harm. */
        check_all((enum an_bat_encoding)encoding, usual, COUNT(usual), true, &low);
        check_all((enum an_bat_encoding)encoding, usual, COUNT(usual), true, NULL);
        check_all((enum an_bat_encoding)encoding, usual, 2, true, &low);
        if (encoding != AN_BAT_DELTAS) /* nothing looks alike in both encodings by deltas */
            check_all((enum an_bat_encoding)encoding, usual, 0, true, &low);
    }
}

static void addresses_have_64_bits(void **state)
{
    (void)state;
    struct built_function high[COUNT(usual)];
    for (size_t i = 0; i < COUNT(usual); i++) {
        high[i] = usual[i];
        high[i].address += 0x7fff00000000;
        high[i].parent += usual[i].parent ? 0x7fff00000000 : 0;
    }
    for (int encoding = AN_BAT_WORDS; encoding <= AN_BAT_HASHES; encoding++)
        check_all((enum an_bat_encoding)encoding, high, COUNT(high), true, NULL);
}

/* LLVM 19 numbers the hot ones among all fragments, later ones do not. */
static void cold_fragments_may_come_first(void **state)
{
    (void)state;
    struct built_function first[COUNT(usual)] = {usual[2], usual[3], usual[0], usual[1]};
    for (size_t i = 0; i < 2; i++)
        first[i].address -= 0x7f000;
    for (size_t i = 2; i < 4; i++)
        first[i].address += 0x10000;
    first[0].parent += 0x10000;
    first[1].parent += 0x10000;
    check_all(AN_BAT_HASHES, first, COUNT(first), true, &low);
    check_all(AN_BAT_HASHES, first, COUNT(first), false, &low);
    check_all(AN_BAT_WORDS, first, COUNT(first), false, &low);
    check_all(AN_BAT_DELTAS, first, COUNT(first), false, &low);
}

static void fragments_without_address_are_left_out(void **state)
{
    (void)state;
    struct built_function functions[1 + COUNT(usual)] = {{.address = 0}};
    memcpy(functions + 1, usual, sizeof usual);
    struct an_buffer note = bat_build(AN_BAT_WORDS, functions, COUNT(functions), false);
    struct an_bat *bat = parse(&note, &low);
    assert_int_equal(bat->function_count, COUNT(usual));
    check_function(bat, &usual[3]);
    an_bat_free(bat);
}

/* A copy's place in another fragment: beyond the end, or before the begin. */
static void strays_are_kept(void **state)
{
    (void)state;
    const struct built_entry strays[] = {
        {0, 0, false, 1, 0}, {0x7f000, 0x30, true, 0, 0}, {0xffffff00, 0x44, true, 0, 0}};
    const struct built_function functions[] = {{0x401000, 0, 1, 1, 0, {0}, COUNT(strays), strays},
                                               usual[2]};
    struct built_function both[] = {functions[0], functions[1]};
    both[1].parent = 0x401000;
    check_all(AN_BAT_HASHES, both, 2, true, &low);
    const struct built_entry outside[] = {{0, 0, false, 1, 0}, {0x800000, 0x30, true, 0, 0}};
    both[0].entries = outside;
    both[0].count = COUNT(outside);
    struct an_buffer note = bat_build(AN_BAT_HASHES, both, 2, true);
    assert_int_equal(refusal(&note, &low), AN_MALFORMED);
}

static void sizes_reach_to_the_next_fragment(void **state)
{
    (void)state;
    struct an_buffer note = bat_build(AN_BAT_WORDS, usual, COUNT(usual), false);
    struct an_bat *bat = parse(&note, &low);
    assert_int_equal(bat->functions[0].size, 0x80);
    assert_int_equal(bat->functions[3].size, 0x500000 - 0x480040);
    assert_ptr_equal(an_bat_function_at(bat, 0x40107f), &bat->functions[0]);
    assert_ptr_equal(an_bat_function_at(bat, 0x401080), &bat->functions[1]);
    assert_null(an_bat_function_at(bat, 0x400fff));
    assert_null(an_bat_function_at(bat, 0x500000));
    assert_null(an_bat_find(bat, 0x401001));
    an_bat_free(bat);
}

static void a_cut_section_is_refused(void **state)
{
    (void)state;
    for (int encoding = AN_BAT_WORDS; encoding <= AN_BAT_HASHES; encoding++) {
        struct an_buffer whole =
            bat_build((enum an_bat_encoding)encoding, usual, COUNT(usual), true);
        for (size_t size = 20; size < 20 + an_load32(whole.data + 4); size++) {
            /* cut, with a header that does not notice, and with one that does */
            struct an_buffer description = {0};
            an_buffer_put(&description, whole.data + 20, size - 20);
            struct an_buffer note = bat_build_note(&description);
            refusal(&note, &low);
            an_buffer_free(&description);
            struct an_buffer cut = {0};
            an_buffer_put(&cut, whole.data, size);
            assert_int_equal(refusal(&cut, &low), AN_TRUNCATED);
        }
        an_buffer_free(&whole);
    }
}

static void what_follows_is_refused(void **state)
{
    (void)state;
    struct an_buffer note = bat_build(AN_BAT_WORDS, usual, COUNT(usual), true);
    an_buffer_le(&note, 0, 4);
    assert_int_equal(refusal(&note, &low), AN_MALFORMED);
    note = bat_build(AN_BAT_HASHES, usual, COUNT(usual), true);
    uint32_t size = an_load32(note.data + 4);
    note.data[4] = (uint8_t)(size + 4);
    note.data[5] = (uint8_t)((size + 4) >> 8);
    an_buffer_le(&note, 0, 4);
    assert_int_not_equal(refusal(&note, &low), AN_OK);
}

static void functions_elsewhere_are_refused(void **state)
{
    (void)state;
    const struct an_bat_range above = {0x401001, 0x500000}, below = {0x400000, 0x480040};
    for (int encoding = AN_BAT_WORDS; encoding <= AN_BAT_HASHES; encoding++) {
        struct an_buffer note =
            bat_build((enum an_bat_encoding)encoding, usual, COUNT(usual), true);
        assert_int_not_equal(refusal(&note, &above), AN_OK);
        note = bat_build((enum an_bat_encoding)encoding, usual, COUNT(usual), true);
        assert_int_not_equal(refusal(&note, &below), AN_OK);
    }
}

static void disorder_is_refused(void **state)
{
    (void)state;
    struct built_function functions[] = {usual[1], usual[0]};
    struct an_buffer note = bat_build(AN_BAT_WORDS, functions, 2, true);
    assert_int_equal(refusal(&note, &low), AN_MALFORMED);
    note = bat_build(AN_BAT_HASHES, functions, 2, true);
    assert_int_equal(refusal(&note, &low), AN_MALFORMED);
    functions[0] = usual[0];
    functions[1] = usual[0];
    note = bat_build(AN_BAT_WORDS, functions, 2, true);
    assert_int_equal(refusal(&note, &low), AN_MALFORMED);
    const struct built_entry back[] = {{8, 0, false, 0, 0}, {4, 9, false, 0, 0}};
    functions[0].entries = back;
    functions[0].count = 2;
    note = bat_build(AN_BAT_WORDS, functions, 1, true);
    assert_int_equal(refusal(&note, &low), AN_MALFORMED);
}

static void wrong_links_are_refused(void **state)
{
    (void)state;
    struct built_function functions[COUNT(usual)];
    memcpy(functions, usual, sizeof usual);
    functions[2].parent = functions[3].address; /* a cold fragment */
    struct an_buffer note = bat_build(AN_BAT_WORDS, functions, COUNT(functions), true);
    assert_int_equal(refusal(&note, &low), AN_MALFORMED);
    functions[2].parent = 0x401004; /* nothing */
    note = bat_build(AN_BAT_WORDS, functions, COUNT(functions), true);
    assert_int_equal(refusal(&note, &low), AN_MALFORMED);
    functions[2].parent = 0x4fffff; /* a number beyond the last */
    note = bat_build(AN_BAT_HASHES, functions, COUNT(functions), true);
    assert_int_equal(refusal(&note, &low), AN_MALFORMED);
}

static void counts_are_not_believed(void **state)
{
    (void)state;
    struct an_buffer note = bat_build(AN_BAT_WORDS, usual, COUNT(usual), true);
    memset(note.data + 20, 0xff, 4);
    refusal(&note, &low);
    struct an_buffer description = {0};
    an_buffer_uleb128(&description, UINT64_MAX);
    note = bat_build_note(&description);
    refusal(&note, NULL);
    description.size = 0;
    an_buffer_uleb128(&description, 1);        /* a function */
    an_buffer_uleb128(&description, 0x401000); /* its address */
    an_buffer_le64(&description, 1);           /* hash */
    an_buffer_uleb128(&description, 1);        /* blocks */
    an_buffer_uleb128(&description, 0);        /* secondary entry points */
    an_buffer_uleb128(&description, 1u << 30); /* entries */
    an_buffer_uleb128(&description, 0);
    note = bat_build_note(&description);
    assert_int_equal(refusal(&note, &low), AN_TRUNCATED);
    an_buffer_free(&description);
}

/* What a function's fragments say of the input, whatever became of it. */
struct family {
    size_t count;
    uint32_t inputs[2048];
};

static int ascending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static int by_content(const void *left, const void *right)
{
    const struct family *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return memcmp(a->inputs, b->inputs, a->count * sizeof *a->inputs);
}

static struct family *families_of(const struct an_bat *bat)
{
    struct family *families = calloc(bat->function_count, sizeof *families);
    assert_non_null(families);
    for (size_t i = 0; i < bat->function_count; i++) {
        struct family *family = &families[bat->functions[i].parent];
        for (uint32_t k = 0; k < bat->functions[i].entry_count; k++) {
            assert_in_range(family->count, 0, COUNT(family->inputs) - 1);
            family->inputs[family->count++] = an_bat_entries(bat, &bat->functions[i])[k].input;
        }
    }
    for (size_t i = 0; i < bat->function_count; i++)
        qsort(families[i].inputs, families[i].count, sizeof *families[i].inputs, ascending);
    qsort(families, bat->function_count, sizeof *families, by_content);
    return families;
}

static struct an_bat *read_file(const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    struct an_bat *bat;
    assert_int_equal(an_file_load(&file, path, &error), AN_OK);
    assert_int_equal(an_bat_parse(file.bytes, NULL, &bat, &error), AN_OK);
    an_file_close(&file);
    return bat;
}

/* LLVM 18 links cold fragments wrongly; with the symbols, its tables say what LLVM 17's say. */
static void versions_agree_on_one_program(void **state)
{
    (void)state;
    struct an_bat *words = read_file(BAT_FILE("sections/shapes-llvm17.bat"));
    struct an_bat *plain = read_file(BAT_FILE("sections/shapes-llvm18.bat"));
    struct an_bat *deltas;
    struct an_elf *elf;
    struct an_error error;
    assert_int_equal(an_elf_open(BAT_FILE("shapes-llvm18.elf"), &elf, &error), AN_OK);
    assert_int_equal(an_bat_open(elf, &deltas, &error), AN_OK);
    assert_int_equal(words->encoding, AN_BAT_WORDS);
    assert_int_equal(deltas->encoding, AN_BAT_DELTAS);
    assert_int_equal(deltas->function_count, words->function_count);
    assert_int_equal(deltas->cold_count, words->cold_count);
    struct family *expected = families_of(words), *found = families_of(deltas);
    for (size_t i = 0; i < words->function_count; i++)
        assert_int_equal(by_content(&expected[i], &found[i]), 0);
    for (size_t i = 0; i < plain->function_count; i++) /* without symbols: unknown, not wrong */
        assert_int_equal(plain->functions[i].parent, i);
    free(expected);
    free(found);
    an_bat_free(words);
    an_bat_free(plain);
    an_bat_free(deltas);
    an_elf_close(elf);
}

static void blocks_of_llvm_19_have_their_hashes(void **state)
{
    (void)state;
    struct an_bat *bat = read_file(BAT_FILE("sections/shapes-llvm19.bat"));
    size_t hashed = 0;
    assert_int_equal(bat->encoding, AN_BAT_HASHES);
    for (size_t i = 0; i < bat->function_count; i++) {
        const struct an_bat_function *function = &bat->functions[i];
        for (uint32_t k = 0; k < function->entry_count; k++) {
            size_t number = function->first_entry + k;
            if (an_bat_entry_is_branch(bat->entries[number]))
                continue;
            assert_in_range(bat->block_index[number], 0, an_bat_parent(bat, function)->blocks);
            hashed += bat->block_hash[number] != 0;
        }
    }
    assert_in_range(hashed, 1000, SIZE_MAX);
    an_bat_free(bat);
}

static void other_notes_are_refused(void **state)
{
    (void)state;
    struct an_buffer note = bat_build(AN_BAT_WORDS, usual, COUNT(usual), true);
    note.data[8] = 2; /* of another type */
    assert_int_equal(refusal(&note, &low), AN_UNKNOWN);
    note = bat_build(AN_BAT_WORDS, usual, COUNT(usual), true);
    note.data[12] = 'V';
    assert_int_equal(refusal(&note, &low), AN_UNKNOWN);
    struct an_buffer nothing = {0};
    assert_int_equal(refusal(&nothing, &low), AN_TRUNCATED);
}

static void tables_print_as_bolt_prints_them(void **state)
{
    (void)state;
    struct an_buffer note = bat_build(AN_BAT_HASHES, usual, 3, true), text = {0};
    struct an_bat *bat = parse(&note, &low);
    an_bat_dump_function(bat, &bat->functions[1], &text);
    an_buffer_le(&text, 0, 1);
    assert_string_equal((char *)text.data, "Function Address: 0x401080, hash: 0x5\n"
                                           "BB mappings:\n"
                                           "0x0 -> 0x0 hash: 0x1\n"
                                           "0x5 -> 0x15 (branch)\n"
                                           "NumBlocks: 1\n"
                                           "\n");
    an_buffer_free(&text);
    an_bat_dump(bat, &text);
    an_buffer_le(&text, 0, 1);
    assert_non_null(strstr((char *)text.data, "2 secondary entry points:\n0x10\n0x30\n\n"));
    assert_non_null(strstr((char *)text.data, "1 cold mappings:\n0x480000 -> 401080\n\n"));
    an_buffer_free(&text);
    an_bat_free(bat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_encoding_is_told_from_the_others),
        cmocka_unit_test(addresses_have_64_bits),
        cmocka_unit_test(cold_fragments_may_come_first),
        cmocka_unit_test(fragments_without_address_are_left_out),
        cmocka_unit_test(strays_are_kept),
        cmocka_unit_test(sizes_reach_to_the_next_fragment),
        cmocka_unit_test(a_cut_section_is_refused),
        cmocka_unit_test(what_follows_is_refused),
        cmocka_unit_test(functions_elsewhere_are_refused),
        cmocka_unit_test(disorder_is_refused),
        cmocka_unit_test(wrong_links_are_refused),
        cmocka_unit_test(counts_are_not_believed),
        cmocka_unit_test(other_notes_are_refused),
        cmocka_unit_test(tables_print_as_bolt_prints_them),
        cmocka_unit_test(versions_agree_on_one_program),
        cmocka_unit_test(blocks_of_llvm_19_have_their_hashes),
    };
    return RUN_TESTS(tests);
}
