/* lib/base/foreign: of somebody else's names, only those of regular files that are as expected are opened. */
#include "base/foreign.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/anneal-test.XXXXXX");
    if (!mkdtemp(folder) || mkfifo(in_folder("fifo"), 0666) != 0 ||
        mkdir(in_folder("folder"), 0777) != 0 || symlink("plain", in_folder("link")) != 0)
        return -1;
    FILE *file = fopen(in_folder("plain"), "w");
    return file && fputs("content", file) > 0 && fclose(file) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Nothing is waited for: a FIFO has nobody who writes. */
static void refuses(const char *path, struct an_foreign expected, const char *why)
{
    struct an_error error = {0};
    struct an_file file = {0};
    check(an_foreign_open(path, &expected, &error) == -1, "%s", path);
    assert_int_equal(error.code, AN_USAGE);
    check(strstr(error.what, why) != NULL, "%s: %s", path, error.what);
    assert_string_equal(error.file, path);
    check(an_foreign_load(&file, path, &expected, &error) == AN_USAGE, "%s", path);
    assert_int_equal(file.bytes.size, 0);
    an_file_close(&file);
}

static void takes(const char *path, struct an_foreign expected)
{
    struct an_error error;
    struct an_file file = {0};
    check(an_foreign_load(&file, path, &expected, &error) == AN_OK, "%s: %s", path, error.what);
    assert_int_equal(file.bytes.size, 7);
    assert_memory_equal(file.bytes.data, "content", 7);
    an_file_close(&file);
}

static void only_regular_files(void **unused)
{
    (void)unused;
    static const char *const names[] = {"fifo", "folder"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        refuses(in_folder(names[i]), (struct an_foreign){.most = 100}, "regular file");
    refuses("/dev/zero", (struct an_foreign){.most = 100}, "regular file");
    refuses(in_folder("link"), (struct an_foreign){.most = 100}, "symbolic link");
    takes(in_folder("link"), (struct an_foreign){.most = 100, .follows = true});
    takes(in_folder("plain"), (struct an_foreign){.most = 100});
    takes(in_folder("plain"), (struct an_foreign){.most = 7});
    refuses(in_folder("plain"), (struct an_foreign){.most = 6}, "expected at most 6");
    struct an_error error;
    assert_int_equal(an_foreign_open(in_folder("none"), &(struct an_foreign){.most = 1}, &error),
                     -1);
    assert_int_equal(error.code, AN_SYSTEM);
}

static void only_of_these_owners(void **unused)
{
    (void)unused;
    const uid_t own[] = {geteuid() + 1, geteuid()}, others[] = {geteuid() + 1, geteuid() + 2};
    takes(in_folder("plain"), (struct an_foreign){.most = 100, .owners = own, .owner_count = 2});
    refuses(in_folder("plain"),
            (struct an_foreign){.most = 100, .owners = others, .owner_count = 2}, "belongs to");
}

static void only_the_very_file(void **unused)
{
    (void)unused;
    struct stat about;
    assert_int_equal(stat(in_folder("plain"), &about), 0);
    struct an_foreign expected = {
        .most = 100, .device = (uint64_t)about.st_dev, .inode = about.st_ino};
    takes(in_folder("plain"), expected);
    expected.inode++;
    refuses(in_folder("plain"), expected, "not the file that is mapped");
}

/* What is open stays the same, whatever happens to its name. */
static void stays_the_same(void **unused)
{
    (void)unused;
    struct an_error error;
    struct an_file file = {0};
    char name[AN_FOREIGN_NAME];
    int opened = an_foreign_open(in_folder("plain"), &(struct an_foreign){.most = 100}, &error);
    assert_true(opened >= 0);
    assert_true(fcntl(opened, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(unlink(in_folder("plain")), 0);
    assert_int_equal(mkfifo(in_folder("plain"), 0666), 0);
    assert_int_equal(an_file_load(&file, an_foreign_name(opened, name), &error), AN_OK);
    assert_memory_equal(file.bytes.data, "content", 7);
    an_file_close(&file);
    close(opened);
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(only_regular_files),
        in_a_folder(only_of_these_owners),
        in_a_folder(only_the_very_file),
        in_a_folder(stays_the_same),
    };
    return RUN_TESTS(tests);
}
