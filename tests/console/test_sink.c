/* Writing what was found: where to, and where not to. */
#include <anneal/console.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

static char folder[64];

static struct an_console_file make(const char *name, const char *content)
{
    return (struct an_console_file){.name = name,
                                    .bytes = content,
                                    .size = strlen(content),
                                    .mode = 0644,
                                    .core = -1,
                                    .status = AN_CONSOLE_UNVERIFIED,
                                    .copies = 1};
}

static enum an_console_outcome put(const struct an_console_file *file, bool force,
                                   struct an_error *error)
{
    char path[256];
    const struct an_console_sink sink = {.directory = folder, .force = force};
    return an_console_write(file, &sink, path, sizeof path, error);
}

static void expect_content(const char *name, const char *content)
{
    char path[256], text[256] = "";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    check(file, "no %s", path);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_int_equal(size, strlen(content));
    assert_string_equal(text, content);
}

static unsigned mode_of(const char *name)
{
    char path[256];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void test_names(void **context)
{
    static const char *const good[] = {"f",   "a/b/c",    "./d",       "a//e",
                                       "..f", "a/..b/c.", "with blank"};
    static const char *const bad[] = {"/f",   "../f",  "a/../f", "..",       "a/..", "",
                                      "a/b/", "C:\\f", "\\f",    "a\x1b[2J", "a\nb"};
    struct an_error error;
    (void)context;
    char above[256];
    snprintf(above, sizeof above, "%s/../f", folder);
    bool was_there = access(above, F_OK) == 0; /* somebody else's */
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const struct an_console_file file = make(good[i], "x");
        check(put(&file, false, &error) == AN_CONSOLE_WRITTEN, "%s: %s", good[i], error.what);
        expect_content(good[i], "x");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct an_console_file file = make(bad[i], "x");
        check(put(&file, true, &error) == AN_CONSOLE_REFUSED, "%s", bad[i]);
        assert_true(error.what[0]);
    }
    assert_true(was_there || access(above, F_OK) != 0);
}

static void test_long_names(void **context)
{
    char name[3000];
    struct an_error error;
    (void)context;
    for (size_t size = 200; size < sizeof name; size += 100) {
        memset(name, 'n', size);
        for (size_t i = 50; i < size; i += 50)
            name[i] = size % 200 ? '/' : 'n';
        name[size - 1] = 'n';
        name[size] = '\0';
        const struct an_console_file file = make(name, "x");
        enum an_console_outcome outcome = put(&file, false, &error);
        assert_true(outcome == AN_CONSOLE_WRITTEN || outcome == AN_CONSOLE_REFUSED);
    }
}

static void test_links(void **context)
{
    char path[256];
    struct an_error error;
    (void)context;
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(symlink("/tmp", path), 0);
    const struct an_console_file through = make("out/anneal-must-not-be", "x");
    assert_int_equal(put(&through, true, &error), AN_CONSOLE_REFUSED);
    assert_int_equal(access("/tmp/anneal-must-not-be", F_OK), -1);
    snprintf(path, sizeof path, "%s/link", folder);
    assert_int_equal(symlink("f", path), 0);
    const struct an_console_file over = make("link", "y");
    assert_int_equal(put(&over, true, &error), AN_CONSOLE_REFUSED);
    expect_content("f", "x");
    const struct an_console_file below = make("f/g", "y");
    assert_int_equal(put(&below, true, &error), AN_CONSOLE_REFUSED);
    const struct an_console_file upon = make("a", "y");
    assert_int_equal(put(&upon, true, &error), AN_CONSOLE_REFUSED);
}

static void test_kept(void **context)
{
    struct an_error error;
    (void)context;
    const struct an_console_file one = make("kept", "one"), other = make("kept", "other");
    assert_int_equal(put(&one, false, &error), AN_CONSOLE_WRITTEN);
    assert_int_equal(put(&one, false, &error), AN_CONSOLE_SAME);
    assert_int_equal(put(&other, false, &error), AN_CONSOLE_REFUSED);
    assert_non_null(strstr(error.hint, "--force"));
    expect_content("kept", "one");
    assert_int_equal(put(&other, true, &error), AN_CONSOLE_WRITTEN);
    expect_content("kept", "other");
}

