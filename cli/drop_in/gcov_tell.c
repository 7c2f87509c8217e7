/* What gcov says of files, functions and sources, in its words, for there are scripts that read them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gcov.h"

/* ---- files ---- */

static void tell_gcno(struct gcov *gcov, const char *path, const struct an_ledger_entry *entry)
{
    const struct an_error *error = entry->error;
    const char *what = "corrupted";
    int status = GCOV_CORRUPTED;
    if (!error)
        return;
    if (error->code == AN_SYSTEM || error->code == AN_USAGE) {
        what = "cannot open notes file";
        status = GCOV_NO_NOTES;
    } else if (error->code == AN_MALFORMED && error->offset == 0) {
        what = "not a gcov notes file";
        status = GCOV_NOT_ITS_FILE;
    } else if (error->code == AN_UNSUPPORTED) {
        what = error->what;
        status = GCOV_VERSION;
    }
    fprintf(stderr, "%s:%s\n", path, what);
    gcov->status = status;
}

static void tell_gcda(struct gcov *gcov, const char *path, const struct an_ledger_entry *entry,
                      const struct an_coverage_object *object)
{
    const struct an_error *error = entry->error;
    bool is_empty = entry->status == AN_INPUT_EMPTY;
    if (!error && !is_empty)
        return;
    if (!is_empty && (error->code == AN_SYSTEM || error->code == AN_USAGE)) {
        fprintf(stderr, "%s:cannot open data file, assuming not executed\n", path);
        gcov->lacks_data = true;
    } else if (is_empty || (error->code == AN_MALFORMED && error->offset == 0)) {
        fprintf(stderr, "%s:not a gcov data file\n", path);
        gcov->status = GCOV_NOT_ITS_FILE;
    } else if (object->misfit) {
        fprintf(stderr, "%s:profile mismatch for '%s'\n", path, object->misfit);
    } else if (error->code == AN_MISMATCH) {
        fprintf(stderr, "%s:stamp mismatch with notes file\n", path);
        gcov->status = GCOV_STAMP;
    } else {
        fprintf(stderr, "%s:%s\n", path, error->code == AN_UNSUPPORTED ? error->what : "corrupted");
        gcov->status = error->code == AN_UNSUPPORTED ? GCOV_VERSION : GCOV_CORRUPTED;
    }
}

static void tell_newer(struct gcov *gcov, const char *gcno, const struct an_coverage_object *object)
{
    for (size_t i = 0; i < object->mention_count; i++) {
        const struct an_coverage_mention *mention = &object->mentions[i];
        struct stat info;
        if (gcov->is_newer[mention->source] ||
            stat(gcov->coverage->sources[mention->source].path, &info) != 0 ||
            info.st_mtime <= object->modified)
            continue;
        fprintf(stderr, "%s:source file is newer than notes file '%s'\n", mention->name, gcno);
        if (!gcov->told_newer)
            fputs(gcov->text_options.release == 4
                      ? "(the message is only displayed one per source file)\n"
                      : "(the message is displayed only once per source file)\n",
                  stderr);
        gcov->told_newer = true;
        gcov->is_newer[mention->source] = true;
    }
}

/* What the last file that could be read says holds for all. */
static void keep_header(struct gcov *gcov, const struct an_ledger_entry *gcno,
                        const struct an_coverage_object *object)
{
    char *folder = gcno->status == AN_INPUT_USED ? strdup(object->folder) : NULL;
    if (!folder)
        return;
    free(gcov->folder);
    gcov->folder = folder;
    gcov->may_lack_counts = object->may_lack_counts;
    gcov->text_options.release = object->release;
}

void gcov_tell_files(struct gcov *gcov)
{
    const struct an_ledger_entry *entry = gcov->ledger->entries;
    const struct an_coverage_object *object = gcov->coverage->objects;
    size_t functions = 0;
    for (size_t i = 0; i < gcov->batch_count; i++) {
        const struct gcov_operand *operand = &gcov->batch[i];
        if (gcov->progress)
            printf("Processing file %zu out of %zu\n", (size_t)(operand - gcov->operands) + 1,
                   gcov->operand_count);
        if (operand->is_repeated) {
            fprintf(stderr, "'%s' file is already processed\n", operand->named);
            continue;
        }
        functions += object->function_count;
        keep_header(gcov, entry, object);
        tell_gcno(gcov, operand->gcno, entry);
        tell_newer(gcov, operand->gcno, object);
        bool was_read =
            !entry->error || (entry->error->code != AN_SYSTEM &&
                              !(entry->error->code == AN_MALFORMED && entry->error->offset == 0));
        if (was_read && functions == 0)
            fprintf(stderr, "%s:no functions found\n", operand->gcno);
        tell_gcda(gcov, operand->gcda, entry + 1, object);
        if (object->has_data)
            gcov->runs = (unsigned)object->runs;
        gcov->programs += (unsigned)object->programs;
        entry += 2;
        object++;
    }
}

/* ---- totals ---- */

