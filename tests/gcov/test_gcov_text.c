/* Coverage as gcov writes it, for callers of the library: where it goes, who ends it, what is missing. */
#include <anneal/gcov.h>

#include <sys/mman.h>
#include <unistd.h>

#include "support/coverage_build.h"
#include "support/test.h"

/* What came, and how often; the piece with this number is refused, 0: none. */
struct kept {
    char text[1 << 16];
    size_t size;
    unsigned pieces, refused;
};

static enum an_code keep(void *context, const void *bytes, size_t size, struct an_error *error)
{
    struct kept *kept = context;
    if (++kept->pieces == kept->refused) {
        *error = (struct an_error){.code = AN_SYSTEM, .what = "refused"};
        return AN_SYSTEM;
    }
    size_t room = sizeof kept->text - 1 - kept->size;
    memcpy(kept->text + kept->size, bytes, size < room ? size : room);
    kept->size += size < room ? size : room;
    kept->text[kept->size] = '\0';
    return AN_OK;
}

/* main.c of the program that never was, with a text of its own so many times. */
static struct an_coverage_source with_text(char path[64], int *file, unsigned times)
{
    struct an_coverage_source source = made_coverage()->sources[MAIN_SOURCE];
    const void *bytes;
    size_t size;
    assert_true(made_text(&source, &bytes, &size));
    *file = memfd_create("source", MFD_CLOEXEC);
    assert_true(*file >= 0);
    while (times--)
        assert_int_equal(write(*file, bytes, size), size);
    snprintf(path, 64, "/proc/self/fd/%d", *file);
    source.path = path;
    return source;
}

static enum an_code annotate(const struct an_coverage_source *source, struct kept *kept,
                             bool *found, struct an_error *error)
{
    const struct an_gcov_text_options options = {.size = sizeof options};
    const struct an_gcov_sink sink = {keep, kept};
    return an_gcov_text(source, "main.c", false, &options, &sink, found, error);
}

static void test_text(void **context)
{
    static const char *const lines[] = {
        "        -:    0:Source:main.c\n", "       40:    3:int main(int argc)\n",
        "    #####:    6:        return usage();\n", "  1234567:   10:    for (;;)\r\n",
        "    =====:   12:    catch_it();\n"};
    (void)context;
    struct kept kept = {.refused = 0};
    struct an_error error;
    char path[64];
    int file;
    bool found = false;
    const struct an_coverage_source source = with_text(path, &file, 1);
    assert_int_equal(annotate(&source, &kept, &found, &error), AN_OK);
    assert_true(found);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        check(strstr(kept.text, lines[i]), "no %sin\n%s", lines[i], kept.text);
    close(file);
}

static void test_no_text(void **context)
{
    (void)context;
    struct kept kept = {.refused = 0};
    struct an_error error;
    bool found = true;
    struct an_coverage_source source = made_coverage()->sources[MAIN_SOURCE];
    source.path = "/nowhere/main.c";
    assert_int_equal(annotate(&source, &kept, &found, &error), AN_OK);
    assert_false(found);
    assert_string_equal(kept.text, "        -:    0:Source:main.c\n");
}

/* A long text comes in pieces; who refuses one gets no more. */
static void test_refused_text(void **context)
{
    (void)context;
    struct kept kept = {.refused = 0};
    struct an_error error;
    char path[64];
    int file;
    bool found;
    const struct an_coverage_source source = with_text(path, &file, 2000);
    assert_int_equal(annotate(&source, &kept, &found, &error), AN_OK);
    check(kept.pieces > 3, "%u", kept.pieces);
    for (unsigned refused = 1; refused <= 3; refused++) {
        kept = (struct kept){.refused = refused};
        assert_int_equal(annotate(&source, &kept, &found, &error), AN_SYSTEM);
        assert_string_equal(error.what, "refused");
        assert_int_equal(kept.pieces, refused);
    }
    close(file);
}

static bool is_main(void *context, const struct an_coverage_source *source)
{
    return source == context;
}

static void test_json(void **context)
{
    (void)context;
    struct kept kept = {.refused = 0};
    struct an_error error;
    const struct an_coverage *coverage = made_coverage();
    const struct an_coverage_source *source = &coverage->sources[MAIN_SOURCE];
    struct an_gcov_json_options options = {
        .size = sizeof options, .takes = is_main, .context = (void *)source, .folder = "/prog"};
    const struct an_gcov_sink sink = {keep, &kept};
    assert_int_equal(an_gcov_json(coverage, &options, &sink, &error), AN_OK);
    char name[300];
    snprintf(name, sizeof name,
             "\"file\": \"%s\"}], \"format_version\": \"1\", "
             "\"current_working_directory\": \"/prog\"}",
             source->name);
    check(strstr(kept.text, name), "no %s in %s", name, kept.text);
    assert_null(strstr(kept.text, "totals"));
    kept = (struct kept){.refused = 1};
    assert_int_equal(an_gcov_json(coverage, &options, &sink, &error), AN_SYSTEM);
    assert_int_equal(kept.pieces, 1);
    options.size = 0;
    assert_int_equal(an_gcov_json(coverage, &options, &sink, &error), AN_USAGE);
}

static void test_ratio(void **context)
{
    (void)context;
    char text[32];
    assert_string_equal(an_gcov_ratio(text, 1, 1000, 0), "1%");
    assert_string_equal(an_gcov_ratio(text, 0, 1000, 0), "0%");
    assert_string_equal(an_gcov_ratio(text, 1, 3, 2), "33.33%");
    assert_string_equal(an_gcov_ratio(text, 1, 0, 2), "0.00%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_no_text),
                                       cmocka_unit_test(test_refused_text),
                                       cmocka_unit_test(test_json), cmocka_unit_test(test_ratio)};
    return RUN_TESTS(tests);
}
