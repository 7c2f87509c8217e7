/*
 * Merging gcda files; see anneal/gcc.h.
 *
 *     inputs ─► by module ─► threads, each with a module at a time ─► read, scale, merge ─► one file each
 *
 * Modules have nothing in common. Within one the order counts (top.h), so that its inputs are merged one
 * after the other.
 */
#include <anneal/gcc.h>

#include <pthread.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/ledger.h"
#include "base/memory.h"
#include "base/pool.h"
#include "gcc/gcda.h"

struct job {
    const struct an_gcc_merge_options *options;
    const struct an_gcc_input *inputs;
    size_t *order; /* inputs by module */
    size_t *first; /* of each module, in order; one more than modules */
    size_t modules;
    struct an_ledger *ledger;
    struct an_gcc_merged *merged;
    pthread_mutex_t lock; /* of the two below */
    size_t done;
    struct an_error error; /* of the whole, as running out of memory */
};

bool an_gcc_is_gcda(const void *bytes, size_t size)
{
    bool big;
    return an_gcc_recognise((struct an_bytes){bytes, size}, AN_GCDA_MAGIC, &big);
}

/* ---- an input ---- */

static void account(struct an_ledger_entry *entry, const struct an_gcda *gcda)
{
    entry->format = "gcda";
    entry->version = gcda->version.major;
    for (size_t i = 0; i < gcda->functions.count; i++)
        entry->functions += gcda->functions.items[i].is_present;
    entry->total_count = an_gcda_total(gcda);
}

/* The first good input of a module is the one that the others have to go with. */
static enum an_code add_input(struct job *job, struct an_gcda *into, bool is_first, size_t number,
                              struct an_bytes bytes, struct an_error *error)
{
    enum an_gcda_order order =
        job->options->as_gcov_tool ? AN_GCDA_EARLIER_FIRST : AN_GCDA_LATER_FIRST;
    struct an_gcda gcda;
    enum an_code code = an_gcda_read(&gcda, bytes, error);
    if (code != AN_OK)
        return code;
    account(&job->ledger->entries[number], &gcda);
    an_gcda_scale(&gcda, job->inputs[number].weight);
    if (is_first) {
        *into = gcda;
        return AN_OK;
    }
    code = an_gcda_merge(into, &gcda, order, error);
    an_gcda_free(&gcda);
    return code;
}

static enum an_code take_input(struct job *job, struct an_file *file, struct an_gcda *into,
                               bool is_first, size_t number)
{
    struct an_ledger_entry *entry = &job->ledger->entries[number];
    const char *path = job->inputs[number].path;
    struct an_error error;
    enum an_code code = an_file_load(file, path, &error);
    entry->bytes = code == AN_OK ? file->bytes.size : 0;
    entry->device = file->device;
    entry->inode = file->inode;
    if (code == AN_OK && file->bytes.size == 0) {
        entry->status = AN_INPUT_EMPTY;
        return AN_EMPTY;
    }
    if (code == AN_OK)
        code = add_input(job, into, is_first, number, file->bytes, &error);
    if (code == AN_OK) {
        entry->status = AN_INPUT_USED;
        return AN_OK;
    }
    an_error_in(&error, path);
    an_ledger_reject(entry, &error);
    if (code == AN_NO_MEMORY) {
        pthread_mutex_lock(&job->lock);
        job->error = error;
        pthread_mutex_unlock(&job->lock);
    }
    return code;
}

/* ---- a module ---- */

static void finish(struct job *job, size_t module, struct an_gcda *gcda)
{
    struct an_buffer buffer = {0};
    an_gcda_write(gcda, &buffer);
    if (buffer.failed) {
        pthread_mutex_lock(&job->lock);
        an_fail_memory(&job->error);
        pthread_mutex_unlock(&job->lock);
        an_buffer_free(&buffer);
        return;
    }
    job->merged[module].bytes = buffer.data;
    job->merged[module].size = buffer.size;
}

static void report(struct job *job)
{
    if (!job->options->progress)
        return;
    pthread_mutex_lock(&job->lock);
    job->options->progress(job->options->context, ++job->done, job->modules);
    pthread_mutex_unlock(&job->lock);
}

static void merge_module(void *context, size_t module)
{
    struct job *job = context;
    struct an_file file = {.capacity = 0};
    struct an_gcda gcda;
    size_t *used = &job->merged[module].inputs;
    for (size_t i = job->first[module]; i < job->first[module + 1]; i++)
        *used += take_input(job, &file, &gcda, *used == 0, job->order[i]) == AN_OK;
    an_file_close(&file);
    if (*used) {
        finish(job, module, &gcda);
        an_gcda_free(&gcda);
    }
    report(job);
}

/* ---- all of them ---- */

static bool sort_by_module(struct job *job, size_t count)
{
    job->order = an_alloc(count + 1, sizeof *job->order);
    job->first = an_alloc_zero(job->modules + 2, sizeof *job->first);
    if (!job->order || !job->first)
        return false;
    for (size_t i = 0; i < count; i++)
        job->first[job->inputs[i].module + 2]++;
    for (size_t i = 2; i < job->modules + 2; i++)
        job->first[i] += job->first[i - 1];
    for (size_t i = 0; i < count; i++)
        job->order[job->first[job->inputs[i].module + 1]++] = i;
    return true;
}

static bool begin(struct job *job, size_t count)
{
    job->ledger = an_ledger_new(count);
    job->merged = an_alloc_zero(job->modules + 1, sizeof *job->merged);
    if (!job->ledger || !job->merged || !sort_by_module(job, count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!an_ledger_name(job->ledger, i, job->inputs[i].path, job->inputs[i].weight))
            return false;
    return true;
}

static enum an_code run(struct job *job, struct an_error *error)
{
    const struct an_gcc_merge_options *options = job->options;
    unsigned threads = options->threads ? options->threads : an_pool_processors();
    an_pool_run(threads, job->modules, merge_module, job);
    if (job->error.code != AN_OK) {
        *error = job->error;
        return error->code;
    }
    enum an_code code = an_ledger_close(job->ledger, error);
    return code == AN_OK ? an_ledger_judge(job->ledger, options->failure_mode == AN_GCC_FAIL_ANY,
                                           options->failure_mode != AN_GCC_FAIL_NEVER, error)
                         : code;
}

enum an_code an_gcc_merge(const struct an_gcc_merge_options *options,
                          const struct an_gcc_input *inputs, size_t count, size_t modules,
                          struct an_gcc_merged **merged, struct an_ledger **ledger,
                          struct an_error *error)
{
    struct job job = {.options = options, .inputs = inputs, .modules = modules};
    pthread_mutex_init(&job.lock, NULL);
    enum an_code code = begin(&job, count) ? run(&job, error) : an_fail_memory(error);
    pthread_mutex_destroy(&job.lock);
    free(job.order);
    free(job.first);
    *ledger = job.ledger;
    *merged = code == AN_OK ? job.merged : NULL;
    if (code != AN_OK)
        an_gcc_merged_free(job.merged, modules);
    return code;
}

void an_gcc_merged_free(struct an_gcc_merged *merged, size_t modules)
{
    for (size_t i = 0; merged && i < modules; i++)
        free(merged[i].bytes);
    free(merged);
}
