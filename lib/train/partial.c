/*
 * Merging into partial results, for trainings that are shares of a larger one; see batch.h. Each run counts, so files of the same
 * bytes do, too: an input is known by its bytes and its path, which has the work folder and the number of the run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/gcc.h>

#include "base/error.h"
#include "train/batch_sources.h"
#include "train/folder.h"

/* ---- one merge ---- */

/* Paths as they are in the work folder, which will be gone: "run/12/llvm/NAME". */
static void shorten(const struct an_training *training, struct an_ledger *ledger)
{
    size_t length = strlen(training->work) + 1;
    for (size_t i = 0; i < ledger->count; i++) {
        char *path = ledger->entries[i].path;
        memmove(path, path + length, strlen(path + length) + 1);
    }
}

static void account(const struct an_training *training, const struct an_batch_sources *sources,
                    struct an_ledger *ledger)
{
    for (size_t i = 0; i < sources->count; i++)
        an_batch_account(training, &sources->items[i], &ledger->entries[i]);
    shorten(training, ledger);
}

/* Of the sources of a batch or, without them, of the partial results of batches, none of which can be wrong. */
static enum an_code merge_llvm(const struct an_training *training,
                               const struct an_llvm_input *inputs, size_t count,
                               const struct an_batch_sources *sources, void **bytes, size_t *size,
                               struct an_error *error)
{
    const struct an_llvm_merge_options options = {.size = sizeof options,
                                                  .failure_mode =
                                                      sources ? AN_FAIL_WARN : AN_FAIL_ANY,
                                                  .keep_vtable_names = true,
                                                  .partial = true,
                                                  .count_copies = true,
                                                  .warn = an_batch_count_warning,
                                                  .context = training->result};
    struct an_llvm_profile *profile = NULL;
    struct an_ledger *ledger = NULL;
    struct an_llvm_left_out left_out;
    enum an_code code = an_llvm_merge(&options, inputs, count, &profile, &ledger, error);
    if (code == AN_OK && sources)
        account(training, sources, ledger);
    const struct an_llvm_write_options write = {.size = sizeof write, .partial = ledger};
    if (code == AN_OK)
        code = an_llvm_profile_write(profile, &write, bytes, size, &left_out, error);
    if (code == AN_OK) {
        training->result->llvm_functions = an_llvm_profile_functions(profile);
        training->result->llvm_bytes = *size;
    }
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return code;
}

static enum an_code merge_gcc(const struct an_training *training,
                              const struct an_gcc_source *inputs, size_t count,
                              const struct an_batch_sources *sources, void **bytes, size_t *size,
                              struct an_error *error)
{
    const struct an_gcc_sum_options options = {.size = sizeof options,
                                               .failure_mode = sources ? AN_FAIL_WARN : AN_FAIL_ANY,
                                               .count_copies = true,
                                               .partial = true};
    struct an_gcc_sum *sum = NULL;
    struct an_ledger *ledger = NULL;
    enum an_code code = an_gcc_sum_make(&options, inputs, count, &sum, &ledger, error);
    if (code == AN_OK && sources)
        account(training, sources, ledger);
    if (code == AN_OK)
        code = an_gcc_sum_write_partial(sum, ledger, bytes, size, error);
    if (code == AN_OK)
        training->result->gcc_modules = an_gcc_sum_modules(sum);
    an_gcc_sum_free(sum);
    an_ledger_free(ledger);
    return code;
}

/* ---- of a batch ---- */

static enum an_code keep(const struct an_training *training, size_t batch, struct an_bytes bytes,
                         struct an_error *error)
{
    char *path;
    if (asprintf(&path, "%s/merged/%06zu/" AN_BATCH_PARTIAL, training->work, batch) < 0)
        return an_fail_memory(error);
    enum an_code code = an_folder_write(path, bytes, true, error);
    free(path);
    return code;
}

