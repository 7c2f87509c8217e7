/*
 * Training; see anneal/train.h.
 *
 *     workloads ─► runs, some at a time (children.h) ─► batches (batch.h) ─► one profile (publish.h)
 *
 * One thread does it all: batches are merged between two runs, which takes milliseconds.
 */
#include <anneal/train.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/pool.h"
#include "base/vector.h"
#include "train/batch.h"
#include "train/children.h"
#include "train/folder.h"
#include "train/invocation.h"
#include "train/publish.h"

#define USUAL_GRACE 5.0

enum { MOST_JOBS = 4096, LAST_BYTES = 1000, LAST_LINES = 5 };

struct trainer {
    struct an_training training;
    const struct an_train_options *options;
    struct an_train_result *result;
    struct an_children *children;
    char *work;
    size_t jobs;
    size_t next; /* run to be started */
    struct {
        AN_VECTOR(size_t);
    } spare; /* runs whose folders have no files any more */
    struct an_trash trash;
    size_t *left;      /* of each batch: runs that have not ended */
    bool told, killed; /* the children, because of options->stop */
    bool has_seen_gcc; /* and it was checked that there is a place for it */
    bool has_seen_llvm;
    enum an_code failed; /* something went wrong that ends the training */
    struct an_error error;
};

/* ---- the result ---- */

void an_train_result_free(struct an_train_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->run_count; i++) {
        struct an_train_run *run = &result->runs[i];
        for (size_t k = 0; k < run->profile_count; k++)
            free(run->profiles[k].problem);
        free(run->profiles);
        free(run->last_words);
    }
    if (result->names) {
        an_names_free(&result->names->names);
        an_arena_free(&result->names->arena);
    }
    free(result->names);
    free(result->runs);
    free(result->llvm_output);
    free(result->gcc_output);
    free(result->work);
    free(result);
}

static struct an_train_result *new_result(const struct an_train_options *options)
{
    struct an_train_result *result = an_alloc_zero(1, sizeof *result);
    size_t rounds = options->repeat ? options->repeat : 1, runs;
    size_t step = options->shares ? options->shares : 1,
           first = options->share ? options->share - 1 : 0;
    if (!result || __builtin_mul_overflow(rounds, options->workload_count, &runs)) {
        free(result);
        return NULL;
    }
    runs = runs > first ? (runs - first - 1) / step + 1 : 0; /* of this share */
    result->runs = an_alloc_zero(runs + 1, sizeof *result->runs);
    result->names = an_alloc_zero(1, sizeof *result->names);
    if (!result->runs || !result->names) {
        an_train_result_free(result);
        return NULL;
    }
    result->run_count = result->counts.total = runs;
    for (size_t i = 0; i < runs; i++) {
        size_t number = first + i * step;
        result->runs[i].number = number;
        result->runs[i].workload = number % options->workload_count;
        result->runs[i].round = (unsigned)(number / options->workload_count);
    }
    return result;
}

/* ---- what ends it ---- */

static void give_up(struct trainer *trainer, enum an_code code)
{
    trainer->failed = code;
    an_children_kill(trainer->children);
}

static bool is_beyond(const struct trainer *trainer)
{
    const struct an_train_options *options = trainer->options;
    const struct an_train_counts *counts = &trainer->result->counts;
    double share = options->failures_share * (double)counts->total + 1e-9;
    return counts->failed > options->failures_allowed && (double)counts->failed > share;
}

static bool may_start(const struct trainer *trainer)
{
    return trainer->next < trainer->result->run_count && trainer->failed == AN_OK &&
           !trainer->told && !(trainer->options->fail_fast && is_beyond(trainer)) &&
           an_children_running(trainer->children) < trainer->jobs;
}

static void heed_stop(struct trainer *trainer)
{
    int stop = trainer->options->stop ? *trainer->options->stop : 0;
    if (stop && !trainer->told) {
        trainer->result->interrupted = trainer->told = true;
        an_children_end(trainer->children);
    }
    if (stop > 1 && !trainer->killed) {
        trainer->killed = true;
        an_children_kill(trainer->children);
    }
}

