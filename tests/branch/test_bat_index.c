/* The dense indexes find what a search finds, at every address of random translations. */
#include "branch/bat_index.h"

#include "support/bat_build.h"
#include "support/test.h"

enum { FRAGMENTS = 60, MOST_ENTRIES = 30 };

static uint64_t seed = 88172645463325252u;

static uint32_t random_below(uint32_t most)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 11) % most;
}

struct world {
    struct built_function functions[FRAGMENTS];
    struct built_entry entries[FRAGMENTS][MOST_ENTRIES];
    struct an_funcmap_record records[2 * FRAGMENTS];
    size_t record_count;
    struct an_bat *bat;
    struct an_funcmap map;
    struct an_bat_reverse *reverse;
};

static void make_function(struct world *w, size_t i, uint64_t address)
{
    struct built_function *function = &w->functions[i];
    uint32_t output = random_below(3) ? 0 : random_below(8);
    *function = (struct built_function){.address = address, .entries = w->entries[i]};
    if (i && random_below(3) == 0) { /* cold, of a function before it */
        const struct built_function *parent = &w->functions[random_below((uint32_t)i)];
        function->parent = parent->parent ? parent->parent : parent->address;
    }
    function->count = random_below(MOST_ENTRIES);
    for (size_t k = 0; k < function->count; k++) {
        w->entries[i][k] =
            (struct built_entry){output, random_below(400), random_below(3) == 0, 0, 0};
        output += random_below(4) ? random_below(20) : 0;
    }
}

/* Fragments near and far from each other, maps with gaps; and functions without a translation. */
static void make_world(struct world *w)
{
    uint64_t address = 0x10000 + random_below(100), input = 0x400000;
    memset(w, 0, sizeof *w);
    for (size_t i = 0; i < FRAGMENTS; i++) {
        make_function(w, i, address);
        uint32_t size = w->functions[i].count ? 40 + random_below(600) : 20;
        address += size + (random_below(5) ? 0 : random_below(20000));
        if (w->functions[i].parent || random_below(8) == 0)
            continue;
        uint32_t original = random_below(420);
        w->records[w->record_count++] =
            (struct an_funcmap_record){w->functions[i].address, input, original, 0};
        input += original + (random_below(2) ? random_below(5000) : 0);
    }
    for (int i = 0; i < 10; i++) {
        address += random_below(3) ? 30 : 9000;
        w->records[w->record_count++] =
            (struct an_funcmap_record){address, input, random_below(30), 0};
        input += 40;
    }
    struct an_buffer note = bat_build(AN_BAT_WORDS, w->functions, FRAGMENTS, false);
    struct an_error error;
    assert_int_equal(an_bat_parse((struct an_bytes){note.data, note.size}, NULL, &w->bat, &error),
                     AN_OK);
    an_buffer_free(&note);
    w->map = (struct an_funcmap){.records = w->records, .count = w->record_count};
    assert_int_equal(an_bat_reverse_build(w->bat, &w->map, &w->reverse, &error), AN_OK);
}

static void free_world(struct world *w)
{
    an_bat_reverse_free(w->reverse);
    an_bat_free(w->bat);
}

static void from_the_original(void **state)
{
    (void)state;
    static struct world w;
    size_t found = 0;
    for (int round = 0; round < 20; round++) {
        struct an_bat_index *index;
        struct an_error error;
        make_world(&w);
        assert_int_equal(an_bat_index_from_input(w.reverse, &index, &error), AN_OK);
        for (uint64_t at = 0x3ffff0; at < 0x400000 + 1500 * FRAGMENTS; at++) {
            for (int is_source = 0; is_source < 2; is_source++) {
                uint64_t expected = 0, output = 0;
                bool there = an_bat_from_input(w.reverse, at, is_source, &expected) == AN_BAT_FOUND;
                assert_int_equal(an_bat_index_find(index, at, is_source, &output), there);
                if (there)
                    assert_int_equal(output, expected);
                found += there;
            }
        }
        an_bat_index_free(index);
        free_world(&w);
    }
    assert_in_range(found, 10000, SIZE_MAX);
}

