/*
 * Recording a process with the kernel's events while every allocation, read and write fails once,
 * each in a run of its own (-Dfaults=true; lib/base/memory.h): it fails as documented and leaves no
 * file, or the recording is whole; the process goes on, and nothing leaks.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/lbr.h"
#include "support/collect.h"
#include "support/test.h"

static struct perf_event_attr clock_attr(void)
{
    struct perf_event_attr attr = an_lbr_attr(5000);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
    attr.branch_sample_type = 0;
    return attr;
}

static void check_whole(const char *path, uint64_t samples)
{
    struct collected all;
    collect_path(&all, path, NULL, 1);
    check(all.code == AN_OK, "%s", all.error.what);
    assert_int_equal(all.item_count, samples);
    assert_true(all.task_count > 0);
    collected_free(&all);
}

/* Whether there is a recording. */
static bool one_run(const char *path, int32_t pid, long calls)
{
    const struct perf_event_attr attr = clock_attr();
    const struct an_record_options options = {
        .size = sizeof options, .pid = pid, .output = path, .duration = 0.05};
    struct an_record_counts counts;
    struct an_error error;
    enum an_code code = an_lbr_record(&options, &attr, "cpu-clock:u", &counts, &error);
    bool failed = an_fault_countdown < 0;
    long left = an_fault_countdown;
    an_fault_countdown = -1;
    if (code == AN_OK) {
        check_whole(path, counts.samples);
    } else { /* it is empty when the process got no processor */
        bool is_failure = code == AN_NO_MEMORY || code == AN_SYSTEM;
        check(failed ? is_failure || code == AN_EMPTY : code == AN_EMPTY, "call %ld: %s (%s)",
              calls, an_code_name(code), error.what);
        assert_true(error.code == code && error.what[0]);
        assert_int_equal(access(path, F_OK), -1);
    }
    unlink(path);
    an_fault_countdown = left;
    return code == AN_OK;
}

static void recordings(void **state)
{
    (void)state;
    char folder[] = "/tmp/anneal-test.XXXXXX", path[64];
    const struct perf_event_attr attr = clock_attr();
    long calls = 0;
    an_fault_countdown = -1;
    if (an_lbr_probe(&attr, 0) != 0) {
        print_message("# no event may be opened here\n");
        skip();
    }
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/data", folder);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a case fails */
        for (volatile unsigned i = 0;; i++)
            ;
    }
    long whole = 0;
    for (bool failed = true; failed; calls++) {
        an_fault_countdown = calls;
        whole += one_run(path, pid, calls);
        failed = an_fault_countdown < 0;
    }
    an_fault_countdown = -1;
    int status;
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* until now it was alive */
    check(calls > 20 && whole > 0, "%ld calls, %ld recordings", calls, whole);
    assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recordings)};
    return RUN_TESTS(tests);
}
