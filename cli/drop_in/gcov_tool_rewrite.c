/* gcov-tool rewrite: all counts of a profile multiplied, or brought to a greatest one. */
#include <stdlib.h>

#include "cli/core/command.h"
#include "cli/core/output.h"
#include "gcda_folder.h"
#include "gcov_tool.h"

static bool rewrite(const struct gcov_tool_request *request, const struct gcda_folder *folder,
                    struct an_gcc_input *inputs, const char **names)
{
    struct an_gcc_merged *rewritten;
    struct an_error error;
    for (size_t i = 0; i < folder->count; i++) {
        inputs[i] = (struct an_gcc_input){.path = folder->files[i].path, .weight = 1};
        names[i] = folder->files[i].name;
    }
    if (an_gcc_rewrite(&request->scale, inputs, folder->count, &rewritten, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    const struct gcda_results results = {names, rewritten, folder->count};
    bool done = gcda_folder_replace(request->output ? request->output : "rewrite_profile", &results,
                                    folder, 1);
    an_gcc_merged_free(rewritten, folder->count);
    return done;
}

int gcov_tool_rewrite(const struct gcov_tool_request *request, const char *path)
{
    struct gcda_folder folder;
    bool done = false;
    if (!gcda_folder_find(&folder, path, request->verbose)) {
        gcda_folder_free(&folder);
        return EXIT_FAILED;
    }
    struct an_gcc_input *inputs = calloc(folder.count + 1, sizeof *inputs);
    const char **names = calloc(folder.count + 1, sizeof *names);
    if (folder.count == 0)
        say_error("%s: no counter files (*.gcda) in this folder", path);
    else if (!inputs || !names)
        say_error("out of memory");
    else
        done = rewrite(request, &folder, inputs, names);
    free(inputs);
    free(names);
    gcda_folder_free(&folder);
    return done ? EXIT_DONE : EXIT_FAILED;
}
