/*
 * Adding the counts of a gcda to those of its object. It is looked through to its end before anything is
 * added, so that it counts whole or not at all.
 */
#include <inttypes.h>

#include "gcc/covered.h"
#include "gcc/gcda_walk.h"
#include "gcc/program.h"

struct adding {
    struct an_covered *covered;
    struct an_error *error;
    bool adds; /* in the second pass */
    const struct an_gcno_function
        *function; /* of the record; NULL: one that the gcno does not have */
    size_t number; /* its number */
    uint64_t runs, programs, functions, total;
};

static enum an_code fail_stamp(const struct an_gcda_walk *walk, const struct an_covered *covered,
                               struct an_error *error)
{
    an_fail(error, AN_MISMATCH, "its stamp is %#010" PRIx32 ", that of the gcno is %#010" PRIx32,
            walk->header.stamp, covered->gcno.stamp);
    return an_error_hint(error, "the source file was compiled again after or before the run");
}

static enum an_code fail_function(struct adding *adding, const char *what)
{
    adding->covered->misfit = adding->function->name;
    an_fail(adding->error, AN_MISMATCH, "function '%.200s' has %s in the gcno",
            adding->function->name, what);
    return an_error_hint(adding->error, "they are from different compilations");
}

static enum an_code take_function(struct adding *adding, const struct an_gcda_record *record)
{
    const struct an_covered *covered = adding->covered;
    adding->function = NULL;
    if (!record->is_present)
        return AN_OK;
    adding->functions++;
    const uint64_t *number = an_map_find(&covered->functions, record->ident);
    if (!number)
        return AN_OK;
    adding->number = (size_t)*number;
    adding->function = &covered->gcno.functions.items[adding->number];
    if (adding->function->line_sum != record->line_sum ||
        adding->function->flow_sum != record->flow_sum)
        return fail_function(adding, "other checksums");
    return AN_OK;
}

static void add_counts(struct adding *adding, const struct an_gcda_record *record, bool big)
{
    uint64_t *to = adding->covered->counters + adding->covered->first_counter[adding->number];
    for (uint32_t i = 0; i < record->count; i++) {
        uint64_t count = an_gcda_value(record->values + (size_t)8 * i, big);
        to[i] += count;
        adding->total = adding->total + count < count ? UINT64_MAX : adding->total + count;
    }
}

/* What decided the conditions of a function, in any run. */
static enum an_code take_masks(struct adding *adding, const struct an_gcda_record *record, bool big)
{
    const struct an_covered *covered = adding->covered;
    if (record->count != 2 * (uint64_t)adding->function->condition_count)
        return fail_function(adding, "another number of conditions");
    if (!adding->adds || record->are_zero)
        return AN_OK;
    uint64_t *to = covered->masks + 2 * adding->function->first_condition;
    for (uint32_t i = 0; i < record->count; i++)
        to[i] |= an_gcda_value(record->values + (size_t)8 * i, big);
    return AN_OK;
}

/* A file may claim any number of paths: there is room for those of functions that took one. */
static enum an_code take_paths(struct adding *adding, const struct an_gcda_record *record, bool big)
{
    struct an_covered *covered = adding->covered;
    uint32_t words = an_gcno_path_words(adding->function);
    if (record->count != words)
        return fail_function(adding, "another number of paths");
    if (!adding->adds || record->are_zero || words == 0)
        return AN_OK;
    uint64_t *to = an_covered_make_paths(covered, adding->number);
    if (!to)
        return an_fail_memory(adding->error);
    for (uint32_t i = 0; i < words; i++)
        to[i] |= an_gcda_value(record->values + (size_t)8 * i, big);
    return AN_OK;
}

