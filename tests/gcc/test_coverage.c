/*
 * Coverage from files: of several runs, of versions of GCC and of clang, and with files that are missing, torn or
 * of another compilation; names of sources. tests/cli/test_gcov.sh compares counts with gcov's.
 */
#include <anneal/coverage.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "gcc/sources.h"
#include "support/test.h"

static const char *path_of(const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", GCC_CORPUS, name);
    return path;
}

static struct an_coverage *read_objects(const struct an_coverage_options *options,
                                        const struct an_coverage_input *inputs, size_t count,
                                        struct an_ledger **ledger)
{
    struct an_coverage *coverage;
    struct an_error error;
    check(an_coverage_read(options, inputs, count, &coverage, ledger, &error) == AN_OK, "%s",
          error.what);
    return coverage;
}

static const struct an_coverage_function *find(const struct an_coverage *coverage, const char *name)
{
    for (size_t i = 0; i < coverage->source_count; i++)
        for (size_t k = 0; k < coverage->sources[i].function_count; k++)
            if (strcmp(coverage->sources[i].functions[k].name, name) == 0)
                return &coverage->sources[i].functions[k];
    print_error("no function %s\n", name);
    fail();
    return NULL;
}

/* The same program, whatever compiled it: three runs, one by one and merged, come to the same. */
static void test_runs_add_up(void **context)
{
    static const char *const folders[] = {"gcc-9",  "gcc-10", "gcc-11", "gcc-12", "gcc-12-s390x",
                                          "gcc-13", "gcc-14", "gcc-15", "gcc-16"};
    const struct an_coverage_options options = {.size = sizeof options, .threads = 1};
    (void)context;
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++) {
        char gcno[600], runs[3][600], all[600];
        const char *gcda[] = {runs[0], runs[1], runs[2]}, *merged[] = {all};
        struct an_ledger *ledger, *other_ledger;
        snprintf(gcno, sizeof gcno, "%s/%s/values.gcno", GCC_CORPUS, folders[i]);
        snprintf(all, sizeof all, "%s/%s/values-all.gcda", GCC_CORPUS, folders[i]);
        for (unsigned k = 0; k < 3; k++)
            snprintf(runs[k], sizeof runs[k], "%s/%s/values-%u.gcda", GCC_CORPUS, folders[i],
                     k + 1);
        struct an_coverage *one =
            read_objects(&options, &(struct an_coverage_input){gcno, gcda, 3}, 1, &ledger);
        struct an_coverage *other =
            read_objects(&options, &(struct an_coverage_input){gcno, merged, 1}, 1, &other_ledger);
        check(ledger->used == 4 && other_ledger->used == 2, "%s: %zu used", folders[i],
              ledger->used);
        check(one->runs == 3 && other->runs == 3, "%s: %ju runs", folders[i], (uintmax_t)one->runs);
        assert_int_equal(find(one, "main")->count, 3);
        assert_int_equal(find(other, "main")->count, 3);
        assert_memory_equal(&one->totals, &other->totals, sizeof one->totals);
        assert_true(one->totals.lines_executed > 10);
        an_coverage_free(one);
        an_coverage_free(other);
        an_ledger_free(ledger);
        an_ledger_free(other_ledger);
    }
}

/* clang's of the same time as GCC 4.8: its files have no last lines of functions. */
static void test_clang(void **context)
{
    (void)context;
    const char *gcda[] = {path_of("clang-19/flow-408-1.gcda"), path_of("clang-19/flow-408-2.gcda")};
    const struct an_coverage_input input = {path_of("clang-19/flow-408.gcno"), gcda, 2};
    struct an_ledger *ledger;
    struct an_coverage *coverage = read_objects(
        &(struct an_coverage_options){.size = sizeof(struct an_coverage_options), .threads = 2},
        &input, 1, &ledger);
    assert_int_equal(ledger->used, 3);
    assert_int_equal(find(coverage, "main")->count, 2);
    assert_true(find(coverage, "main")->last_line > find(coverage, "main")->line);
    an_coverage_free(coverage);
    an_ledger_free(ledger);
}

