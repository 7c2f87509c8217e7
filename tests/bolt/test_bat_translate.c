/* The rule of translation, and fall-throughs, against the rule written down in the plainest way. */
#include "bolt/bat_runs.h"

#include "support/bat_build.h"
#include "support/test.h"

enum { MOST_ENTRIES = 40, SIZE = 200 };

static uint64_t seed = 88172645463325252u;

static uint32_t random_below(uint32_t most)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 11) % most;
}

/* Entries sorted by output, some at one place, some beyond the end. */
static size_t make_entries(struct built_entry *entries)
{
    size_t count = random_below(MOST_ENTRIES);
    uint32_t output = random_below(10);
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct built_entry){
            .output = output, .input = random_below(SIZE), .is_branch = random_below(3) == 0};
        output += random_below(3) ? random_below(12) : 0;
    }
    return count;
}

static struct an_bat *make_bat(const struct built_entry *entries, size_t count)
{
    const struct built_function function = {.address = 0x1000, .count = count, .entries = entries};
    struct an_buffer note = bat_build(AN_BAT_HASHES, &function, 1, true);
    struct an_bat *bat;
    struct an_error error;
    assert_int_equal(an_bat_parse((struct an_bytes){note.data, note.size}, NULL, &bat, &error),
                     AN_OK);
    an_buffer_free(&note);
    return bat;
}

/* The last entry at or below, or none. */
static const struct built_entry *entry_for(const struct built_entry *entries, size_t count,
                                           uint64_t offset)
{
    const struct built_entry *last = NULL;
    for (size_t i = 0; i < count; i++)
        if (entries[i].output <= offset)
            last = &entries[i];
    return last;
}

static uint64_t plain(const struct built_entry *entries, size_t count, uint64_t offset,
                      bool is_source)
{
    const struct built_entry *entry = entry_for(entries, count, offset);
    if (!entry)
        return offset;
    return is_source ? entry->input : entry->input + (offset - entry->output);
}

static void translates_by_the_last_entry_at_or_below(void **state)
{
    (void)state;
    struct built_entry entries[MOST_ENTRIES];
    for (int round = 0; round < 300; round++) {
        size_t count = make_entries(entries);
        struct an_bat *bat = make_bat(entries, count);
        for (uint64_t offset = 0; offset < 2 * SIZE; offset++)
            for (int is_source = 0; is_source < 2; is_source++)
                assert_int_equal(an_bat_to_input(bat, bat->functions, offset, is_source),
                                 plain(entries, count, offset, is_source));
        assert_int_equal(an_bat_to_input(bat, bat->functions, UINT64_MAX, true),
                         plain(entries, count, UINT64_MAX, true));
        an_bat_free(bat);
    }
}

/* Blocks from the one that `from` is in to the last one at or below `to`, pair by pair. */
static size_t plain_trace(const struct built_entry *entries, size_t count, uint64_t from,
                          uint64_t to, struct an_bat_fallthrough *steps)
{
    const struct built_entry *first = entry_for(entries, count, from);
    const struct built_entry *last = entry_for(entries, count, to);
    size_t found = 0;
    while (first && first > entries && first->is_branch)
        first--;
    if (from >= to || !first || first->is_branch || !last || first->output >= last->output)
        return 0;
    const struct built_entry *before = NULL;
    for (const struct built_entry *entry = first; entry <= last; entry++) {
        if (entry->is_branch)
            continue;
        if (before)
            steps[found++] =
                (struct an_bat_fallthrough){before->output, entry->output,
                                            (uint32_t)plain(entries, count, before->output, true),
                                            (uint32_t)plain(entries, count, entry->output, false)};
        before = entry;
    }
    return found;
}

enum { OWNER = 7 };

struct told {
    struct an_bat_fallthrough steps[MOST_ENTRIES];
    uint64_t counts[MOST_ENTRIES];
    size_t count;
};

static bool note(void *context, uint32_t owner, const struct an_bat_fallthrough *step,
                 uint64_t count)
{
    struct told *told = context;
    assert_int_equal(owner, OWNER);
    told->steps[told->count] = *step;
    told->counts[told->count++] = count;
    return true;
}