static void test_aside(void **context)
{
    struct an_error error;
    (void)context;
    struct an_console_file file = make("torn", "half");
    file.status = AN_CONSOLE_DAMAGED;
    assert_int_equal(put(&file, false, &error), AN_CONSOLE_ASIDE);
    expect_content("torn.partial", "half");
    file.number = 2;
    assert_int_equal(put(&file, false, &error), AN_CONSOLE_ASIDE);
    expect_content("torn.2.partial", "half");
    file.size = 0;
    assert_int_equal(put(&file, false, &error), AN_CONSOLE_NOTHING);
    file = make("whole", "w");
    file.number = 3;
    assert_int_equal(put(&file, false, &error), AN_CONSOLE_WRITTEN);
    expect_content("whole.3", "w");
}

static void test_modes(void **context)
{
    static const struct {
        unsigned sent, is;
    } modes[] = {{0644, 0644},  {0755, 0755}, {0666, 0644}, {04755, 0755},
                 {07777, 0755}, {0, 0600},    {0600, 0600}, {0111, 0600}};
    struct an_error error;
    (void)context;
    mode_t before = umask(022);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char name[16];
        snprintf(name, sizeof name, "mode%zu", i);
        struct an_console_file file = make(name, "x");
        file.mode = modes[i].sent;
        assert_int_equal(put(&file, false, &error), AN_CONSOLE_WRITTEN);
        unsigned expected = modes[i].sent == 0111 ? 0711 : modes[i].is;
        check(mode_of(name) == expected, "%o became %o", modes[i].sent, mode_of(name));
    }
    umask(before);
}

/* Names of streams are absolute, and go below the folder. */
static void test_streams(void **context)
{
    struct an_error error;
    (void)context;
    struct an_console_file file = make("/src/obj/f.gcda", "x");
    file.form = AN_CONSOLE_ZEPHYR;
    assert_int_equal(put(&file, false, &error), AN_CONSOLE_WRITTEN);
    expect_content("src/obj/f.gcda", "x");
    file.name = "/src/../../f";
    assert_int_equal(put(&file, false, &error), AN_CONSOLE_REFUSED);
}

/* Leading parts of names are taken away as patch does it. */
static void test_strip(void **context)
{
    static const struct {
        const char *sent;
        unsigned strip;
        const char *is; /* NULL: refused */
    } names[] = {
        {"s/q1", 1, "q1"},        {"s/q/2", 1, "q/2"},      {"s/q/q3", 2, "q3"},
        {"s//q4", 1, "q4"},       {"/s/q5", 1, "s/q5"},     {"/s/q6", 2, "q6"},
        {"../q7", 1, "q7"},       {"./q8", 1, "q8"},        {"q9", 1, NULL},
        {"s/q10", 2, NULL},       {"s/../q11", 1, NULL},    {"s/", 1, NULL},
        {"s/t/../../q", 1, NULL}, {"s/q12", 4000000, NULL},
    };
    struct an_error error;
    char path[256];
    (void)context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct an_console_file file = make(names[i].sent, names[i].sent);
        const struct an_console_sink sink = {.directory = folder, .strip = names[i].strip};
        check(an_console_write(&file, &sink, path, sizeof path, &error) ==
                  (names[i].is ? AN_CONSOLE_WRITTEN : AN_CONSOLE_REFUSED),
              "%s", names[i].sent);
        if (names[i].is)
            expect_content(names[i].is, names[i].sent);
    }
    struct an_console_file file = make("/src/obj/stripped", "x");
    file.form = AN_CONSOLE_ZEPHYR;
    const struct an_console_sink sink = {.directory = folder, .strip = 2};
    assert_int_equal(an_console_write(&file, &sink, path, sizeof path, &error), AN_CONSOLE_WRITTEN);
    expect_content("stripped", "x");
}

static int make_folder(void **context)
{
    (void)context;
    snprintf(folder, sizeof folder, "/tmp/anneal-sink.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **context)
{
    char command[128];
    (void)context;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),   cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_links),   cmocka_unit_test(test_kept),
        cmocka_unit_test(test_aside),   cmocka_unit_test(test_modes),
        cmocka_unit_test(test_streams), cmocka_unit_test(test_strip),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