/* ---- the end of a run ---- */

static void tell_failure(const struct trainer *trainer, const struct an_train_run *run)
{
    trainer->result->counts.failed++;
    if (trainer->options->failed)
        trainer->options->failed(trainer->options->context, run);
}

/* The last lines of what it printed on standard error. */
static char *last_words(const char *folder)
{
    struct an_file file = {0};
    struct an_error error;
    char *path = an_folder_path(folder, AN_RUN_ERRORS), *text = NULL;
    if (path && an_file_load(&file, path, &error) == AN_OK) {
        const char *bytes = (const char *)file.bytes.data;
        size_t end = file.bytes.size, lines = 0;
        while (end && (bytes[end - 1] == '\n' || bytes[end - 1] == '\r'))
            end--;
        size_t start = end;
        while (start && end - start < LAST_BYTES &&
               (bytes[start - 1] != '\n' || ++lines < LAST_LINES))
            start--;
        text = end ? strndup(bytes + start, end - start) : NULL;
    }
    an_file_close(&file);
    free(path);
    return text;
}

static bool has_bytes(const struct an_train_run *run)
{
    for (size_t i = 0; i < run->profile_count; i++)
        if (run->profiles[i].bytes)
            return true;
    return false;
}

static void judge(struct an_train_run *run, const struct an_child_end *end)
{
    run->seconds = end->seconds;
    run->left_running = end->left_running;
    run->status = WIFEXITED(end->status) ? WEXITSTATUS(end->status) : WTERMSIG(end->status);
    if (end->timed_out)
        run->outcome = AN_TRAIN_TIMED_OUT;
    else if (end->was_told)
        run->outcome = AN_TRAIN_INTERRUPTED;
    else if (WIFSIGNALED(end->status))
        run->outcome = AN_TRAIN_KILLED;
    else if (run->status != 0)
        run->outcome = AN_TRAIN_EXITED;
    else
        run->outcome = has_bytes(run) ? AN_TRAIN_SUCCEEDED : AN_TRAIN_NO_PROFILE;
}

/* The folder of a run that is not needed any more is kept for another one, with the folders in it. */
static void leave_folder(struct trainer *trainer, size_t number)
{
    char *folder = an_training_run_folder(&trainer->training, number);
    if (folder && !trainer->options->keep_work) {
        size_t *spare =
            an_folder_empty(folder, &trainer->trash) ? an_vector_push(&trainer->spare) : NULL;
        if (spare)
            *spare = number;
        else
            an_folder_remove(folder);
    }
    free(folder);
}

/* Runs whose profiles turn out to be bad have succeeded until then. */
static void note_bad_ones(struct trainer *trainer, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (trainer->result->runs[i].outcome == AN_TRAIN_BAD_PROFILE) {
            trainer->result->counts.succeeded--;
            tell_failure(trainer, &trainer->result->runs[i]);
        }
}

static void merge_batch(struct trainer *trainer, size_t batch)
{
    size_t first = batch * AN_BATCH_RUNS, end = first + AN_BATCH_RUNS;
    if (end > trainer->result->run_count)
        end = trainer->result->run_count;
    trainer->left[batch] = 0;
    enum an_code code = an_batch_merge(&trainer->training, batch, &trainer->error);
    if (code != AN_OK)
        give_up(trainer, code);
    note_bad_ones(trainer, first, end);
    for (size_t i = first; i < end; i++)
        if (an_batch_takes(&trainer->training, &trainer->result->runs[i]))
            leave_folder(trainer, i);
}

static void leave_batch(struct trainer *trainer, size_t number)
{
    size_t batch = number / AN_BATCH_RUNS;
    if (--trainer->left[batch] == 0 && trainer->failed == AN_OK && !trainer->killed)
        merge_batch(trainer, batch);
}

