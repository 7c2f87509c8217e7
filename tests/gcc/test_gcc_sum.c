/*
 * Partial results of GCC's counter files: merging runs in any tree, order and repetition gives the bytes of one merge of all of
 * them; and what an ordinary merge makes of them, but for the order of lists and for values that have to make room.
 *
 * The runs are made of those of tests/data/gcc, with random counts, values and builds, as GCC 9 to 16 and clang write them, and
 * as GCC 4.7 to 8 would have.
 */
#include <anneal/gcc.h>

#include "base/file.h"
#include "gcc/gcda.h"
#include "gcc/places.h"
#include "gcc/top.h"
#include "support/profiles.h"
#include "support/test.h"

enum { MODULES = 3, MOST_RUNS = 8 };

/* ---- runs ---- */

static const struct origin {
    const char *corpus, *modules[MODULES];
    unsigned major, minor; /* of one that is made up */
} origins[] = {
    {"gcc-9", {"values-1", "right-a", "words"}, 0, 0},
    {"gcc-10", {"values-1", "right-a", "words"}, 0, 0},
    {"gcc-11", {"values-1", "right-a", "words"}, 0, 0},
    {"gcc-12", {"values-1", "right-a", "words"}, 0, 0},
    {"gcc-12-s390x", {"values-1", "right-a", NULL}, 0, 0},
    {"gcc-13", {"values-1", "right-a", "words"}, 0, 0},
    {"gcc-14", {"values-1", "right-a", "words"}, 0, 0},
    {"gcc-15", {"values-1", "right-a", "words"}, 0, 0},
    {"gcc-16", {"values-1", "right-a", "words"}, 0, 0},
    {"clang-19", {"flow-A93-1", NULL, NULL}, 0, 0},
    {"clang-14", {"flow-408-1", NULL, NULL}, 0, 0},
    {NULL, {"", "", ""}, 8, 3},
    {NULL, {"", "", ""}, 5, 4},
    {NULL, {"", "", ""}, 4, 8},
    {NULL, {"", "", NULL}, 4, 7},
};
enum { ORIGINS = sizeof origins / sizeof *origins };

static const char *const names[MODULES] = {"src/values.gcda", "right.gcda", "words.gcda"};

struct run {
    struct memory_file files[MODULES];
    bool has[MODULES];
    bool is_other_build;
};

static struct an_gcda model(const struct origin *origin, unsigned module)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s.gcda", GCC_CORPUS, origin->corpus,
             origin->modules[module]);
    struct an_bytes file = load_file(path);
    struct an_gcda gcda;
    struct an_error error;
    assert_int_equal(an_gcda_read(&gcda, file, &error), AN_OK);
    free_bytes(file);
    return gcda;
}

/* A file as no compiler at hand writes it any more: with all kinds of counters, and summaries of two programs. */
static struct an_gcda made_up(const struct origin *origin, unsigned module)
{
    enum { FUNCTIONS = 3, PLACES = 2, COUNTERS = 4 };
    struct an_gcda gcda = {.header.stamp = 7 + module};
    struct an_error error;
    assert_int_equal(an_gcc_version_of(an_gcc_version_word(origin->major, origin->minor),
                                       &gcda.header.version, &error),
                     AN_OK);
    for (uint32_t i = 0; i < 2; i++)
        *(struct an_gcc_program *)an_vector_push(&gcda.programs) =
            (struct an_gcc_program){.checksum = i, .counters = 5, .runs = 1};
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        *(struct an_gcda_function *)an_vector_push(&gcda.functions) = (struct an_gcda_function){
            true, i, 100 + i, 200 + i, gcda.counters.count, gcda.header.version.kind_count};
        for (unsigned k = 0; k < gcda.header.version.kind_count; k++) {
            size_t size = an_gcc_place_size(gcda.header.version.kinds[k].rule);
            *(struct an_gcda_counters *)an_vector_push(&gcda.counters) = (struct an_gcda_counters){
                .kind = (uint8_t)k, .count = (uint32_t)(size ? PLACES * size : COUNTERS)};
        }
    }
    return gcda;
}

/* Few runs of one value, and sometimes more values than there is room for. */
static uint64_t some_value(uint64_t *random)
{
    return number_below(random, number_below(random, 8) ? 12 : 90);
}

