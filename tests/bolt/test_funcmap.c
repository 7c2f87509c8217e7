/* Function maps: their bytes, how functions are paired, and the section in a binary. */
#include "bolt/funcmap.h"

#include <unistd.h>

#include "base/file.h"
#include "support/elf_build.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char self[] = "/proc/self/exe";

static struct an_funcmap_record some[] = {
    {0x1000, 0x401000, 0x50, 0},
    {0x2000, 0x400000, 0x10, 0},
    {0x2000, 0x403000, 0x10, AN_FUNCMAP_FOLDED},
    {0x7fff00003000, 0x401000, 0x50, AN_FUNCMAP_COLD},
};

static struct an_buffer written(size_t id_size)
{
    struct an_funcmap map = {.records = some, .count = COUNT(some), .build_id_size = id_size};
    struct an_buffer buffer = {0};
    memset(map.build_id, 0xab, id_size);
    an_funcmap_write(&map, &buffer);
    assert_false(buffer.failed);
    return buffer;
}

static enum an_code parse(const struct an_buffer *buffer, size_t size, struct an_funcmap **map)
{
    struct an_error error;
    enum an_code code = an_funcmap_parse((struct an_bytes){buffer->data, size}, map, &error);
    if (code != AN_OK)
        assert_null(*map);
    return code;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    for (size_t id_size = 0; id_size <= AN_FUNCMAP_ID_SIZE; id_size++) {
        struct an_buffer buffer = written(id_size);
        struct an_funcmap *map;
        assert_int_equal(parse(&buffer, buffer.size, &map), AN_OK);
        assert_int_equal(map->count, COUNT(some));
        assert_memory_equal(map->records, some, sizeof some);
        assert_int_equal(map->build_id_size, id_size);
        for (size_t i = 0; i < id_size; i++)
            assert_int_equal(map->build_id[i], 0xab);
        an_funcmap_free(map);
        an_buffer_free(&buffer);
    }
}

/* The layout is a promise to other programs. */
static void the_bytes_are_as_documented(void **state)
{
    (void)state;
    static const uint8_t expected[] = {
        7, 0, 0, 0, 0x80, 0,    0,    0,    1,    0, 0x6e, 0x61, 'a', 'n', 'n', 'e',  'a', 'l', 0,
        0, 1, 0, 0, 0,    24,   0,    0,    0,    4, 0,    0,    0,   0,   0,   0,    0,   3,   0,
        0, 0, 0, 0, 0,    0,    0xab, 0xab, 0xab, 0, 0,    0,    0,   0,   0,   0x10, 0,   0,   0,
        0, 0, 0, 0, 0x10, 0x40, 0,    0,    0,    0, 0,    0x50, 0,   0,   0,   0,    0,   0,   0,
    };
    struct an_buffer buffer = written(3);
    assert_int_equal(buffer.size, 20 + 0x80);
    assert_memory_equal(buffer.data, expected, sizeof expected);
    an_buffer_free(&buffer);
}

static void lookups_find_the_first_of_equal_entries(void **state)
{
    (void)state;
    struct an_funcmap map = {.records = some, .count = COUNT(some)};
    assert_ptr_equal(an_funcmap_find(&map, 0x1000), &some[0]);
    assert_ptr_equal(an_funcmap_find(&map, 0x2000), &some[1]);
    assert_ptr_equal(an_funcmap_find(&map, 0x7fff00003000), &some[3]);
    assert_null(an_funcmap_find(&map, 0x1001));
    assert_null(an_funcmap_find(&map, 0));
    assert_null(an_funcmap_find(&map, UINT64_MAX));
}

static void cut_and_damaged_maps_are_refused(void **state)
{
    (void)state;
    struct an_buffer buffer = written(20);
    struct an_funcmap *map;
    for (size_t size = 0; size < buffer.size; size++)
        assert_int_not_equal(parse(&buffer, size, &map), AN_OK);
    static const struct {
        size_t at;
        uint8_t byte;
        enum an_code code;
    } damages[] = {
        {0, 8, AN_UNKNOWN},
        {8, 2, AN_UNKNOWN},
        {12, 'A', AN_UNKNOWN},
        {20, 2, AN_UNSUPPORTED},
        {24, 23, AN_MALFORMED},
        {28, 3, AN_MALFORMED},
        {28, 5, AN_MALFORMED},
        {35, 0x80, AN_MALFORMED},
        {36, 65, AN_MALFORMED},
        {37, 1, AN_MALFORMED},
        {4, 0, AN_TRUNCATED},
        {70, 1, AN_MALFORMED}, /* the first function's output address: behind the second */
        {83, 0xff, AN_OK},
    };
    for (size_t i = 0; i < COUNT(damages); i++) {
        uint8_t before = buffer.data[damages[i].at];
        buffer.data[damages[i].at] = damages[i].byte;
        assert_int_equal(parse(&buffer, buffer.size, &map), damages[i].code);
        if (damages[i].code == AN_OK)
            an_funcmap_free(map);
        buffer.data[damages[i].at] = before;
    }
    memset(buffer.data + 44 + 24 + 8, 0xff, 8); /* an input entry at the end of all addresses */
    assert_int_equal(parse(&buffer, buffer.size, &map), AN_MALFORMED);
    an_buffer_free(&buffer);
}