static enum an_code check_families(struct trainer *trainer, bool is_first_gcc)
{
    const struct an_train_options *options = trainer->options;
    if (options->partial && trainer->has_seen_gcc && trainer->has_seen_llvm) {
        an_fail(&trainer->error, AN_UNSUPPORTED,
                "the runs leave profiles of clang and of gcc, and a partial result is of one kind");
        return an_error_hint(&trainer->error, "train with the programs of one compiler at a time");
    }
    return is_first_gcc && !options->partial ? an_publish_check_gcc(options, &trainer->error)
                                             : AN_OK;
}

/* GCC's profiles need a folder, and a partial result is of one family: what is wrong is said at once, not after the last run. */
static void look_at_families(struct trainer *trainer, const struct an_train_run *run)
{
    for (size_t i = 0; trainer->failed == AN_OK && i < run->profile_count; i++) {
        bool is_gcc = run->profiles[i].family == AN_TRAIN_GCC;
        bool *seen = is_gcc ? &trainer->has_seen_gcc : &trainer->has_seen_llvm;
        bool is_first = !*seen;
        *seen = true;
        enum an_code code = is_first ? check_families(trainer, is_gcc) : AN_OK;
        if (code != AN_OK)
            give_up(trainer, code);
    }
}

static void count_end(struct trainer *trainer, struct an_train_run *run, const char *folder)
{
    struct an_train_counts *counts = &trainer->result->counts;
    counts->ended++;
    if (run->outcome == AN_TRAIN_SUCCEEDED) {
        counts->succeeded++;
    } else if (run->outcome == AN_TRAIN_INTERRUPTED) {
        counts->interrupted++;
    } else {
        run->last_words = folder ? last_words(folder) : NULL;
        tell_failure(trainer, run);
    }
}

static void end_run(struct trainer *trainer, const struct an_child_end *end)
{
    struct an_train_run *run = &trainer->result->runs[end->id];
    char *folder = an_training_run_folder(&trainer->training, end->id);
    enum an_code code = trainer->failed == AN_OK
                            ? an_batch_note(&trainer->training, end->id, &trainer->error)
                            : AN_OK;
    if (code != AN_OK)
        give_up(trainer, code);
    judge(run, end);
    look_at_families(trainer, run);
    if (trainer->failed == AN_OK)
        count_end(trainer, run, folder);
    if (!an_batch_takes(&trainer->training, run))
        leave_folder(trainer, end->id);
    leave_batch(trainer, end->id);
    free(folder);
}

/* ---- the beginning of a run ---- */

/* No other run could be started either. */
static bool is_hopeless(const struct trainer *trainer, int failure)
{
    bool is_program =
        failure == ENOENT || failure == EACCES || failure == ENOEXEC || failure == ENOTDIR;
    return failure == ENOSPC || failure == EDQUOT ||
           (is_program && !an_invocation_varies(trainer->options));
}

static void not_started(struct trainer *trainer, size_t number, int failure, const char *folder)
{
    struct an_train_run *run = &trainer->result->runs[number];
    run->outcome = AN_TRAIN_NOT_STARTED;
    run->status = failure;
    errno = failure;
    if (is_hopeless(trainer, failure))
        give_up(trainer,
                an_fail_errno(&trainer->error, trainer->options->command[0], "cannot run"));
    else
        count_end(trainer, run, NULL);
    if (!trainer->options->keep_work)
        an_folder_remove(folder);
    leave_batch(trainer, number);
}

static enum an_code make_folder(const char *folder, struct an_error *error)
{
    return mkdir(folder, 0777) == 0 ? AN_OK : an_fail_errno(error, folder, "cannot create");
}

static enum an_code take_folder(struct trainer *trainer, const char *folder)
{
    while (trainer->spare.count) {
        size_t number = trainer->spare.items[--trainer->spare.count];
        char *spare = an_training_run_folder(&trainer->training, number);
        bool done = spare && rename(spare, folder) == 0;
        free(spare);
        if (done)
            return AN_OK;
    }
    return make_folder(folder, &trainer->error);
}

