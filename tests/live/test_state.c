/* The state file: what comes back, and what others may have put there. */
#include "live/state.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "live/folder.h"
#include "live/leftovers.h"
#include "support/test.h"

struct place {
    char base[64], folder[PATH_MAX], file[PATH_MAX + 8];
    struct an_target target;
};

static void name_folder(struct place *place)
{
    char name[AN_FOLDER_NAME];
    an_folder_name(place->target.pid, place->target.start, name);
    snprintf(place->folder, sizeof place->folder, "%s/%s", place->base, name);
    snprintf(place->file, sizeof place->file, "%s/state", place->folder);
}

static void make_place(struct place *place)
{
    *place = (struct place){.base = "/tmp/anneal-state-XXXXXX",
                            .target = {.pid = getpid(),
                                       .start = 12345,
                                       .memory = -1,
                                       .bias = 0x555555554000,
                                       .binary = "/usr/bin/a program"}};
    assert_non_null(mkdtemp(place->base));
    assert_int_equal(chmod(place->base, 0711), 0);
    name_folder(place);
}

/* Of this very process: folders of those that have ended may be removed at any time. */
static void make_running_place(struct place *place)
{
    struct an_proc_stat stat;
    make_place(place);
    assert_true(an_proc_stat(getpid(), 0, &stat));
    place->target.start = stat.start;
    name_folder(place);
}

static void remove_place(const struct place *place)
{
    an_leftovers_remove(place->folder);
    assert_int_equal(access(place->folder, F_OK), -1);
    assert_int_equal(rmdir(place->base), 0);
}

static enum an_code open_state(const struct place *place, struct an_state *state,
                               struct an_error *error)
{
    return an_state_open(state, &place->target, place->base, false, error);
}

static void save_two(const struct place *place)
{
    struct an_state state;
    struct an_error error;
    assert_int_equal(open_state(place, &state, &error), AN_OK);
    assert_int_equal(state.generations.count, 0);
    assert_string_equal(state.folder, place->folder);
    for (unsigned i = 0; i < 2; i++) {
        struct an_state_generation *generation = an_vector_push(&state.generations);
        assert_non_null(generation);
        generation->number = i ? 7 : 3;
        strcpy(generation->path, i ? "/var/tmp/with a space/c7" : "/var/tmp/c3");
    }
    assert_int_equal(an_state_save(&state, &place->target, &error), AN_OK);
    an_state_free(&state);
}

static size_t count_of(const struct place *place)
{
    struct an_state state;
    struct an_error error;
    assert_int_equal(open_state(place, &state, &error), AN_OK);
    size_t count = state.generations.count;
    an_state_free(&state);
    return count;
}

static size_t read_text(const struct place *place, char *text, size_t size)
{
    FILE *file = fopen(place->file, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, size - 1, file);
    fclose(file);
    text[length] = '\0';
    return length;
}