static enum an_code take_counters(struct adding *adding, const struct an_gcda_record *record,
                                  bool big)
{
    const uint32_t *first = adding->covered->first_counter + adding->number;
    if (adding->function && record->kind == AN_GCC_CONDITIONS &&
        adding->covered->gcno.version.major >= 14)
        return take_masks(adding, record, big);
    if (adding->function && record->kind == AN_GCC_PATHS &&
        adding->covered->gcno.version.major >= 15)
        return take_paths(adding, record, big);
    if (record->kind != 0 || !adding->function)
        return AN_OK;
    if (record->count != first[1] - first[0])
        return fail_function(adding, "another number of counters");
    if (adding->adds)
        adding->covered->has_counts[adding->number] = true;
    if (adding->adds && !record->are_zero)
        add_counts(adding, record, big);
    return AN_OK;
}

/* Until GCC 8 each program that has the object has a summary; the walk has seen that it fits. */
static void take_program(struct adding *adding, const struct an_gcda_record *record,
                         const struct an_gcc_version *version)
{
    struct an_gcc_program program;
    if (an_gcc_program_read(&program, version, record->program))
        adding->runs += program.runs;
    adding->programs++;
}

static enum an_code walk_through(struct adding *adding, struct an_gcda_walk walk)
{
    struct an_gcda_record record;
    enum an_code code = AN_OK;
    *adding =
        (struct adding){.covered = adding->covered, .error = adding->error, .adds = adding->adds};
    while (code == AN_OK) {
        code = an_gcda_next(&walk, &record, adding->error);
        if (code != AN_OK || record.what == AN_GCDA_END)
            break;
        if (record.what == AN_GCDA_SUMMARY)
            adding->runs += record.runs;
        if (record.what == AN_GCDA_PROGRAM)
            take_program(adding, &record, &walk.header.version);
        if (record.what == AN_GCDA_FUNCTION)
            code = take_function(adding, &record);
        if (record.what == AN_GCDA_COUNTERS)
            code = take_counters(adding, &record, walk.header.big);
    }
    return code;
}

bool an_covered_make_counters(struct an_covered *covered)
{
    uint32_t count = covered->first_counter[covered->gcno.functions.count];
    size_t masks = 2 * covered->gcno.conditions.count;
    if (!covered->counters)
        covered->counters = an_alloc_zero((size_t)count + 1, sizeof *covered->counters);
    if (!covered->has_counts)
        covered->has_counts =
            an_alloc_zero(covered->gcno.functions.count + 1, sizeof *covered->has_counts);
    if (!covered->masks && masks)
        covered->masks = an_alloc_zero(masks, sizeof *covered->masks);
    return covered->counters && covered->has_counts && (covered->masks || !masks);
}

uint64_t *an_covered_make_paths(struct an_covered *covered, size_t number)
{
    uint32_t words = an_gcno_path_words(&covered->gcno.functions.items[number]);
    if (!covered->paths)
        covered->paths = an_alloc_zero(covered->gcno.functions.count + 1, sizeof *covered->paths);
    if (covered->paths && !covered->paths[number])
        covered->paths[number] = an_alloc_zero((size_t)words + 1, sizeof **covered->paths);
    return covered->paths ? covered->paths[number] : NULL;
}

enum an_code an_covered_add(struct an_covered *covered, struct an_bytes gcda,
                            struct an_ledger_entry *entry, struct an_error *error)
{
    struct adding adding = {.covered = covered, .error = error};
    struct an_gcda_walk walk;
    enum an_code code = an_gcda_walk(&walk, gcda, error);
    if (code == AN_OK && walk.header.stamp != covered->gcno.stamp)
        code = fail_stamp(&walk, covered, error);
    if (code == AN_OK)
        code = walk_through(&adding, walk);
    if (code != AN_OK)
        return code;
    if (!an_covered_make_counters(covered))
        return an_fail_memory(error);
    adding.adds = true;
    code = walk_through(&adding, walk);
    covered->runs += adding.runs;
    covered->programs += adding.programs;
    entry->functions = adding.functions;
    entry->total_count = adding.total;
    return code;
}
