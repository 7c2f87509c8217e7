/*
 * Writing a recording while every allocation and write fails once, each in a run of its own
 * (-Dfaults=true; lib/base/memory.h): it fails as documented and leaves the old file, or the
 * recording is whole; nothing leaks.
 */
#include <dirent.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/perf_writer.h"
#include "support/collect.h"
#include "support/profiles.h"
#include "support/test.h"

enum { SAMPLES = 1000 };

static const struct perf_event_attr attr = {
    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                   PERF_SAMPLE_BRANCH_STACK,
    .sample_id_all = 1,
};

static enum an_code write_recording(const char *path, struct an_error *error)
{
    static const struct an_perf_branch branches[32];
    static const uint8_t id[20] = {1};
    const struct an_perf_thread thread = {7, 7};
    struct an_perf_writer *writer;
    enum an_code code = an_perf_writer_open(path, &attr, "cycles:u", &writer, error);
    if (code != AN_OK)
        return code;
    an_perf_writer_comm(writer, 0, thread, "x", false);
    for (uint64_t i = 0; i < SAMPLES; i++)
        an_perf_writer_sample(writer, i, thread, i, 1, branches, 32);
    an_perf_writer_round(writer);
    an_perf_writer_build_id(writer, "/usr/bin/x", (struct an_bytes){id, 20});
    return an_perf_writer_close(writer, error);
}

static void put_old_file(const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(putc('o', file), 'o');
    assert_int_equal(fclose(file), 0);
}

static void check_old_file(const char *path)
{
    struct an_bytes bytes = load_file(path);
    check(bytes.size == 1 && bytes.data[0] == 'o', "%zu bytes", bytes.size);
    free_bytes(bytes);
}

static void check_whole(const char *path)
{
    struct collected all;
    collect_path(&all, path, NULL, 1);
    check(all.code == AN_OK, "%s", all.error.what);
    assert_int_equal(all.item_count, SAMPLES);
    assert_int_equal(all.task_count, 1);
    assert_int_equal(an_samples_info(all.samples)->build_id_count, 1);
    collected_free(&all);
}

static size_t entries(const char *folder)
{
    DIR *directory = opendir(folder);
    size_t count = 0;
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static void files(void **state)
{
    (void)state;
    char folder[] = "/tmp/anneal-test.XXXXXX", path[64];
    long calls = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/data", folder);
    for (bool failed = true; failed; calls++) {
        struct an_error error;
        put_old_file(path);
        an_fault_countdown = calls;
        enum an_code code = write_recording(path, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        if (code == AN_OK) {
            check_whole(path);
        } else {
            check(failed && (code == AN_NO_MEMORY || code == AN_SYSTEM), "call %ld: %s (%s)", calls,
                  an_code_name(code), error.what);
            assert_true(error.code == code && error.what[0]);
            check_old_file(path);
        }
        assert_int_equal(entries(folder), 1);
    }
    check(calls > 12, "%ld calls", calls);
    unlink(path);
    rmdir(folder);
}

static void pipes(void **state)
{
    (void)state;
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        struct an_error error;
        an_fault_countdown = calls;
        enum an_code code = write_recording("/dev/null", &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        check(failed ? code == AN_NO_MEMORY || code == AN_SYSTEM : code == AN_OK, "call %ld: %s",
              calls, an_code_name(code));
    }
    check(calls > 6, "%ld calls", calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(pipes)};
    return RUN_TESTS(tests);
}
