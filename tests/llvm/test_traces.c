/*
 * lib/llvm/traces: what a reservoir must always be: no larger than asked, drawn from the whole
 * stream, in arrival order while there is room. That the sample is the very one that
 * llvm-profdata draws is in tests/golden/test_traces.sh.
 */
#include "llvm/profile.h"

#include "support/profiles.h"
#include "support/test.h"

static struct an_llvm_profile *with_limits(uint64_t reservoir, uint64_t length)
{
    struct an_llvm_profile *profile = an_llvm_profile_new();
    profile->trace_reservoir = reservoir;
    profile->trace_length = length;
    return profile;
}

/* A trace that says who it is: its functions are id, id + 1 ... */
static void add_trace(struct an_llvm_profile *profile, uint64_t id, size_t count, uint64_t weight)
{
    uint64_t functions[64];
    for (size_t i = 0; i < count; i++)
        functions[i] = id + i;
    struct an_llvm_trace trace = {1, functions, count};
    assert_true(an_profile_add_traces(profile, &trace, 1, 1, weight));
}

static void all_are_kept_in_order_while_there_is_room(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = with_limits(10, 100);
    for (uint64_t i = 0; i < 10; i++)
        add_trace(profile, 1000 * i, 3, 0);
    assert_int_equal(profile->traces.count, 10);
    assert_int_equal(profile->trace_stream_size, 10);
    for (uint64_t i = 0; i < 10; i++) {
        assert_int_equal(profile->traces.items[i].functions[0], 1000 * i);
        assert_int_equal(profile->traces.items[i].functions[2], 1000 * i + 2);
        assert_int_equal(profile->traces.items[i].weight, 1);
    }
    assert_false(profile->order_matters);
    an_llvm_profile_free(profile);
}

static void a_full_reservoir_is_a_sample(void **state)
{
    (void)state;
    enum { STREAM = 2000, ROOM = 50 };
    struct an_llvm_profile *profile = with_limits(ROOM, 100);
    bool seen[STREAM] = {false};
    size_t late = 0;
    for (uint64_t i = 0; i < STREAM; i++)
        add_trace(profile, 1000 * i, 1, 0);
    assert_int_equal(profile->traces.count, ROOM);
    assert_int_equal(profile->trace_stream_size, STREAM);
    assert_true(profile->order_matters);
    for (size_t i = 0; i < ROOM; i++) {
        uint64_t id = profile->traces.items[i].functions[0] / 1000;
        assert_true(id < STREAM && !seen[id]);
        seen[id] = true;
        late += id >= STREAM / 2;
    }
    check(late > ROOM / 5 && late < ROOM * 4 / 5, "%zu of the second half", late);
    an_llvm_profile_free(profile);
}

static void long_traces_are_cut_and_empty_ones_dropped(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = with_limits(10, 5);
    add_trace(profile, 1, 20, 0);
    add_trace(profile, 100, 0, 0);
    assert_int_equal(profile->traces.count, 1);
    assert_int_equal(profile->traces.items[0].function_count, 5);
    assert_int_equal(profile->trace_stream_size, 1);
    an_llvm_profile_free(profile);
}

static void a_weight_replaces_that_of_the_trace(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = with_limits(10, 5);
    add_trace(profile, 1, 2, 7);
    assert_int_equal(profile->traces.items[0].weight, 7);
    an_llvm_profile_free(profile);
}

