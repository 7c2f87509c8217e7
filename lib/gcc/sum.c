/* Merging gcda files and partial results without loss; see anneal/gcc.h, and sum.h for the steps. */
#include "gcc/sum.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/ledger.h"
#include "base/memory.h"
#include "base/options.h"
#include "partial/partial.h"

bool an_gcc_is_partial(const void *bytes, size_t size)
{
    unsigned family;
    return an_partial_recognise(bytes, size, &family) && family == AN_PARTIAL_GCC;
}

/* ---- the whole ---- */

static int by_name(const void *a, const void *b, void *context)
{
    const struct an_names *names = context;
    const struct an_name *left = &names->names[*(const size_t *)a];
    const struct an_name *right = &names->names[*(const size_t *)b];
    size_t shorter = left->length < right->length ? left->length : right->length;
    int order = shorter ? memcmp(left->text, right->text, shorter) : 0;
    return order ? order : (left->length > right->length) - (left->length < right->length);
}

/* Modules of which no input was any good are left out. */
static enum an_code number_modules(struct an_gcc_sum *sum, struct an_error *error)
{
    size_t left = 0;
    sum->order = an_alloc(sum->modules.count, sizeof *sum->order);
    if (!sum->order)
        return an_fail_memory(error);
    for (size_t i = 0; i < sum->modules.count; i++)
        if (sum->modules.items[i].builds.count)
            sum->order[left++] = i;
    qsort_r(sum->order, left, sizeof *sum->order, by_name, &sum->names);
    sum->count = left;
    return AN_OK;
}

static enum an_code start(struct an_gcc_summing *job, struct an_error *error)
{
    job->parts = an_alloc(job->count, sizeof *job->parts);
    if (!job->parts)
        return an_fail_memory(error);
    for (size_t i = 0; i < job->count; i++) {
        const struct an_gcc_source *source = &job->sources[i];
        if (!an_ledger_name(job->ledger, i, source->path, source->weight))
            return an_fail_memory(error);
        if (source->weight == 0)
            return an_fail(error, AN_USAGE, "the weight of an input must be at least 1");
        job->parts[i] = (struct an_gather_part){
            source->run == AN_GCC_ALONE ? AN_GATHER_ALONE : source->run, source->name};
    }
    job->how = (struct an_gathering){.family = AN_PARTIAL_GCC,
                                     .threads = job->options->threads,
                                     .count_copies = job->options->count_copies,
                                     .parts = job->parts};
    return AN_OK;
}

static enum an_code run(struct an_gcc_summing *job, struct an_error *error)
{
    enum an_code code = start(job, error);
    if (code == AN_OK)
        code = an_gather(&job->how, job->ledger, job->kept, &job->gathered, error);
    if (code == AN_OK)
        code = an_gcc_sum_add(job, error);
    if (code == AN_OK)
        code = an_gather_account(&job->gathered, job->ledger, error);
    if (code == AN_OK && !job->options->partial)
        code = an_gcc_sum_choose(job, error);
    if (code == AN_OK)
        code = number_modules(job->sum, error);
    if (code == AN_OK)
        code = an_ledger_close(job->ledger, error);
    if (code == AN_OK)
        code = an_ledger_judge(job->ledger, job->options->failure_mode, error);
    if (code == AN_OK && job->late.code != AN_OK && job->options->failure_mode == AN_FAIL_ANY) {
        *error = job->late;
        code = error->code;
    }
    return code;
}

enum an_code an_gcc_sum_make(const struct an_gcc_sum_options *options,
                             const struct an_gcc_source *sources, size_t count,
                             struct an_gcc_sum **sum, struct an_ledger **ledger,
                             struct an_error *error)
{
    struct an_gcc_sum_options full;
    struct an_gcc_summing job = {.options = &full, .sources = sources, .count = count};
    *sum = NULL;
    *ledger = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    pthread_mutex_init(&job.lock, NULL);
    *ledger = job.ledger = an_ledger_new(count);
    job.kept = an_alloc_zero(count, sizeof *job.kept);
    job.sum = an_alloc_zero(1, sizeof *job.sum);
    if (job.sum)
        job.sum->is_partial = full.partial;
    code = job.ledger && job.kept && job.sum ? run(&job, error) : an_fail_memory(error);
    pthread_mutex_destroy(&job.lock);
    an_gather_free(&job.gathered);
    for (size_t i = 0; job.kept && i < count; i++)
        an_file_close(&job.kept[i]);
    free(job.kept);
    free(job.parts);
    if (code == AN_OK)
        *sum = job.sum;
    else
        an_gcc_sum_free(job.sum);
    return code;
}

