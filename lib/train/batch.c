/* Merging the runs of a batch; see batch.h. */
#include "train/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/gcc.h>

#include "base/error.h"
#include "base/vector.h"
#include "train/folder.h"
#include "train/invocation.h"

char *an_training_run_folder(const struct an_training *training, size_t run)
{
    char *path;
    return asprintf(&path, "%s/run/%zu", training->work, run) < 0 ? NULL : path;
}

bool an_batch_takes(const struct an_training *training, const struct an_train_run *run)
{
    bool has_failed = run->outcome == AN_TRAIN_EXITED || run->outcome == AN_TRAIN_KILLED ||
                      run->outcome == AN_TRAIN_TIMED_OUT;
    return run->outcome == AN_TRAIN_SUCCEEDED || run->outcome == AN_TRAIN_BAD_PROFILE ||
           (has_failed && training->options->keep_failed);
}

/* ---- what a run left ---- */

struct noting {
    struct an_train_names *names;
    enum an_train_family family;
    AN_VECTOR(struct an_train_profile);
};

/* The one copy of a name. */
static const char *keep_name(struct an_train_names *names, const char *name)
{
    size_t length = strlen(name), known = an_names_find(&names->names, name, length);
    bool is_new;
    if (known != AN_NO_NAME)
        return names->names.names[known].text;
    char *copy = an_arena_copy(&names->arena, name, length);
    if (!copy || an_names_insert(&names->names, copy, length, &is_new) == AN_NO_NAME)
        return NULL;
    return copy;
}

static bool note(void *context, const char *path, const char *name, uint64_t size)
{
    struct noting *noting = context;
    const char *kept = keep_name(noting->names, name);
    struct an_train_profile *profile = kept ? an_vector_push(noting) : NULL;
    (void)path;
    if (profile)
        *profile = (struct an_train_profile){.name = kept, .family = noting->family, .bytes = size};
    return profile != NULL;
}

static enum an_code note_family(struct noting *noting, const char *folder,
                                enum an_train_family family, struct an_error *error)
{
    const bool is_llvm = family == AN_TRAIN_LLVM;
    char *path = an_folder_path(folder, is_llvm ? AN_RUN_LLVM : AN_RUN_GCC);
    if (!path)
        return an_fail_memory(error);
    noting->family = family;
    enum an_code code = an_folder_search(path, is_llvm ? ".profraw" : ".gcda", note, noting, error);
    free(path);
    return code;
}

enum an_code an_batch_note(const struct an_training *training, size_t run, struct an_error *error)
{
    struct an_train_run *of = &training->result->runs[run];
    struct noting noting = {.names = training->result->names};
    char *folder = an_training_run_folder(training, run);
    if (!folder)
        return an_fail_memory(error);
    enum an_code code = note_family(&noting, folder, AN_TRAIN_LLVM, error);
    if (code == AN_OK)
        code = note_family(&noting, folder, AN_TRAIN_GCC, error);
    of->profiles = noting.items;
    of->profile_count = noting.count;
    free(folder);
    return code;
}

/* ---- the inputs of a merge ---- */

struct source {
    struct an_train_run *run;
    struct an_train_profile *profile;
    char *path;
    uint64_t weight;
};

struct sources {
    AN_VECTOR(struct source);
};

static void free_sources(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        free(sources->items[i].path);
    an_vector_free(sources);
}

static bool add_source(const struct an_training *training, struct sources *sources, size_t number,
                       size_t index)
{
    struct an_train_run *run = &training->result->runs[number];
    struct an_train_profile *profile = &run->profiles[index];
    struct source *source = an_vector_push(sources);
    if (!source)
        return false;
    *source =
        (struct source){run, profile, NULL, training->options->workloads[run->workload].weight};
    if (asprintf(&source->path, "%s/run/%zu/%s/%s", training->work, number,
                 profile->family == AN_TRAIN_LLVM ? AN_RUN_LLVM : AN_RUN_GCC, profile->name) >= 0)
        return true;
    source->path = NULL;
    return false;
}