static void spawn(struct trainer *trainer, size_t number, const char *folder,
                  const struct an_invocation *invocation)
{
    char *output = an_folder_path(folder, AN_RUN_OUTPUT);
    char *errors = an_folder_path(folder, AN_RUN_ERRORS);
    const struct an_child_start start = {
        .arguments = invocation->arguments,
        .environment = invocation->environment,
        .output = output,
        .errors = errors,
        .id = number,
        .timeout = trainer->options->timeout,
    };
    int failure = output && errors ? an_children_start(trainer->children, &start) : ENOMEM;
    if (failure)
        not_started(trainer, number, failure, folder);
    free(output);
    free(errors);
}

static void start_run(struct trainer *trainer)
{
    size_t number = trainer->next++;
    char *folder = an_training_run_folder(&trainer->training, number);
    const struct an_invocation_of of = {.options = trainer->options,
                                        .folder = folder,
                                        .workload = trainer->result->runs[number].workload,
                                        .run = trainer->result->runs[number].number};
    struct an_invocation invocation = {0};
    enum an_code code = AN_OK;
    if (!folder || !an_invocation_make(&invocation, &of))
        code = an_fail_memory(&trainer->error);
    if (code == AN_OK)
        code = take_folder(trainer, folder);
    if (code == AN_OK)
        spawn(trainer, number, folder, &invocation);
    else
        give_up(trainer, code);
    an_invocation_free(&invocation);
    free(folder);
}

/* ---- all of it ---- */

static void tell_progress(const struct trainer *trainer)
{
    trainer->result->counts.running = an_children_running(trainer->children);
    if (trainer->options->progress)
        trainer->options->progress(trainer->options->context, &trainer->result->counts);
}

static void run_all(struct trainer *trainer)
{
    struct an_child_end end;
    for (;;) {
        heed_stop(trainer);
        while (may_start(trainer))
            start_run(trainer);
        if (an_children_running(trainer->children) == 0)
            break;
        if (an_children_wait(trainer->children, &end))
            end_run(trainer, &end);
        tell_progress(trainer);
    }
    heed_stop(trainer);
}

/* Batches that lack runs which were not made. */
static void merge_rest(struct trainer *trainer)
{
    size_t batches = (trainer->result->run_count + AN_BATCH_RUNS - 1) / AN_BATCH_RUNS;
    for (size_t i = 0; i < batches && trainer->failed == AN_OK; i++)
        if (trainer->left[i])
            merge_batch(trainer, i);
}

static enum an_code no_profile(const struct trainer *trainer, struct an_error *error)
{
    const struct an_train_counts *counts = &trainer->result->counts;
    if (trainer->result->interrupted)
        return an_fail(error, AN_EMPTY, "no run was complete: nothing written");
    bool all_failed = counts->failed == counts->ended;
    an_fail(error, AN_EMPTY, "none of %zu runs left a %s: nothing written", counts->ended,
            all_failed ? "valid profile" : "profile with functions");
    return all_failed ? AN_EMPTY
                      : an_error_hint(error, "were the programs built with -fprofile-generate?");
}

static bool is_stopped_at_once(const struct trainer *trainer)
{
    return trainer->options->stop && *trainer->options->stop > 1;
}

static enum an_code conclude(struct trainer *trainer, struct an_error *error)
{
    struct an_merged merged;
    if (trainer->killed)
        return an_fail(error, AN_EMPTY, "interrupted: nothing written");
    merge_rest(trainer);
    trainer->result->too_many_failed = is_beyond(trainer);
    if (trainer->failed != AN_OK) {
        *error = trainer->error;
        return trainer->failed;
    }
    enum an_code code = an_batch_merge_all(&trainer->training, &merged, error);
    if (code == AN_OK && !merged.llvm && !merged.modules && !merged.partial) {
        code = no_profile(trainer, error);
    } else if (code == AN_OK && is_stopped_at_once(trainer)) {
        code = an_fail(error, AN_EMPTY, "interrupted: nothing written");
    } else if (code == AN_OK) {
        code = an_publish(&trainer->training, &merged, error);
        if (code != AN_OK && !trainer->result->work) { /* hours may have gone into it */
            trainer->result->work = strdup(trainer->work);
            an_error_hint(error, "the merged profile is kept in %s/merged", trainer->work);
        }
    }
    an_merged_free(&merged);
    return code;
}

