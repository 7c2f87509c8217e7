/* Merging the batches into what the training gives; see batch.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/gcc.h>

#include "base/error.h"
#include "base/vector.h"
#include "train/batch_sources.h"
#include "train/folder.h"

void an_merged_free(struct an_merged *merged)
{
    free(merged->llvm);
    free(merged->partial);
    an_gcc_merged_free(merged->modules, merged->names.names.count);
    an_names_free(&merged->names.names);
    an_arena_free(&merged->names.arena);
    *merged = (struct an_merged){0};
}

/* ---- finding what the batches are ---- */

struct finding {
    struct an_arena paths;
    struct an_train_names *names;
    struct {
        AN_VECTOR(struct an_llvm_input);
    } llvm;
    struct {
        AN_VECTOR(struct an_gcc_input);
    } gcc;
};

static bool found_llvm(void *context, const char *path, const char *name, uint64_t size)
{
    struct finding *finding = context;
    struct an_llvm_input *input = an_vector_push(&finding->llvm);
    (void)name, (void)size;
    if (!input)
        return false;
    *input = (struct an_llvm_input){an_arena_copy(&finding->paths, path, strlen(path)), 1};
    return input->path != NULL;
}

static bool found_gcc(void *context, const char *path, const char *name, uint64_t size)
{
    struct finding *finding = context;
    struct an_gcc_input *input = an_vector_push(&finding->gcc);
    const char *copy = an_arena_copy(&finding->paths, path, strlen(path));
    const char *kept = an_arena_copy(&finding->names->arena, name, strlen(name));
    bool is_new;
    (void)size;
    size_t module =
        kept ? an_names_insert(&finding->names->names, kept, strlen(kept), &is_new) : AN_NO_NAME;
    if (!input || !copy || module == AN_NO_NAME)
        return false;
    *input = (struct an_gcc_input){.path = copy, .weight = 1, .module = module};
    return true;
}

static enum an_code search(const struct an_training *training, struct finding *finding,
                           struct an_error *error)
{
    size_t batches = (training->result->run_count + AN_BATCH_RUNS - 1) / AN_BATCH_RUNS;
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < batches; i++) {
        char *folder, *gcc;
        if (asprintf(&folder, "%s/merged/%06zu", training->work, i) < 0)
            return an_fail_memory(error);
        if (asprintf(&gcc, "%s/gcc", folder) < 0) {
            free(folder);
            return an_fail_memory(error);
        }
        code = an_folder_search(folder, ".profdata", found_llvm, finding, error);
        if (code == AN_OK)
            code = an_folder_search(gcc, ".gcda", found_gcc, finding, error);
        free(folder);
        free(gcc);
    }
    return code;
}

/* ---- merging ---- */

/* A batch's profile has a name that says nothing to anybody. */
static enum an_code tell_why(enum an_code code, const struct an_ledger *ledger,
                             struct an_error *error)
{
    for (size_t i = 0; ledger && i < ledger->count; i++)
        if (ledger->entries[i].status == AN_INPUT_REJECTED && ledger->entries[i].error) {
            *error = *ledger->entries[i].error;
            error->file[0] = '\0';
            an_error_hint(error,
                          "the profiles of later runs cannot be merged with those of the first "
                          "ones");
            return error->code;
        }
    return code;
}

/* The batches have left out something, too: mostly of the same functions. */
static enum an_code write_llvm(struct an_llvm_profile *profile,
                               const struct an_llvm_write_options *options,
                               struct an_merged *merged, struct an_train_result *result,
                               struct an_error *error)
{
    size_t uniform = result->left_out.uniform_functions;
    enum an_code code = an_llvm_profile_write(profile, options, &merged->llvm, &merged->llvm_size,
                                              &result->left_out, error);
    if (result->left_out.uniform_functions < uniform)
        result->left_out.uniform_functions = uniform;
    return code;
}

static enum an_code merge_llvm(const struct an_training *training, const struct finding *finding,
                               struct an_merged *merged, struct an_error *error)
{
    struct an_train_result *result = training->result;
    const struct an_llvm_merge_options options = {
        .size = sizeof options, .warn = an_batch_count_warning, .context = result};
    const struct an_llvm_write_options write = {.size = sizeof write,
                                                .format_version = training->options->format_version,
                                                .release = training->options->release};
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    enum an_code code =
        an_llvm_merge(&options, finding->llvm.items, finding->llvm.count, &profile, &ledger, error);
    if (code != AN_OK)
        code = tell_why(code, ledger, error);
    else if (an_llvm_profile_records(profile) || an_llvm_profile_memprof_functions(profile))
        code = write_llvm(profile, &write, merged, result, error);
    if (code == AN_OK) {
        result->llvm_functions = an_llvm_profile_functions(profile);
        result->llvm_bytes = merged->llvm_size;
    }
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return code;
}

static enum an_code merge_gcc(const struct an_training *training, const struct finding *finding,
                              struct an_merged *merged, struct an_error *error)
{
    const struct an_gcc_merge_options options = {.size = sizeof options};
    struct an_ledger *ledger;
    size_t modules = merged->names.names.count;
    enum an_code code = an_gcc_merge(&options, finding->gcc.items, finding->gcc.count, modules,
                                     &merged->modules, &ledger, error);
    if (code != AN_OK)
        code = tell_why(code, ledger, error);
    else
        training->result->gcc_modules = modules;
    an_ledger_free(ledger);
    return code;
}

enum an_code an_batch_merge_all(const struct an_training *training, struct an_merged *merged,
                                struct an_error *error)
{
    *merged = (struct an_merged){0};
    if (training->options->partial)
        return an_batch_merge_partials(training, merged, error);
    struct finding finding = {.names = &merged->names};
    enum an_code code = search(training, &finding, error);
    if (code == AN_OK && finding.llvm.count)
        code = merge_llvm(training, &finding, merged, error);
    if (code == AN_OK && finding.gcc.count)
        code = merge_gcc(training, &finding, merged, error);
    an_vector_free(&finding.llvm);
    an_vector_free(&finding.gcc);
    an_arena_free(&finding.paths);
    return code;
}
