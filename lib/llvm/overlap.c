/*
 * How alike two profiles are: for every counter the smaller of its shares in the two profiles,
 * summed up. 100 % means that they tell the compiler the same, whatever the absolute counts.
 * (InstrProf.cpp, OverlapStats and InstrProfRecord::overlap.)
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/options.h"
#include "llvm/format.h"
#include "llvm/local_names.h"
#include "llvm/profile.h"
#include "llvm/reader.h"
#include "llvm/values.h"

/* A profile that was loaded once; it can be walked over more often. */
struct side {
    struct an_file file;
    const char *path;
    struct an_llvm_reader *reader;
};

static void close_side(struct side *side)
{
    an_llvm_reader_close(side->reader);
    an_file_close(&side->file);
}

/* Starts a walk from the beginning. */
static enum an_code walk(struct side *side, struct an_error *error)
{
    an_llvm_reader_close(side->reader);
    side->reader = NULL;
    enum an_code code =
        an_llvm_reader_open(&side->reader, side->file.bytes.data, side->file.bytes.size, error);
    return code == AN_OK ? code : an_error_in(error, side->path);
}

static enum an_code open_side(struct side *side, const char *path, struct an_error *error)
{
    side->path = path;
    enum an_code code = an_file_load(&side->file, path, error);
    return code == AN_OK ? walk(side, error) : code;
}

/* A record's counts; llvm-profdata's sum of them wraps. */
struct sum {
    uint64_t wrapped;
    double exact;
};

static void add_count(struct sum *sum, uint64_t count)
{
    sum->wrapped += count;
    sum->exact += (double)count;
}

static void add_record(struct an_llvm_sums *sums, const struct an_llvm_record *record, bool wraps)
{
    struct sum counts = {0};
    for (uint32_t i = 0; i < record->count_number; i++)
        add_count(&counts, record->counts[i]);
    sums->entries += record->count_number;
    sums->counts += wraps ? (double)counts.wrapped : counts.exact;
    for (int kind = 0; record->values && kind < AN_LLVM_VALUE_KINDS; kind++) {
        struct sum values = {0};
        for (uint32_t s = 0; s < record->values->site_count[kind]; s++)
            for (uint32_t v = 0; v < record->values->sites[kind][s].count; v++)
                add_count(&values, record->values->sites[kind][s].values[v].count);
        sums->values[kind] += wraps ? (double)values.wrapped : values.exact;
    }
}

/* Of IR profiles, whether a record is of the other kind than the one asked for. */
static bool is_of_other_kind(const struct side *side, const struct an_llvm_record *record,
                             const struct an_llvm_overlap_options *options)
{
    return side->reader->info.variants & AN_LLVM_IR &&
           AN_LLVM_IS_CONTEXT_SENSITIVE(record->hash) != options->context_sensitive;
}

/* Sums over the whole file; of IR profiles only the records of the asked kind. */
static enum an_code sum_up(struct side *side, const struct an_llvm_overlap_options *options,
                           struct an_llvm_sums *sums, struct an_error *error)
{
    struct an_llvm_record record;
    uint64_t functions = 0;
    while (an_llvm_reader_next(side->reader, &record)) {
        if (is_of_other_kind(side, &record, options))
            continue;
        add_record(sums, &record, !options->one_kind);
        functions++;
    }
    sums->entries = functions;
    return side->reader->failed ? an_fail_memory(error) : AN_OK;
}

/* Shares of counts say nothing about coverage, nor those of other places. */
static enum an_code check_kinds(const struct side *base, const struct side *test,
                                struct an_error *error)
{
    unsigned differences = base->reader->info.variants ^ test->reader->info.variants;
    if (differences & AN_LLVM_BYTE_COVERAGE)
        an_fail(error, AN_MISMATCH, "single-byte coverage cannot be compared with counts");
    else if (differences & AN_LLVM_LOOP_ENTRIES)
        an_fail(error, AN_MISMATCH,
                "profiles with and without -pgo-instrument-loop-entries cannot be compared");
    else
        return AN_OK;
    return an_error_in(error, test->path);
}

static double score(uint64_t a, uint64_t b, double sum_a, double sum_b)
{
    if (sum_a < 1.0 || sum_b < 1.0)
        return 0.0;
    double left = (double)a / sum_a, right = (double)b / sum_b;
    return left < right ? left : right;
}

/* A function that has no counterpart: its share of the test profile goes to this account. */
static void add_share(struct an_llvm_sums *account, const struct an_llvm_sums *function,
                      const struct an_llvm_sums *test)
{
    account->entries++;
    account->counts += function->counts / test->counts;
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++)
        if (test->values[kind] >= 1.0)
            account->values[kind] += function->values[kind] / test->values[kind];
}