static void write_text(const struct place *place, const void *text, size_t size)
{
    FILE *file = fopen(place->file, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void comes_back(void **unused)
{
    (void)unused;
    struct place place;
    struct an_state state;
    struct an_error error;
    struct stat about;
    make_place(&place);
    mode_t before = umask(0077);
    save_two(&place);
    umask(before);
    assert_int_equal(open_state(&place, &state, &error), AN_OK);
    assert_int_equal(state.generations.count, 2);
    assert_int_equal(state.generations.items[0].number, 3);
    assert_string_equal(state.generations.items[0].path, "/var/tmp/c3");
    assert_int_equal(state.generations.items[1].number, 7);
    assert_string_equal(state.generations.items[1].path, "/var/tmp/with a space/c7");
    assert_string_equal(state.binary, "/usr/bin/a program");
    an_state_free(&state);
    assert_int_equal(stat(place.file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(stat(place.folder, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    place.target.start++; /* another process of the same number */
    assert_int_equal(count_of(&place), 0);
    remove_place(&place);
}

static void refuses_another_head(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"", "anneal-live 2\n", "anneal-live 1", "anneal-live 10\n",
                                        "boot x\nanneal-live 1\n"};
    struct place place;
    make_place(&place);
    save_two(&place);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct an_state state;
        struct an_error error;
        write_text(&place, texts[i], strlen(texts[i]));
        enum an_code code = open_state(&place, &state, &error);
        check(code == AN_MALFORMED, "'%s': %d", texts[i], code);
        an_state_free(&state);
    }
    remove_place(&place);
}

/* Processes of the same number and start, before the machine was started again. */
static void forgets_another_boot(void **unused)
{
    (void)unused;
    struct place place;
    char text[1000];
    make_place(&place);
    save_two(&place);
    size_t size = read_text(&place, text, sizeof text);
    char *boot = strstr(text, "\nboot ");
    assert_non_null(boot);
    assert_int_equal(count_of(&place), 2);
    boot[6] = boot[6] == '0' ? '1' : '0';
    write_text(&place, text, size);
    assert_int_equal(count_of(&place), 0);
    memcpy(boot + 1, "toob", 4); /* none at all */
    write_text(&place, text, size);
    assert_int_equal(count_of(&place), 0);
    remove_place(&place);
}

/* Whatever is in the file: good lines count, others do not, nothing is read or written beyond. */
static void survives_hostile_lines(void **unused)
{
    (void)unused;
    struct place place;
    char head[1000];
    make_place(&place);
    save_two(&place);
    read_text(&place, head, sizeof head);
    *strstr(head, "\ngeneration") = '\0';
    static const char *const bad[] = {
        "generation 1 no/slash", "generation /x",        "generation 0 /x",     "generation x /x",
        "generation 1",          "generation 1 ",        "generation",          "generations 1 /x",
        " generation 1 /x",      "generation 1 /a/../b", "generation 1 /a/./b", "generation 1 /..",
        "generation 1 //x",      "generation 1 /a/",     "generation 1 /"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[2000];
        int size = snprintf(text, sizeof text, "%s\n%s\n", head, bad[i]);
        write_text(&place, text, (size_t)size);
        check(count_of(&place) == 0, "'%s'", bad[i]);
        size = snprintf(text, sizeof text, "%s\n%s\ngeneration 5 /y", head, bad[i]);
        write_text(&place, text, (size_t)size);
        check(count_of(&place) == 1, "behind '%s'", bad[i]);
    }
    struct an_state state;
    struct an_error error;
    static char longest[200000];
    int at = snprintf(longest, 2000, "%s\ngeneration 2 /", head);
    memset(longest + at, 'x', sizeof longest - (size_t)at);
    write_text(&place, longest, sizeof longest);
    assert_int_equal(open_state(&place, &state, &error), AN_OK);
    for (size_t i = 0; i < state.generations.count; i++)
        assert_true(strlen(state.generations.items[i].path) < PATH_MAX);
    an_state_free(&state);
    memcpy(longest + 20, "\nbinary ", 8);
    write_text(&place, longest, sizeof longest);
    assert_int_equal(open_state(&place, &state, &error), AN_OK);
    assert_true(strlen(state.binary) < PATH_MAX);
    an_state_free(&state);
    memset(longest + 40, 0, 1000);
    write_text(&place, longest, sizeof longest);
    assert_int_equal(count_of(&place), 0);
    uint64_t seed = 5;
    for (int round = 0; round < 300; round++) {
        char text[1200];
        int size = snprintf(text, sizeof text, "%s\ngeneration 4 /z\n", head);
        for (int i = 0; i < 4; i++)
            text[14 + number_below(&seed, (uint64_t)size - 14)] = (char)next_number(&seed);
        write_text(&place, text, (size_t)size);
        assert_true(count_of(&place) <= 4);
    }
    remove_place(&place);
}

/* A folder has one name, however it was called, and whatever the working directory is later. */
static void has_one_name(void **unused)
{
    (void)unused;
    struct place place;
    struct an_state state;
    struct an_error error;
    char around[256], before[PATH_MAX];
    make_place(&place);
    save_two(&place);
    snprintf(around, sizeof around, "%s/../%.60s", place.base, place.base + strlen("/tmp/"));
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(place.base), 0);
    const char *const names[] = {".", around, place.base};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(an_state_open(&state, &place.target, names[i], false, &error), AN_OK);
        assert_string_equal(state.folder, place.folder);
        assert_int_equal(state.generations.count, 2);
        an_state_free(&state);
    }
    assert_int_equal(an_state_open(&state, &place.target, "new", false, &error), AN_OK);
    check(strncmp(state.folder, place.base, strlen(place.base)) == 0, "%s", state.folder);
    an_state_free(&state);
    assert_int_equal(chdir(before), 0);
    remove_place(&place);
}

/* One at a time; who only looks is none. A folder that was made for the lock goes with it. */
static void is_locked_once(void **unused)
{
    (void)unused;
    struct place place;
    struct an_state one, other;
    struct an_error error;
    make_running_place(&place);
    assert_int_equal(an_state_open(&one, &place.target, place.base, true, &error), AN_OK);
    assert_int_equal(access(place.folder, F_OK), 0);
    assert_int_equal(an_state_open(&other, &place.target, place.base, true, &error), AN_SYSTEM);
    assert_non_null(strstr(error.what, "another anneal"));
    an_state_free(&other);
    assert_int_equal(open_state(&place, &other, &error), AN_OK);
    an_state_free(&other);
    an_state_free(&one);
    assert_int_equal(access(place.folder, F_OK), -1);
    save_two(&place);
    assert_int_equal(an_state_open(&one, &place.target, place.base, true, &error), AN_OK);
    assert_int_equal(one.generations.count, 2);
    an_state_free(&one);
    assert_int_equal(count_of(&place), 2);
    remove_place(&place);
}

/* What others could have written is not read, and nothing is written there. */
static void trusts_no_open_folder(void **unused)
{
    (void)unused;
    struct place place;
    struct an_state state;
    struct an_error error;
    make_place(&place);
    save_two(&place);
    assert_int_equal(count_of(&place), 2);
    static const mode_t modes[] = {0777, 0730, 0702};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(chmod(place.folder, modes[i]), 0);
        check(count_of(&place) == 0, "mode %o", (unsigned)modes[i]);
        assert_int_equal(open_state(&place, &state, &error), AN_OK);
        check(an_state_save(&state, &place.target, &error) != AN_OK, "mode %o", (unsigned)modes[i]);
        an_state_free(&state);
    }
    assert_int_equal(chmod(place.folder, 0711), 0);
    assert_int_equal(count_of(&place), 2);
    char aside[PATH_MAX + 16];
    snprintf(aside, sizeof aside, "%s-aside", place.folder);
    assert_int_equal(rename(place.folder, aside), 0);
    assert_int_equal(symlink(aside, place.folder), 0);
    assert_int_equal(count_of(&place), 0);
    assert_int_equal(unlink(place.folder), 0);
    assert_int_equal(rename(aside, place.folder), 0);
    snprintf(aside, sizeof aside, "%s/other", place.folder);
    assert_int_equal(rename(place.file, aside), 0);
    assert_int_equal(symlink(aside, place.file), 0);
    assert_int_equal(count_of(&place), 0);
    remove_place(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(refuses_another_head),
        cmocka_unit_test(forgets_another_boot),
        cmocka_unit_test(survives_hostile_lines),
        cmocka_unit_test(has_one_name),
        cmocka_unit_test(is_locked_once),
        cmocka_unit_test(trusts_no_open_folder),
    };
    return RUN_TESTS(tests);
}
