/*
 * Looking at a merged profile, function by function: its counts are those of its inputs, added up, and its names those of
 * the gcno, by each release of GCC whose files are here.
 */
#include <anneal/gcc.h>

#include "base/file.h"
#include "support/test.h"

enum { RUNS = 3 };

static const char *const corpora[] = {"gcc-9",        "gcc-10", "gcc-11", "gcc-12",
                                      "gcc-12-s390x", "gcc-13", "gcc-14"};

struct runs {
    char paths[RUNS][200];
    struct an_gcc_profile *profiles[RUNS];
    struct an_gcc_profile *merged;
};

static void in_corpus(char path[200], const char *corpus, const char *name)
{
    snprintf(path, 200, "%s/%s/%s", GCC_CORPUS, corpus, name);
}

static struct an_gcc_profile *read_profile(const char *path, const char *notes)
{
    struct an_file file = {.capacity = 0};
    struct an_gcc_profile *profile;
    struct an_error error;
    assert_int_equal(an_file_load(&file, path, &error), AN_OK);
    check(an_gcc_profile_read(file.bytes.data, file.bytes.size, notes, &profile, &error) == AN_OK,
          "%s: %s", path, error.what);
    an_file_close(&file);
    return profile;
}

static void merge(struct runs *runs, const char *notes)
{
    struct an_gcc_input inputs[RUNS];
    struct an_gcc_merged *merged;
    struct an_ledger *ledger;
    struct an_error error;
    for (size_t i = 0; i < RUNS; i++)
        inputs[i] = (struct an_gcc_input){.path = runs->paths[i], .weight = 1};
    assert_int_equal(an_gcc_merge(NULL, inputs, RUNS, 1, &merged, &ledger, &error), AN_OK);
    assert_int_equal(
        an_gcc_profile_read(merged[0].bytes, merged[0].size, notes, &runs->merged, &error), AN_OK);
    an_gcc_merged_free(merged, 1);
    an_ledger_free(ledger);
}

static uint64_t value_at(const struct an_gcc_counters *counters, uint32_t i)
{
    return counters->values ? counters->values[i] : 0;
}

/* A function's arcs in all runs, by its number. */
static void compare_arcs(const struct runs *runs, size_t function, uint32_t kind)
{
    const struct an_gcc_function *whole = &runs->merged->functions[function];
    uint64_t total = 0;
    uint32_t ran = 0;
    for (uint32_t i = 0; i < whole->counters[kind].count; i++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < RUNS; k++) {
            const struct an_gcc_function *one = &runs->profiles[k]->functions[function];
            assert_string_equal(one->counters[kind].kind, "arcs");
            assert_int_equal(one->counters[kind].count, whole->counters[kind].count);
            sum += value_at(&one->counters[kind], i);
        }
        assert_int_equal(value_at(&whole->counters[kind], i), sum);
        total += sum;
        ran += sum != 0;
    }
    assert_int_equal(whole->arcs, whole->counters[kind].count);
    assert_int_equal(whole->total, total);
    assert_int_equal(whole->ran, ran);
}

static void take_values(const struct an_gcc_counters *counters, size_t *places, size_t *pairs)
{
    struct an_gcc_values at = an_gcc_values_of(counters);
    while (an_gcc_values_next(&at)) {
        ++*places;
        for (size_t i = 0; i < at.count; i++)
            *pairs += at.pairs[2 * i + 1] != 0;
    }
}

static void compare(const struct runs *runs)
{
    size_t compared = 0, places = 0, pairs = 0;
    for (size_t i = 0; i < runs->merged->count; i++) {
        const struct an_gcc_function *whole = &runs->merged->functions[i];
        assert_int_equal(whole->ident, runs->profiles[0]->functions[i].ident);
        assert_int_equal(whole->flow_sum, runs->profiles[0]->functions[i].flow_sum);
        assert_null(runs->profiles[0]->functions[i].name);
        for (uint32_t kind = 0; kind < whole->kinds; kind++) {
            take_values(&whole->counters[kind], &places, &pairs);
            if (strcmp(whole->counters[kind].kind, "arcs") != 0)
                continue;
            compare_arcs(runs, i, kind);
            compared++;
        }
    }
    assert_true(compared >= 5);
    assert_true(places > 0 && pairs > 0);
}

