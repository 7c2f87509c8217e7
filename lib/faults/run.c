/* Making a run; see run.h. */
#include "faults/run.h"

#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "faults/process.h"
#include "faults/watch.h"

enum { TICK = 50, SHORT_TICK = 5 /* milliseconds */ };

#define GRACE 5.0

static bool is_stopped(const struct an_faults_options *options)
{
    return options->stop && *options->stop;
}

/* ---- before ---- */

static enum an_code fail_status(const char *who, int status, struct an_error *error)
{
    if (WIFSIGNALED(status))
        return an_fail(error, AN_SYSTEM, "%.200s was killed by signal %d (%s)", who,
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    return an_fail(error, AN_SYSTEM, "%.200s failed with exit status %d", who, WEXITSTATUS(status));
}

/* Ends the group when that is asked for: the second time, at once. */
static void heed_stop(const struct an_faults_options *options, struct an_group *group)
{
    if (!is_stopped(options))
        return;
    if (*options->stop > 1 && group->step != AN_GROUP_KILLED)
        an_group_kill(group);
    else
        an_group_end(group);
}

static struct an_process_start start_of(const struct an_faults_options *options)
{
    return (struct an_process_start){.output = options->output,
                                     .errors = options->errors,
                                     .grace =
                                         options->kill_after > 0 ? options->kill_after : GRACE};
}

static enum an_code prepare(const struct an_faults_options *options, struct an_error *error)
{
    char *const arguments[] = {(char *)"sh", (char *)"-c", (char *)options->prepare, NULL};
    struct an_process_start start = start_of(options);
    struct an_group group;
    start.program = "/bin/sh";
    start.arguments = arguments;
    if (!options->prepare)
        return AN_OK;
    enum an_code code = an_group_start(&group, &start, error);
    if (code == AN_OK)
        code = an_group_release(&group, start.program, error);
    if (code != AN_OK)
        return code;
    while (!an_group_look(&group)) {
        an_watch_wait(NULL, group.handle, group.has_ended ? SHORT_TICK : TICK);
        heed_stop(options, &group);
    }
    if (group.status == 0 || is_stopped(options))
        return AN_OK;
    fail_status("the command of --prepare", group.status, error);
    return an_error_hint(error, "--show-output shows its output");
}

static enum an_code check_files(const struct an_subject *subject, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < subject->count; i++)
        code = an_watched_check(&subject->texts[i], error);
    return code;
}

/* Only the binary itself has to be cold: libraries are mapped by others as a rule. */
static enum an_code evict(const struct an_subject *subject, struct an_error *error)
{
    for (size_t i = 0; i < subject->count; i++) {
        uint64_t left;
        enum an_code code = an_watched_evict(&subject->texts[i], &left, error);
        if (code == AN_OK && left && i == 0)
            code = an_watched_fail_left(&subject->texts[i], left, error);
        if (code != AN_OK)
            return code;
    }
    return AN_OK;
}

static enum an_code look_at_memory(const struct an_subject *subject, struct an_faults_run *run,
                                   bool is_after, struct an_error *error)
{
    for (size_t i = 0; i < subject->count; i++) {
        uint64_t pages;
        enum an_code code = an_watched_resident(&subject->texts[i], &pages, error);
        if (code != AN_OK)
            return code;
        *(is_after ? &run->files[i].after : &run->files[i].before) = pages;
        *(is_after ? &run->text.after : &run->text.before) += pages;
    }
    return AN_OK;
}

/* ---- the run ---- */

struct runner {
    const struct an_run_setting *setting;
    const struct an_subject *subject;
    struct an_faults_run *run;
    struct an_replay replay;
    struct an_watch *watch; /* NULL: without events */
    struct an_group group;
    double started;
    bool is_counted; /* counting has ended */
};

static enum an_code end_counting(struct runner *runner, struct an_error *error)
{
    struct an_faults_run *run = runner->run;
    struct an_watch_counts counts;
    runner->is_counted = true;
    run->seconds =
        (runner->group.has_ended ? runner->group.ended : an_clock_seconds()) - runner->started;
    if (runner->watch) {
        enum an_code code = an_watch_finish(runner->watch, &counts, error);
        if (code != AN_OK)
            return code;
        run->major = counts.major;
        run->minor = counts.minor;
        run->lost = counts.lost;
        run->text.major = runner->replay.total.major;
        run->text.minor = runner->replay.total.minor;
        run->text.major_pages = runner->replay.total.major_pages;
        run->text.fault_pages = runner->replay.total.fault_pages;
    }
    return look_at_memory(runner->subject, run, true, error);
}

