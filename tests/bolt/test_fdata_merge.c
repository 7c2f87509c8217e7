/*
 * Merging: the same whatever the threads and the order, exact sums, whole inputs or none. Large
 * random profiles are compared with sums that are taken record by record.
 */
#include <anneal/fdata.h>

#include "base/bytes.h"
#include "support/profiles.h"
#include "support/test.h"

enum { FILES = 12 };

struct merged {
    enum an_code code;
    char *text; /* NULL when it failed */
    struct an_ledger *ledger;
    struct an_error error;
};

static struct merged merge(const struct an_fdata_merge_options *options, const char *const *files,
                           const uint64_t *weights, size_t count)
{
    struct memory_file memory[FILES];
    struct an_fdata_input inputs[FILES];
    struct merged merged = {0};
    struct an_fdata_profile *profile;
    void *bytes;
    size_t size;
    for (size_t i = 0; i < count; i++) {
        memory[i] = memory_file(files[i], strlen(files[i]));
        inputs[i] = (struct an_fdata_input){memory[i].path, weights ? weights[i] : 1};
    }
    merged.code = an_fdata_merge(options, inputs, count, &profile, &merged.ledger, &merged.error);
    if (merged.code == AN_OK) {
        assert_int_equal(an_fdata_profile_write(profile, &bytes, &size, &merged.error), AN_OK);
        merged.text = realloc(bytes, size + 1);
        merged.text[size] = '\0';
    }
    an_fdata_profile_free(profile);
    for (size_t i = 0; i < count; i++)
        memory_file_close(&memory[i]);
    return merged;
}

static void free_merged(struct merged *merged)
{
    free(merged->text);
    an_ledger_free(merged->ledger);
}

/* A profile of many records; half of the names are those of every file. */
static char *random_file(uint64_t *random, size_t lines, bool sorted)
{
    struct an_buffer buffer = {0};
    uint64_t place = 0;
    for (size_t i = 0; i < lines; i++) {
        place = sorted ? place + 1 + number_below(random, 5) : number_below(random, 3 * lines);
        if (number_below(random, 20) == 0)
            an_buffer_print(&buffer, "4 load%llu 0 3 [heap] 0 %llu\n", (unsigned long long)place,
                            (unsigned long long)number_below(random, 1000));
        else
            an_buffer_print(&buffer, "1 function%llu %llx 1 other %llx %llu %llu\n",
                            (unsigned long long)place / 8, (unsigned long long)place,
                            (unsigned long long)place % 3,
                            (unsigned long long)number_below(random, 3),
                            (unsigned long long)number_below(random, 100000));
    }
    an_buffer_put(&buffer, "", 1);
    assert_false(buffer.failed);
    return (char *)buffer.data;
}

static void any_number_of_threads(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int round = 0; round < 4; round++) {
        char *files[FILES], *backwards[FILES];
        for (int i = 0; i < FILES; i++)
            backwards[FILES - 1 - i] = files[i] = random_file(&random, 3000, round % 2);
        struct an_fdata_merge_options options = {
            .size = sizeof options, .threads = 1, .whole_lines = round > 1};
        struct merged one = merge(&options, (const char *const *)files, NULL, FILES);
        assert_int_equal(one.code, AN_OK);
        for (unsigned threads = 2; threads < 6; threads++) {
            options.threads = threads;
            struct merged several = merge(
                &options, (const char *const *)(threads % 2 ? files : backwards), NULL, FILES);
            assert_string_equal(several.text, one.text);
            assert_int_equal(several.ledger->total_count, one.ledger->total_count);
            free_merged(&several);
        }
        free_merged(&one);
        for (int i = 0; i < FILES; i++)
            free(files[i]);
    }
}

/* Merging is associative: parts can be merged first. */
static void in_parts(void **state)
{
    (void)state;
    uint64_t random = 5;
    char *files[6];
    for (int i = 0; i < 6; i++)
        files[i] = random_file(&random, 2000, true);
    struct an_fdata_merge_options options = {.size = sizeof options};
    struct merged whole = merge(&options, (const char *const *)files, NULL, 6);
    struct merged left = merge(&options, (const char *const *)files, NULL, 4);
    struct merged right = merge(&options, (const char *const *)files + 4, NULL, 2);
    struct merged both = merge(&options, (const char *[]){right.text, left.text}, NULL, 2);
    assert_string_equal(both.text, whole.text);
    free_merged(&whole);
    free_merged(&left);
    free_merged(&right);
    free_merged(&both);
    for (int i = 0; i < 6; i++)
        free(files[i]);
}