static bool has_value(const uint64_t *pairs, size_t count, uint64_t value)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[2 * i] == value)
            return true;
    return false;
}

static void fill_pairs(uint64_t *pairs, size_t count, uint64_t *total, uint64_t *random)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = some_value(random);
        while (has_value(pairs, i, value))
            value++;
        pairs[2 * i] = value;
        pairs[2 * i + 1] = 1 + number_below(random, 1000);
        *total += pairs[2 * i + 1];
    }
}

/* As many values as `to` has room for. */
static size_t fill_list(uint64_t *to, size_t places, uint64_t *random)
{
    uint64_t *at = to;
    for (size_t i = 0; i < places; i++) {
        uint64_t total = 0;
        at[1] = number_below(random, number_below(random, 4) ? 5 : AN_TOP_MOST + 1);
        fill_pairs(at + 2, (size_t)at[1], &total, random);
        at[0] = at[1] == AN_TOP_MOST && number_below(random, 2) ? -total - 3 : total;
        at += 2 + 2 * at[1];
    }
    return (size_t)(at - to);
}

static void fill_place(uint64_t *to, enum an_gcc_rule rule, uint64_t *random)
{
    uint64_t total = 0;
    size_t first = rule == AN_GCC_SINGLE ? 0 : 1;
    size_t pairs = rule == AN_GCC_SINGLE || rule == AN_GCC_DELTA ? 1 : number_below(random, 5);
    memset(to, 0, an_gcc_place_size(rule) * sizeof *to);
    if (number_below(random, 4) == 0)
        return;
    fill_pairs(to + first, pairs, &total, random);
    if (rule == AN_GCC_DELTA)
        to[0] = some_value(random);
    if (first + 2 * pairs < an_gcc_place_size(rule) &&
        (rule == AN_GCC_SINGLE || rule == AN_GCC_DELTA))
        to[first + 2] = total + number_below(random, 9);
    if (rule == AN_GCC_FOUR)
        to[0] = pairs == 4 && number_below(random, 3) == 0 ? -total : total;
    if (rule == AN_GCC_CALLS)
        to[0] = number_below(random, 4);
}

static void change_counters(struct an_gcda *gcda, size_t number, uint64_t *random)
{
    struct an_gcda_counters *counters = &gcda->counters.items[number];
    enum an_gcc_rule rule = an_gcda_rule(gcda, counters);
    size_t size = an_gcc_place_size(rule);
    size_t places = rule == AN_GCC_TOP ? counters->places : size ? counters->count / size : 0;
    size_t most = rule == AN_GCC_TOP ? places * (2 + 2 * AN_TOP_MOST) : counters->count;
    size_t first = gcda->values.count;
    uint64_t *values = an_gcda_extend(gcda, most);
    assert_non_null(values);
    if (rule == AN_GCC_TOP)
        counters->count = (uint32_t)fill_list(values, places, random);
    for (size_t i = 0; size && i < places; i++)
        fill_place(values + size * i, rule, random);
    for (size_t i = 0; rule < AN_GCC_TOP && i < counters->count; i++)
        values[i] = number_below(random, 3) ? next_number(random) >> number_below(random, 64) : 0;
    counters->first = first;
    counters->capacity = (uint32_t)most;
    counters->are_zero = false;
}

/* Functions that the program did not have are missing in its file. */
static void change(struct an_gcda *gcda, bool is_other_build, uint64_t *random)
{
    for (size_t i = 0; i < gcda->functions.count; i++) {
        struct an_gcda_function *function = &gcda->functions.items[i];
        if (i && number_below(random, 6) == 0)
            *function = (struct an_gcda_function){.is_present = false};
        for (unsigned k = 0; k < function->kinds; k++)
            change_counters(gcda, function->first + k, random);
    }
    gcda->header.stamp ^= is_other_build ? 0x5a5a : 0;
    gcda->runs = 1 + (uint32_t)number_below(random, 3);
    gcda->sum_max = (uint32_t)next_number(random);
    if (gcda->programs.count && number_below(random, 3) == 0)
        gcda->programs.count = 1; /* of two that have the object */
    for (size_t i = 0; i < gcda->programs.count; i++) {
        struct an_gcc_program *program = &gcda->programs.items[i];
        program->sum = next_number(random) >> 20;
        program->sum_max = program->greatest = next_number(random) >> 30;
        for (int k = 0; k < 5; k++)
            program->buckets[number_below(random, 40)] =
                (struct an_bucket){1 + (uint32_t)number_below(random, 9), next_number(random) >> 50,
                                   next_number(random) >> 40};
    }
}