static void longer_records_are_read(void **state)
{
    (void)state;
    struct an_buffer buffer = written(0), longer = {0};
    struct an_funcmap *map;
    an_buffer_put(&longer, buffer.data, 44);
    for (size_t i = 0; i < COUNT(some); i++) {
        an_buffer_put(&longer, buffer.data + 44 + 24 * i, 24);
        an_buffer_le64(&longer, 0x5555);
    }
    longer.data[24] = 32;
    longer.data[4] = (uint8_t)(longer.size - 20);
    assert_int_equal(parse(&longer, longer.size, &map), AN_OK);
    assert_memory_equal(map->records, some, sizeof some);
    an_funcmap_free(map);
    an_buffer_free(&buffer);
    an_buffer_free(&longer);
}

static struct an_elf *open_elf(const char *path)
{
    struct an_elf *elf;
    struct an_error error;
    char text[1024];
    enum an_code code = an_elf_open(path, &elf, &error);
    check(code == AN_OK, "%s", an_error_format(&error, text, sizeof text));
    return elf;
}

static const struct an_funcmap_record *record_of(const struct an_funcmap *map, uint64_t address)
{
    const struct an_funcmap_record *record = an_funcmap_find(map, address);
    assert_non_null(record);
    return record;
}

/* A binary is the map of itself: everything is where it was. */
static void a_binary_maps_to_itself(void **state)
{
    (void)state;
    struct an_elf *before = open_elf(self), *after = open_elf(self);
    struct an_funcmap_account account;
    struct an_funcmap *map;
    struct an_error error;
    const struct an_elf_symbol *symbols;
    size_t count, seen = 0;
    assert_int_equal(an_funcmap_make(before, after, NULL, &map, &account, &error), AN_OK);
    assert_int_equal(account.functions, map->count);
    assert_int_equal(account.moved + account.cold + account.folded, 0);
    assert_int_equal(account.lost + account.ambiguous + account.contradicted, 0);
    assert_int_equal(an_elf_symbols(before, &symbols, &count, &error), AN_OK);
    for (size_t i = 0; i < count; i++) {
        if (symbols[i].type != STT_FUNC || symbols[i].section == SHN_UNDEF)
            continue;
        const struct an_funcmap_record *record = record_of(map, symbols[i].address);
        assert_true(record->input == symbols[i].address);
        if (symbols[i].size)
            assert_in_range(record->size, symbols[i].size, UINT32_MAX);
        seen++;
    }
    assert_in_range(seen, 20, SIZE_MAX);
    an_funcmap_free(map);
    an_elf_close(before);
    an_elf_close(after);
}

static void strangers_are_told(void **state)
{
    (void)state;
    struct an_elf *before = open_elf(self), *after = open_elf("/bin/true");
    struct an_funcmap_account account;
    struct an_funcmap *map;
    struct an_error error;
    assert_int_not_equal(an_funcmap_make(before, after, NULL, &map, &account, &error), AN_OK);
    assert_null(map);
    assert_int_not_equal(an_funcmap_make(after, before, NULL, &map, &account, &error), AN_OK);
    an_elf_close(before);
    an_elf_close(after);
}

static void check_section(const struct an_elf *old, const struct an_elf *new, size_t index)
{
    const struct an_elf_section *before = an_elf_section_at(old, index);
    const struct an_elf_section *after = an_elf_section_at(new, index);
    struct an_bytes a = an_elf_section_bytes(old, before), b = an_elf_section_bytes(new, after);
    assert_string_equal(before->name, after->name);
    assert_true(before->address == after->address && before->flags == after->flags);
    assert_int_equal(before->type, after->type);
    assert_int_equal(before->link, after->link);
    if (strcmp(before->name, ".shstrtab") == 0)
        return;
    assert_true(before->offset == after->offset && before->size == after->size);
    assert_int_equal(a.size, b.size);
    if (a.size)
        assert_memory_equal(a.data, b.data, a.size);
}

static struct an_elf *embedded(const struct an_elf *elf, const struct an_buffer *note,
                               const char *path)
{
    struct an_buffer result = {0};
    struct an_error error;
    struct an_bytes bytes = {note->data, note->size};
    an_buffer_put(&result, "before", 6); /* it may be appended to something */
    assert_int_equal(an_funcmap_embed(elf, bytes, &result, &error), AN_OK);
    struct an_bytes file = {result.data + 6, result.size - 6};
    assert_int_equal(an_file_replace(path, file, &error), AN_OK);
    an_buffer_free(&result);
    return open_elf(path);
}

