/*
 * Reading a log, and writing what is in it, while every allocation, read and write fails in turn: the call
 * says so, hands out nothing, leaves no half of a file, and leaks nothing (the address sanitizer sees to
 * that).
 */
#include <dirent.h>

#include "base/file.h"
#include "base/memory.h"
#include "support/console_build.h"

static char folder[64];
static int log_fd;

/* All kinds of files: copies, cores, damage, a stream, a dump. */
static struct an_buffer make_log(void)
{
    struct an_buffer log = {0};
    struct an_file gcda = {.capacity = 0}, stream = {.capacity = 0};
    struct an_error error;
    assert_int_equal(an_file_load(&gcda, GCC_CORPUS "/gcc-12/right-a.gcda", &error), AN_OK);
    assert_int_equal(an_file_load(&stream, GCC_CORPUS "/../console/gcc-14/stream.bin", &error),
                     AN_OK);
    for (unsigned core = 0; core < 3; core++) {
        char prefix[16], name[16];
        snprintf(prefix, sizeof prefix, "PP%u: ", core);
        snprintf(name, sizeof name, "f.gcda%u", core);
        uu_file(&log, prefix, name, gcda.bytes, UU_CHECKSUM, "\r\n");
        uu_file(&log, prefix, name, gcda.bytes, UU_CHECKSUM, "\x1b[K\n");
    }
    an_buffer_print(&log, "crc32 12345678 3 lost\n");
    for (size_t i = 0; i < stream.bytes.size; i++)
        an_buffer_print(&log, "%02x", stream.bytes.data[i]);
    an_buffer_print(&log, "\nGCOV_COVERAGE_DUMP_START\n*/z.gcda<6164\nGCOV_COVERAGE_DUMP_END\n");
    an_buffer_print(&log, "*** BEGIN OF GCOV INFO BASE64 ***\nbmZjZ1I0\n"
                          "*** END OF GCOV INFO BASE64 ***\nbegin 644 torn\n");
    an_file_close(&gcda);
    an_file_close(&stream);
    return log;
}

static unsigned files_in(const char *path)
{
    unsigned count = 0;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    if (directory)
        closedir(directory);
    return count;
}

static enum an_code read_it(struct an_console **console, struct an_error *error)
{
    const struct an_console_options options = {.size = sizeof options, .require_checksum = false};
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", log_fd);
    return an_console_read(&options, path, console, error);
}

static void test_reading(void **context)
{
    struct an_console *console;
    struct an_error error;
    long calls = 0;
    (void)context;
    for (bool failed = true; failed; calls++) {
        an_fault_countdown = calls;
        enum an_code code = read_it(&console, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        assert_true((code == AN_OK) == (console != NULL));
        check(!failed || code == AN_NO_MEMORY || code == AN_SYSTEM, "call %ld: %d", calls,
              (int)code);
        if (code != AN_OK)
            assert_true(error.what[0] && error.code == code);
        an_console_free(console);
    }
    check(calls > 40, "%ld calls", calls);
}

/* Whatever fails, a file is there whole or not at all. */
static void test_writing(void **context)
{
    struct an_console *console;
    struct an_error error;
    char path[256];
    (void)context;
    const struct an_console_sink sink = {.directory = folder, .force = true};
    assert_int_equal(read_it(&console, &error), AN_OK);
    const struct an_console_file *file = an_console_file(console, 0);
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        an_fault_countdown = calls;
        enum an_console_outcome outcome = an_console_write(file, &sink, path, sizeof path, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        check(outcome == (failed ? AN_CONSOLE_FAILED : AN_CONSOLE_WRITTEN) ||
                  outcome == AN_CONSOLE_WRITTEN,
              "call %ld: %d", calls, (int)outcome);
        if (outcome == AN_CONSOLE_FAILED) {
            assert_int_equal(files_in(folder), 0);
            check(strcmp(error.file, path) == 0, "%s, not %s", error.file, path);
        }
        unlink(path);
    }
    assert_in_range(calls, 2, 100);
    an_console_free(console);
}

static int start(void **context)
{
    (void)context;
    struct an_buffer log = make_log();
    snprintf(folder, sizeof folder, "/tmp/anneal-faults.XXXXXX");
    log_fd = memfd_create("log", MFD_CLOEXEC);
    bool done = log_fd >= 0 && write(log_fd, log.data, log.size) == (ssize_t)log.size;
    an_buffer_free(&log);
    return done && mkdtemp(folder) ? 0 : -1;
}

static int finish(void **context)
{
    (void)context;
    close(log_fd);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_writing),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, start, finish);
}
