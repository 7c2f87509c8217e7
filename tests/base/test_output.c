/* lib/base/output: a file that is written bit by bit is there when it is whole, or not at all. */
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/profiles.h"
#include "support/test.h"

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/anneal-test.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* that nothing else is in it is a part of each case */
}

static struct an_bytes bytes_of(const char *text)
{
    return (struct an_bytes){(const uint8_t *)text, strlen(text)};
}

static void put(struct an_output *output, const char *text)
{
    struct an_error error;
    assert_int_equal(an_output_write(output, bytes_of(text), &error), AN_OK);
}

static void assert_content(const char *expected)
{
    struct an_bytes bytes = load_file(path);
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

static bool signals_wait(void)
{
    sigset_t mask;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    return sigismember(&mask, SIGINT);
}

static void bit_by_bit(void **state)
{
    (void)state;
    struct an_output output;
    struct an_error error;
    assert_int_equal(an_output_open(&output, path, false, &error), AN_OK);
    assert_false(output.in_place);
    put(&output, "-----");
    put(&output, " world");
    assert_int_equal(entries(), 0);
    assert_int_equal(an_output_write_at(&output, 0, bytes_of("hello"), &error), AN_OK);
    put(&output, "!");
    assert_int_equal(an_output_commit(&output, &error), AN_OK);
    assert_content("hello world!");
}

static void what_is_there_stays(void **state)
{
    (void)state;
    struct an_output output;
    struct an_error error;
    for (int commits = 1; commits >= 0; commits--) {
        assert_int_equal(an_output_open(&output, path, false, &error), AN_OK);
        put(&output, commits ? "old" : "new");
        if (commits)
            assert_int_equal(an_output_commit(&output, &error), AN_OK);
        else
            an_output_abandon(&output);
        assert_content("old");
        assert_int_equal(entries(), 1);
    }
}

/* Somebody takes the folder away while the file is written. */
static void a_name_that_cannot_be_had(void **state)
{
    (void)state;
    struct an_output output;
    struct an_error error;
    assert_int_equal(an_output_open(&output, path, true, &error), AN_OK);
    put(&output, "text");
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(an_output_commit(&output, &error), AN_SYSTEM);
    assert_string_equal(error.file, path);
    assert_non_null(strstr(error.what, strerror(ENOENT)));
    assert_false(signals_wait());
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void signals_wait_if_wanted(void **state)
{
    (void)state;
    struct an_output output;
    struct an_error error;
    for (int i = 0; i < 4; i++) {
        bool hold = i % 2, commits = i / 2;
        assert_int_equal(an_output_open(&output, path, hold, &error), AN_OK);
        assert_int_equal(signals_wait(), hold);
        if (commits)
            assert_int_equal(an_output_commit(&output, &error), AN_OK);
        else
            an_output_abandon(&output);
        assert_false(signals_wait());
    }
    assert_int_equal(an_output_open(&output, folder, true, &error), AN_USAGE);
    assert_false(signals_wait());
    assert_int_equal(an_output_open(&output, "/no/such/folder", true, &error), AN_SYSTEM);
    assert_false(signals_wait());
}

static void in_place(void **state)
{
    (void)state;
    struct an_output output;
    struct an_error error;
    char read_back[16] = "";
    assert_int_equal(mkfifo(path, 0600), 0);
    int fd = open(path, O_RDWR);
    assert_int_equal(an_output_open(&output, path, true, &error), AN_OK);
    assert_true(output.in_place);
    assert_false(signals_wait()); /* nothing could be left behind */
    put(&output, "one");
    put(&output, " two");
    assert_int_equal(read(fd, read_back, sizeof read_back), 7);
    assert_string_equal(read_back, "one two");
    assert_int_equal(an_output_commit(&output, &error), AN_OK);
    close(fd);
    assert_int_equal(an_output_open(&output, "-", true, &error), AN_OK);
    assert_true(output.in_place);
    an_output_abandon(&output);
    assert_int_not_equal(fcntl(STDOUT_FILENO, F_GETFD), -1); /* it is not ours to close */
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(bit_by_bit),
        in_a_folder(what_is_there_stays),
        in_a_folder(a_name_that_cannot_be_had),
        in_a_folder(signals_wait_if_wanted),
        in_a_folder(in_place),
    };
    return RUN_TESTS(tests);
}