static void a_section_is_added_and_replaced(void **state)
{
    (void)state;
    char first_path[64], second_path[64];
    snprintf(first_path, sizeof first_path, "funcmap-test-%d.a", (int)getpid());
    snprintf(second_path, sizeof second_path, "funcmap-test-%d.b", (int)getpid());
    struct an_buffer note = written(20), shorter = written(0);
    struct an_elf *old = open_elf(self);
    struct an_elf *first = embedded(old, &note, first_path);
    struct an_elf *second = embedded(first, &shorter, second_path);
    size_t count, first_count, second_count;
    an_elf_sections(old, &count);
    an_elf_sections(first, &first_count);
    an_elf_sections(second, &second_count);
    assert_int_equal(first_count, count + 1);
    assert_int_equal(second_count, count + 1);
    for (size_t i = 0; i < count; i++) {
        check_section(old, first, i);
        check_section(old, second, i);
    }
    struct an_funcmap *map;
    struct an_error error;
    assert_int_equal(an_funcmap_open(old, &map, &error), AN_UNSUPPORTED);
    assert_int_equal(an_funcmap_open(first, &map, &error), AN_OK);
    assert_int_equal(map->build_id_size, 20);
    an_funcmap_free(map);
    assert_int_equal(an_funcmap_open(second, &map, &error), AN_OK);
    assert_int_equal(map->build_id_size, 0);
    assert_memory_equal(map->records, some, sizeof some);
    an_funcmap_free(map);
    an_elf_close(old);
    an_elf_close(first);
    an_elf_close(second);
    unlink(first_path);
    unlink(second_path);
    an_buffer_free(&note);
    an_buffer_free(&shorter);
}

/* A binary with code at two addresses, and in it f, a function, and two symbols without the type of one. */
static struct an_elf *with_untyped(uint64_t f, uint64_t g, uint64_t h)
{
    static const uint8_t code[0x100];
    struct elf_builder b = {0};
    unsigned old = elf_section(&b, ".text", 0x1000, SHF_EXECINSTR, code, sizeof code);
    unsigned new = elf_section(&b, ".text.new", 0x2000, SHF_EXECINSTR, code, sizeof code);
    elf_symbol(&b, "h", STB_LOCAL, STT_OBJECT, h < 0x2000 ? old : new, h, 0);
    elf_symbol(&b, "f", STB_GLOBAL, STT_FUNC, f < 0x2000 ? old : new, f, 0x20);
    elf_symbol(&b, "g", STB_GLOBAL, STT_NOTYPE, g < 0x2000 ? old : new, g, 0);
    return elf_open(&b);
}

/* Code of which the translation knows is that of a function; other symbols may be of anything. */
static void symbols_without_a_type_are_paired(void **state)
{
    (void)state;
    struct an_elf *original = with_untyped(0x1000, 0x1020, 0x1040);
    struct an_elf *bolted = with_untyped(0x2000, 0x2020, 0x2040);
    struct an_bat_function functions[] = {{.address = 0x2000, .size = 0x20},
                                          {.address = 0x2020, .size = 0x20}};
    struct an_bat bat = {.functions = functions, .function_count = 2};
    struct an_funcmap *map;
    struct an_funcmap_account account;
    struct an_error error;
    assert_int_equal(an_funcmap_make(original, bolted, &bat, &map, &account, &error), AN_OK);
    assert_int_equal(map->count, 2);
    assert_int_equal(map->records[1].output, 0x2020);
    assert_int_equal(map->records[1].input, 0x1020);
    assert_int_equal(account.functions, 2);
    assert_int_equal(account.unmapped, 0);
    an_funcmap_free(map);
    functions[1].address = 0x2040;
    assert_int_equal(an_funcmap_make(original, bolted, &bat, &map, &account, &error), AN_OK);
    assert_int_equal(map->count, 2);
    assert_int_equal(map->records[1].input, 0x1040);
    an_funcmap_free(map);
    assert_int_equal(an_funcmap_make(original, bolted, NULL, &map, &account, &error), AN_OK);
    assert_int_equal(map->count, 1);
    an_funcmap_free(map);
    an_elf_close(original);
    an_elf_close(bolted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(the_bytes_are_as_documented),
        cmocka_unit_test(lookups_find_the_first_of_equal_entries),
        cmocka_unit_test(cut_and_damaged_maps_are_refused),
        cmocka_unit_test(longer_records_are_read),
        cmocka_unit_test(a_binary_maps_to_itself),
        cmocka_unit_test(strangers_are_told),
        cmocka_unit_test(symbols_without_a_type_are_paired),
        cmocka_unit_test(a_section_is_added_and_replaced),
    };
    return RUN_TESTS(tests);
}