static struct run make_run(const struct origin *origin, bool is_other_build, uint64_t *random)
{
    struct run run = {.is_other_build = is_other_build};
    unsigned needed = (unsigned)number_below(random, MODULES);
    for (unsigned i = 0; i < MODULES; i++) {
        if (!origin->modules[i] || (i != needed && i && number_below(random, 3) == 0))
            continue;
        struct an_gcda gcda = origin->corpus ? model(origin, i) : made_up(origin, i);
        struct an_buffer buffer = {0};
        change(&gcda, is_other_build, random);
        an_gcda_write(&gcda, &buffer);
        run.files[i] = memory_file(buffer.data, buffer.size);
        run.has[i] = true;
        an_buffer_free(&buffer);
        an_gcda_free(&gcda);
    }
    return run;
}

static void close_run(struct run *run)
{
    for (unsigned i = 0; i < MODULES; i++)
        if (run->has[i])
            memory_file_close(&run->files[i]);
}

/* ---- merging ---- */

struct sources {
    struct an_gcc_source items[2 * MODULES * MOST_RUNS + 64];
    size_t count;
};

static void add_run(struct sources *sources, const struct run *run, size_t number)
{
    for (unsigned i = 0; i < MODULES; i++)
        if (run->has[i])
            sources->items[sources->count++] =
                (struct an_gcc_source){run->files[i].path, 1, number, names[i], strlen(names[i])};
}

static void add_partial(struct sources *sources, const struct memory_file *file)
{
    sources->items[sources->count++] = (struct an_gcc_source){file->path, 1, AN_GCC_ALONE, "", 0};
}

static struct an_gcc_sum *sum_of(const struct sources *sources, bool is_partial, size_t *used,
                                 struct an_ledger **ledger)
{
    const struct an_gcc_sum_options options = {
        .size = sizeof options, .threads = 2, .failure_mode = AN_FAIL_WARN, .partial = is_partial};
    struct an_gcc_sum *sum;
    struct an_error error;
    char text[2048];
    enum an_code code =
        an_gcc_sum_make(&options, sources->items, sources->count, &sum, ledger, &error);
    check(code == AN_OK, "%s", an_error_format(&error, text, sizeof text));
    if (used)
        *used = (*ledger)->used;
    return sum;
}

static struct memory_file partial_of(const struct sources *sources, size_t *used)
{
    struct an_ledger *ledger;
    struct an_error error;
    void *bytes;
    size_t size;
    struct an_gcc_sum *sum = sum_of(sources, true, used, &ledger);
    assert_int_equal(an_gcc_sum_write_partial(sum, ledger, &bytes, &size, &error), AN_OK);
    struct memory_file file = memory_file(bytes, size);
    free(bytes);
    an_gcc_sum_free(sum);
    an_ledger_free(ledger);
    return file;
}

/* The files of all modules, one behind the other, each with its name. */
static struct an_buffer finished(const struct sources *sources)
{
    struct an_ledger *ledger;
    struct an_error error;
    struct an_buffer all = {0};
    struct an_gcc_sum *sum = sum_of(sources, false, NULL, &ledger);
    for (size_t i = 0; i < an_gcc_sum_modules(sum); i++) {
        size_t length, size;
        void *bytes;
        const char *name = an_gcc_sum_name(sum, i, &length);
        assert_int_equal(an_gcc_sum_write(sum, i, &bytes, &size, &error), AN_OK);
        an_buffer_put(&all, name, length);
        an_buffer_put(&all, bytes, size);
        free(bytes);
    }
    an_gcc_sum_free(sum);
    an_ledger_free(ledger);
    return all;
}

static void expect_same_files(const struct memory_file *one, const struct memory_file *other)
{
    struct an_bytes first = load_file(one->path), second = load_file(other->path);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    free_bytes(first);
    free_bytes(second);
}