/* A file that is bad at its end leaves no trace, however far it was read. */
static void taken_back(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int whole_lines = 0; whole_lines < 2; whole_lines++) {
        char *good = random_file(&random, 3000, true), *also = random_file(&random, 3000, true);
        char *lines = random_file(&random, 3000, true), *bad = NULL;
        assert_true(asprintf(&bad, "%storn", lines) > 0);
        struct an_fdata_merge_options options = {
            .size = sizeof options, .failure_mode = AN_FAIL_ALL, .whole_lines = whole_lines};
        struct merged clean = merge(&options, (const char *[]){good, also}, NULL, 2);
        for (int order = 0; order < 3; order++) {
            const char *files[3] = {good, also, NULL};
            memmove(files + order + 1, files + order, (size_t)(2 - order) * sizeof *files);
            files[order] = bad;
            struct merged merged = merge(&options, files, (uint64_t[]){1, 1, 1}, 3);
            assert_int_equal(merged.code, AN_OK);
            assert_string_equal(merged.text, clean.text);
            assert_int_equal(merged.ledger->rejected, 1);
            assert_int_equal(merged.ledger->entries[order].error->code, AN_TRUNCATED);
            free_merged(&merged);
        }
        free_merged(&clean);
        free(good);
        free(also);
        free(lines);
        free(bad);
    }
}

/* What a refused file of another kind looked like must not decide how lines are read later. */
static void nothing_is_left_of_a_refused_kind(void **state)
{
    (void)state;
    struct an_fdata_merge_options options = {
        .size = sizeof options, .failure_mode = AN_FAIL_ALL, .threads = 1};
    const char *files[] = {"no_lbr\n1 a 0 5\n1 a 1 6\ntorn\n", "1 a 0 5 7\n", "1 a 0 1 b 0 0 1\n"};
    struct merged merged = merge(&options, files, NULL, 3);
    assert_int_equal(merged.code, AN_OK);
    assert_string_equal(merged.text, "1 a 0 1 b 0 0 1\n");
    assert_int_equal(merged.ledger->rejected, 2);
    free_merged(&merged);
    options.failure_mode = AN_FAIL_WARN;
    merged = merge(&options, files, NULL, 1);
    assert_string_equal(merged.text, "");
    free_merged(&merged);
}

static void weights(void **state)
{
    (void)state;
    struct an_fdata_merge_options options = {.size = sizeof options};
    const char *files[] = {"1 a 0 1 b 0 2 10\n", "1 a 0 1 b 0 1 3\n"};
    struct merged merged = merge(&options, files, (uint64_t[]){7, 100}, 2);
    assert_string_equal(merged.text, "1 a 0 1 b 0 114 370\n");
    assert_int_equal(merged.ledger->total_count, 370);
    free_merged(&merged);
    const char *large[] = {"1 a 0 1 b 0 9223372036854775807 9223372036854775807\n",
                           "1 a 0 1 b 0 1 3\n"};
    merged = merge(&options, large, (uint64_t[]){UINT64_MAX, UINT64_MAX}, 2);
    assert_string_equal(merged.text, large[0]);
    free_merged(&merged);
    merged = merge(&options, files, (uint64_t[]){0, 1}, 2);
    assert_int_equal(merged.code, AN_USAGE);
    free_merged(&merged);
}

static void whole_lines(void **state)
{
    (void)state;
    struct an_fdata_merge_options options = {.size = sizeof options, .whole_lines = true};
    const char *files[] = {
        "1 a 0 1 b 0 2 10\n1 A 1C 1 b 0 0 1\n1 a 0 1 b 0 0 18446744073709551615\n",
        "1 a 0 1 b 0 2 3\n1 a 0 1 b 0 1 4\n1 A 1c 1 b 0 0 1\n1 a 0 1 b 0 0 2\n"};
    struct merged merged = merge(&options, files, NULL, 2);
    assert_string_equal(merged.text, "1 A 1C 1 b 0 0 1\n"
                                     "1 A 1c 1 b 0 0 1\n"
                                     "1 a 0 1 b 0 0 18446744073709551615\n"
                                     "1 a 0 1 b 0 1 4\n"
                                     "1 a 0 1 b 0 2 13\n");
    free_merged(&merged);
}