static void test_rejected(void **context)
{
    (void)context;
    const char *gcda[] = {path_of("gcc-12/right-a.gcda"), path_of("gcc-11/values-1.gcda"),
                          path_of("gcc-12/none.gcda"), path_of("gcc-12/values.gcno")};
    const struct an_coverage_input inputs[] = {{path_of("gcc-12/values.gcno"), gcda, 4},
                                               {path_of("gcc-12/values-1.gcda"), NULL, 0},
                                               {path_of("none.gcno"), gcda, 1}};
    struct an_ledger *ledger;
    struct an_coverage *coverage = read_objects(
        &(struct an_coverage_options){.size = sizeof(struct an_coverage_options), .threads = 1},
        inputs, 3, &ledger);
    assert_int_equal(ledger->count, 8);
    assert_int_equal(ledger->used, 1);
    assert_int_equal(ledger->rejected, 7);
    assert_int_equal(ledger->entries[1].error->code, AN_MISMATCH);
    assert_non_null(strstr(ledger->entries[1].error->what, "its stamp"));
    assert_int_equal(ledger->entries[3].error->code, AN_SYSTEM);
    assert_int_equal(ledger->entries[4].error->code, AN_MALFORMED);
    assert_int_equal(coverage->object_count, 3);
    assert_false(coverage->objects[0].has_data);
    assert_int_equal(coverage->objects[1].function_count, 0);
    assert_string_equal(coverage->objects[2].folder, "");
    assert_int_equal(find(coverage, "main")->count, 0);
    assert_int_equal(coverage->totals.lines_executed, 0);
    assert_true(coverage->totals.lines > 10);
    an_coverage_free(coverage);
    an_ledger_free(ledger);
}

static void test_nothing(void **context)
{
    struct an_ledger *ledger;
    (void)context;
    struct an_coverage *coverage = read_objects(
        &(struct an_coverage_options){.size = sizeof(struct an_coverage_options), .threads = 0},
        NULL, 0, &ledger);
    assert_int_equal(coverage->source_count + coverage->function_count + ledger->count, 0);
    an_coverage_free(coverage);
    an_ledger_free(ledger);
}

/* The counts of a function that changed: the whole file is rejected, and the function is told. */
static void test_misfit(void **context)
{
    enum {
        FLOW_SUM = 16 + 16 + 4 * 4
    }; /* behind header, summary, and what else the first function has */
    struct an_file file = {.capacity = 0};
    struct an_error error;
    char path[] = "/tmp/test-coverage.XXXXXX";
    (void)context;
    assert_int_equal(an_file_load(&file, path_of("gcc-12/values-1.gcda"), &error), AN_OK);
    int fd = mkstemp(path);
    uint8_t *bytes = (uint8_t *)file.bytes.data;
    bytes[FLOW_SUM] ^= 1;
    assert_int_equal(write(fd, bytes, file.bytes.size), file.bytes.size);
    close(fd);
    const char *gcda[] = {path};
    const struct an_coverage_input input = {path_of("gcc-12/values.gcno"), gcda, 1};
    struct an_ledger *ledger;
    struct an_coverage *coverage = read_objects(
        &(struct an_coverage_options){.size = sizeof(struct an_coverage_options), .threads = 1},
        &input, 1, &ledger);
    unlink(path);
    assert_int_equal(ledger->entries[1].status, AN_INPUT_REJECTED);
    assert_non_null(strstr(ledger->entries[1].error->what, "has other checksums"));
    assert_non_null(coverage->objects[0].misfit);
    find(coverage, coverage->objects[0].misfit);
    assert_int_equal(coverage->totals.lines_executed, 0);
    an_coverage_free(coverage);
    an_ledger_free(ledger);
    an_file_close(&file);
}

/* ---- names ---- */

static size_t number(struct an_source_names *sources, const char *called, const char *folder)
{
    return an_source_number(sources, called, &(struct an_source_base){.folder = folder});
}

