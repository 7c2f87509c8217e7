/* Merging the runs of a batch; see batch.h. */
#include "train/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "train/batch_sources.h"
#include "train/folder.h"
#include "train/invocation.h"

char *an_training_run_folder(const struct an_training *training, size_t run)
{
    char *path;
    size_t number = training->result->runs[run].number;
    return asprintf(&path, "%s/run/%zu", training->work, number) < 0 ? NULL : path;
}

bool an_batch_takes(const struct an_training *training, const struct an_train_run *run)
{
    bool has_failed = run->outcome == AN_TRAIN_EXITED || run->outcome == AN_TRAIN_KILLED ||
                      run->outcome == AN_TRAIN_TIMED_OUT;
    return run->outcome == AN_TRAIN_SUCCEEDED || run->outcome == AN_TRAIN_BAD_PROFILE ||
           (has_failed && training->options->keep_failed);
}

static const struct {
    const char *folder; /* below the one of a run */
    const char *ending; /* of the profiles in it */
    an_batch_merge_family *merge, *partial;
} families[AN_TRAIN_FAMILIES] = {
    [AN_TRAIN_LLVM] = {AN_RUN_LLVM, ".profraw", an_batch_merge_llvm, an_batch_partial_llvm},
    [AN_TRAIN_GCC] = {AN_RUN_GCC, ".gcda", an_batch_merge_gcc, an_batch_partial_gcc},
};

const char *an_train_family_name(enum an_train_family family)
{
    return families[family].folder;
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
    char *path = an_folder_path(folder, families[family].folder);
    if (!path)
        return an_fail_memory(error);
    noting->family = family;
    enum an_code code = an_folder_search(path, families[family].ending, note, noting, error);
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
    enum an_code code = AN_OK;
    for (unsigned i = 0; code == AN_OK && i < AN_TRAIN_FAMILIES; i++)
        code = note_family(&noting, folder, (enum an_train_family)i, error);
    of->profiles = noting.items;
    of->profile_count = noting.count;
    free(folder);
    return code;
}

/* ---- the inputs of a merge ---- */

static bool add_source(const struct an_training *training, struct an_batch_sources *sources,
                       size_t number, size_t index)
{
    struct an_train_run *run = &training->result->runs[number];
    struct an_train_profile *profile = &run->profiles[index];
    struct an_batch_source *source = an_vector_push(sources);
    if (!source)
        return false;
    *source = (struct an_batch_source){run, profile, NULL,
                                       training->options->workloads[run->workload].weight};
    if (asprintf(&source->path, "%s/run/%zu/%s/%s", training->work, run->number,
                 families[profile->family].folder, profile->name) >= 0)
        return true;
    source->path = NULL;
    return false;
}

static bool find_sources(const struct an_training *training, size_t batch,
                         enum an_train_family family, struct an_batch_sources *sources)
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

/* ---- all of it ---- */

static enum an_code merge_family(const struct an_training *training, size_t batch,
                                 enum an_train_family family, struct an_error *error)
{
    struct an_batch_sources sources = {0};
    enum an_code code = AN_OK;
    if (!find_sources(training, batch, family, &sources))
        code = an_fail_memory(error);
    if (code == AN_OK && sources.count)
        code = (training->options->partial ? families[family].partial : families[family].merge)(
            training, batch, &sources, error);
    an_batch_sources_free(&sources);
    return code;
}

enum an_code an_batch_merge(const struct an_training *training, size_t batch,
                            struct an_error *error)
{
    enum an_code code = AN_OK;
    for (unsigned i = 0; code == AN_OK && i < AN_TRAIN_FAMILIES; i++)
        code = merge_family(training, batch, (enum an_train_family)i, error);
    return code;
}