static bool comparable(const struct record *base, const struct an_llvm_record *test)
{
    if (base->count_number != test->count_number)
        return false;
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++)
        if ((base->values ? base->values->site_count[kind] : 0) !=
            (test->values ? test->values->site_count[kind] : 0))
            return false;
    return true;
}

static void compare_sites(struct an_llvm_site *base, struct an_llvm_site *test, int kind,
                          struct an_llvm_overlap *whole, struct an_llvm_overlap *level)
{
    double whole_score = 0, level_score = 0;
    an_site_order_by_value(test);
    for (uint32_t i = 0, j = 0; i < base->count && j < test->count;) {
        const struct an_llvm_value *a = &base->values[i], *b = &test->values[j];
        if (a->value < b->value) {
            i++;
            continue;
        }
        if (a->value == b->value) {
            whole_score +=
                score(a->count, b->count, whole->base.values[kind], whole->test.values[kind]);
            level_score +=
                score(a->count, b->count, level->base.values[kind], level->test.values[kind]);
            i++;
        }
        j++;
    }
    whole->overlap.values[kind] += whole_score;
    level->overlap.values[kind] += level_score;
}

static void compare_values(struct record *base, struct an_llvm_record *test,
                           struct an_llvm_overlap *whole, struct an_llvm_overlap *level)
{
    for (int kind = 0; base->values && kind < AN_LLVM_VALUE_KINDS; kind++) {
        an_record_order_by_value(base, kind, false);
        for (uint32_t s = 0; s < base->values->site_count[kind]; s++)
            compare_sites(&base->values->sites[kind][s], &test->values->sites[kind][s], kind, whole,
                          level);
    }
}

static void compare_counts(const struct record *base, const struct an_llvm_record *test,
                           uint64_t cutoff, struct an_llvm_overlap *whole,
                           struct an_llvm_overlap_function *report)
{
    double whole_score = 0, level_score = 0;
    uint64_t most = 0;
    struct an_llvm_overlap *level = &report->level;
    for (uint32_t i = 0; i < test->count_number; i++) {
        whole_score +=
            score(base->counts[i], test->counts[i], whole->base.counts, whole->test.counts);
        level_score +=
            score(base->counts[i], test->counts[i], level->base.counts, level->test.counts);
        if (test->counts[i] > most)
            most = test->counts[i];
    }
    whole->overlap.counts += whole_score;
    whole->overlap.entries++;
    if (most >= cutoff) {
        level->overlap.counts = level_score;
        level->overlap.entries = test->count_number;
        report->level_valid = true;
    }
}

static bool contains(const struct an_llvm_record *record, const char *part)
{
    return part && part[0] && memmem(record->name, record->name_length, part, strlen(part));
}

struct comparison {
    struct an_llvm_profile *base;
    bool *met; /* for each function of the base, whether the other side has it */
    const struct an_llvm_overlap_options *options;
    struct an_llvm_overlap *whole;
};

static void compare(const struct comparison *comparison, struct an_llvm_record *test)
{
    struct an_llvm_profile *base = comparison->base;
    const struct an_llvm_overlap_options *options = comparison->options;
    struct an_llvm_overlap *whole = comparison->whole;
    struct an_llvm_overlap_function report = {
        .name = test->name, .name_length = test->name_length, .hash = test->hash, .in_test = true};
    struct an_llvm_overlap *level = &report.level;
    bool wraps = !options->one_kind;
    add_record(&level->test, test, wraps);
    report.test_share = level->test.counts / whole->test.counts;
    size_t function = an_names_find(&base->names, test->name, test->name_length);
    struct record *record = NULL;
    if (function == AN_NO_NAME) {
        add_share(&whole->unique, &level->test, &whole->test);
    } else {
        comparison->met[function] = true;
        record = an_profile_find(base, function, test->hash, NULL);
        if (level->test.counts < 1.0) {
            whole->overlap.entries++;
        } else if (!record) {
            report.mismatch = true;
            add_share(&whole->mismatch, &level->test, &whole->test);
        }
    }
    if (record) {
        struct an_llvm_record view = an_profile_view(base, record);
        report.in_base = true;
        add_record(&level->base, &view, wraps);
        report.base_share = level->base.counts / whole->base.counts;
    }
    if (record && level->test.counts >= 1.0) {
        if (comparable(record, test)) {
            uint64_t cutoff = contains(test, options->function) ? 0 : options->value_cutoff;
            compare_values(record, test, whole, level);
            compare_counts(record, test, cutoff, whole, &report);
        } else {
            report.mismatch = true;
            add_share(&whole->mismatch, &level->test, &whole->test);
        }
    }
    if (options->report)
        options->report(options->context, &report);
}