/* ---- trees ---- */

static void join(struct memory_file *nodes, size_t *count, uint64_t *random)
{
    struct sources sources = {.count = 0};
    struct memory_file taken[3];
    size_t number = 1 + number_below(random, *count < 3 ? *count : 3);
    for (size_t i = 0; i < number; i++) {
        size_t at = number_below(random, *count);
        taken[i] = nodes[at];
        nodes[at] = nodes[--*count];
        add_partial(&sources, &taken[i]);
        if (number_below(random, 4) == 0)
            add_partial(&sources, &taken[i]);
    }
    nodes[(*count)++] = partial_of(&sources, NULL);
    for (size_t i = 0; i < number; i++)
        memory_file_close(&taken[i]);
}

static struct memory_file grow(const struct run *runs, size_t count, uint64_t *random)
{
    struct memory_file nodes[MOST_RUNS];
    size_t left = 0;
    for (size_t first = 0; first < count;) {
        size_t number = 1 + number_below(random, count - first);
        struct sources sources = {.count = 0};
        for (size_t i = first; i < first + number; i++)
            add_run(&sources, &runs[i], i);
        nodes[left++] = partial_of(&sources, NULL);
        first += number;
    }
    while (left > 1)
        join(nodes, &left, random);
    return nodes[0];
}

/* ---- an ordinary merge ---- */

static bool has_pair(const uint64_t *pairs, size_t count, uint64_t value, uint64_t times)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[2 * i] == value && pairs[2 * i + 1] == times)
            return true;
    return false;
}

/*
 * Both have the same values, where there was always room in the ordinary one. (Where there was none its total is no guide: libgcov
 * adds to a negative one as to any other.)
 */
static void compare_list(const uint64_t *one, const uint64_t *other)
{
    if (one[1] == AN_TOP_MOST)
        return;
    assert_int_equal(one[0], other[0]);
    assert_int_equal(one[1], other[1]);
    for (size_t i = 0; i < one[1]; i++) {
        assert_true(has_pair(other + 2, other[1], one[2 + 2 * i], one[3 + 2 * i]));
        assert_true(i == 0 || other[3 + 2 * i] <= other[1 + 2 * i]);
    }
}

static void compare_counters(const struct an_gcda *one, const struct an_gcda *other, size_t number,
                             size_t its)
{
    const struct an_gcda_counters *first = &one->counters.items[number];
    const struct an_gcda_counters *second = &other->counters.items[its];
    enum an_gcc_rule rule = an_gcda_rule(one, first);
    const uint64_t *values = one->values.items + first->first;
    const uint64_t *others = other->values.items + second->first;
    assert_int_equal(first->kind, second->kind);
    assert_int_equal(first->are_zero, second->are_zero);
    if (first->are_zero)
        return;
    if (rule == AN_GCC_TOP) {
        assert_int_equal(first->places, second->places);
        for (uint32_t i = 0; i < first->places; i++) {
            compare_list(values, others);
            values += 2 + 2 * values[1];
            others += 2 + 2 * others[1];
        }
        return;
    }
    assert_int_equal(first->count, second->count);
    for (size_t i = 0; rule < AN_GCC_TOP && i < first->count; i++)
        assert_int_equal(values[i], others[i]);
    for (size_t i = 0; rule == AN_GCC_SINGLE && i < first->count; i += 3)
        assert_int_equal(values[i + 2], others[i + 2]);
    for (size_t i = 0; rule == AN_GCC_FOUR && i < first->count; i += 9)
        if (has_pair(values + i + 1, 4, 0, 0))
            for (size_t k = 1; k < 9; k += 2)
                assert_true(has_pair(others + i + 1, 4, values[i + k], values[i + k + 1]));
}

