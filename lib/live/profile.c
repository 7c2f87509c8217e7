/* Recording and translating; see profile.h. */
#include "live/profile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anneal/branch.h>

#include "base/foreign.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/proc.h"

enum an_code an_profile_record(const struct an_profile_request *request,
                               struct an_live_profile *account, struct an_error *error)
{
    struct an_record_options options;
    enum an_code code = an_options_take(&options, sizeof options, request->record, error);
    if (code != AN_OK)
        return code;
    options.pid = request->pid;
    options.output = request->recording;
    code = an_record(&options, &account->record, error);
    if (code == AN_EMPTY && !an_proc_living(request->pid))
        return an_fail(error, AN_SYSTEM, "process %d has ended", request->pid);
    return code;
}

static enum an_code translate(const struct an_profile_request *request,
                              struct an_live_profile *account, void **bytes, size_t *size,
                              struct an_error *error)
{
    struct an_translate_layout *layouts = an_alloc_zero(request->layout_count, sizeof *layouts);
    struct an_translation *translation = NULL;
    if (!layouts)
        return an_fail_memory(error);
    for (size_t i = 0; i < request->layout_count; i++)
        layouts[i].path = request->layouts[i];
    const struct an_translate_options options = {
        .size = sizeof options,
        .pid = (uint32_t)request->pid,
        .ignore_build_id = true, /* the process was compared with the binary itself */
        .original = request->binary,
        .layouts = layouts,
        .layout_count = request->layout_count,
    };
    enum an_code code = an_translate_run(&options, request->recording, &translation, error);
    if (code == AN_OK) {
        const struct an_translate_counts *counts = an_translation_counts(translation);
        account->branches = counts->translated;
        account->in_generations = counts->translated - counts->by_layout[0];
        account->records = counts->records;
        if (account->records)
            code = an_translation_write(translation, AN_AGGREGATE_FDATA, bytes, size, error);
    }
    an_translation_free(translation);
    free(layouts);
    return code;
}

static enum an_code aggregate(const struct an_profile_request *request,
                              struct an_live_profile *account, void **bytes, size_t *size,
                              struct an_error *error)
{
    const struct an_aggregate_options options = {
        .size = sizeof options,
        .pid = (uint32_t)request->pid,
        .ignore_build_id = true, /* the process was compared with the binary itself */
    };
    struct an_aggregate *result = NULL;
    enum an_code code =
        an_aggregate_run(&options, request->recording, request->binary, &result, error);
    if (code == AN_OK) {
        const struct an_aggregate_counts *counts = an_aggregate_counts(result);
        account->branches = counts->branches;
        account->records = counts->records;
        if (account->records)
            code = an_aggregate_write(result, AN_AGGREGATE_FDATA, bytes, size, error);
    }
    an_aggregate_free(result);
    return code;
}

/* They are opened by their names, which may be another user's to change. */
static enum an_code check_file(const char *path, struct an_error *error)
{
    const struct an_foreign expected = {.most = AN_FOREIGN_BINARY, .follows = true};
    int file = an_foreign_open(path, &expected, error);
    if (file < 0)
        return error->code;
    close(file);
    return AN_OK;
}

static enum an_code check_files(const struct an_profile_request *request, struct an_error *error)
{
    enum an_code code = check_file(request->binary, error);
    for (size_t i = 0; code == AN_OK && i < request->layout_count; i++)
        code = check_file(request->layouts[i], error);
    return code;
}

enum an_code an_profile_aggregate(const struct an_profile_request *request,
                                  struct an_live_profile *account, struct an_error *error)
{
    void *bytes = NULL;
    size_t size = 0;
    enum an_code code = check_files(request, error);
    if (code == AN_OK)
        code = request->layout_count ? translate(request, account, &bytes, &size, error)
                                     : aggregate(request, account, &bytes, &size, error);
    if (code == AN_OK && account->records == 0) {
        an_fail(error, AN_EMPTY, "recorded nothing of the program in process %d", request->pid);
        code = an_error_hint(error, "record while it is busy, or for longer");
    }
    if (code == AN_OK)
        code = an_file_replace(request->profile, (struct an_bytes){bytes, size}, error);
    free(bytes);
    return code;
}
