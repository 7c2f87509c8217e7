/* lib/fdo/arguments and response: what compilers' command lines say; and unit: what GCC calls that. */
#include "fdo/arguments.h"

#include <unistd.h>

#include "fdo/response.h"
#include "fdo/unit.h"
#include "support/test.h"

enum { MOST_WORDS = 16 };

/* Cuts a command line at its spaces and reads it. */
static void read_line(struct an_fdo_arguments *arguments, const char *line)
{
    static char text[256];
    char *words[MOST_WORDS], *rest = NULL;
    size_t count = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    assert_true(an_fdo_arguments_read(arguments, count, words));
}

static void jobs(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum an_fdo_job job;
        size_t sources;
    } lines[] = {
        {"", AN_FDO_NOTHING, 0},
        {"-O2", AN_FDO_NOTHING, 0},
        {"-v", AN_FDO_NOTHING, 0},
        {"-c a.c", AN_FDO_COMPILES, 1},
        {"-S a.cpp", AN_FDO_COMPILES, 1},
        {"-c a.i b.ii c.f90", AN_FDO_COMPILES, 3},
        {"-c a.s", AN_FDO_NOTHING, 0},
        {"-c a.S", AN_FDO_NOTHING, 0},
        {"-c -x assembler a.c", AN_FDO_NOTHING, 0},
        {"-c -xc a.s", AN_FDO_COMPILES, 1},
        {"-c -x c -", AN_FDO_NOTHING, 1},
        {"a.h", AN_FDO_NOTHING, 0},
        {"-E a.c", AN_FDO_NOTHING, 1},
        {"-c -MD -MF a.d a.c", AN_FDO_COMPILES, 1},
        {"-MM a.c", AN_FDO_NOTHING, 1},
        {"-print-prog-name=ld", AN_FDO_NOTHING, 0},
        {"a.o -o a", AN_FDO_LINKS, 0},
        {"a.o b.a -lm -L . -Wl,-x", AN_FDO_LINKS, 0},
        {"a.c b.o -o a", AN_FDO_BOTH, 1},
        {"-shared a.o -o a.so", AN_FDO_LINKS, 0},
        {"-shared -nostdlib crti.o a.o -o a.so", AN_FDO_LINKS, 0},
        /* Arguments of options are no inputs. */
        {"-include a.c -c b.c", AN_FDO_COMPILES, 1},
        {"-Xlinker a.c -T b.c c.o", AN_FDO_LINKS, 0},
        {"-o a.c -c b.c", AN_FDO_COMPILES, 1},
        {"-oa.c -c b.c", AN_FDO_COMPILES, 1},
        {"-D a.c -mllvm b.c -c c.c", AN_FDO_COMPILES, 1},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct an_fdo_arguments arguments;
        read_line(&arguments, lines[i].line);
        if (arguments.job != lines[i].job || arguments.sources.count != lines[i].sources)
            fail_msg("%s: job %d, %zu sources", lines[i].line, (int)arguments.job,
                     arguments.sources.count);
        an_fdo_arguments_free(&arguments);
    }
}

static void alone(void **state)
{
    (void)state;
    static const struct {
        const char *line, *target;
        bool is_alone;
    } lines[] = {
        {"-c a.c", NULL, false},
        {"-nostdlib a.o -o a", NULL, true},
        {"-shared -nostdlib crti.o a.o -o a.so", NULL, false},
        {"-ffreestanding -c a.c --target=arm-none-eabi", "arm-none-eabi", true},
        {"-r a.o b.o -o c.o", NULL, true},
        {"-target riscv64 -c a.c", "riscv64", false},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct an_fdo_arguments arguments;
        read_line(&arguments, lines[i].line);
        assert_int_equal(arguments.is_alone, lines[i].is_alone);
        assert_true(!arguments.target == !lines[i].target);
        if (arguments.target)
            assert_string_equal(arguments.target, lines[i].target);
        an_fdo_arguments_free(&arguments);
    }
}

static void response_files(void **state)
{
    (void)state;
    static const char text[] =
        "-c 'one file.c'\n\"an\\\"other\".c \\ third.c\t''x\\\\ @missing.rsp";
    static const char *const expected[] = {"-c",  "one file.c",   "an\"other.c", " third.c",
                                           "x\\", "@missing.rsp", "last"};
    char path[] = "/tmp/anneal-rsp.XXXXXX", word[64];
    int file = mkstemp(path);
    assert_true(write(file, text, sizeof text - 1) == sizeof text - 1);
    close(file);
    snprintf(word, sizeof word, "@%s", path);
    char last[] = "last";
    char *words[] = {word, last};
    struct an_fdo_words all = {0};
    struct an_arena arena = {0};
    assert_true(an_fdo_expand(&all, &arena, 2, words));
    assert_int_equal(all.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < all.count; i++)
        assert_string_equal(all.items[i], expected[i]);
    an_vector_free(&all);
    an_arena_free(&arena);
    unlink(path);
}