static void compare_files(struct an_bytes one, struct an_bytes other)
{
    struct an_gcda first, second;
    struct an_error error;
    assert_int_equal(an_gcda_read(&first, one, &error), AN_OK);
    assert_int_equal(an_gcda_read(&second, other, &error), AN_OK);
    assert_int_equal(first.runs, second.runs);
    assert_int_equal(first.sum_max, second.sum_max);
    assert_int_equal(first.programs.count, second.programs.count);
    assert_int_equal(first.functions.count, second.functions.count);
    for (size_t i = 0; i < first.functions.count; i++) {
        const struct an_gcda_function *own = &first.functions.items[i];
        const struct an_gcda_function *its = &second.functions.items[i];
        assert_int_equal(own->is_present, its->is_present);
        assert_int_equal(own->kinds, its->kinds);
        for (unsigned k = 0; k < own->kinds; k++)
            compare_counters(&first, &second, own->first + k, its->first + k);
    }
    an_gcda_free(&first);
    an_gcda_free(&second);
}

static void compare_with_plain(const struct run *runs, size_t count, const struct memory_file *tree)
{
    const struct an_gcc_merge_options options = {.size = sizeof options};
    struct an_gcc_input inputs[MODULES * MOST_RUNS];
    struct sources sources = {.count = 0};
    struct an_gcc_merged *merged;
    struct an_ledger *ledger;
    struct an_error error;
    size_t number = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < MODULES; k++)
            if (runs[i].has[k])
                inputs[number++] =
                    (struct an_gcc_input){.path = runs[i].files[k].path, .weight = 1, .module = k};
    assert_int_equal(an_gcc_merge(&options, inputs, number, MODULES, &merged, &ledger, &error),
                     AN_OK);
    an_ledger_free(ledger);
    add_partial(&sources, tree);
    struct an_gcc_sum *sum = sum_of(&sources, false, NULL, &ledger);
    static const unsigned by_name[MODULES] = {1, 0, 2};
    for (unsigned k = 0; k < MODULES; k++) {
        const struct an_gcc_merged *plain = &merged[by_name[k]];
        void *bytes;
        size_t size, length;
        if (!plain->bytes)
            continue;
        const char *name = an_gcc_sum_name(sum, at, &length);
        assert_int_equal(length, strlen(names[by_name[k]]));
        assert_memory_equal(name, names[by_name[k]], length);
        assert_int_equal(an_gcc_sum_inputs(sum, at), plain->inputs);
        assert_int_equal(an_gcc_sum_write(sum, at++, &bytes, &size, &error), AN_OK);
        compare_files((struct an_bytes){plain->bytes, plain->size}, (struct an_bytes){bytes, size});
        free(bytes);
    }
    assert_int_equal(at, an_gcc_sum_modules(sum));
    an_gcc_sum_free(sum);
    an_ledger_free(ledger);
    an_gcc_merged_free(merged, MODULES);
}

static void one_tree(uint64_t *random)
{
    const struct origin *origin = &origins[number_below(random, ORIGINS)];
    struct run runs[MOST_RUNS];
    struct sources all = {.count = 0}, last = {.count = 0};
    size_t count = 1 + number_below(random, MOST_RUNS), used, files;
    bool has_builds = number_below(random, 3) == 0, are_mixed = false;
    for (size_t i = 0; i < count; i++) {
        runs[i] = make_run(origin, has_builds && number_below(random, 3) == 0, random);
        are_mixed = are_mixed || runs[i].is_other_build != runs[0].is_other_build;
        add_run(&all, &runs[i], i);
    }
    files = all.count;
    if (number_below(random, 3) == 0)
        add_run(&all, &runs[0], count); /* again */
    struct memory_file flat = partial_of(&all, &used);
    assert_int_equal(used, files);
    struct memory_file tree = grow(runs, count, random);
    expect_same_files(&flat, &tree);

    struct an_buffer direct = finished(&all);
    add_partial(&last, &tree);
    struct an_buffer from_tree = finished(&last);
    assert_int_equal(direct.size, from_tree.size);
    assert_memory_equal(direct.data, from_tree.data, direct.size);
    if (!are_mixed)
        compare_with_plain(runs, count, &tree);
    an_buffer_free(&direct);
    an_buffer_free(&from_tree);
    memory_file_close(&flat);
    memory_file_close(&tree);
    for (size_t i = 0; i < count; i++)
        close_run(&runs[i]);
}

static void trees(void **state)
{
    uint64_t random = 0x9e3779b97f4a7c15u;
    (void)state;
    for (int i = 0; i < 400; i++)
        one_tree(&random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),
    };
    return RUN_TESTS(tests);
}