static int patience(const struct runner *runner)
{
    double duration = runner->setting->options->duration;
    double left = (runner->started + duration - an_clock_seconds()) * 1e3;
    if (runner->group.has_ended || runner->group.handle < 0)
        return SHORT_TICK;
    if (duration <= 0 || runner->is_counted || left >= TICK)
        return TICK;
    return left > 0 ? (int)left + 1 : 0;
}

static bool is_time_over(const struct runner *runner)
{
    double duration = runner->setting->options->duration;
    return duration > 0 && !runner->is_counted && !runner->group.has_ended &&
           an_clock_seconds() >= runner->started + duration;
}

static enum an_code watch_to_the_end(struct runner *runner, struct an_error *error)
{
    const struct an_faults_options *options = runner->setting->options;
    enum an_code code = AN_OK;
    while (code == AN_OK && !an_group_look(&runner->group)) {
        an_watch_wait(runner->is_counted ? NULL : runner->watch, runner->group.handle,
                      patience(runner));
        if (runner->watch && !runner->is_counted)
            code = an_watch_round(runner->watch, error);
        if (code == AN_OK && is_time_over(runner)) {
            runner->run->time_was_over = true;
            code = end_counting(runner, error);
            an_group_end(&runner->group);
        }
        heed_stop(options, &runner->group);
    }
    if (code == AN_OK && !runner->is_counted)
        code = end_counting(runner, error);
    return code;
}

static enum an_code start(struct runner *runner, struct an_error *error)
{
    const struct an_subject *subject = runner->subject;
    const struct an_faults_options *options = runner->setting->options;
    struct an_process_start start = start_of(options);
    start.program = subject->program;
    start.arguments = subject->arguments;
    enum an_code code = an_group_start(&runner->group, &start, error);
    if (code != AN_OK)
        return code;
    if (!options->no_events)
        code = an_watch_open(runner->group.pid, runner->setting->with_kernel, subject->identities,
                             subject->count, &runner->replay, &runner->watch, error);
    runner->started = an_clock_seconds();
    if (code != AN_OK)
        an_group_kill(&runner->group);
    else
        code = an_group_release(&runner->group, subject->program, error);
    return code;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static enum an_code take_end(struct runner *runner, struct an_error *error)
{
    struct an_faults_run *run = runner->run;
    const struct an_faults_options *options = runner->setting->options;
    const struct rusage *usage = &runner->group.usage;
    run->status = runner->group.status;
    run->left_running = runner->group.left_running;
    run->user = seconds_of(usage->ru_utime);
    run->system = seconds_of(usage->ru_stime);
    if (options->no_events) {
        run->major = (uint64_t)usage->ru_majflt;
        run->minor = (uint64_t)usage->ru_minflt;
    }
    if (run->status == 0 || run->time_was_over || options->ignore_failure || is_stopped(options))
        return AN_OK;
    fail_status(runner->subject->arguments[0], run->status, error);
    return an_error_hint(error,
                         "--show-output shows its output; --ignore-failure counts it all the same");
}

enum an_code an_run_make(const struct an_run_setting *setting, const struct an_subject *subject,
                         struct an_faults_run *run, bool *complete, struct an_error *error)
{
    const struct an_faults_options *options = setting->options;
    struct an_faults_text *files = run->files;
    *run = (struct an_faults_run){.files = files};
    memset(files, 0, subject->count * sizeof *files);
    *complete = false;
    struct runner runner = {.setting = setting,
                            .subject = subject,
                            .run = run,
                            .replay = {.page_size = setting->page_size, .files = files}};
    enum an_code code = prepare(options, error);
    if (code == AN_OK)
        code = check_files(subject, error);
    if (code == AN_OK && !options->warm)
        code = evict(subject, error);
    if (code == AN_OK)
        code = look_at_memory(subject, run, false, error);
    if (code != AN_OK || is_stopped(options))
        return code;
    code = start(&runner, error);
    if (code == AN_OK) {
        code = watch_to_the_end(&runner, error);
        if (code != AN_OK)
            an_group_kill(&runner.group);
        else
            code = take_end(&runner, error);
    }
    an_watch_free(runner.watch);
    an_replay_free(&runner.replay);
    *complete = code == AN_OK && !is_stopped(options);
    return code;
}