static void failure_modes(void **state)
{
    (void)state;
    const char *files[] = {"1 a 0 1 b 0 0 1\n", "torn 1\n1 a 0 1 b 0 0 1\n", ""};
    struct an_fdata_merge_options options = {.size = sizeof options, .failure_mode = AN_FAIL_ANY};
    struct merged merged = merge(&options, files, NULL, 3);
    assert_int_equal(merged.code, AN_MALFORMED);
    assert_non_null(strstr(merged.error.what, "line 1"));
    assert_int_equal(merged.ledger->empty, 1);
    free_merged(&merged);
    options.failure_mode = AN_FAIL_ALL;
    merged = merge(&options, files, NULL, 3);
    assert_string_equal(merged.text, files[0]);
    free_merged(&merged);
    merged = merge(&options, files + 1, NULL, 1);
    assert_int_equal(merged.code, AN_MALFORMED);
    free_merged(&merged);
    options.failure_mode = AN_FAIL_WARN;
    merged = merge(&options, files + 1, NULL, 2);
    assert_string_equal(merged.text, "");
    free_merged(&merged);
}

/* ---- partial results ---- */

/* Merges files, and writes a partial result. */
static struct an_bytes partial_of(const struct an_bytes *files, const uint64_t *weights,
                                  size_t count)
{
    struct an_fdata_merge_options options = {.size = sizeof options, .partial = true};
    struct memory_file memory[FILES];
    struct an_fdata_input inputs[FILES];
    struct an_fdata_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    char text[2048];
    void *bytes;
    size_t size;
    for (size_t i = 0; i < count; i++) {
        memory[i] = memory_file(files[i].data, files[i].size);
        inputs[i] = (struct an_fdata_input){memory[i].path, weights ? weights[i] : 1};
    }
    enum an_code code = an_fdata_merge(&options, inputs, count, &profile, &ledger, &error);
    check(code == AN_OK, "%s", an_error_format(&error, text, sizeof text));
    for (size_t i = 0; i < ledger->count; i++) { /* paths of memory change from merge to merge */
        free(ledger->entries[i].path);
        ledger->entries[i].path = strdup("input");
    }
    assert_int_equal(an_fdata_profile_write_partial(profile, ledger, &bytes, &size, &error), AN_OK);
    an_fdata_profile_free(profile);
    an_ledger_free(ledger);
    for (size_t i = 0; i < count; i++)
        memory_file_close(&memory[i]);
    return (struct an_bytes){bytes, size};
}

/* Random trees over random files, some of them twice, give the bytes of one merge. */
static void partial_results_in_any_tree(void **state)
{
    enum { TREES = 100, LEAVES = 6 };
    uint64_t random = 0xfda7a;
    (void)state;
    for (int tree = 0; tree < TREES; tree++) {
        struct an_bytes leaves[LEAVES], nodes[LEAVES];
        uint64_t weights[LEAVES];
        size_t left = LEAVES;
        for (size_t i = 0; i < LEAVES; i++) {
            char *file = random_file(&random, 20, i % 2);
            leaves[i] = (struct an_bytes){(uint8_t *)file, strlen(file)};
            weights[i] = number_below(&random, 3) ? 1 : UINT64_MAX / 3000;
        }
        struct an_bytes flat = partial_of(leaves, weights, LEAVES);
        for (size_t i = 0; i < LEAVES; i++) {
            struct an_bytes twice[] = {leaves[i], leaves[i]};
            uint64_t both[] = {weights[i], weights[i]};
            nodes[i] = partial_of(twice, both, 1 + number_below(&random, 2));
        }
        while (left > 1) {
            size_t a = number_below(&random, left),
                   b = (a + 1 + number_below(&random, left - 1)) % left;
            struct an_bytes pair[] = {nodes[a], nodes[b], nodes[a]};
            struct an_bytes joined = partial_of(pair, NULL, 2 + number_below(&random, 2));
            free_bytes(nodes[a]);
            free_bytes(nodes[b]);
            nodes[a] = joined;
            nodes[b] = nodes[--left];
            if (a == left)
                nodes[b] = joined;
        }
        assert_int_equal(nodes[0].size, flat.size);
        assert_memory_equal(nodes[0].data, flat.data, flat.size);
        free_bytes(nodes[0]);
        free_bytes(flat);
        for (size_t i = 0; i < LEAVES; i++)
            free_bytes(leaves[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(in_parts),
        cmocka_unit_test(taken_back),
        cmocka_unit_test(nothing_is_left_of_a_refused_kind),
        cmocka_unit_test(weights),
        cmocka_unit_test(whole_lines),
        cmocka_unit_test(failure_modes),
        cmocka_unit_test(partial_results_in_any_tree),
    };
    return RUN_TESTS(tests);
}
