/* Functions of BOLT's YAML profiles, added up and in order; see yaml_view.h. */
#include "yaml_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/core/output.h"

struct an_yaml_profile *yaml_open(const char *path, uint64_t *size)
{
    struct an_yaml_profile *profile = NULL;
    struct an_file file = {0};
    struct an_error error;
    enum an_code code = an_file_load(&file, path, &error);
    if (code == AN_OK) {
        code = an_yaml_profile_read(&profile, file.bytes.data, file.bytes.size, &error);
        if (code != AN_OK)
            an_error_in(&error, path);
    }
    if (size)
        *size = file.bytes.size;
    an_file_close(&file);
    if (code != AN_OK)
        report_error(&error);
    return code == AN_OK ? profile : NULL;
}

struct yaml_line *yaml_lines(const struct an_yaml_profile *profile)
{
    size_t count = an_yaml_profile_info(profile)->functions;
    struct yaml_line *lines = calloc(count + 1, sizeof *lines);
    if (!lines)
        say_error("out of memory");
    for (size_t i = 0; lines && i < count; i++) {
        const struct an_yaml_function *function = an_yaml_profile_function(profile, i);
        struct an_yaml_info sums;
        an_yaml_function_sum(function, &sums);
        lines[i] = (struct yaml_line){function, sums.total_count, sums.mispreds};
    }
    return lines;
}

/* ---- order ---- */

static int compare_names(const void *a, const void *b)
{
    const struct yaml_line *left = a, *right = b;
    return strcmp(left->function->name.text, right->function->name.text);
}

static int compare_counts(const void *a, const void *b)
{
    const struct yaml_line *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    if (left->function->executed != right->function->executed)
        return left->function->executed > right->function->executed ? -1 : 1;
    return compare_names(a, b);
}

void yaml_sort_by_name(struct yaml_line *lines, size_t count)
{
    qsort(lines, count, sizeof *lines, compare_names);
}

void yaml_sort_by_count(struct yaml_line *lines, size_t count)
{
    qsort(lines, count, sizeof *lines, compare_counts);
}

bool yaml_selected(const struct yaml_view *view, const struct an_yaml_function *function)
{
    if (view->request->all || !view->request->function)
        return view->request->all;
    regmatch_t range = {0, (regoff_t)function->name.length};
    return regexec(&view->request->pattern, function->name.text, 1, &range, REG_STARTEND) == 0;
}
