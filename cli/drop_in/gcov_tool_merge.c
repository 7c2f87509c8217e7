/* gcov-tool merge and merge-stream. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "gcda_folder.h"
#include "gcov_tool.h"

/* Files on their way into one for each name. */
struct merge {
    struct an_names names;
    const char **paths; /* for each name, as a string */
    struct an_gcc_input *inputs;
    size_t count;
    struct an_gcc_merged *merged;
};

static bool begin(struct merge *merge, size_t most)
{
    *merge = (struct merge){.inputs = calloc(most + 1, sizeof *merge->inputs),
                            .paths = calloc(most + 1, sizeof *merge->paths)};
    if (!merge->inputs || !merge->paths)
        say_error("out of memory");
    return merge->inputs && merge->paths;
}

/* A weight of 0 leaves it out. */
static bool add(struct merge *merge, const char *name, struct an_gcc_input input)
{
    bool is_new;
    if (input.weight == 0)
        return true;
    input.module = an_names_insert(&merge->names, name, strlen(name), &is_new);
    if (input.module == AN_NO_NAME) {
        say_error("out of memory");
        return false;
    }
    merge->paths[input.module] = name;
    merge->inputs[merge->count++] = input;
    return true;
}

static bool run(struct merge *merge)
{
    const struct an_gcc_merge_options options = {
        .size = sizeof options, .as_gcov_tool = true, .progress = progress_show};
    struct an_ledger *ledger;
    struct an_error error;
    enum an_code code = an_gcc_merge(&options, merge->inputs, merge->count, merge->names.count,
                                     &merge->merged, &ledger, &error);
    progress_clear();
    an_ledger_free(ledger);
    if (code != AN_OK)
        report_error(&error);
    return code == AN_OK;
}

static void end(struct merge *merge)
{
    an_gcc_merged_free(merge->merged, merge->names.count);
    an_names_free(&merge->names);
    free(merge->inputs);
    free(merge->paths);
}

/* ---- folders ---- */

static bool add_folder(struct merge *merge, const struct gcda_folder *folder, uint64_t weight)
{
    for (size_t i = 0; i < folder->count; i++)
        if (!add(merge, folder->files[i].name,
                 (struct an_gcc_input){.path = folder->files[i].path, .weight = weight}))
            return false;
    return true;
}

static bool has_files(const struct gcda_folder both[2])
{
    for (unsigned i = 0; i < 2; i++)
        if (both[i].count == 0 && both[!i].count != 0)
            say_warning("%s: no counter files (*.gcda) in this folder", both[i].path);
    if (both[0].count + both[1].count == 0)
        say_error("no counter files (*.gcda) in %s and %s", both[0].path, both[1].path);
    return both[0].count + both[1].count != 0;
}

static bool merge_folders(const struct gcov_tool_request *request, const struct gcda_folder both[2])
{
    struct merge merge;
    bool done = begin(&merge, both[0].count + both[1].count);
    for (unsigned i = 0; done && i < 2; i++)
        done = add_folder(&merge, &both[i], request->weights[i]);
    if (done && merge.count == 0) {
        say_error("all files have a weight of 0");
        done = false;
    }
    done = done && run(&merge);
    if (done) {
        const struct gcda_results results = {merge.paths, merge.merged, merge.names.count};
        done = gcda_folder_replace(request->output ? request->output : "merged_profile", &results,
                                   both, 2);
    }
    end(&merge);
    return done;
}

int gcov_tool_merge(const struct gcov_tool_request *request, char **folders)
{
    struct gcda_folder both[2] = {{.count = 0}, {.count = 0}};
    bool done = gcda_folder_find(&both[0], folders[0], request->verbose) &&
                gcda_folder_find(&both[1], folders[1], request->verbose) && has_files(both) &&
                merge_folders(request, both);
    gcda_folder_free(&both[0]);
    gcda_folder_free(&both[1]);
    return done ? EXIT_DONE : EXIT_FAILED;
}

/* ---- streams ---- */

/* A stream names any path of this machine; only counter files may come of it. */
static bool may_be_written(const char *name)
{
    static const char ending[] = ".gcda";
    size_t length = strlen(name), tail = sizeof ending - 1;
    if (length > tail && strcmp(name + length - tail, ending) == 0)
        return true;
    say_error("the stream names a file '%s', which is not a counter file (*.gcda)", name);
    return false;
}

/* What is there of each name comes first, and once. */
static bool add_stream(struct merge *merge, const struct gcov_tool_request *request,
                       const struct an_gcc_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = files[i].name;
        bool is_first = an_names_find(&merge->names, name, strlen(name)) == AN_NO_NAME;
        if (!may_be_written(name))
            return false;
        if (is_first && access(name, F_OK) == 0) {
            if (request->verbose)
                fprintf(stderr, "reading file: %s\n", name);
            if (!add(merge, name,
                     (struct an_gcc_input){.path = name, .weight = request->weights[0]}))
                return false;
        }
        if (!add(merge, name,
                 (struct an_gcc_input){.path = name,
                                       .weight = request->weights[1],
                                       .bytes = files[i].bytes,
                                       .size = files[i].size}))
            return false;
    }
    return true;
}

static bool write_stream(const struct merge *merge)
{
    for (size_t i = 0; i < merge->names.count; i++) {
        const struct an_gcc_merged *file = &merge->merged[i];
        char *path = strdup(merge->paths[i]);
        if (!path)
            say_error("out of memory");
        bool done =
            path && make_folders(path) && write_result(path, file->bytes, file->size, false);
        free(path);
        if (!done)
            return false;
    }
    return true;
}

static bool merge_stream(const struct gcov_tool_request *request, const struct an_gcc_file *files,
                         size_t count)
{
    struct merge merge;
    bool done = begin(&merge, 2 * count) && add_stream(&merge, request, files, count) &&
                run(&merge) && write_stream(&merge);
    end(&merge);
    return done;
}

int gcov_tool_merge_stream(const struct gcov_tool_request *request, const char *path)
{
    struct an_file stream = {.capacity = 0};
    struct an_gcc_file *files = NULL;
    struct an_error error;
    size_t count = 0;
    bool done = false;
    enum an_code code = an_file_load(&stream, path, &error);
    if (code == AN_OK) {
        code = an_gcc_stream_read(stream.bytes.data, stream.bytes.size, &files, &count, &error);
        if (code != AN_OK)
            an_error_in(&error, path);
    }
    if (code != AN_OK)
        report_error(&error);
    else if (count == 0)
        say_error("%s: no files in this stream", path);
    else
        done = merge_stream(request, files, count);
    an_gcc_stream_free(files, count);
    an_file_close(&stream);
    return done ? EXIT_DONE : EXIT_FAILED;
}
