/* Coverage for other programs; see export.h and anneal/report.h. */
#include "report/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"

static int compare_sources(const void *left, const void *right)
{
    const struct an_coverage_source *const *a = left, *const *b = right;
    size_t one = an_export_folder((*a)->name), other = an_export_folder((*b)->name);
    int order = memcmp((*a)->name, (*b)->name, one < other ? one : other);
    if (order == 0 && one != other)
        return one < other ? -1 : 1;
    order = order ? order : strcmp((*a)->name, (*b)->name);
    return order ? order : (*a > *b) - (*a < *b);
}

enum an_code an_report_export(const struct an_coverage *coverage,
                              const struct an_report_export_options *options,
                              struct an_error *error)
{
    struct an_report_export_options full;
    struct an_export export = {.options = &full, .count = coverage->source_count};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    export.sources = an_alloc_zero(export.count + 1, sizeof *export.sources);
    for (size_t i = 0; export.sources && i < export.count; i++)
        export.sources[i] = &coverage->sources[i];
    if (!export.sources) {
        code = an_fail_memory(error);
    } else {
        qsort(export.sources, export.count, sizeof *export.sources, compare_sources);
        code = full.form == AN_REPORT_COBERTURA ? an_export_cobertura(&export, error)
                                                : an_export_lcov(&export, error);
    }
    free((void *)export.sources);
    an_vector_free(&export.source.lines);
    an_vector_free(&export.source.branches);
    an_buffer_free(&export.text);
    return code;
}
