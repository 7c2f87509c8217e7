/*
 * Merging gcda files; see anneal/gcc.h.
 *
 *     inputs ─► by module ─► threads, several at a module with many inputs ─► one file each
 *
 * Modules have nothing in common; within one, merge_module.h keeps the order.
 */
#include <anneal/gcc.h>

#include <pthread.h>
#include <stdlib.h>

#include "base/ledger.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/pool.h"
#include "gcc/merge_module.h"

/* Fewer inputs are not worth another thread. */
enum { INPUTS_PER_THREAD = 8 };

struct job {
    const struct an_gcc_merge_options *options;
    struct an_gcc_module *modules;
    size_t module_count;
    size_t *numbers; /* of inputs, by module */
    size_t *tasks;   /* the module that each one works at */
    size_t task_count;
    unsigned threads;
    struct an_ledger *ledger;
    struct an_gcc_merged *merged;
    pthread_mutex_t lock; /* of the two below */
    size_t done;
    struct an_error error; /* of the whole: running out of memory */
};

/* ---- a module ---- */

static enum an_code write_module(const struct an_gcc_module *module, struct an_gcc_merged *merged,
                                 struct an_error *error)
{
    struct an_buffer buffer = {0};
    if (module->error.code != AN_OK) {
        *error = module->error;
        return error->code;
    }
    if (module->used)
        an_gcda_write(&module->gcda, &buffer);
    if (buffer.failed) {
        an_buffer_free(&buffer);
        return an_fail_memory(error);
    }
    *merged = (struct an_gcc_merged){buffer.data, buffer.size, module->used};
    return AN_OK;
}

static void finish(struct job *job, size_t number)
{
    const struct an_gcc_merge_options *options = job->options;
    struct an_error error;
    enum an_code code = write_module(&job->modules[number], &job->merged[number], &error);
    pthread_mutex_lock(&job->lock);
    if (code != AN_OK)
        job->error = error;
    job->done++;
    if (options->progress)
        options->progress(options->context, job->done, job->module_count);
    pthread_mutex_unlock(&job->lock);
}

static void work(void *context, size_t task)
{
    struct job *job = context;
    size_t number = job->tasks[task];
    if (an_gcc_module_work(&job->modules[number]))
        finish(job, number);
}

/* ---- all of them ---- */

static bool sort_by_module(struct job *job, const struct an_gcc_input *inputs, size_t count)
{
    size_t at = 0;
    job->numbers = an_alloc(count + 1, sizeof *job->numbers);
    job->modules = an_alloc_zero(job->module_count + 1, sizeof *job->modules);
    if (!job->numbers || !job->modules)
        return false;
    for (size_t i = 0; i < count; i++)
        job->modules[inputs[i].module].count++;
    for (size_t i = 0; i < job->module_count; i++) {
        job->modules[i].numbers = job->numbers + at;
        at += job->modules[i].count;
        job->modules[i].count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct an_gcc_module *module = &job->modules[inputs[i].module];
        job->numbers[module->numbers - job->numbers + (ptrdiff_t)module->count++] = i;
    }
    return true;
}

static size_t threads_at(const struct job *job, const struct an_gcc_module *module)
{
    size_t most = module->count / INPUTS_PER_THREAD;
    return most < 1 ? 1 : most < job->threads ? most : job->threads;
}

/* The tasks of a module are beside each other. */
static bool make_tasks(struct job *job)
{
    size_t count = 0;
    for (size_t i = 0; i < job->module_count; i++)
        count += threads_at(job, &job->modules[i]);
    job->tasks = an_alloc(count + 1, sizeof *job->tasks);
    for (size_t i = 0; job->tasks && i < job->module_count; i++)
        for (size_t k = threads_at(job, &job->modules[i]); k > 0; k--)
            job->tasks[job->task_count++] = i;
    return job->tasks != NULL;
}

static bool begin(struct job *job, const struct an_gcc_input *inputs, size_t count)
{
    job->ledger = an_ledger_new(count);
    job->merged = an_alloc_zero(job->module_count + 1, sizeof *job->merged);
    if (!job->ledger || !job->merged || !sort_by_module(job, inputs, count) || !make_tasks(job))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!an_ledger_name(job->ledger, i, inputs[i].path, inputs[i].weight))
            return false;
    for (size_t i = 0; i < job->module_count; i++) {
        struct an_gcc_module *module = &job->modules[i];
        module->inputs = inputs;
        module->entries = job->ledger->entries;
        module->order = job->options->as_gcov_tool ? AN_GCDA_EARLIER_FIRST : AN_GCDA_LATER_FIRST;
    }
    return true;
}

static enum an_code run(struct job *job, struct an_error *error)
{
    const struct an_gcc_merge_options *options = job->options;
    for (size_t i = 0; i < job->module_count; i++)
        an_gcc_module_begin(&job->modules[i]);
    an_pool_run(job->threads, job->task_count, work, job);
    for (size_t i = 0; i < job->module_count; i++)
        an_gcc_module_end(&job->modules[i]);
    if (job->error.code != AN_OK) {
        *error = job->error;
        return error->code;
    }
    enum an_code code = an_ledger_close(job->ledger, error);
    return code == AN_OK ? an_ledger_judge(job->ledger, options->failure_mode, error) : code;
}

enum an_code an_gcc_merge(const struct an_gcc_merge_options *options,
                          const struct an_gcc_input *inputs, size_t count, size_t modules,
                          struct an_gcc_merged **merged, struct an_ledger **ledger,
                          struct an_error *error)
{
    struct an_gcc_merge_options full;
    struct job job = {.options = &full, .module_count = modules};
    *merged = NULL;
    *ledger = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    job.threads = full.threads ? full.threads : an_pool_processors();
    pthread_mutex_init(&job.lock, NULL);
    code = begin(&job, inputs, count) ? run(&job, error) : an_fail_memory(error);
    pthread_mutex_destroy(&job.lock);
    free(job.numbers);
    free(job.modules);
    free(job.tasks);
    *ledger = job.ledger;
    if (code == AN_OK)
        *merged = job.merged;
    else
        an_gcc_merged_free(job.merged, modules);
    return code;
}

void an_gcc_merged_free(struct an_gcc_merged *merged, size_t modules)
{
    for (size_t i = 0; merged && i < modules; i++)
        free(merged[i].bytes);
    free(merged);
}