/* A file that names itself ends. */
static void endless_response(void **state)
{
    (void)state;
    char path[] = "/tmp/anneal-rsp.XXXXXX", word[64];
    int file = mkstemp(path);
    snprintf(word, sizeof word, "@%s", path);
    assert_true(write(file, word, strlen(word)) == (ssize_t)strlen(word));
    close(file);
    char *words[] = {word};
    struct an_fdo_words all = {0};
    struct an_arena arena = {0};
    assert_true(an_fdo_expand(&all, &arena, 1, words));
    assert_int_equal(all.count, 1);
    assert_string_equal(all.items[0], word);
    an_vector_free(&all);
    an_arena_free(&arena);
    unlink(path);
}

/* test_cc.sh compares these with what GCC makes. */
static void units(void **state)
{
    (void)state;
    static const struct {
        const char *line, *gcda;
    } lines[] = {
        {"-c a.c", "#w#a.gcda"},
        {"-c ../x/a.test.c", "#w#a.test.gcda"},
        {"-c a.c -o b/c.o", "#w#b#c.gcda"},
        {"-c a.c -o b/a.c.o", "#w#b#a.c.gcda"},
        {"-c a.c -o ../b/./a.o", "#w#^#b#.#a.gcda"},
        {"-c a.c -o /b/a.o", "/b/a.gcda"},
        {"-c a.c -o b/.hidden", "#w#b#.hidden.gcda"},
        {"b.c", "#w#a-b.gcda"},
        {"a.c", "#w#a.gcda"},
        {"a.c -o p", "#w#p-a.gcda"},
        {"x/a.c -o b/a -lm", "#w#b#a.gcda"},
        {"a.c -o a.exe", "#w#a.gcda"},
        {"a.c b.c -o a", "#w#a-a.gcda"},
        {"a.c b.o -o a", "#w#a-a.gcda"},
        {"x/a.c -o b/p.exe", "#w#b#p-a.gcda"},
        {"-shared a.c -o liba.so.1", "#w#liba.so.1-a.gcda"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct an_fdo_arguments arguments;
        struct an_fdo_unit unit;
        char gcda[PATH_MAX];
        read_line(&arguments, lines[i].line);
        assert_true(an_fdo_unit_of(&unit, &arguments, arguments.sources.items, "/w"));
        assert_true(an_fdo_unit_gcda(&unit, gcda));
        assert_string_equal(gcda, lines[i].gcda);
        an_fdo_arguments_free(&arguments);
    }
}

static void check_library(const struct an_fdo_arguments *arguments, size_t number, const char *name,
                          bool is_static)
{
    assert_string_equal(arguments->libraries.items[number].name, name);
    assert_int_equal(arguments->libraries.items[number].is_static, is_static);
}

/* Libraries by their names, and the folders that they are looked for in; words joined and apart. */
static void libraries(void **state)
{
    (void)state;
    struct an_fdo_arguments arguments;
    read_line(&arguments, "a.o -Lone -lx -L two -l y -Wl,-Bstatic -l:z.a -Wl,-Bdynamic -lw -l");
    assert_int_equal(arguments.link_folders.count, 2);
    assert_string_equal(arguments.link_folders.items[0], "one");
    assert_string_equal(arguments.link_folders.items[1], "two");
    assert_int_equal(arguments.libraries.count, 4);
    check_library(&arguments, 0, "x", false);
    check_library(&arguments, 1, "y", false);
    check_library(&arguments, 2, ":z.a", true);
    check_library(&arguments, 3, "w", false);
    assert_int_equal(arguments.linked.count, 1);
    an_fdo_arguments_free(&arguments);
    read_line(&arguments, "-static a.o -lx");
    check_library(&arguments, 0, "x", true);
    an_fdo_arguments_free(&arguments);
}

/* What is linked is in its order; words for counters of the project's own are known by their kinds. */
static void linked(void **state)
{
    (void)state;
    struct an_fdo_arguments arguments;
    read_line(&arguments, "-L a.o b.o c.c -x none d.a -o e.o -lf.a g.so");
    assert_int_equal(arguments.linked.count, 3);
    assert_string_equal(arguments.linked.items[0], "b.o");
    assert_string_equal(arguments.linked.items[1], "d.a");
    assert_string_equal(arguments.linked.items[2], "g.so");
    assert_null(arguments.counters);
    an_fdo_arguments_free(&arguments);
    read_line(&arguments, "-fprofile-generate=x a.o");
    assert_string_equal(arguments.counters, "-fprofile-generate=x");
    assert_null(arguments.coverage);
    an_fdo_arguments_free(&arguments);
    read_line(&arguments, "--coverage a.o");
    assert_string_equal(arguments.counters, "--coverage");
    assert_string_equal(arguments.coverage, "--coverage");
    an_fdo_arguments_free(&arguments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs),           cmocka_unit_test(linked),
        cmocka_unit_test(libraries),      cmocka_unit_test(alone),
        cmocka_unit_test(response_files), cmocka_unit_test(endless_response),
        cmocka_unit_test(units),
    };
    return RUN_TESTS(tests);
}
