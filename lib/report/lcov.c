/*
 * Coverage as a tracefile of lcov, which genhtml, Codecov and editors read. For each source:
 *
 *     TN:                          the test, which has no name
 *     SF:/path/of/source.c
 *     FN:12,name                   each function: its line,
 *     FNDA:3,name                  how often it was called; of all, how many there are (FNF) and ran (FNH)
 *     BRDA:14,0,1,2                each branch of line 14: block, number, how often it was taken; - never ran
 *     DA:14,3                      each line with code; likewise BRF, BRH, LF, LH
 *     end_of_record
 */
#include <string.h>

#include "base/error.h"
#include "report/export.h"

/* Fields end at commas, records at ends of lines. */
static void put_name(struct an_buffer *text, const char *name)
{
    for (; *name; name++) {
        char kept = (unsigned char)*name < ' ' || *name == ',' ? '_' : *name;
        an_buffer_put(text, &kept, 1);
    }
}

static void put_path(struct an_buffer *text, const char *path)
{
    for (; *path; path++) {
        char kept = (unsigned char)*path < ' ' ? '_' : *path;
        an_buffer_put(text, &kept, 1);
    }
}

/* Two functions of one name, on other lines under #ifdef and #else, would be one to lcov. */
static bool put_functions(struct an_buffer *text, const struct an_coverage_source *source)
{
    struct an_names names = {0};
    bool done = true, is_new;
    for (size_t i = 0; done && i < source->function_count; i++) {
        const struct an_coverage_function *function = &source->functions[i];
        int64_t count = function->whole ? function->whole->count : function->count;
        if (function->is_repeated)
            continue;
        done =
            an_names_insert(&names, function->name, strlen(function->name), &is_new) != AN_NO_NAME;
        for (int calls = 0; calls < 2; calls++) {
            if (calls)
                an_buffer_print(text, "FNDA:%llu,", (unsigned long long)an_export_count(count));
            else
                an_buffer_print(text, "FN:%u,", function->line);
            put_name(text, function->name);
            if (!is_new)
                an_buffer_print(text, "@%u", function->line);
            an_buffer_put(text, "\n", 1);
        }
    }
    an_buffer_print(text, "FNF:%llu\nFNH:%llu\n", (unsigned long long)source->totals.functions,
                    (unsigned long long)source->totals.functions_executed);
    an_names_free(&names);
    return done;
}

static void put_branches(struct an_buffer *text, const struct an_export_source *source)
{
    size_t taken = 0;
    for (size_t i = 0; i < source->lines.count; i++) {
        const struct an_export_line *line = &source->lines.items[i];
        for (size_t k = 0; k < line->branch_count; k++) {
            const struct an_export_branch *branch = &source->branches.items[line->first_branch + k];
            an_buffer_print(text, "BRDA:%u,0,%zu,", line->number, k);
            if (branch->ran)
                an_buffer_print(text, "%llu\n", (unsigned long long)branch->count);
            else
                an_buffer_put(text, "-\n", 2);
            taken += branch->ran && branch->count;
        }
    }
    if (source->branches.count)
        an_buffer_print(text, "BRF:%zu\nBRH:%zu\n", source->branches.count, taken);
}

static void put_lines(struct an_buffer *text, const struct an_export_source *source)
{
    size_t ran = 0;
    for (size_t i = 0; i < source->lines.count; i++) {
        const struct an_export_line *line = &source->lines.items[i];
        an_buffer_print(text, "DA:%u,%llu\n", line->number, (unsigned long long)line->count);
        ran += line->count > 0;
    }
    an_buffer_print(text, "LF:%zu\nLH:%zu\nend_of_record\n", source->lines.count, ran);
}

enum an_code an_export_lcov(struct an_export *export, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < export->count; i++) {
        const struct an_coverage_source *source = export->sources[i];
        an_buffer_print(&export->text, "TN:\nSF:");
        put_path(&export->text, source->path);
        an_buffer_put(&export->text, "\n", 1);
        if (!an_export_take(export, source) || !put_functions(&export->text, source))
            return an_fail_memory(error);
        put_branches(&export->text, &export->source);
        put_lines(&export->text, &export->source);
        code = an_export_flush(export, error);
    }
    return code;
}