/* By search: tables first, then functions that have none. */
static bool plain_to_input(const struct world *w, uint64_t at, bool is_source, uint64_t *input)
{
    const struct an_bat_function *function = an_bat_function_at(w->bat, at);
    const struct an_funcmap_record *record =
        function ? an_funcmap_find(&w->map, function->address) : NULL;
    if (record)
        *input =
            record->input + an_bat_to_input(w->bat, function, at - function->address, is_source);
    return record != NULL;
}

static void to_the_original(void **state)
{
    (void)state;
    static struct world w;
    size_t found = 0;
    for (int round = 0; round < 20; round++) {
        struct an_bat_index *index;
        struct an_error error;
        make_world(&w);
        /* Without symbols the last fragment has no end; give it one. */
        w.bat->functions[FRAGMENTS - 1].size = 50;
        uint64_t end = w.bat->functions[FRAGMENTS - 1].address + 50;
        assert_int_equal(an_bat_index_to_input(w.bat, &w.map, &index, &error), AN_OK);
        for (uint64_t at = 0xfff0; at < end; at++)
            for (int is_source = 0; is_source < 2; is_source++) {
                uint64_t expected = 0, input = 0;
                bool there = plain_to_input(&w, at, is_source, &expected);
                assert_int_equal(an_bat_index_find(index, at, is_source, &input), there);
                if (there)
                    assert_int_equal(input, expected);
                found += there;
            }
        for (size_t i = 0; i < w.record_count; i++) {
            const struct an_funcmap_record *record = &w.records[i];
            if (record->output < end)
                continue;
            uint64_t input = 0;
            for (uint32_t k = 0; k < record->size && k < 30; k++) {
                assert_true(an_bat_index_find(index, record->output + k, true, &input));
                assert_int_equal(input, record->input + k);
            }
        }
        an_bat_index_free(index);
        free_world(&w);
    }
    assert_in_range(found, 10000, SIZE_MAX);
}

static void nothing_is_found_in_nothing(void **state)
{
    (void)state;
    struct an_buffer note = bat_build(AN_BAT_WORDS, NULL, 0, false);
    struct an_bat *bat;
    struct an_bat_index *index;
    struct an_funcmap map = {0};
    struct an_error error;
    uint64_t input;
    assert_int_equal(an_bat_parse((struct an_bytes){note.data, note.size}, NULL, &bat, &error),
                     AN_OK);
    assert_int_equal(an_bat_index_to_input(bat, &map, &index, &error), AN_OK);
    assert_false(an_bat_index_find(index, 0, false, &input));
    assert_false(an_bat_index_find(index, UINT64_MAX, false, &input));
    an_bat_index_free(index);
    an_bat_free(bat);
    an_buffer_free(&note);
}

static void code_too_far_apart_is_refused(void **state)
{
    (void)state;
    struct an_bat_reverse_function functions[] = {{0x1000, 0x1000, 16, 0, 0},
                                                  {0x200001000, 0x2000, 16, 0, 0}};
    struct an_bat_reverse reverse = {.functions = functions, .function_count = 2};
    struct an_bat_index *index;
    struct an_error error;
    assert_int_equal(an_bat_index_from_input(&reverse, &index, &error), AN_UNSUPPORTED);
    assert_null(index);
    functions[1] = (struct an_bat_reverse_function){0x2000, 0x200001000, 16, 0, 0};
    assert_int_equal(an_bat_index_from_input(&reverse, &index, &error), AN_UNSUPPORTED);
    functions[1].output = 0x2000;
    assert_int_equal(an_bat_index_from_input(&reverse, &index, &error), AN_OK);
    an_bat_index_free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_original),
        cmocka_unit_test(to_the_original),
        cmocka_unit_test(nothing_is_found_in_nothing),
        cmocka_unit_test(code_too_far_apart_is_refused),
    };
    return RUN_TESTS(tests);
}