/* Merging samples of long streams: the sizes add up, and both sides are represented. */
static void samples_are_merged_fairly(void **state)
{
    (void)state;
    enum { ROOM = 40 };
    uint64_t functions[ROOM];
    struct an_llvm_trace sample[ROOM];
    for (uint64_t i = 0; i < ROOM; i++) {
        functions[i] = 5000000 + i;
        sample[i] = (struct an_llvm_trace){1, &functions[i], 1};
    }
    /* into nothing, into a few, into a full reservoir */
    for (int before = 0; before < 3; before++) {
        struct an_llvm_profile *profile = with_limits(ROOM, 100);
        uint64_t own = before == 0 ? 0 : before == 1 ? 5 : 1000;
        for (uint64_t i = 0; i < own; i++)
            add_trace(profile, 1000 * i, 1, 0);
        assert_true(an_profile_add_traces(profile, sample, ROOM, 1000, 0));
        assert_int_equal(profile->trace_stream_size, own + 1000);
        assert_int_equal(profile->traces.count, ROOM);
        size_t theirs = 0;
        for (size_t i = 0; i < ROOM; i++)
            theirs += profile->traces.items[i].functions[0] >= 5000000;
        if (own < ROOM)
            assert_true(theirs >= ROOM - own);
        else
            check(theirs > ROOM / 5 && theirs < ROOM * 4 / 5, "%zu", theirs);
        an_llvm_profile_free(profile);
    }
}

/* Of a source that was sampled for a larger reservoir each trace has the same chance to stay; 19 keeps them all. */
static void a_larger_sample_is_cut(void **state)
{
    (void)state;
    enum { LARGE = 40, ROOM = 10, SEEDS = 2000 };
    uint64_t functions[LARGE];
    struct an_llvm_trace sample[LARGE];
    unsigned kept[LARGE] = {0};
    for (uint64_t i = 0; i < LARGE; i++) {
        functions[i] = i;
        sample[i] = (struct an_llvm_trace){1, &functions[i], 1};
    }
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct an_llvm_profile *profile = with_limits(ROOM, 100);
        an_random_start(&profile->random, seed);
        assert_true(an_profile_add_traces(profile, sample, LARGE, 1000, 0));
        assert_int_equal(profile->traces.count, ROOM);
        assert_int_equal(profile->trace_stream_size, 1000);
        for (size_t i = 0; i < ROOM; i++)
            kept[profile->traces.items[i].functions[0]]++;
        an_llvm_profile_free(profile);
    }
    double expected = (double)SEEDS * ROOM / LARGE, sum = 0;
    for (size_t i = 0; i < LARGE; i++)
        sum += (kept[i] - expected) * (kept[i] - expected) / expected;
    sum /= 1 - (double)ROOM / LARGE;
    check(sum < 91,
          "chi-square %.0f (39 degrees of freedom: 91 is exceeded once in 100,000 times; "
          "the seeds are fixed)",
          sum);
    for (int rule = AN_LLVM_TRACES_SAMPLED; rule <= AN_LLVM_TRACES_AS_22; rule++) {
        struct an_llvm_profile *profile = with_limits(0, 100);
        profile->trace_rule = rule;
        assert_true(an_profile_add_traces(profile, sample, LARGE, 1000, 0));
        assert_int_equal(profile->traces.count, rule == AN_LLVM_TRACES_AS_19 ? LARGE : 0);
        an_llvm_profile_free(profile);
    }
}

static void the_first_stay_by_the_rule_of_22(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = with_limits(5, 100);
    profile->trace_rule = AN_LLVM_TRACES_AS_22;
    size_t places[12];
    assert_true(an_profile_foresee_traces(profile, places, 12));
    for (uint64_t i = 0; i < 12; i++) {
        add_trace(profile, 1000 * i, 2, 0);
        assert_true(places[i] == (i < 5 ? i : AN_NO_PLACE));
    }
    assert_int_equal(profile->traces.count, 5);
    assert_int_equal(profile->trace_stream_size, 12);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(profile->traces.items[i].functions[0], 1000 * i);
    uint64_t function = 1;
    struct an_llvm_trace trace = {1, &function, 1};
    assert_true(an_profile_add_traces(profile, &trace, 1, UINT64_MAX, 0)); /* ends soon */
    assert_int_equal(profile->traces.count, 5);
    assert_true(profile->trace_stream_size == UINT64_MAX);
    an_llvm_profile_free(profile);
}