static bool begin(struct trainer *trainer)
{
    const struct an_train_options *options = trainer->options;
    size_t runs = trainer->result->run_count;
    trainer->jobs = options->jobs ? options->jobs : an_pool_processors();
    if (trainer->jobs > MOST_JOBS)
        trainer->jobs = MOST_JOBS;
    if (trainer->jobs > runs)
        trainer->jobs = runs;
    trainer->left = an_alloc((runs + AN_BATCH_RUNS - 1) / AN_BATCH_RUNS, sizeof *trainer->left);
    for (size_t i = 0; trainer->left && i < runs; i += AN_BATCH_RUNS)
        trainer->left[i / AN_BATCH_RUNS] = runs - i < AN_BATCH_RUNS ? runs - i : AN_BATCH_RUNS;
    trainer->children =
        an_children_new(trainer->jobs, options->kill_after > 0 ? options->kill_after : USUAL_GRACE);
    return trainer->left && trainer->children;
}

static enum an_code train(struct trainer *trainer, struct an_error *error)
{
    struct an_train_result *result = trainer->result;
    char *runs = an_folder_path(trainer->work, "run");
    trainer->trash.folder = an_folder_path(trainer->work, "trash");
    enum an_code code = runs && trainer->trash.folder && begin(trainer) ? make_folder(runs, error)
                                                                        : an_fail_memory(error);
    free(runs);
    trainer->training = (struct an_training){trainer->options, trainer->result, trainer->work};
    if (trainer->options->keep_work)
        result->work = strdup(trainer->work);
    if (code == AN_OK) {
        run_all(trainer);
        code = conclude(trainer, error);
    }
    an_children_free(trainer->children);
    an_vector_free(&trainer->spare);
    free(trainer->trash.folder);
    free(trainer->left);
    return code;
}

static enum an_code check(const struct an_train_options *options, struct an_error *error)
{
    if (!options->command || !*options->command)
        return an_fail(error, AN_USAGE, "no command to run");
    if (options->workload_count == 0)
        return an_fail(error, AN_USAGE, "no workloads");
    if (!options->output && !options->in_place)
        return an_fail(error, AN_USAGE, "no output for the profile");
    if (options->placeholder && !*options->placeholder)
        return an_fail(error, AN_USAGE, "the placeholder is empty");
    if (options->share > options->shares || (options->shares && !options->share))
        return an_fail(error, AN_USAGE, "there is no share %zu of %zu", options->share,
                       options->shares);
    if (options->partial &&
        (options->in_place || options->flat || options->format_version || options->release))
        return an_fail(error, AN_USAGE, "a partial result is written in one way only");
    return an_publish_check(options, error);
}

static void remove_below(const char *folder, const char *name)
{
    char *path = an_folder_path(folder, name);
    if (path)
        an_folder_remove(path);
    free(path);
}

enum an_code an_train(const struct an_train_options *options, struct an_train_result **result,
                      struct an_error *error)
{
    struct an_train_options full;
    struct trainer trainer = {.options = &full};
    *result = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code == AN_OK)
        code = check(&full, error);
    if (code == AN_OK && !(trainer.result = *result = new_result(&full)))
        code = an_fail_memory(error);
    if (code != AN_OK || !trainer.result->run_count) /* a share of nothing */
        return code;
    code = an_folder_make_work(full.work, &trainer.work, error);
    if (code != AN_OK) {
        an_train_result_free(trainer.result);
        *result = NULL;
        return code;
    }
    code = train(&trainer, error);
    if (!(*result)->work)
        an_folder_remove(trainer.work);
    else if (!full.keep_work) { /* only what was merged is worth keeping */
        remove_below(trainer.work, "run");
        remove_below(trainer.work, "trash");
    }
    free(trainer.work);
    return code;
}