static void fallthroughs_join_the_blocks_of_a_run(void **state)
{
    (void)state;
    struct built_entry entries[MOST_ENTRIES];
    size_t all = 0;
    for (int round = 0; round < 2000; round++) {
        size_t count = make_entries(entries);
        struct an_bat *bat = make_bat(entries, count);
        for (int i = 0; i < 20; i++) {
            uint64_t from = random_below(SIZE), to = random_below(SIZE);
            struct an_bat_fallthrough expected[MOST_ENTRIES];
            size_t number = plain_trace(entries, count, from, to, expected);
            struct an_bat_runs *runs = an_bat_runs_new(bat);
            struct told told = {.count = 0};
            an_bat_runs_add(runs, bat->functions, OWNER, from, to, 3);
            assert_true(an_bat_runs_each(runs, note, &told));
            assert_int_equal(told.count, number);
            if (number)
                assert_memory_equal(told.steps, expected, number * sizeof *expected);
            for (size_t k = 0; k < number; k++)
                assert_int_equal(told.counts[k], 3);
            an_bat_runs_free(runs);
            all += number;
        }
        an_bat_free(bat);
    }
    assert_in_range(all, 1000, SIZE_MAX);
}

/* What the walks say of the pair of blocks at that place in the list, one by one. */
static uint64_t plain_count(const struct built_entry *entries, size_t count, const uint64_t *runs,
                            size_t number, size_t *pairs)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < number; i++) {
        struct an_bat_fallthrough steps[MOST_ENTRIES];
        size_t found = plain_trace(entries, count, runs[2 * i], runs[2 * i + 1], steps);
        sum += found * (i + 1);
        *pairs += found;
    }
    return sum;
}

static void runs_that_overlap_add_up(void **state)
{
    (void)state;
    enum { RUNS = 30 };
    struct built_entry entries[MOST_ENTRIES];
    size_t pairs = 0;
    for (int round = 0; round < 300; round++) {
        size_t count = make_entries(entries);
        struct an_bat *bat = make_bat(entries, count);
        struct an_bat_runs *runs = an_bat_runs_new(bat);
        uint64_t ends[2 * RUNS], sum = 0;
        struct told told = {.count = 0};
        for (size_t i = 0; i < RUNS; i++) {
            ends[2 * i] = random_below(SIZE);
            ends[2 * i + 1] = random_below(SIZE);
            an_bat_runs_add(runs, bat->functions, OWNER, ends[2 * i], ends[2 * i + 1], i + 1);
        }
        assert_true(an_bat_runs_each(runs, note, &told));
        for (size_t i = 0; i < told.count; i++)
            sum += told.counts[i];
        assert_int_equal(sum, plain_count(entries, count, ends, RUNS, &pairs));
        an_bat_runs_free(runs);
        an_bat_free(bat);
    }
    assert_in_range(pairs, 1000, SIZE_MAX);
}

static void lookups_find_what_is_there(void **state)
{
    (void)state;
    struct built_function functions[50] = {{0}};
    for (size_t i = 0; i < 50; i++)
        functions[i].address = 0x1000 + 0x20 * i;
    for (size_t count = 0; count <= 50; count++) {
        struct an_buffer note = bat_build(AN_BAT_WORDS, functions, count, true);
        struct an_bat *bat;
        struct an_error error;
        const struct an_bat_range text = {0x1000, 0x1000 + 0x20 * 50};
        assert_int_equal(an_bat_parse((struct an_bytes){note.data, note.size}, &text, &bat, &error),
                         AN_OK);
        an_buffer_free(&note);
        for (uint64_t at = 0xff0; at < 0x1000 + 0x20 * 50; at++) {
            const struct an_bat_function *exact = an_bat_find(bat, at);
            const struct an_bat_function *around = an_bat_function_at(bat, at);
            size_t number = at < 0x1000 ? 0 : (size_t)(at - 0x1000) / 0x20 + 1;
            if (number > count)
                number = count;
            assert_ptr_equal(around, number ? &bat->functions[number - 1] : NULL);
            if (around && at == around->address)
                assert_ptr_equal(exact, around);
            else
                assert_null(exact);
        }
        an_bat_free(bat);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translates_by_the_last_entry_at_or_below),
        cmocka_unit_test(fallthroughs_join_the_blocks_of_a_run),
        cmocka_unit_test(runs_that_overlap_add_up),
        cmocka_unit_test(lookups_find_what_is_there),
    };
    return RUN_TESTS(tests);
}