static void an_absurd_stream_size_ends(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = with_limits(1, 100);
    uint64_t function = 1;
    struct an_llvm_trace trace = {1, &function, 1};
    add_trace(profile, 1, 1, 0);
    add_trace(profile, 2, 1, 0);
    assert_true(an_profile_add_traces(profile, &trace, 1, UINT64_MAX - 1, 0));
    assert_true(profile->trace_stream_size == UINT64_MAX);
    an_llvm_profile_free(profile);
}

/* The runtime writes 0 for a function that did not run; the others in order of time. */
static void time_stamps_become_a_trace(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/c-ir-temporal-clang19-run1.profraw");
    struct an_bytes expected = corpus("text/c-ir-temporal-clang19-run1.profraw.text");
    struct an_llvm_reader *reader;
    struct an_error error;
    assert_int_equal(an_llvm_reader_open(&reader, file.data, file.size, &error), AN_OK);
    const struct an_llvm_info *info = an_llvm_reader_info(reader);
    assert_int_equal(info->trace_count, 1);
    assert_int_equal(info->trace_stream_size, 1);
    char line[4096] = "";
    for (size_t i = 0; i < info->traces[0].function_count; i++) {
        size_t length;
        const char *name = an_llvm_reader_symbol(reader, info->traces[0].functions[i], &length);
        assert_non_null(name);
        assert_true(an_llvm_reader_symbol_place(reader, info->traces[0].functions[i]) < SIZE_MAX);
        snprintf(line + strlen(line), sizeof line - strlen(line), "%.*s,", (int)length, name);
    }
    strcat(line, "\n");
    assert_non_null(memmem(expected.data, expected.size, line, strlen(line)));
    an_llvm_reader_close(reader);
    free_bytes(file);
    free_bytes(expected);
}

/* Each name of a file has a place of its own, whatever the format; what has no name has none. */
static void names_have_places(const char *path)
{
    struct an_bytes file = corpus(path);
    struct an_llvm_reader *reader;
    struct an_llvm_record record;
    struct an_error error;
    bool taken[1024] = {0};
    size_t names = 0;
    assert_int_equal(an_llvm_reader_open(&reader, file.data, file.size, &error), AN_OK);
    while (an_llvm_reader_next(reader, &record)) {
        uint64_t hash = an_llvm_name_hash(record.name, record.name_length);
        size_t place = an_llvm_reader_symbol_place(reader, hash), length;
        assert_true(place < 1024 && !taken[place]);
        assert_int_equal(an_llvm_reader_symbol_place(reader, hash), place);
        assert_non_null(an_llvm_reader_symbol(reader, hash, &length));
        taken[place] = true;
        names++;
    }
    assert_true(names > 1);
    assert_true(an_llvm_reader_symbol_place(reader, 1) == SIZE_MAX);
    assert_true(an_llvm_reader_symbol_place(reader, 0) == SIZE_MAX);
    an_llvm_reader_close(reader);
    free_bytes(file);
}

static void symbols_have_places(void **state)
{
    (void)state;
    names_have_places("raw/c-ir-temporal-clang19-run1.profraw");
    names_have_places("text/c-ir-temporal-clang19-run1.profraw.text");
    names_have_places("indexed/c-ir-temporal-clang19.merged.profdata");
}

/*
 * Each of a thousand runs has the same chance to be among the traces, however the merge was done: 50 places, so one
 * in twenty, over 400 seeds. Pieces are merged as programs do it: each begins with the same seed as the whole.
 */
enum { RUNS = 1000, PLACES = 50, SEEDS = 400 };

static struct an_llvm_profile *with_seed(uint32_t seed)
{
    struct an_llvm_profile *profile = with_limits(PLACES, 10);
    an_random_start(&profile->random, seed);
    return profile;
}