static void compare_names(const struct an_gcc_profile *merged)
{
    size_t mains = 0;
    assert_int_equal(merged->names, AN_GCC_NAMES);
    for (size_t i = 0; i < merged->count; i++) {
        assert_non_null(merged->functions[i].name);
        if (strcmp(merged->functions[i].name, "main") != 0)
            continue;
        mains++;
        assert_true(merged->functions[i].has_entries);
        assert_int_equal(merged->functions[i].entries, RUNS);
    }
    assert_int_equal(mains, 1);
}

static void merged_profiles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof corpora / sizeof *corpora; i++) {
        struct runs runs;
        char notes[200];
        in_corpus(notes, corpora[i], "values.gcno");
        for (size_t k = 0; k < RUNS; k++) {
            char name[20];
            snprintf(name, sizeof name, "values-%zu.gcda", k + 1);
            in_corpus(runs.paths[k], corpora[i], name);
            runs.profiles[k] = read_profile(runs.paths[k], NULL);
            assert_int_equal(runs.profiles[k]->names, AN_GCC_NO_NAMES);
        }
        merge(&runs, notes);
        compare(&runs);
        compare_names(runs.merged);
        assert_int_equal(runs.merged->is_big_endian, strcmp(corpora[i], "gcc-12-s390x") == 0);
        assert_int_equal(runs.merged->stamp, runs.profiles[0]->stamp);
        for (size_t k = 0; k < RUNS; k++)
            an_gcc_profile_free(runs.profiles[k]);
        an_gcc_profile_free(runs.merged);
    }
}

/* Names that do not fit are not used, and no names are better than none. */
static void other_notes(void **state)
{
    (void)state;
    struct an_gcc_profile *profile =
        read_profile(GCC_CORPUS "/gcc-14/values-1.gcda", GCC_CORPUS "/gcc-13/values.gcno");
    assert_int_equal(profile->names, AN_GCC_OTHER_NAMES);
    assert_null(profile->functions[0].name);
    an_gcc_profile_free(profile);
    profile = read_profile(GCC_CORPUS "/gcc-14/values-1.gcda", GCC_CORPUS "/gcc-14/values-1.gcda");
    assert_int_equal(profile->names, AN_GCC_BAD_NAMES);
    assert_non_null(strstr(profile->names_error.file, "values-1.gcda"));
    an_gcc_profile_free(profile);
}

static void what_a_file_is(void **state)
{
    (void)state;
    struct an_file file = {.capacity = 0};
    struct an_error error;
    uint32_t counts, notes, none;
    assert_int_equal(an_file_load(&file, GCC_CORPUS "/gcc-14/values-1.gcda", &error), AN_OK);
    assert_int_equal(an_gcc_identify(file.bytes.data, file.bytes.size, &counts), AN_GCC_COUNTS);
    assert_int_equal(an_gcc_identify(file.bytes.data, 11, &none), AN_GCC_NO_FILE);
    assert_int_equal(none, 0);
    assert_int_equal(an_file_load(&file, GCC_CORPUS "/gcc-14/values.gcno", &error), AN_OK);
    assert_int_equal(an_gcc_identify(file.bytes.data, file.bytes.size, &notes), AN_GCC_NOTES);
    assert_int_equal(counts, notes);
    assert_int_equal(an_gcc_identify("no profile at all", 17, &none), AN_GCC_NO_FILE);
    an_file_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_profiles),
        cmocka_unit_test(other_notes),
        cmocka_unit_test(what_a_file_is),
    };
    return RUN_TESTS(tests);
}