static bool find_sources(const struct an_training *training, size_t batch,
                         enum an_train_family family, struct sources *sources)
{
    const struct an_train_result *result = training->result;
    size_t first = batch * AN_BATCH_RUNS, end = first + AN_BATCH_RUNS;
    for (size_t i = first; i < end && i < result->run_count; i++) {
        const struct an_train_run *run = &result->runs[i];
        for (size_t k = 0; an_batch_takes(training, run) && k < run->profile_count; k++)
            if (run->profiles[k].family == family && !add_source(training, sources, i, k))
                return false;
    }
    return true;
}

/* ---- what became of them ---- */

static char *problem_of(const struct an_ledger_entry *entry)
{
    char text[2048];
    struct an_error error = entry->error ? *entry->error : (struct an_error){.code = AN_MALFORMED};
    error.file[0] = '\0'; /* a path that is gone in the end */
    return strdup(an_error_format(&error, text, sizeof text));
}

static void add_saturating(uint64_t *sum, uint64_t count, uint64_t weight)
{
    uint64_t product;
    if (__builtin_mul_overflow(count, weight, &product) ||
        __builtin_add_overflow(*sum, product, sum))
        *sum = UINT64_MAX;
}

static void account(const struct an_training *training, const struct source *source,
                    const struct an_ledger_entry *entry)
{
    struct an_train_result *result = training->result;
    const bool is_llvm = source->profile->family == AN_TRAIN_LLVM;
    source->profile->status = entry->status;
    if (entry->status == AN_INPUT_REJECTED) {
        source->profile->problem = problem_of(entry);
        if (source->run->outcome == AN_TRAIN_SUCCEEDED)
            source->run->outcome = AN_TRAIN_BAD_PROFILE;
    }
    if (entry->status != AN_INPUT_USED)
        return;
    source->profile->total_count = entry->total_count;
    *(is_llvm ? &result->llvm_profiles : &result->gcc_profiles) += 1;
    add_saturating(is_llvm ? &result->llvm_total : &result->gcc_total, entry->total_count,
                   source->weight);
}

/* ---- LLVM ---- */

static void count_warning(void *context, const char *path, const char *name, size_t length,
                          enum an_llvm_warning warning)
{
    struct an_train_result *result = context;
    (void)path, (void)name, (void)length;
    result->warnings[warning]++;
}

static enum an_code write_llvm(struct an_llvm_profile *profile, const char *path,
                               struct an_error *error)
{
    const struct an_llvm_write_options options = {0};
    void *bytes;
    size_t size;
    enum an_code code = an_llvm_profile_write(profile, &options, &bytes, &size, NULL, error);
    if (code != AN_OK)
        return code;
    code = an_folder_write(path, (struct an_bytes){bytes, size}, true, error);
    free(bytes);
    return code;
}

/* Multiplies a profile: it is the only one of this merge, so all of it is. */
static enum an_code multiply(const struct an_training *training, const char *path, uint64_t weight,
                             struct an_error *error)
{
    const struct an_llvm_merge_options options = {
        .warn = count_warning, .context = training->result, .keep_vtable_names = true};
    const struct an_llvm_input input = {path, weight};
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    enum an_code code = an_llvm_merge(&options, &input, 1, &profile, &ledger, error);
    if (code == AN_OK)
        code = write_llvm(profile, path, error);
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return code;
}

