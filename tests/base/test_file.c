/* lib/base/file: files come in whole whatever they are, and go out whole or not at all. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/profiles.h"
#include "support/test.h"

static char folder[64];

static const char *in_folder(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/anneal-test.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void assert_content(const char *name, const char *expected)
{
    struct an_bytes bytes = load_file(in_folder(name));
    assert_int_equal(bytes.size, strlen(expected));
    assert_memory_equal(bytes.data, expected, bytes.size);
    free_bytes(bytes);
}

static size_t entries(void)
{
    DIR *directory = opendir(folder);
    size_t count = 0;
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static enum an_code replace(const char *name, const char *text, struct an_error *error)
{
    return an_file_replace(in_folder(name), (struct an_bytes){(const uint8_t *)text, strlen(text)},
                           error);
}

static void loads_one_file_after_another(void **state)
{
    (void)state;
    static const size_t sizes[] = {100000, 5, 0, 65536, 65537, 1, 300000};
    struct an_file file = {0};
    struct an_error error;
    static uint8_t bytes[300000];
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t b = 0; b < sizes[i]; b++)
            bytes[b] = (uint8_t)next_number(&seed);
        put("file", bytes, sizes[i]);
        assert_int_equal(an_file_load(&file, in_folder("file"), &error), AN_OK);
        assert_int_equal(file.bytes.size, sizes[i]);
        if (sizes[i])
            assert_memory_equal(file.bytes.data, bytes, sizes[i]);
        assert_true(file.regular);
    }
    an_file_close(&file);
}

/* From 64 MiB on a file is mapped; it must be given back when the next one is loaded. */
static void loads_a_large_file(void **state)
{
    (void)state;
    struct an_file file = {0};
    struct an_error error;
    put("large", "start", 5);
    assert_int_equal(truncate(in_folder("large"), (64 << 20) + 3), 0);
    put("small", "small", 5);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(an_file_load(&file, in_folder("large"), &error), AN_OK);
        assert_int_equal(file.bytes.size, (64 << 20) + 3);
        assert_memory_equal(file.bytes.data, "start", 6);
        assert_int_equal(file.bytes.data[file.bytes.size - 1], 0);
        assert_int_equal(an_file_load(&file, in_folder("small"), &error), AN_OK);
        assert_int_equal(file.bytes.size, 5);
        assert_memory_equal(file.bytes.data, "small", 5);
    }
    an_file_close(&file);
}

static void *feed(void *path)
{
    FILE *file = fopen(path, "wb");
    for (int i = 0; file && i < 30000; i++)
        fprintf(file, "%07d\n", i);
    if (file)
        fclose(file);
    return NULL;
}

static void loads_a_pipe(void **state)
{
    (void)state;
    struct an_file file = {0};
    struct an_error error;
    pthread_t feeder;
    char path[128];
    strcpy(path, in_folder("fifo"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&feeder, NULL, feed, path), 0);
    assert_int_equal(an_file_load(&file, path, &error), AN_OK);
    pthread_join(feeder, NULL);
    assert_int_equal(file.bytes.size, 240000);
    assert_memory_equal(file.bytes.data + 8 * 29999, "0029999\n", 8);
    assert_false(file.regular);
    an_file_close(&file);
}

static void what_cannot_be_loaded(void **state)
{
    (void)state;
    struct an_file file = {0};
    struct an_error error;
    put("file", "content", 7);
    assert_int_equal(an_file_load(&file, in_folder("file"), &error), AN_OK);
    assert_int_equal(an_file_load(&file, in_folder("missing"), &error), AN_SYSTEM);
    assert_string_equal(error.file, in_folder("missing"));
    assert_non_null(strstr(error.what, strerror(ENOENT)));
    assert_int_equal(file.bytes.size, 0);
    assert_int_equal(an_file_load(&file, folder, &error), AN_USAGE);
    assert_non_null(strstr(error.what, "directory"));
    an_file_close(&file);
}

