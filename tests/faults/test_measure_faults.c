/*
 * Page faults are measured while every allocation fails in turn (-Dfaults=true; lib/base/memory.h): the call says so, and
 * no process, file or copy is left of it; nothing leaks (the address sanitizer sees to that).
 */
#include <anneal/faults.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/test.h"

static char folder[PATH_MAX];

static size_t entries_of(const char *path)
{
    DIR *entries = opendir(path);
    size_t count = 0;
    assert_non_null(entries);
    while (readdir(entries))
        count++;
    closedir(entries);
    return count;
}

static void nothing_is_left(size_t descriptors)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(entries_of("/proc/self/fd"), descriptors);
    assert_int_equal(entries_of(folder), 3); /* with "." and ".." */
}

static void fail_everywhere(const struct an_faults_options *options, long least)
{
    struct an_faults_result *result;
    struct an_error error = {0};
    size_t descriptors = entries_of("/proc/self/fd");
    enum an_code code = an_faults_measure(options, &result, &error);
    check(code == AN_OK, "%s (%s)", error.what, error.hint);
    an_faults_result_free(result);
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        error = (struct an_error){0};
        an_fault_countdown = calls;
        code = an_faults_measure(options, &result, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        if (code == AN_OK) {
            assert_int_equal(result->subject_count, 1 + options->against_count);
            assert_int_equal(result->subjects[0].run_count, 1);
            assert_int_equal(result->subjects[0].runs[0].status, 0);
            an_faults_result_free(result);
        } else {
            check(failed && (code == AN_NO_MEMORY || code == AN_SYSTEM) && error.what[0],
                  "call %ld: %s (%s)", calls, an_code_name(code), error.what);
            assert_null(result);
        }
        nothing_is_left(descriptors);
    }
    check(calls > least, "%ld calls", calls);
}

static const char *program(void)
{
    static char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/program", folder);
    return path;
}

static void without_events(void **state)
{
    (void)state;
    char *command[] = {(char *)program(), NULL};
    const char *others[] = {"/bin/sh"};
    fail_everywhere(&(struct an_faults_options){.size = sizeof(struct an_faults_options),
                                                .command = command,
                                                .with = others,
                                                .with_count = 1,
                                                .against = others,
                                                .against_count = 1,
                                                .runs = 1,
                                                .warm = true,
                                                .no_events = true,
                                                .prepare = "true",
                                                .output = -1,
                                                .errors = -1},
                    40);
}

static void with_events(void **state)
{
    (void)state;
    char *command[] = {(char *)program(), NULL};
    fail_everywhere(&(struct an_faults_options){.size = sizeof(struct an_faults_options),
                                                .command = command,
                                                .runs = 1,
                                                .warm = true,
                                                .output = -1,
                                                .errors = -1},
                    40);
}

static void of_a_copy(void **state)
{
    (void)state;
    char *command[] = {(char *)program(), NULL};
    fail_everywhere(&(struct an_faults_options){.size = sizeof(struct an_faults_options),
                                                .command = command,
                                                .runs = 1,
                                                .copy = true,
                                                .no_events = true,
                                                .output = -1,
                                                .errors = -1},
                    15);
}

static int make_folder(void **state)
{
    (void)state;
    char copying[2 * PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/anneal.XXXXXX", temporary ? temporary : "/var/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(copying, sizeof copying, "cp /bin/true '%s'", program());
    return system(copying);
}

static int remove_folder(void **state)
{
    (void)state;
    return unlink(program()) || rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_events),
                                       cmocka_unit_test(with_events), cmocka_unit_test(of_a_copy)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
