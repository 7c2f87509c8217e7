/* What the parts of the gcov personality share. */
#ifndef AN_CLI_DROP_IN_GCOV_H
#define AN_CLI_DROP_IN_GCOV_H

#include <anneal/coverage.h>
#include <anneal/gcov.h>

#include "gcov_filter.h"
#include "gcov_names.h"

/* gcov's exit codes. */
enum {
    GCOV_NO_NOTES = 1,
    GCOV_NOT_ITS_FILE = 2,
    GCOV_VERSION = 3,
    GCOV_CORRUPTED = 4,
    GCOV_STAMP = 5,
    GCOV_OUTPUT = 6,
};

/* What the user named, and its files. */
struct gcov_operand {
    const char *named;
    char *gcno, *gcda;
    bool is_repeated; /* its files were named before */
};

struct gcov {
    struct an_gcov_text_options text_options;
    struct gcov_naming naming;
    struct gcov_filter filter; /* of functions */
    unsigned release;          /* of gcov; 0: that of the compiler */
    bool function_summaries, json, intermediate, no_output, to_stdout, relative_only, progress,
        debug;
    const char *object, *prefix;
    struct gcov_operand *operands;
    size_t operand_count;
    /* Of those that are looked at together: all, but for JSON. */
    const struct gcov_operand *batch;
    size_t batch_count;
    const struct an_coverage *coverage;
    const struct an_ledger *ledger;
    bool *is_newer; /* each source, than what was compiled */
    /* As they are after the last file. */
    bool told_newer, lacks_data, may_lack_counts;
    char *folder; /* where the compiler ran; owned */
    unsigned runs, programs;
    uint64_t lines, lines_executed;
    int status;
};

/* Up to 7, gcov said and wrote some things otherwise. */
static inline bool gcov_is_old(const struct gcov *gcov)
{
    return gcov->text_options.release && gcov->text_options.release < 8;
}

/* Tells what is wrong with the files of the batch (gcov_tell.c). */
void gcov_tell_files(struct gcov *gcov);

/* Tells of functions and sources, and writes their files (gcov_results.c). */
bool gcov_results(struct gcov *gcov);

/* A source's name without the prefix of -s, and whether -r lets it pass (gcov_sources.c). */
const char *gcov_shown_name(const struct gcov *gcov, const struct an_coverage_source *source);
bool gcov_takes(const struct gcov *gcov, const struct an_coverage_source *source);

/* What -i is, up to 7 (gcov_intermediate.c). */
bool gcov_intermediate(struct gcov *gcov, const char *named);

/* "Lines executed:..." (gcov_tell.c). */
void gcov_tell_lines(const struct gcov *gcov, uint64_t lines, uint64_t executed);
void gcov_tell_source(const struct gcov *gcov, const char *name,
                      const struct an_coverage_totals *totals);
void gcov_tell_functions(const struct gcov *gcov);
void gcov_tell_blocks(const struct an_coverage *coverage, const struct an_coverage_source *source);

#endif
