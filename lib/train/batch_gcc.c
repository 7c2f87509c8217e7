/* Merging GCC's profiles of a batch, module by module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/gcc.h>

#include "base/error.h"
#include "train/batch_sources.h"
#include "train/folder.h"

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

static bool list_modules(const struct an_batch_sources *sources, struct an_names *names,
                         struct an_gcc_input *inputs)
{
    for (size_t i = 0; i < sources->count; i++) {
        const struct an_batch_source *source = &sources->items[i];
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

enum an_code an_batch_merge_gcc(const struct an_training *training, size_t batch,
                                struct an_batch_sources *sources, struct an_error *error)
{
    const struct an_gcc_merge_options options = {.size = sizeof options,
                                                 .failure_mode = AN_FAIL_WARN};
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
        an_batch_account(training, &sources->items[i], &ledger->entries[i]);
    if (code == AN_OK)
        code = write_modules(training, batch, &names, merged, error);
    an_gcc_merged_free(merged, names.count);
    an_ledger_free(ledger);
    an_names_free(&names);
    free(inputs);
    return code;
}