static void a_new_file_has_the_usual_permissions(void **state)
{
    (void)state;
    struct an_error error;
    struct stat info;
    mode_t before = umask(027);
    assert_int_equal(replace("new", "content", &error), AN_OK);
    umask(before);
    assert_content("new", "content");
    assert_int_equal(stat(in_folder("new"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_int_equal(entries(), 1);
}

static void an_old_file_keeps_its_permissions(void **state)
{
    (void)state;
    struct an_error error;
    struct stat before, after;
    put("old", "a much longer content", 21);
    assert_int_equal(chmod(in_folder("old"), 0604), 0);
    assert_int_equal(stat(in_folder("old"), &before), 0);
    assert_int_equal(replace("old", "short", &error), AN_OK);
    assert_content("old", "short");
    assert_int_equal(stat(in_folder("old"), &after), 0);
    assert_int_equal(after.st_mode & 07777, 0604);
    assert_true(after.st_ino != before.st_ino); /* who has it open keeps the old content */
    assert_int_equal(entries(), 1);
}

static void a_link_stays_a_link(void **state)
{
    (void)state;
    struct an_error error;
    struct stat info;
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    put("sub/file", "old", 3);
    assert_int_equal(symlink("sub/file", in_folder("link")), 0);
    assert_int_equal(replace("link", "new", &error), AN_OK);
    assert_int_equal(lstat(in_folder("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_content("sub/file", "new");
    assert_int_equal(entries(), 2);
}

static void a_file_in_the_current_folder(void **state)
{
    (void)state;
    struct an_error error;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    enum an_code code =
        an_file_replace("plain", (struct an_bytes){(const uint8_t *)"x", 1}, &error);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(code, AN_OK);
    assert_content("plain", "x");
}

static void what_cannot_be_replaced(void **state)
{
    (void)state;
    struct an_error error;
    assert_int_equal(an_file_replace(folder, (struct an_bytes){(const uint8_t *)"x", 1}, &error),
                     AN_USAGE);
    assert_int_equal(replace("missing/file", "x", &error), AN_SYSTEM);
    assert_string_equal(error.file, in_folder("missing/file"));
    put("file", "x", 1);
    assert_int_equal(replace("file/file", "x", &error), AN_SYSTEM);
    assert_int_equal(an_file_replace("", (struct an_bytes){(const uint8_t *)"x", 1}, &error),
                     AN_SYSTEM);
    assert_int_equal(entries(), 1);
}

static void devices_and_pipes_are_written_in_place(void **state)
{
    (void)state;
    struct an_error error;
    struct an_bytes text = {(const uint8_t *)"content", 7};
    struct stat info;
    char read_back[16] = "";
    assert_int_equal(an_file_replace("/dev/null", text, &error), AN_OK);
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    assert_int_equal(an_file_replace("/dev/full", text, &error), AN_SYSTEM);
    assert_non_null(strstr(error.what, strerror(ENOSPC)));
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    int fd = open(in_folder("fifo"), O_RDWR);
    assert_int_equal(replace("fifo", "content", &error), AN_OK);
    assert_int_equal(read(fd, read_back, sizeof read_back), 7);
    assert_string_equal(read_back, "content");
    close(fd);
    assert_int_equal(entries(), 1);
}

/* A limit on file sizes stands for a disk that fills up while the file is written. */
static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    struct an_error error;
    struct rlimit before, small;
    static uint8_t much[100000];
    put("old", "old content", 11);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 50000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum an_code code =
        an_file_replace(in_folder("old"), (struct an_bytes){much, sizeof much}, &error);
    enum an_code fresh =
        an_file_replace(in_folder("new"), (struct an_bytes){much, sizeof much}, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(code, AN_SYSTEM);
    assert_int_equal(fresh, AN_SYSTEM);
    assert_non_null(strstr(error.what, strerror(EFBIG)));
    assert_content("old", "old content");
    assert_int_equal(entries(), 1);
}

static void folders_that_are_missing(void **state)
{
    (void)state;
    struct an_error error;
    struct stat info;
    assert_int_equal(an_file_make_folders(in_folder("one/two/file"), &error), AN_OK);
    assert_int_equal(stat(in_folder("one/two"), &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    assert_int_equal(stat(in_folder("one/two/file"), &info), -1);
    assert_int_equal(an_file_make_folders(in_folder("one/two/three/"), &error), AN_OK);
    assert_int_equal(stat(in_folder("one/two/three"), &info), 0);
    assert_int_equal(an_file_make_folders(in_folder("one/two/file"), &error), AN_OK);
    assert_int_equal(an_file_make_folders("file", &error), AN_OK);
    assert_int_equal(an_file_make_folders("/", &error), AN_OK);
    put("plain", "x", 1);
    assert_int_equal(an_file_make_folders(in_folder("plain/below/file"), &error), AN_SYSTEM);
    assert_non_null(strstr(error.file, "plain/below"));
    assert_content("plain", "x");
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(loads_one_file_after_another),
        in_a_folder(loads_a_large_file),
        in_a_folder(loads_a_pipe),
        in_a_folder(what_cannot_be_loaded),
        in_a_folder(a_new_file_has_the_usual_permissions),
        in_a_folder(an_old_file_keeps_its_permissions),
        in_a_folder(a_link_stays_a_link),
        in_a_folder(a_file_in_the_current_folder),
        in_a_folder(what_cannot_be_replaced),
        in_a_folder(devices_and_pipes_are_written_in_place),
        in_a_folder(a_failed_write_leaves_the_old_file),
        in_a_folder(folders_that_are_missing),
    };
    return RUN_TESTS(tests);
}