/* Tells the caller of the functions that only the base has. */
static void report_rest(const struct comparison *comparison)
{
    const struct an_llvm_profile *base = comparison->base;
    const struct an_llvm_overlap_options *options = comparison->options;
    for (size_t f = 0; options->report && f < base->functions.count; f++) {
        const struct an_name *name = &base->names.names[f];
        struct record *first = comparison->met[f] ? NULL : base->functions.items[f].first;
        for (struct record *r = first; r; r = r->next) {
            struct an_llvm_record view = an_profile_view(base, r);
            struct an_llvm_overlap_function report = {
                .name = name->text, .name_length = name->length, .hash = r->hash, .in_base = true};
            add_record(&report.level.base, &view, !options->one_kind);
            report.base_share = report.level.base.counts / comparison->whole->base.counts;
            options->report(options->context, &report);
        }
    }
}

/* All records of a side, or those of the kind asked for, in a profile of their own, to be looked up. */
static enum an_code collect(struct side *side, struct an_llvm_profile *profile,
                            const struct an_llvm_overlap_options *options, struct an_error *error)
{
    struct an_llvm_record record;
    enum an_code code = walk(side, error);
    profile->variants = code == AN_OK ? side->reader->info.variants : 0;
    while (code == AN_OK && an_llvm_reader_next(side->reader, &record)) {
        unsigned warnings = 0;
        if (options->one_kind && is_of_other_kind(side, &record, options))
            continue;
        code = an_llvm_profile_add(profile, &record, 1, &warnings, error);
    }
    return code == AN_OK && side->reader->failed ? an_fail_memory(error) : code;
}

static enum an_code start(struct comparison *comparison, struct an_error *error)
{
    comparison->met = an_alloc_zero(comparison->base->functions.count, sizeof *comparison->met);
    return comparison->met ? AN_OK : an_fail_memory(error);
}

static enum an_code compare_records(struct comparison *comparison, struct side *test,
                                    struct an_error *error)
{
    struct an_llvm_record record;
    enum an_code code = start(comparison, error);
    if (code == AN_OK)
        code = walk(test, error);
    while (code == AN_OK && an_llvm_reader_next(test->reader, &record))
        compare(comparison, &record);
    return code == AN_OK && test->reader->failed ? an_fail_memory(error) : code;
}

/* Gives local functions the later of the names that they have in either profile. */
static bool agree_on_names(struct an_llvm_profile *base, struct an_llvm_profile *test)
{
    return an_local_names_join(base, &base->names, NULL) &&
           an_local_names_join(test, &test->names, NULL) &&
           an_local_names_join(base, &test->names, NULL) &&
           an_local_names_join(test, &base->names, NULL);
}

/* The same of one kind of records. A profile that was read has each of them once. */
static enum an_code compare_kind(struct comparison *comparison, struct side *test,
                                 struct an_error *error)
{
    struct an_llvm_profile *profile = an_llvm_profile_new();
    enum an_code code =
        profile ? collect(test, profile, comparison->options, error) : an_fail_memory(error);
    if (code == AN_OK && !agree_on_names(comparison->base, profile))
        code = an_fail_memory(error);
    if (code == AN_OK)
        code = start(comparison, error);
    for (size_t f = 0; code == AN_OK && f < profile->functions.count; f++)
        for (struct record *r = profile->functions.items[f].first; r; r = r->next) {
            struct an_llvm_record view = an_profile_view(profile, r);
            compare(comparison, &view);
        }
    an_llvm_profile_free(profile);
    return code;
}

static enum an_code compare_all(struct an_llvm_profile *base, struct side *test,
                                const struct an_llvm_overlap_options *options,
                                struct an_llvm_overlap *whole, struct an_error *error)
{
    struct comparison comparison = {.base = base, .options = options, .whole = whole};
    enum an_code code =
        (options->one_kind ? compare_kind : compare_records)(&comparison, test, error);
    if (code == AN_OK)
        report_rest(&comparison);
    free(comparison.met);
    return code;
}

enum an_code an_llvm_overlap(const char *base_path, const char *test_path,
                             const struct an_llvm_overlap_options *options,
                             struct an_llvm_overlap *overlap, struct an_error *error)
{
    *overlap = (struct an_llvm_overlap){0};
    struct side base = {0}, test = {0};
    struct an_llvm_overlap_options full;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    code = profile ? open_side(&base, base_path, error) : an_fail_memory(error);
    if (code == AN_OK)
        code = open_side(&test, test_path, error);
    if (code == AN_OK)
        code = check_kinds(&base, &test, error);
    if (code == AN_OK)
        code = sum_up(&base, &full, &overlap->base, error);
    if (code == AN_OK)
        code = sum_up(&test, &full, &overlap->test, error);
    if (code == AN_OK && overlap->base.counts >= 1.0 && overlap->test.counts >= 1.0) {
        code = collect(&base, profile, &full, error);
        if (code == AN_OK)
            code = compare_all(profile, &test, &full, overlap, error);
    }
    an_llvm_profile_free(profile);
    close_side(&base);
    close_side(&test);
    return code;
}
