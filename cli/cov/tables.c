/* Coverage as tables: sources, with the lines that never ran; functions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "cli/core/command.h"
#include "cov.h"

/* "3 of 4  75.0%" */
static void print_part(uint64_t part, uint64_t whole, int width)
{
    if (whole)
        printf("  %*" PRIu64 " of %*" PRIu64 " %5.1f%%", width, part, width, whole,
               an_percent(part, whole, 1));
    else
        printf("  %*s", 2 * width + 11, "-");
}

static int digits_of(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

struct widths {
    int name, lines, branches, functions;
};

static struct widths find_widths(const struct cov *cov)
{
    struct widths widths = {.name = (int)strlen("total"),
                            .lines = digits_of(cov->totals.lines),
                            .branches = digits_of(cov->totals.branches),
                            .functions = digits_of(cov->totals.functions)};
    for (size_t i = 0; i < cov->source_count; i++) {
        int size = (int)strlen(cov->sources[i]->name);
        if (size > widths.name)
            widths.name = size;
    }
    return widths;
}

static void print_row(const struct widths *widths, const char *name,
                      const struct an_coverage_totals *totals)
{
    printf("%-*s", widths->name, name);
    print_part(totals->lines_executed, totals->lines, widths->lines);
    print_part(totals->branches_taken, totals->branches, widths->branches);
    print_part(totals->functions_executed, totals->functions, widths->functions);
}

/* Lines that never ran, "12-15, 20"; lines without code between them do not part them. */
static void print_missing(const struct an_coverage_source *source)
{
    size_t first = 0, last = 0;
    const char *before = "  never ran: ";
    for (size_t i = 1; i <= source->line_count; i++) {
        const struct an_coverage_line *line = i < source->line_count ? &source->lines[i] : NULL;
        if (line && !line->exists)
            continue;
        if (line && line->count == 0) {
            first = first ? first : i;
            last = i;
            continue;
        }
        if (first) {
            printf(first < last ? "%s%zu-%zu" : "%s%zu", before, first, last);
            before = ", ";
        }
        first = 0;
    }
}

static void print_heading(const struct widths *widths)
{
    printf("%-*s  %*s  %*s  %*s\n", widths->name, "source", 2 * widths->lines + 11, "lines",
           2 * widths->branches + 11, "branches taken", 2 * widths->functions + 11, "functions");
}

bool cov_print_sources(const struct cov *cov)
{
    struct widths widths = find_widths(cov);
    print_heading(&widths);
    for (size_t i = 0; i < cov->source_count; i++) {
        print_row(&widths, cov->sources[i]->name, &cov->sources[i]->totals);
        if (cov->request->missing)
            print_missing(cov->sources[i]);
        putchar('\n');
    }
    print_row(&widths, "total", &cov->totals);
    putchar('\n');
    return true;
}

/* ---- functions ---- */

struct row {
    const struct an_coverage_source *source;
    const struct an_coverage_function *function; /* the first that is this one */
};

static int most_called_first(const void *one, const void *other)
{
    const struct row *a = one, *b = other;
    if (a->function->whole->count != b->function->whole->count)
        return a->function->whole->count > b->function->whole->count ? -1 : 1;
    return a->function->order < b->function->order ? -1 : 1;
}

static void print_function(const struct cov *cov, const struct row *row)
{
    const struct an_coverage_function *function = row->function;
    printf("%12" PRId64 "  %5.0f%%  %s  %s:%u\n", function->whole->count,
           an_percent(function->whole->blocks_executed, function->whole->blocks, 0),
           cov->request->text_options.demangled ? function->demangled : function->name,
           row->source->name, function->line);
}

bool cov_print_functions(const struct cov *cov)
{
    size_t count = 0;
    for (size_t i = 0; i < cov->source_count; i++)
        count += cov->sources[i]->function_count;
    struct row *rows = calloc(count + 1, sizeof *rows);
    if (!rows) {
        say_error("out of memory");
        return false;
    }
    count = 0;
    for (size_t i = 0; i < cov->source_count; i++)
        for (size_t k = 0; k < cov->sources[i]->function_count; k++)
            if (!cov->sources[i]->functions[k].is_repeated)
                rows[count++] = (struct row){cov->sources[i], &cov->sources[i]->functions[k]};
    qsort(rows, count, sizeof *rows, most_called_first);
    printf("%12s  %6s  %s\n", "calls", "blocks", "function");
    for (size_t i = 0; i < count; i++)
        print_function(cov, &rows[i]);
    free(rows);
    return true;
}