/* Merges sources of one weight. */
static enum an_code merge_llvm(const struct an_training *training, const struct sources *sources,
                               const char *path, struct an_error *error)
{
    const struct an_llvm_merge_options options = {.failure_mode = AN_LLVM_FAIL_WARN,
                                                  .keep_vtable_names = true,
                                                  .warn = count_warning,
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
        account(training, &sources->items[i], &ledger->entries[i]);
    if (code == AN_OK && ledger->used) {
        code = write_llvm(profile, path, error);
        if (code == AN_OK && sources->items[0].weight != 1)
            code = multiply(training, path, sources->items[0].weight, error);
    }
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    free(inputs);
    return code;
}

/* Takes the sources that have the weight of the first one out of the list. The paths go with them. */
static bool take_weight(struct sources *from, struct sources *same)
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

static enum an_code merge_weights(const struct an_training *training, size_t batch,
                                  struct sources *sources, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (unsigned number = 0; code == AN_OK && sources->count; number++) {
        struct sources same = {0};
        char *path = NULL;
        if (asprintf(&path, "%s/merged/%06zu/%03u.profdata", training->work, batch, number) < 0)
            path = NULL;
        code = path && take_weight(sources, &same) ? merge_llvm(training, &same, path, error)
                                                   : an_fail_memory(error);
        free_sources(&same);
        free(path);
    }
    return code;
}

/* ---- GCC ---- */

static enum an_code write_modules(const struct an_training *training, size_t batch,
                                  const struct an_names *names, const struct an_gcc_merged *merged,
                                  struct an_error *error)
{
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < names->count; i++) {
        char *path;
        if (!merged[i].bytes)
            continue;
        if (asprintf(&path, "%s/merged/%06zu/gcc/%s", training->work, batch, names->names[i].text) <
            0)
            return an_fail_memory(error);
        code =
            an_folder_write(path, (struct an_bytes){merged[i].bytes, merged[i].size}, true, error);
        free(path);
    }
    return code;
}

static bool list_modules(const struct sources *sources, struct an_names *names,
                         struct an_gcc_input *inputs)
{
    for (size_t i = 0; i < sources->count; i++) {
        const struct source *source = &sources->items[i];
        bool is_new;
        size_t module =
            an_names_insert(names, source->profile->name, strlen(source->profile->name), &is_new);
        if (module == AN_NO_NAME)
            return false;
        inputs[i] =
            (struct an_gcc_input){.path = source->path, .weight = source->weight, .module = module};
    }
    return true;
}

static enum an_code merge_gcc(const struct an_training *training, size_t batch,
                              const struct sources *sources, struct an_error *error)
{
    const struct an_gcc_merge_options options = {.failure_mode = AN_GCC_FAIL_NEVER};
    struct an_gcc_input *inputs = an_alloc(sources->count, sizeof *inputs);
    struct an_names names = {0};
    struct an_gcc_merged *merged = NULL;
    struct an_ledger *ledger = NULL;
    enum an_code code = AN_OK;
    if (!inputs || !list_modules(sources, &names, inputs))
        code = an_fail_memory(error);
    else
        code = an_gcc_merge(&options, inputs, sources->count, names.count, &merged, &ledger, error);
    for (size_t i = 0; code == AN_OK && i < sources->count; i++)
        account(training, &sources->items[i], &ledger->entries[i]);
    if (code == AN_OK)
        code = write_modules(training, batch, &names, merged, error);
    an_gcc_merged_free(merged, names.count);
    an_ledger_free(ledger);
    an_names_free(&names);
    free(inputs);
    return code;
}

/* ---- both ---- */

enum an_code an_batch_merge(const struct an_training *training, size_t batch,
                            struct an_error *error)
{
    struct sources llvm = {0}, gcc = {0};
    enum an_code code = AN_OK;
    if (!find_sources(training, batch, AN_TRAIN_LLVM, &llvm) ||
        !find_sources(training, batch, AN_TRAIN_GCC, &gcc))
        code = an_fail_memory(error);
    if (code == AN_OK)
        code = merge_weights(training, batch, &llvm, error);
    if (code == AN_OK && gcc.count)
        code = merge_gcc(training, batch, &gcc, error);
    free_sources(&llvm);
    free_sources(&gcc);
    return code;
}
