/* Merging the LLVM profiles of a batch: those of one weight, then all of that as many times. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "train/batch_sources.h"
#include "train/folder.h"

/*
 * In the version that the whole may have at most, by the compilers that it is of; or, when it is known which one it gets, in
 * one that holds everything. So what a batch cannot hold, the whole cannot either; but it is not seen there any more.
 */
static enum an_code write_llvm(const struct an_training *training, struct an_llvm_profile *profile,
                               const char *path, struct an_error *error)
{
    bool is_chosen = training->options->format_version || training->options->release;
    const struct an_llvm_write_options options = {
        .size = sizeof options, .format_version = is_chosen ? AN_LLVM_NEWEST_WRITTEN : 0};
    struct an_llvm_left_out left_out;
    void *bytes;
    size_t size;
    enum an_code code = an_llvm_profile_write(profile, &options, &bytes, &size, &left_out, error);
    if (code != AN_OK)
        return code;
    size_t *uniform = &training->result->left_out.uniform_functions;
    *uniform = left_out.uniform_functions > *uniform ? left_out.uniform_functions : *uniform;
    code = an_folder_write(path, (struct an_bytes){bytes, size}, true, error);
    free(bytes);
    return code;
}

/* Multiplies a profile: it is the only one of this merge, so all of it is. */
static enum an_code multiply(const struct an_training *training, const char *path, uint64_t weight,
                             struct an_error *error)
{
    const struct an_llvm_merge_options options = {.size = sizeof options,
                                                  .warn = an_batch_count_warning,
                                                  .context = training->result,
                                                  .keep_vtable_names = true};
    const struct an_llvm_input input = {path, weight};
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    enum an_code code = an_llvm_merge(&options, &input, 1, &profile, &ledger, error);
    if (code == AN_OK)
        code = write_llvm(training, profile, path, error);
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return code;
}

/* Merges sources of one weight. */
static enum an_code merge_llvm(const struct an_training *training,
                               const struct an_batch_sources *sources, const char *path,
                               struct an_error *error)
{
    const struct an_llvm_merge_options options = {.size = sizeof options,
                                                  .failure_mode = AN_FAIL_WARN,
                                                  .keep_vtable_names = true,
                                                  .warn = an_batch_count_warning,
                                                  .context = training->result};
    struct an_llvm_input *inputs = an_alloc(sources->count, sizeof *inputs);
    struct an_llvm_profile *profile = NULL;
    struct an_ledger *ledger = NULL;
    if (!inputs)
        return an_fail_memory(error);
    for (size_t i = 0; i < sources->count; i++)
        inputs[i] = (struct an_llvm_input){sources->items[i].path, 1};
    enum an_code code = an_llvm_merge(&options, inputs, sources->count, &profile, &ledger, error);
    for (size_t i = 0; code == AN_OK && i < sources->count; i++)
        an_batch_account(training, &sources->items[i], &ledger->entries[i]);
    if (code == AN_OK && ledger->used) {
        code = write_llvm(training, profile, path, error);
        if (code == AN_OK && sources->items[0].weight != 1)
            code = multiply(training, path, sources->items[0].weight, error);
    }
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    free(inputs);
    return code;
}

/* Takes the sources that have the weight of the first one out of the list. The paths go with them. */
static bool take_weight(struct an_batch_sources *from, struct an_batch_sources *same)
{
    size_t left = 0;
    uint64_t weight = from->items[0].weight;
    if (!an_vector_reserve(same, from->count))
        return false;
    for (size_t i = 0; i < from->count; i++)
        if (from->items[i].weight == weight)
            same->items[same->count++] = from->items[i];
        else
            from->items[left++] = from->items[i];
    from->count = left;
    return true;
}

enum an_code an_batch_merge_llvm(const struct an_training *training, size_t batch,
                                 struct an_batch_sources *sources, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (unsigned number = 0; code == AN_OK && sources->count; number++) {
        struct an_batch_sources same = {0};
        char *path = NULL;
        if (asprintf(&path, "%s/merged/%06zu/%03u.profdata", training->work, batch, number) < 0)
            path = NULL;
        code = path && take_weight(sources, &same) ? merge_llvm(training, &same, path, error)
                                                   : an_fail_memory(error);
        an_batch_sources_free(&same);
        free(path);
    }
    return code;
}
