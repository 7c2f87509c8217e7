/*
 * lib/llvm/order: names in bytewise order, and records in the order in which the peer's hash map
 * gives them, which is taken here from files that the peer wrote.
 */
#include "llvm/order.h"

#include "support/profiles.h"
#include "support/test.h"
#include "llvm/reader.h"

static int plainly(const void *a, const void *b)
{
    const struct an_name *left = a, *right = b;
    for (size_t i = 0; i < left->length && i < right->length; i++)
        if (left->text[i] != right->text[i])
            return (unsigned char)left->text[i] < (unsigned char)right->text[i] ? -1 : 1;
    return (left->length > right->length) - (left->length < right->length);
}

static void names_bytewise(void **state)
{
    (void)state;
    enum { NAMES = 2000 };
    static char text[NAMES][24];
    static struct an_name expected[NAMES];
    struct an_llvm_profile *profile = an_llvm_profile_new();
    struct an_error error;
    uint64_t seed = 3, count = 1;
    size_t distinct = 0;
    unsigned warnings = 0;
    for (int i = 0; i < NAMES; i++) {
        size_t length = number_below(&seed, 12);
        for (size_t c = 0; c < length;
             c++) /* few letters: long common prefixes, zeros, high bytes */
            text[i][c] = "\0ab\xff\x7f"[number_below(&seed, 5)];
        struct an_llvm_record record = {
            .name = text[i], .name_length = length, .counts = &count, .count_number = 1};
        size_t before = an_llvm_profile_functions(profile);
        assert_int_equal(an_llvm_profile_add(profile, &record, 1, &warnings, &error), AN_OK);
        if (an_llvm_profile_functions(profile) > before)
            expected[distinct++] = (struct an_name){text[i], length};
    }
    qsort(expected, distinct, sizeof *expected, plainly);
    size_t got;
    size_t *order = an_order_by_name(profile, false, &got);
    assert_int_equal(got, distinct);
    for (size_t i = 0; i < got; i++) {
        const struct an_name *name = &profile->names.names[order[i]];
        assert_int_equal(plainly(name, &expected[i]), 0);
    }
    free(order);
    an_llvm_profile_free(profile);
}

static void sparse_leaves_out_what_never_ran(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    struct an_error error;
    uint64_t none[] = {0, 0}, some[] = {0, 1};
    uint8_t seen = 4, unseen = 0;
    unsigned warnings = 0;
    struct an_llvm_record records[] = {
        record_of("c_ran", 1, some, 2),       record_of("a_never", 1, none, 2),
        record_of("b_condition", 1, none, 2), record_of("d_no_condition", 1, none, 2),
        record_of("a_other", 1, none, 2),     record_of("a_other", 2, some, 2)};
    records[2].bitmap = &seen;
    records[3].bitmap = &unseen;
    records[2].bitmap_bytes = records[3].bitmap_bytes = 1;
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(an_llvm_profile_add(profile, &records[i], 1, &warnings, &error), AN_OK);
    size_t count;
    size_t *order = an_order_by_name(profile, true, &count);
    assert_int_equal(count, 3);
    assert_string_equal(profile->names.names[order[0]].text, "a_other");
    assert_string_equal(profile->names.names[order[1]].text, "b_condition");
    assert_string_equal(profile->names.names[order[2]].text, "c_ran");
    free(order);
    an_llvm_profile_free(profile);
}

/* The hashes under a name, in the order in which a file has them. */
static size_t hashes_of(const char *file_name, const char *name, uint64_t *hashes, size_t most)
{
    struct an_bytes file = corpus(file_name);
    struct an_llvm_reader *reader;
    struct an_llvm_record record;
    struct an_error error;
    size_t count = 0;
    assert_int_equal(an_llvm_reader_open(&reader, file.data, file.size, &error), AN_OK);
    while (an_llvm_reader_next(reader, &record))
        if (record.name_length == strlen(name) &&
            memcmp(record.name, name, record.name_length) == 0) {
            assert_true(count < most);
            hashes[count++] = record.hash;
        }
    an_llvm_reader_close(reader);
    free_bytes(file);
    return count;
}

