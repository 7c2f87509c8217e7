/*
 * Coverage as XML of Cobertura (coverage-04.dtd), which GitLab and Jenkins read: a package for each folder, a class for each
 * source, with its functions as methods. Rates are rounded down to four digits; of what there is none, all ran.
 */
#include <inttypes.h>
#include <string.h>

#include <anneal/version.h>

#include "base/error.h"
#include "report/export.h"
#include "report/html.h"

static void put_rate(struct an_buffer *text, const char *name, uint64_t part, uint64_t whole)
{
    unsigned rate = whole ? (unsigned)((double)part / (double)whole * 10000) : 10000;
    if (part < whole && rate == 10000)
        rate = 9999;
    an_buffer_print(text, " %s=\"%u.%04u\"", name, rate / 10000, rate % 10000);
}

static void put_rates(struct an_buffer *text, const struct an_coverage_totals *totals)
{
    put_rate(text, "line-rate", totals->lines_executed, totals->lines);
    put_rate(text, "branch-rate", totals->branches_taken, totals->branches);
}

/* ---- a source ---- */

static void put_line(struct an_buffer *text, const struct an_export_source *source,
                     const struct an_export_line *line)
{
    size_t taken = 0;
    const struct an_export_branch *branches = source->branches.items + line->first_branch;
    an_buffer_print(text, "<line number=\"%u\" hits=\"%" PRIu64 "\"", line->number, line->count);
    if (line->branch_count == 0) {
        an_html(text, " branch=\"false\"/>\n");
        return;
    }
    for (size_t i = 0; i < line->branch_count; i++)
        taken += branches[i].ran && branches[i].count;
    an_buffer_print(text, " branch=\"true\" condition-coverage=\"%zu%% (%zu/%zu)\"><conditions>",
                    taken * 100 / line->branch_count, taken, line->branch_count);
    for (size_t i = 0; i < line->branch_count; i++)
        an_buffer_print(text, "<condition number=\"%zu\" type=\"jump\" coverage=\"%s\"/>", i,
                        branches[i].ran && branches[i].count ? "100%" : "0%");
    an_html(text, "</conditions></line>\n");
}

/* The rates are those of its blocks. */
static void put_method(struct an_buffer *text, const struct an_coverage_function *function)
{
    const struct an_coverage_whole own = {function->count, function->blocks,
                                          function->blocks_executed};
    const struct an_coverage_whole *whole = function->whole ? function->whole : &own;
    an_html(text, "<method name=\"");
    an_html_string(text, function->demangled);
    an_html(text, "\" signature=\"\"");
    put_rate(text, "line-rate", whole->blocks_executed, whole->blocks);
    put_rate(text, "branch-rate", whole->blocks_executed, whole->blocks);
    an_buffer_print(text,
                    " complexity=\"0\"><lines><line number=\"%u\" hits=\"%" PRIu64
                    "\" branch=\"false\"/></lines></method>\n",
                    function->line, an_export_count(whole->count));
}

static void put_class(struct an_buffer *text, const struct an_export_source *taken)
{
    const struct an_coverage_source *source = taken->source;
    size_t folder = an_export_folder(source->name);
    an_html(text, "<class name=\"");
    an_html_string(text, source->name + folder + (source->name[folder] == '/'));
    an_html(text, "\" filename=\"");
    an_html_string(text, source->name);
    an_html(text, "\"");
    put_rates(text, &source->totals);
    an_html(text, " complexity=\"0\">\n<methods>\n");
    for (size_t i = 0; i < source->function_count; i++)
        if (!source->functions[i].is_repeated)
            put_method(text, &source->functions[i]);
    an_html(text, "</methods>\n<lines>\n");
    for (size_t i = 0; i < taken->lines.count; i++)
        put_line(text, taken, &taken->lines.items[i]);
    an_html(text, "</lines>\n</class>\n");
}

/* ---- all ---- */

static bool is_in_package(const struct an_coverage_source *one,
                          const struct an_coverage_source *other)
{
    size_t size = an_export_folder(one->name);
    return size == an_export_folder(other->name) && memcmp(one->name, other->name, size) == 0;
}

static void put_package(struct an_export *export, size_t first, size_t end)
{
    struct an_coverage_totals totals = {0};
    const char *name = export->sources[first]->name;
    size_t size = an_export_folder(name);
    for (size_t i = first; i < end; i++)
        an_coverage_totals_add(&totals, &export->sources[i]->totals);
    an_html(&export->text, "<package name=\"");
    an_html_text(&export->text, size ? name : ".", size ? size : 1);
    an_html(&export->text, "\"");
    put_rates(&export->text, &totals);
    an_html(&export->text, " complexity=\"0\">\n<classes>\n");
}

static void put_head(struct an_export *export)
{
    struct an_coverage_totals totals = {0};
    struct an_buffer *text = &export->text;
    for (size_t i = 0; i < export->count; i++)
        an_coverage_totals_add(&totals, &export->sources[i]->totals);
    an_html(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE coverage SYSTEM "
                  "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage");
    put_rates(text, &totals);
    an_buffer_print(text,
                    " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64
                    "\" branches-covered=\"%" PRIu64 "\" branches-valid=\"%" PRIu64
                    "\" complexity=\"0\" version=\"anneal %s\" timestamp=\"%" PRId64 "\">\n",
                    totals.lines_executed, totals.lines, totals.branches_taken, totals.branches,
                    an_version(), export->options->made);
    an_html(text, "<sources><source>");
    an_html_string(text, export->options->folder ? export->options->folder : ".");
    an_html(text, "</source></sources>\n<packages>\n");
}

enum an_code an_export_cobertura(struct an_export *export, struct an_error *error)
{
    enum an_code code = AN_OK;
    put_head(export);
    for (size_t i = 0, end = 0; code == AN_OK && i < export->count; i++) {
        if (i == end) {
            while (end < export->count && is_in_package(export->sources[i], export->sources[end]))
                end++;
            put_package(export, i, end);
        }
        if (!an_export_take(export, export->sources[i]))
            return an_fail_memory(error);
        put_class(&export->text, &export->source);
        if (i + 1 == end)
            an_html(&export->text, "</classes>\n</package>\n");
        code = an_export_flush(export, error);
    }
    an_html(&export->text, "</packages>\n</coverage>\n");
    return code == AN_OK ? an_export_flush(export, error) : code;
}