static void test_names(void **context)
{
    struct an_source_names sources = {.folder = "/srv/project"};
    (void)context;
    assert_int_equal(number(&sources, "main.c", "/srv/project"), 0);
    assert_int_equal(number(&sources, "main.c", "/srv/other"), 1);
    assert_int_equal(number(&sources, "./main.c", "/srv/project"), 0);
    assert_int_equal(number(&sources, "/srv/other/main.c", "/"), 1);
    assert_int_equal(number(&sources, "main.c", ""), 2);
    assert_string_equal(sources.items.items[0].name, "main.c");
    assert_string_equal(sources.items.items[0].path, "/srv/project/main.c");
    assert_string_equal(sources.items.items[1].name, "/srv/other/main.c");
    an_source_names_free(&sources);
    sources = (struct an_source_names){.by_name = true};
    assert_int_equal(number(&sources, "main.c", "/srv/project"), 0);
    assert_int_equal(number(&sources, "./main.c", "/srv/other"), 0);
    assert_string_equal(sources.items.items[0].path, "main.c");
    an_source_names_free(&sources);
}

/* What was found nowhere has the name that the compiler gave it, unless it is that of two. */
static void test_unknown_places(void **context)
{
    const struct an_source_base one = {"/nowhere/one", true, false},
                                two = {"/nowhere/two", true, false};
    struct an_source_names sources = {.folder = "/nowhere"};
    (void)context;
    assert_int_equal(an_source_number(&sources, "util.c", &one), 0);
    assert_int_equal(an_source_number(&sources, "util.c", &two), 1);
    assert_int_equal(an_source_number(&sources, "../src/main.c", &two), 2);
    assert_int_equal(an_source_number(&sources, "<built-in>", &one), 3);
    assert_int_equal(an_source_number(&sources, "<built-in>", &two), 3);
    assert_true(an_source_names_finish(&sources));
    assert_string_equal(sources.items.items[0].name, "one/util.c");
    assert_string_equal(sources.items.items[1].name, "two/util.c");
    assert_string_equal(sources.items.items[2].name, "../src/main.c");
    assert_string_equal(sources.items.items[3].name, "<built-in>");
    an_source_names_free(&sources);
}

/* The first that fits counts, and "/" fits whatever is not relative. */
static void test_first_map(void **context)
{
    const struct an_coverage_map maps[] = {
        {"/usr/src", "/one"}, {"/usr/src/old", "/two"}, {"/", "/new"}};
    const struct an_source_base base = {.folder = "/srv"}, unknown = {.folder = ""};
    struct an_source_names sources = {.folder = "/here", .maps = maps, .map_count = 3};
    (void)context;
    assert_int_equal(an_source_number(&sources, "/usr/src/old/main.c", &base), 0);
    assert_int_equal(an_source_number(&sources, "/usr/main.c", &base), 1);
    assert_int_equal(an_source_number(&sources, "main.c", &base), 2);
    assert_int_equal(an_source_number(&sources, "main.c", &unknown), 3);
    assert_string_equal(sources.items.items[0].path, "/one/old/main.c");
    assert_string_equal(sources.items.items[1].path, "/new/usr/main.c");
    assert_string_equal(sources.items.items[2].path, "/new/srv/main.c");
    assert_string_equal(sources.items.items[3].path, "main.c");
    assert_string_equal(an_source_mapped(&sources, ""), "");
    an_source_names_free(&sources);
}

static void test_maps(void **context)
{
    const struct an_coverage_map maps[] = {{"/usr/src/old/", "new"}, {"../src", "/srv/src"}};
    const struct an_source_base base = {.folder = "/usr/src/old"};
    struct an_source_names sources = {.folder = "/here", .maps = maps, .map_count = 2};
    (void)context;
    assert_int_equal(an_source_number(&sources, "main.c", &base), 0);
    assert_int_equal(an_source_number(&sources, "/usr/src/older/main.c", &base), 1);
    assert_int_equal(an_source_number(&sources, "../src/util.c", &base), 2);
    assert_string_equal(sources.items.items[0].path, "/here/new/main.c");
    assert_string_equal(sources.items.items[0].name, "new/main.c");
    assert_string_equal(sources.items.items[1].path, "/usr/src/older/main.c");
    assert_string_equal(sources.items.items[2].path, "/srv/src/util.c");
    an_source_names_free(&sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_add_up),    cmocka_unit_test(test_clang),
        cmocka_unit_test(test_rejected),       cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_misfit),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_unknown_places), cmocka_unit_test(test_maps),
        cmocka_unit_test(test_first_map),
    };
    return RUN_TESTS(tests);
}
