/* Recording: chooses the method, opens and closes the output; see anneal/record.h. */
#include <anneal/record.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "record/lbr.h"
#include "record/perf_writer.h"
#include "record/permission.h"
#include "record/tracee.h"
#include "record/windows.h"

/* docs/internals/measured.md has the measurements behind them. */
enum {
    WINDOWS_A_SECOND = 1000,
    SAMPLES_A_SECOND = 4000,
};
static const double default_overhead = 0.02;

static enum an_record_method choose(const struct an_record_options *options)
{
    struct perf_event_attr attr = an_lbr_attr(SAMPLES_A_SECOND);
    if (options->verify)
        return AN_RECORD_STEP;
    if (options->method != AN_RECORD_AUTO)
        return options->method;
    if (an_lbr_probe(&attr, options->pid) == 0)
        return AN_RECORD_LBR;
    return an_windows_can_emulate() ? AN_RECORD_EMULATE : AN_RECORD_STEP;
}

static void set_defaults(struct an_record_options *options)
{
    options->method = choose(options);
    if (options->overhead <= 0)
        options->overhead = default_overhead;
    if (options->frequency == 0)
        options->frequency = options->method == AN_RECORD_LBR ? SAMPLES_A_SECOND : WINDOWS_A_SECOND;
    if (options->seed == 0)
        options->seed = an_clock_now() | 1;
}

struct job {
    struct an_recorder *recorder;
    bool goes_on;
};

static void *run(void *context)
{
    struct job *job = context;
    job->goes_on = an_windows_run(job->recorder);
    return NULL;
}

/* In threads of their own: when one ends, the kernel lets go of whatever it still traces. */
static enum an_code record_windows(struct an_recorder *recorder, struct an_error *error)
{
    pthread_t thread;
    struct job job = {recorder, true};
    sigset_t all, before, child;
    int failed = 0;
    sigfillset(&all);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD); /* it is for that thread alone: see an_tracee_sleep() */
    pthread_sigmask(SIG_BLOCK, &child, &before);
    while (job.goes_on && !failed) {
        sigset_t mine;
        pthread_sigmask(SIG_BLOCK, &all, &mine);
        failed = pthread_create(&thread, NULL, run, &job);
        pthread_sigmask(SIG_SETMASK, &mine, NULL);
        if (!failed)
            pthread_join(thread, NULL);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? an_fail(error, AN_SYSTEM, "cannot start a thread: %s", strerror(failed))
                  : AN_OK;
}

static enum an_code record_all(const struct an_record_options *options,
                               struct an_record_counts *counts, struct an_error *error)
{
    struct perf_event_attr attr = an_windows_attr();
    struct an_perf_writer *writer;
    struct an_recorder *recorder;
    enum an_code code = an_permission_check(options->pid, false, error);
    if (code == AN_OK)
        code = an_perf_writer_open(options->output, &attr, "cpu-clock:u", &writer, error);
    if (code != AN_OK)
        return code;
    code = an_windows_open(options, writer, counts, &recorder, error);
    if (code == AN_OK)
        code = record_windows(recorder, error);
    code = an_windows_close(recorder, code, error);
    if (code == AN_OK)
        return an_perf_writer_end(writer, counts->samples, error);
    an_perf_writer_drop(writer);
    return code;
}

enum an_code an_record(const struct an_record_options *options, struct an_record_counts *counts,
                       struct an_error *error)
{
    struct an_record_options full;
    *counts = (struct an_record_counts){.samples = 0};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    set_defaults(&full);
    counts->method = full.method;
    if (full.method == AN_RECORD_LBR) {
        struct perf_event_attr attr = an_lbr_attr(full.frequency);
        return an_lbr_record(&full, &attr, "cycles:u", counts, error);
    }
    if (full.method == AN_RECORD_EMULATE && !an_windows_can_emulate()) {
        an_fail(error, AN_UNSUPPORTED, "the system does not allow generating code at run time");
        return an_error_hint(error, "use --method=step");
    }
    return record_all(&full, counts, error);
}
