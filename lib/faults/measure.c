/*
 * All runs of all subjects, in turn: what changes on the machine in the meantime, changes for each of them.
 *
 *     binaries A, B, C     rounds  A B C | B C A | C A B | ...
 */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/options.h"
#include "faults/run.h"
#include "faults/watch.h"

enum { USUAL_RUNS = 5 };

struct measuring {
    struct an_run_setting setting;
    struct an_subject *subjects;
    size_t count;
    unsigned runs;
    struct an_faults_result *result;
};

/* ---- what makes sense ---- */

static enum an_code check(const struct an_faults_options *options, struct an_error *error)
{
    if (!options->command || !options->command[0])
        return an_fail(error, AN_USAGE, "no command to run");
    if (options->file && options->copy) {
        an_fail(error, AN_USAGE, "only the command's own binary can be a copy");
        return an_error_hint(error,
                             "leave out --copy, or leave out --binary and run the binary itself");
    }
    if (options->file && options->against_count) {
        an_fail(error, AN_USAGE, "only the command's own binary can be compared with others");
        return an_error_hint(error, "leave out --binary, and run the binary itself");
    }
    return AN_OK;
}

/* ---- subjects ---- */

static bool set_up_subject(struct an_faults_subject *subject, const struct an_subject *from,
                           unsigned runs)
{
    subject->files = an_alloc_zero(from->count, sizeof *subject->files);
    subject->runs = an_alloc_zero(runs, sizeof *subject->runs);
    for (size_t i = 0; subject->files && i < from->count; i++) {
        subject->files[i] = from->texts[i].about;
        subject->files[i].path = strdup(from->texts[i].about.path);
        if (!subject->files[i].path)
            return false;
        subject->file_count++;
    }
    return subject->files && subject->runs;
}

static enum an_code open_subjects(struct measuring *measuring, struct an_error *error)
{
    const struct an_faults_options *options = measuring->setting.options;
    for (size_t i = 0; i <= options->against_count; i++) {
        const char *binary = i ? options->against[i - 1] : NULL;
        struct an_faults_subject *told = &measuring->result->subjects[i];
        measuring->count++;
        enum an_code code = an_subject_open(&measuring->subjects[i], options, binary, error);
        if (code != AN_OK)
            return code;
        measuring->result->subject_count++;
        told->name = strdup(binary ? binary : options->file ? options->file : options->command[0]);
        if (!told->name || !set_up_subject(told, &measuring->subjects[i], measuring->runs))
            return an_fail_memory(error);
    }
    return AN_OK;
}

/* ---- runs ---- */

static enum an_code make_run(struct measuring *measuring, size_t subject, bool is_kept,
                             struct an_error *error)
{
    struct an_faults_subject *told = &measuring->result->subjects[subject];
    struct an_faults_run *run = &told->runs[told->run_count];
    bool complete;
    run->files = an_alloc_zero(told->file_count, sizeof *run->files);
    if (!run->files)
        return an_fail_memory(error);
    enum an_code code =
        an_run_make(&measuring->setting, &measuring->subjects[subject], run, &complete, error);
    if (complete && is_kept) {
        told->run_count++;
    } else {
        free(run->files);
        run->files = NULL;
    }
    return code;
}

static bool is_stopped(const struct measuring *measuring)
{
    const volatile int *stop = measuring->setting.options->stop;
    measuring->result->interrupted = stop && *stop;
    return measuring->result->interrupted;
}

/* With `warm` there is a round more, the first one, which counts for nothing. */
static enum an_code make_runs(struct measuring *measuring, struct an_error *error)
{
    const struct an_faults_options *options = measuring->setting.options;
    size_t count = measuring->count, before = options->warm ? count : 0;
    size_t total = before + count * measuring->runs;
    for (size_t i = 0; i < total && !is_stopped(measuring); i++) {
        if (options->progress)
            options->progress(options->context, i, total);
        size_t subject = (i % count + i / count) % count;
        enum an_code code = make_run(measuring, subject, i >= before, error);
        if (code != AN_OK)
            return code;
    }
    is_stopped(measuring);
    return AN_OK;
}

static enum an_code measure(struct measuring *measuring, struct an_error *error)
{
    const struct an_faults_options *options = measuring->setting.options;
    struct an_faults_result *result = measuring->result;
    enum an_code code =
        options->no_events ? AN_OK : an_watch_probe(&measuring->setting.with_kernel, error);
    if (code != AN_OK)
        return code;
    result->page_size = measuring->setting.page_size = (uint64_t)sysconf(_SC_PAGESIZE);
    result->has_events = !options->no_events;
    result->has_kernel = options->no_events || measuring->setting.with_kernel;
    code = open_subjects(measuring, error);
    if (code == AN_OK)
        code = make_runs(measuring, error);
    return code;
}

enum an_code an_faults_measure(const struct an_faults_options *options,
                               struct an_faults_result **result, struct an_error *error)
{
    int was_subreaper = 0;
    struct an_faults_options full;
    struct measuring measuring = {.setting.options = &full};
    *result = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code == AN_OK)
        code = check(&full, error);
    if (code != AN_OK)
        return code;
    size_t subjects = full.against_count + 1;
    measuring.runs = full.runs ? full.runs : USUAL_RUNS;
    measuring.result = an_alloc_zero(1, sizeof *measuring.result);
    measuring.subjects = an_alloc_zero(subjects, sizeof *measuring.subjects);
    if (measuring.result)
        measuring.result->subjects = an_alloc_zero(subjects, sizeof *measuring.result->subjects);
    prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    code = measuring.subjects && measuring.result && measuring.result->subjects
               ? measure(&measuring, error)
               : an_fail_memory(error);
    prctl(PR_SET_CHILD_SUBREAPER, was_subreaper);
    for (size_t i = 0; i < measuring.count; i++)
        an_subject_close(&measuring.subjects[i]);
    free(measuring.subjects);
    if (code == AN_OK)
        *result = measuring.result;
    else
        an_faults_result_free(measuring.result);
    return code;
}