/* proftext/hashes has names with 1 to 17 hashes; the peer wrote them in the order of its map. */
static void records_in_the_order_of_the_peers_map(void **state)
{
    (void)state;
    struct an_bytes text = corpus("proftext/hashes.proftext");
    struct an_llvm_reader *reader;
    struct an_llvm_record first;
    struct an_error error;
    size_t names = 0, largest = 0;
    char previous[64] = "";
    assert_int_equal(an_llvm_reader_open(&reader, text.data, text.size, &error), AN_OK);
    while (an_llvm_reader_next(reader, &first)) {
        char name[64];
        uint64_t inserted[64], expected[64];
        struct record records[64] = {0}, *pointers[64];
        snprintf(name, sizeof name, "%.*s", (int)first.name_length, first.name);
        if (strcmp(name, previous) == 0)
            continue;
        strcpy(previous, name);
        size_t count = hashes_of("proftext/hashes.proftext", name, inserted, 64);
        assert_int_equal(hashes_of("indexed/text-hashes-llvm19.profdata", name, expected, 64),
                         count);
        for (size_t i = 0; i < count; i++) {
            records[i].hash = inserted[i];
            pointers[i] = &records[i];
        }
        assert_true(an_order_as_densemap(pointers, count));
        for (size_t i = 0; i < count; i++)
            check(pointers[i]->hash == expected[i], "%s, record %zu of %zu", name, i, count);
        names++;
        largest = count > largest ? count : largest;
    }
    assert_true(names >= 7);
    assert_int_equal(largest, 17);
    an_llvm_reader_close(reader);
    free_bytes(text);
}

static bool keep_name(void *context, const char *name, size_t length)
{
    struct an_names *names = context;
    bool is_new;
    char *copy = malloc(length + 1);
    memcpy(copy, name, length);
    return an_names_insert(names, copy, length, &is_new) != AN_NO_NAME;
}

static void vtable_names_of(const char *path, struct an_names *names)
{
    struct an_bytes file = corpus(path);
    struct an_llvm_reader *reader;
    struct an_error error;
    assert_int_equal(an_llvm_reader_open(&reader, file.data, file.size, &error), AN_OK);
    assert_true(an_reader_vtable_names(reader, keep_name, names));
    an_llvm_reader_close(reader);
    free_bytes(file);
}

/* In the peer's file the names of virtual tables are in the order of its set of strings. */
static void vtables_in_the_order_of_the_peers_set(void **state)
{
    (void)state;
    struct an_names inserted = {0}, expected = {0};
    vtable_names_of("raw/cxx-ir-vtable-clang19-run1.profraw", &inserted);
    vtable_names_of("indexed/cxx-ir-vtable-clang19.keep.profdata", &expected);
    assert_true(inserted.count > 2);
    assert_int_equal(inserted.count, expected.count);
    assert_true(an_order_as_stringset(inserted.names, inserted.count));
    for (size_t i = 0; i < expected.count; i++) {
        assert_int_equal(inserted.names[i].length, expected.names[i].length);
        assert_memory_equal(inserted.names[i].text, expected.names[i].text,
                            expected.names[i].length);
    }
    for (size_t i = 0; i < expected.count; i++) {
        free((char *)inserted.names[i].text);
        free((char *)expected.names[i].text);
    }
    an_names_free(&inserted);
    an_names_free(&expected);
}

static void orders_lose_nothing(void **state)
{
    (void)state;
    static struct record records[700];
    static struct record *pointers[700];
    static struct an_name names[700];
    static char text[700][12];
    uint64_t seed = 9;
    for (size_t count = 0; count <= 700; count += count < 70 ? 1 : 63) {
        bool seen[700] = {false}, named[700] = {false};
        for (size_t i = 0; i < count; i++) {
            records[i].hash = next_number(&seed);
            pointers[i] = &records[i];
            snprintf(text[i], sizeof text[i], "%zu", i);
            names[i] = (struct an_name){text[i], strlen(text[i])};
        }
        assert_true(an_order_as_densemap(pointers, count));
        assert_true(an_order_as_stringset(names, count));
        for (size_t i = 0; i < count; i++) {
            seen[pointers[i] - records] = true;
            named[atoi(names[i].text)] = true;
        }
        for (size_t i = 0; i < count; i++)
            assert_true(seen[i] && named[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_bytewise),
        cmocka_unit_test(sparse_leaves_out_what_never_ran),
        cmocka_unit_test(records_in_the_order_of_the_peers_map),
        cmocka_unit_test(vtables_in_the_order_of_the_peers_set),
        cmocka_unit_test(orders_lose_nothing),
    };
    return RUN_TESTS(tests);
}
