/* What is removed, and what stays: layouts that a process has mapped, and what nobody here can judge. */
#include "live/leftovers.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "live/folder.h"
#include "live/in_use.h"
#include "support/test.h"

enum { NOBODYS = 999999999 }; /* no process has this number */

struct place {
    char base[64], folder[128], layout[160]; /* the folder is that of a process that has ended */
};

static uint64_t own_start(void)
{
    struct an_proc_stat stat;
    assert_true(an_proc_stat(getpid(), 0, &stat));
    return stat.start;
}

static void make_file(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, "layout", 6), 6);
    close(file);
}

/* A folder with a state and a layout in it; the path of the layout. */
static void make_folder(const struct place *place, const char *name, char layout[160])
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", place->base, name);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/%s/state", place->base, name);
    make_file(path);
    snprintf(layout, 160, "%s/%s/c3", place->base, name);
    make_file(layout);
}

static void make_place(struct place *place)
{
    char name[AN_FOLDER_NAME];
    *place = (struct place){.base = "/tmp/anneal-leftovers-XXXXXX"};
    assert_non_null(mkdtemp(place->base));
    an_folder_name(NOBODYS, own_start(), name);
    snprintf(place->folder, sizeof place->folder, "%s/%s", place->base, name);
    make_folder(place, name, place->layout);
}

static void *map(const char *path, int access)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    void *mapped = mmap(NULL, 4096, access, MAP_PRIVATE, file, 0);
    close(file);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    return mapped;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void knows_names(void **unused)
{
    (void)unused;
    struct an_folder folder = {0};
    char name[AN_FOLDER_NAME];
    an_folder_name(17, 4321, name);
    assert_true(an_folder_parse(name, &folder));
    assert_int_equal(folder.pid, 17);
    assert_int_equal(folder.start, 4321);
    assert_true(folder.space > 0);
    assert_int_equal(an_folder_layout("/a/b/5-6-7/c12", &folder), 12);
    assert_int_equal(folder.space, 5);
    assert_int_equal(folder.pid, 6);
    assert_int_equal(folder.start, 7);
    assert_string_equal(an_folder_tail("/a/b/5-6-7/c12"), "5-6-7/c12");
    static const char *const others[] = {"",           "c1",          "/c1",        "5-6-7",
                                         "/5-6-7/c",   "/5-6-7/c0",   "/5-6-7/c1x", "/5-6-7/c1/c2",
                                         "/6-7/c1",    "/5-6-7x/c1",  "/5-6-7/d1",  "/5-0-7/c1",
                                         "/x5-6-7/c1", "/5-6-7/../c1"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check(an_folder_layout(others[i], &folder) == 0, "'%s'", others[i]);
    assert_false(an_folder_parse("6-7", &folder));
    assert_false(an_folder_parse("5-6-7x", &folder));
}

/* The folder goes; a layout that this process has mapped stays until it is unmapped. */
static void keeps_what_is_mapped(void **unused)
{
    (void)unused;
    struct place place;
    char own[200];
    make_place(&place);
    snprintf(own, sizeof own, "%s/own", place.base);
    for (size_t i = 0; i < 2; i++) { /* code, and the page behind it */
        void *mapped = map(place.layout, PROT_READ | (i ? PROT_WRITE : PROT_EXEC));
        an_leftovers_sweep(own);
        assert_true(is_there(place.layout));
        an_leftovers_drop(place.layout);
        assert_true(is_there(place.layout));
        munmap(mapped, 4096);
    }
    char state[160];
    snprintf(state, sizeof state, "%s/state", place.folder);
    assert_false(is_there(state));
    void *mapped = map(place.layout, PROT_READ); /* who reads it does not need it */
    an_leftovers_sweep(own);
    assert_false(is_there(place.folder));
    munmap(mapped, 4096);
    assert_int_equal(rmdir(place.base), 0);
}

/* With the last one who has it mapped, a file goes, and its folder if nothing else is there. */
static void drops_what_is_not(void **unused)
{
    (void)unused;
    struct place place;
    make_place(&place);
    an_leftovers_drop(place.layout);
    assert_false(is_there(place.layout));
    assert_true(is_there(place.folder));
    make_file(place.layout);
    char state[160];
    snprintf(state, sizeof state, "%s/state", place.folder);
    an_leftovers_drop(state); /* is none */
    assert_true(is_there(state));
    unlink(state);
    an_leftovers_drop(place.layout);
    assert_false(is_there(place.folder));
    assert_int_equal(rmdir(place.base), 0);
}

/* A folder of this process, of another namespace, and what only looks like one. */
static void judges_only_its_own(void **unused)
{
    (void)unused;
    struct place place;
    char own[AN_FOLDER_NAME], foreign[AN_FOLDER_NAME], layouts[3][160], beside[200];
    make_place(&place);
    an_folder_name(getpid(), own_start(), own);
    snprintf(foreign, sizeof foreign, "1-%d-%llu", NOBODYS, (unsigned long long)own_start());
    make_folder(&place, own, layouts[0]);
    make_folder(&place, foreign, layouts[1]);
    make_folder(&place, "999999999-1", layouts[2]);
    snprintf(beside, sizeof beside, "%s/own", place.base);
    an_leftovers_sweep(beside);
    assert_false(is_there(place.folder));
    for (size_t i = 0; i < 3; i++) {
        assert_true(is_there(layouts[i]));
        *strrchr(layouts[i], '/') = '\0';
        an_leftovers_remove(layouts[i]);
        assert_false(is_there(layouts[i]));
    }
    assert_int_equal(rmdir(place.base), 0);
}

/* What others can write to is theirs. */
static void trusts_no_open_folder(void **unused)
{
    (void)unused;
    struct place place;
    make_place(&place);
    assert_int_equal(chmod(place.folder, 0777), 0);
    an_leftovers_drop(place.layout);
    an_leftovers_remove(place.folder);
    assert_true(is_there(place.layout));
    assert_int_equal(chmod(place.folder, 0700), 0);
    an_leftovers_remove(place.folder);
    assert_false(is_there(place.folder));
    assert_int_equal(rmdir(place.base), 0);
}

/* A process that began later and cannot be looked into may be a child that has it. */
static void fears_what_is_hidden(void **unused)
{
    (void)unused;
    struct an_in_use in_use = {.is_known = true, .hidden = 500};
    assert_true(an_in_use_has(&in_use, "/x/5-6-500/c1"));
    assert_true(an_in_use_has(&in_use, "/x/5-6-7/c1"));
    assert_false(an_in_use_has(&in_use, "/x/5-6-501/c1"));
    assert_false(an_in_use_has(&in_use, "/x/5-6-7/state"));
    in_use.failed = true;
    assert_true(an_in_use_has(&in_use, "/x/5-6-501/c1"));
    an_in_use_free(&in_use);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_names),           cmocka_unit_test(keeps_what_is_mapped),
        cmocka_unit_test(drops_what_is_not),     cmocka_unit_test(judges_only_its_own),
        cmocka_unit_test(trusts_no_open_folder), cmocka_unit_test(fears_what_is_hidden),
    };
    return RUN_TESTS(tests);
}
