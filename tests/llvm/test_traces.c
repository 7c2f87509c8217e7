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
        snprintf(line + strlen(line), sizeof line - strlen(line), "%.*s,", (int)length, name);
    }
    strcat(line, "\n");
    assert_non_null(memmem(expected.data, expected.size, line, strlen(line)));
    an_llvm_reader_close(reader);
    free_bytes(file);
    free_bytes(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_kept_in_order_while_there_is_room),
        cmocka_unit_test(a_full_reservoir_is_a_sample),
        cmocka_unit_test(long_traces_are_cut_and_empty_ones_dropped),
        cmocka_unit_test(a_weight_replaces_that_of_the_trace),
        cmocka_unit_test(samples_are_merged_fairly),
        cmocka_unit_test(an_absurd_stream_size_ends),
        cmocka_unit_test(time_stamps_become_a_trace),
    };
    return RUN_TESTS(tests);
}