static void tell_part(const struct gcov *gcov, const char *what, uint64_t part, uint64_t whole)
{
    char ratio[32];
    an_gcov_ratio_of(gcov->text_options.release, ratio, (int64_t)part, (int64_t)whole, 2);
    printf("%s:%s of %" PRIu64 "\n", what, ratio, whole);
}

void gcov_tell_lines(const struct gcov *gcov, uint64_t lines, uint64_t executed)
{
    if (lines)
        tell_part(gcov, "Lines executed", executed, lines);
    else
        puts("No executable lines");
}

static void tell_branches(const struct gcov *gcov, const struct an_coverage_totals *totals)
{
    if (totals->branches) {
        tell_part(gcov, "Branches executed", totals->branches_executed, totals->branches);
        tell_part(gcov, "Taken at least once", totals->branches_taken, totals->branches);
    } else {
        puts("No branches");
    }
    if (totals->calls)
        tell_part(gcov, "Calls executed", totals->calls_executed, totals->calls);
    else
        puts("No calls");
}

static void tell_conditions(const struct gcov *gcov, const struct an_coverage_totals *totals)
{
    if (totals->outcomes)
        tell_part(gcov, "Condition outcomes covered", totals->outcomes_covered, totals->outcomes);
    else
        puts("No conditions");
}

static void tell_paths(const struct gcov *gcov, const struct an_coverage_totals *totals)
{
    if (totals->paths)
        tell_part(gcov, "Prime paths covered", totals->paths_taken, totals->paths);
    else
        puts("No path information");
}

static void tell_totals(const struct gcov *gcov, const struct an_coverage_totals *totals,
                        bool branches)
{
    gcov_tell_lines(gcov, totals->lines, totals->lines_executed);
    if (branches)
        tell_branches(gcov, totals);
    if (gcov->text_options.conditions && gcov->text_options.release >= 14)
        tell_conditions(gcov, totals);
    if (gcov->text_options.paths && gcov->text_options.release >= 15)
        tell_paths(gcov, totals);
}

void gcov_tell_source(const struct gcov *gcov, const char *name,
                      const struct an_coverage_totals *totals)
{
    printf("File '%s'\n", name);
    tell_totals(gcov, totals, gcov->text_options.branches);
}

/* ---- functions, in the order of the files ---- */

static void tell_function(const struct gcov *gcov, const struct an_coverage_function *function)
{
    const char *name = gcov->text_options.demangled ? function->demangled : function->name;
    if (!function->has_lines && gcov->batch_count)
        fprintf(stderr, "%s:no lines for '%s'\n", gcov->batch[gcov->batch_count - 1].gcno, name);
    if (function->lacks_paths && gcov->batch_count)
        fprintf(stderr,
                "%s:prime paths of '%s' are omitted: they are too many to be found, or not as many "
                "as GCC found\n",
                gcov->batch[gcov->batch_count - 1].gcno, name);
    if (!gcov->function_summaries)
        return;
    printf("Function '%s'\n", name);
    if (gcov->text_options.release >= 15) /* this tells of a function's branches in any case */
        tell_totals(gcov, &function->totals, true);
    else if (gcov_is_old(gcov))
        tell_totals(gcov, &function->totals, gcov->text_options.branches);
    else
        gcov_tell_lines(gcov, function->totals.lines, function->totals.lines_executed);
    putchar('\n');
}

/* All functions, each at its place in the files; to be freed. NULL: no memory. */
static const struct an_coverage_function **in_order(const struct an_coverage *coverage)
{
    const struct an_coverage_function **functions =
        calloc(coverage->function_count + 1, sizeof *functions);
    for (size_t i = 0; functions && i < coverage->source_count; i++)
        for (size_t k = 0; k < coverage->sources[i].function_count; k++) {
            const struct an_coverage_function *function = &coverage->sources[i].functions[k];
            functions[function->order] = function;
        }
    return functions;
}

void gcov_tell_functions(const struct gcov *gcov)
{
    const struct an_coverage_function **functions = in_order(gcov->coverage);
    for (size_t i = 0; functions && i < gcov->coverage->function_count; i++)
        tell_function(gcov, functions[i]);
    free((void *)functions);
}

/* ---- for -D ---- */

static void tell_blocks(const struct an_coverage_function *function)
{
    fprintf(stderr, "  function_info: %s\n", function->name);
    for (uint32_t k = 0; k < function->blocks + 2; k++)
        fprintf(stderr, "    block_info id=%" PRIu32 ", count=%" PRId64 " \n", k,
                function->block_counts[k]);
}

void gcov_tell_blocks(const struct an_coverage *coverage, const struct an_coverage_source *source)
{
    const struct an_coverage_function **functions = in_order(coverage);
    const struct an_coverage_function *end = source->functions + source->function_count;
    fprintf(stderr, "source_info: %s\n", source->name);
    for (size_t i = 0; functions && i < coverage->function_count; i++)
        if (functions[i] >= source->functions && functions[i] < end)
            tell_blocks(functions[i]);
    for (size_t i = 1; i < source->line_count; i++)
        fprintf(stderr, "  line_info=%zu, count=%" PRId64 "\n", i, source->lines[i].count);
    fputc('\n', stderr);
    free((void *)functions);
}