void an_gcc_sum_free(struct an_gcc_sum *sum)
{
    if (!sum)
        return;
    for (size_t i = 0; i < sum->modules.count; i++) {
        struct an_gcc_summed *module = &sum->modules.items[i];
        for (size_t k = 0; k < module->builds.count; k++)
            an_gcc_build_free(&module->builds.items[k]);
        an_vector_free(&module->builds);
        an_vector_free(&module->items);
    }
    for (size_t i = 0; i < sum->names.count; i++)
        free((char *)sum->names.names[i].text);
    an_names_free(&sum->names);
    an_vector_free(&sum->modules);
    free(sum->order);
    free(sum);
}

/* ---- results ---- */

size_t an_gcc_sum_modules(const struct an_gcc_sum *sum)
{
    return sum->count;
}

const char *an_gcc_sum_name(const struct an_gcc_sum *sum, size_t module, size_t *length)
{
    const struct an_name *name = &sum->names.names[sum->order[module]];
    *length = name->length;
    return name->text;
}

size_t an_gcc_sum_inputs(const struct an_gcc_sum *sum, size_t module)
{
    const struct an_gcc_summed *of = &sum->modules.items[sum->order[module]];
    size_t inputs = 0;
    for (size_t i = 0; i < of->builds.count; i++)
        inputs += of->builds.items[i].inputs.count;
    return inputs;
}

static enum an_code hand_over(enum an_code code, struct an_buffer *buffer, void **bytes,
                              size_t *size)
{
    *bytes = NULL;
    *size = 0;
    if (code == AN_OK) {
        *bytes = buffer->data;
        *size = buffer->size;
    } else {
        an_buffer_free(buffer);
    }
    return code;
}

enum an_code an_gcc_sum_write(struct an_gcc_sum *sum, size_t module, void **bytes, size_t *size,
                              struct an_error *error)
{
    struct an_buffer buffer = {0};
    struct an_gcc_summed *of = &sum->modules.items[sum->order[module]];
    enum an_code code = sum->is_partial ? an_fail(error, AN_USAGE,
                                                  "a sum that was to be partial is written as such")
                                        : an_gcc_build_write(&of->builds.items[0], &buffer, error);
    return hand_over(code, &buffer, bytes, size);
}

/* All builds as parts; they are lent, and given back. */
static struct an_gcc_part *list_parts(struct an_gcc_sum *sum, size_t *count)
{
    size_t number = 0;
    *count = 0;
    for (size_t i = 0; i < sum->count; i++)
        number += sum->modules.items[sum->order[i]].builds.count;
    struct an_gcc_part *parts = an_alloc_zero(number, sizeof *parts);
    for (size_t i = 0; parts && i < sum->count; i++) {
        struct an_gcc_summed *module = &sum->modules.items[sum->order[i]];
        for (size_t k = 0; k < module->builds.count; k++)
            parts[(*count)++] = (struct an_gcc_part){.name = sum->names.names[sum->order[i]],
                                                     .build = module->builds.items[k]};
    }
    return parts;
}

enum an_code an_gcc_sum_write_partial(struct an_gcc_sum *sum, const struct an_ledger *ledger,
                                      void **bytes, size_t *size, struct an_error *error)
{
    struct an_buffer content = {0}, buffer = {0};
    enum an_code code = AN_OK;
    size_t count;
    struct an_gcc_part *parts = list_parts(sum, &count);
    if (!parts)
        code = an_fail_memory(error);
    else if (!sum->is_partial)
        code = an_fail(error, AN_USAGE, "only a sum that was to be partial is written as such");
    if (code == AN_OK)
        code = an_gcc_partial_write(parts, count, ledger, &content, error);
    if (code == AN_OK)
        code = an_partial_write(AN_PARTIAL_GCC, ledger,
                                (struct an_bytes){content.data, content.size}, &buffer, error);
    free(parts);
    an_buffer_free(&content);
    return hand_over(code, &buffer, bytes, size);
}