/* Chi-square of how often each run was kept; cut[] are the ends of the pieces, 0 behind the last. */
static double unfairness(const uint64_t *cut)
{
    static unsigned kept[RUNS];
    double sum = 0, expected = (double)SEEDS * PLACES / RUNS;
    memset(kept, 0, sizeof kept);
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct an_llvm_profile *whole = with_seed(seed);
        uint64_t id = 0;
        for (const uint64_t *end = cut; *end; end++) {
            struct an_llvm_profile *piece = with_seed(seed);
            for (; id < *end; id++)
                add_trace(piece, 1000 * id, 1, 0);
            assert_true(an_profile_add_traces(whole, piece->traces.items, piece->traces.count,
                                              piece->trace_stream_size, 0));
            an_llvm_profile_free(piece);
        }
        assert_int_equal(whole->traces.count, PLACES);
        assert_int_equal(whole->trace_stream_size, RUNS);
        for (size_t i = 0; i < PLACES; i++)
            kept[whole->traces.items[i].functions[0] / 1000]++;
        an_llvm_profile_free(whole);
    }
    for (size_t r = 0; r < RUNS; r++)
        sum += (kept[r] - expected) * (kept[r] - expected) / expected;
    return sum / (1 - (double)PLACES / RUNS); /* drawn without putting back */
}

/* 999 degrees of freedom: 1,232 is exceeded once in a million times, 782 as rarely not reached. */
static void is_fair(const uint64_t *cut)
{
    double sum = unfairness(cut);
    check(sum < 1232 && sum > 782, "chi-square %.0f", sum);
}

static void every_run_has_the_same_chance(void **state)
{
    (void)state;
    is_fair((const uint64_t[]){RUNS, 0});
}

static void and_in_pieces_too(void **state)
{
    (void)state;
    is_fair((const uint64_t[]){500, RUNS, 0});
    is_fair((const uint64_t[]){900, RUNS, 0});
    is_fair((const uint64_t[]){60, RUNS, 0});
    is_fair((const uint64_t[]){30, RUNS, 0});                 /* the first one fits in whole */
    is_fair((const uint64_t[]){970, RUNS, 0});                /* the second one does */
    is_fair((const uint64_t[]){100, 130, 600, 601, RUNS, 0}); /* large and small ones */
    is_fair((const uint64_t[]){50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 900,
                               950, RUNS, 0});
}

static void what_is_foreseen_comes_about(void **state)
{
    (void)state;
    struct an_llvm_profile *profile = with_seed(7);
    static size_t places[RUNS];
    assert_true(an_profile_foresee_traces(profile, places, RUNS));
    for (uint64_t id = 0; id < RUNS; id++)
        add_trace(profile, 1000 * id, 1, 0);
    size_t foreseen = 0;
    for (size_t id = 0; id < RUNS; id++) {
        if (places[id] == AN_NO_PLACE)
            continue;
        foreseen++;
        assert_int_equal(profile->traces.items[places[id]].functions[0], 1000 * id);
    }
    assert_int_equal(foreseen, PLACES);
    an_llvm_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_kept_in_order_while_there_is_room),
        cmocka_unit_test(a_full_reservoir_is_a_sample),
        cmocka_unit_test(long_traces_are_cut_and_empty_ones_dropped),
        cmocka_unit_test(a_weight_replaces_that_of_the_trace),
        cmocka_unit_test(samples_are_merged_fairly),
        cmocka_unit_test(a_larger_sample_is_cut),
        cmocka_unit_test(the_first_stay_by_the_rule_of_22),
        cmocka_unit_test(an_absurd_stream_size_ends),
        cmocka_unit_test(time_stamps_become_a_trace),
        cmocka_unit_test(symbols_have_places),
        cmocka_unit_test(every_run_has_the_same_chance),
        cmocka_unit_test(and_in_pieces_too),
        cmocka_unit_test(what_is_foreseen_comes_about),
    };
    return RUN_TESTS(tests);
}
