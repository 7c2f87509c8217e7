/* What a run's counter files say for anneal order: which functions ran first, and how much each did. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "gcc_view.h"
#include "ordering.h"

struct entry {
    uint64_t first_run;
    const char *name;
};

static int by_first_run(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->first_run != right->first_run)
        return left->first_run < right->first_run ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Functions with a name and a place in the order of first runs. */
static size_t list_entries(const struct gcc_view *view, struct entry *entries, size_t *nameless)
{
    size_t count = 0;
    *nameless = 0;
    for (size_t i = 0; i < view->function_count; i++) {
        const struct an_gcc_function *function = view->functions[i].function;
        if (function->first_run && function->name)
            entries[count++] = (struct entry){function->first_run, function->name};
        else
            *nameless += function->first_run != 0;
    }
    qsort(entries, count, sizeof *entries, by_first_run);
    return count;
}

static enum an_code add_entries(struct an_behaviour *behaviour, const struct entry *entries,
                                size_t count, struct an_error *error)
{
    const char **names = malloc((count + 1) * sizeof *names);
    if (!names)
        return an_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        names[i] = entries[i].name;
    enum an_code code = an_behaviour_add_run(behaviour, names, count, 1, error);
    free(names);
    return code;
}

static bool add_run(struct an_behaviour *behaviour, const struct gcc_view *view, const char *path)
{
    struct an_error error;
    struct entry *entries = malloc((view->function_count + 1) * sizeof *entries);
    if (!entries) {
        say_error("out of memory");
        return false;
    }
    size_t nameless, count = list_entries(view, entries, &nameless);
    enum an_code code = count ? add_entries(behaviour, entries, count, &error) : AN_EMPTY;
    free(entries);
    if (count && code != AN_OK)
        report_error(&error);
    else if (!count && nameless)
        say_error("%s: no gcno files with the names of its functions (also compile for training "
                  "with -ftest-coverage; --notes=DIR says where they are)",
                  path);
    else if (!count)
        say_error("%s: its counter files do not record when functions first ran (GCC's do with "
                  "-fprofile-generate, not with --coverage)",
                  path);
    return code == AN_OK;
}

static bool add_counts(struct an_behaviour *behaviour, const struct gcc_view *view,
                       const char *path)
{
    struct an_error error;
    size_t named = 0, nameless = 0;
    for (size_t i = 0; i < view->function_count; i++) {
        const struct an_gcc_function *function = view->functions[i].function;
        nameless += function->total && !function->name;
        if (!function->total || !function->name)
            continue;
        named++;
        if (an_behaviour_add_heat(behaviour, function->name, function->total, &error) != AN_OK) {
            report_error(&error);
            return false;
        }
    }
    if (!named && nameless)
        say_error("%s: no gcno files with the names of its functions (also compile for training "
                  "with -ftest-coverage; --notes=DIR says where they are)",
                  path);
    else if (!named)
        say_error("%s: nothing ran", path);
    return named;
}

bool gcc_order_run(const struct order_request *request, const char *path, struct an_bytes bytes)
{
    struct inputs inputs = {0};
    struct gcc_view view = {0};
    (void)bytes; /* a folder has none, and each module's are read with its names */
    inputs_add(&inputs, path, 1);
    if (!inputs.failed && !inputs.count)
        say_error("%s: no counter files (gcda) in this folder, which is to be that of a run", path);
    bool done = !inputs.failed && inputs.count && gcc_view_read(&view, &inputs, request->notes);
    if (done && request->objective != ORDER_HOT)
        done = add_run(request->behaviour, &view, path);
    if (done && request->objective != ORDER_START)
        done = add_counts(request->behaviour, &view, path);
    gcc_view_free(&view);
    inputs_free(&inputs);
    return done;
}