enum an_code an_batch_partial_llvm(const struct an_training *training, size_t batch,
                                   struct an_batch_sources *sources, struct an_error *error)
{
    struct an_llvm_input *inputs = an_alloc(sources->count, sizeof *inputs);
    void *bytes = NULL;
    size_t size;
    if (!inputs)
        return an_fail_memory(error);
    for (size_t i = 0; i < sources->count; i++)
        inputs[i] = (struct an_llvm_input){sources->items[i].path, sources->items[i].weight};
    enum an_code code = merge_llvm(training, inputs, sources->count, sources, &bytes, &size, error);
    if (code == AN_OK)
        code = keep(training, batch, (struct an_bytes){bytes, size}, error);
    free(bytes);
    free(inputs);
    return code;
}

enum an_code an_batch_partial_gcc(const struct an_training *training, size_t batch,
                                  struct an_batch_sources *sources, struct an_error *error)
{
    struct an_gcc_source *inputs = an_alloc(sources->count, sizeof *inputs);
    void *bytes = NULL;
    size_t size;
    if (!inputs)
        return an_fail_memory(error);
    for (size_t i = 0; i < sources->count; i++) {
        const struct an_batch_source *source = &sources->items[i];
        const char *name = source->profile->name;
        inputs[i] = (struct an_gcc_source){.path = source->path,
                                           .weight = source->weight,
                                           .run = source->run->number,
                                           .name = name,
                                           .length = strlen(name)};
    }
    enum an_code code = merge_gcc(training, inputs, sources->count, sources, &bytes, &size, error);
    if (code == AN_OK)
        code = keep(training, batch, (struct an_bytes){bytes, size}, error);
    free(bytes);
    free(inputs);
    return code;
}

/* ---- of all batches ---- */

struct finding {
    struct an_arena arena;
    AN_VECTOR(const char *);
};

static bool found(void *context, const char *path, const char *name, uint64_t size)
{
    struct finding *finding = context;
    const char **item = an_vector_push(finding);
    (void)name, (void)size;
    return item && (*item = an_arena_copy(&finding->arena, path, strlen(path)));
}

static enum an_code join_llvm(const struct an_training *training, const struct finding *finding,
                              struct an_merged *merged, struct an_error *error)
{
    struct an_llvm_input *inputs = an_alloc(finding->count, sizeof *inputs);
    if (!inputs)
        return an_fail_memory(error);
    for (size_t i = 0; i < finding->count; i++)
        inputs[i] = (struct an_llvm_input){finding->items[i], 1};
    enum an_code code = merge_llvm(training, inputs, finding->count, NULL, &merged->partial,
                                   &merged->partial_size, error);
    free(inputs);
    return code;
}

static enum an_code join_gcc(const struct an_training *training, const struct finding *finding,
                             struct an_merged *merged, struct an_error *error)
{
    struct an_gcc_source *inputs = an_alloc(finding->count, sizeof *inputs);
    if (!inputs)
        return an_fail_memory(error);
    for (size_t i = 0; i < finding->count; i++)
        inputs[i] = (struct an_gcc_source){
            .path = finding->items[i], .weight = 1, .run = AN_GCC_ALONE, .name = ""};
    enum an_code code = merge_gcc(training, inputs, finding->count, NULL, &merged->partial,
                                  &merged->partial_size, error);
    free(inputs);
    return code;
}

/* All are of one family: the training has seen to that. */
enum an_code an_batch_merge_partials(const struct an_training *training, struct an_merged *merged,
                                     struct an_error *error)
{
    const struct an_train_result *result = training->result;
    bool is_llvm = result->profiles[AN_TRAIN_LLVM] != 0;
    struct finding finding = {0};
    if (!is_llvm && !result->profiles[AN_TRAIN_GCC])
        return AN_OK;
    char *folder = an_folder_path(training->work, "merged");
    enum an_code code = folder ? an_folder_search(folder, AN_BATCH_PARTIAL, found, &finding, error)
                               : an_fail_memory(error);
    merged->family = is_llvm ? AN_TRAIN_LLVM : AN_TRAIN_GCC;
    if (code == AN_OK)
        code = (is_llvm ? join_llvm : join_gcc)(training, &finding, merged, error);
    an_vector_free(&finding);
    an_arena_free(&finding.arena);
    free(folder);
    return code;
}
