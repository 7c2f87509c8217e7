/*
 * Coverage: how often each line of a program's sources ran, from the control flow of its object files
 * (gcno) and their counts (gcda), of GCC 4.7 to 16 and of clang.
 *
 * docs/reference/cov.md explains how counts of lines are computed: they are those of the compiler's own tool, line by
 * line, gcov or llvm-cov. Threads that count without atomic additions lose some, and then less enters a block than
 * leaves it: counts below 0 come of that. They are 0 here, and lines tell of it; but as_gcov they are what they are.
 */
#ifndef ANNEAL_COVERAGE_H
#define ANNEAL_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>
#include <anneal/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One way out of a block: a branch, or a call that may not return. */
struct an_coverage_branch {
    int64_t count;         /* how often it was taken */
    int64_t block_count;   /* how often its block ran */
    uint32_t block;        /* its block's number in the function */
    uint32_t destination;  /* the number of the one that it leads to */
    bool is_call;          /* count is how often the call did not return */
    bool is_unconditional; /* the only way out, but for calls that do not return */
    bool is_fall_through;
    bool is_throw;          /* to where an exception is caught */
    bool returns_from_call; /* its destination is where a call comes back */
    bool is_true, is_false; /* of a condition (GCC 14 and later) */
};

/*
 * A condition, as -fcondition-coverage of GCC 14 and later counts it: outcomes of its terms that decided it alone, and
 * so are covered in the sense of (masking) MC/DC. Of term i, bit i tells.
 */
struct an_coverage_condition {
    uint64_t when_true, when_false;
    uint32_t terms; /* at most 64 */
};

/* A block that ends in a line. */
struct an_coverage_block {
    int64_t count;
    uint32_t number;       /* in its function */
    uint32_t branch_count; /* of the line's branches, which are those of its blocks in turn */
    uint32_t condition;    /* that it decides: its number in the source's, + 1; 0: none */
    bool is_exceptional;   /* only exceptions lead there */
    bool is_call_return;   /* the rest of a block that was cut at a call */
};

struct an_coverage_line {
    int64_t count;
    uint32_t number;
    bool exists;               /* it has code; otherwise everything is 0, the number too */
    bool has_unexecuted_block; /* gcov's '*' */
    bool is_exceptional;       /* only exceptions lead there: gcov's '=====' */
    bool is_below_zero;        /* its count, or that of a branch, came out below 0 */
    uint32_t block_count, branch_count;
    const struct an_coverage_block *blocks;
    const struct an_coverage_branch *branches; /* of all its blocks */
};

struct an_coverage_source;

/* What a block has of one source. */
struct an_coverage_place {
    const struct an_coverage_source *source;
    const uint32_t *lines; /* ascending; a line may be there twice */
    uint32_t line_count;   /* 0: it is named only */
};

/* A block of a path, and the way out of it that the path takes; of the last block there is none. */
struct an_coverage_step {
    uint32_t block; /* its number in its function */
    bool is_true, is_false, is_throw, is_fall_through;
    const struct an_coverage_place *places;
    uint32_t place_count;
};

/*
 * A prime path of a function (-fpath-coverage of GCC 15 and later): a longest way through its blocks that comes through none
 * of them twice, but that it may end where it began.
 */
struct an_coverage_path {
    uint64_t number; /* from 0 on, in GCC's order */
    bool is_taken;   /* by any run */
    const struct an_coverage_step *steps;
    size_t step_count;
};

/* Of a source, a function or all of it. */
struct an_coverage_totals {
    uint64_t lines, lines_executed;
    uint64_t branches, branches_executed, branches_taken;
    uint64_t calls, calls_executed;
    uint64_t outcomes, outcomes_covered;    /* of the terms of conditions: two each */
    uint64_t functions, functions_executed; /* one that several objects have is one */
    uint64_t paths, paths_taken;            /* prime paths; the first only if they were asked for */
};

/*
 * A function of the source as a whole. It is several in the objects if #ifdef made different code of it, or if it is a
 * constructor or destructor that has clones. Counts are sums over codes; of clones, which call each other, they are
 * those of the one that has most.
 */
struct an_coverage_whole {
    int64_t count; /* of calls */
    uint64_t blocks, blocks_executed;
};

/*
 * A function, or one instance of a template. Those that the compiler made are left out. What several objects have with
 * the same control flow is one, with the sum of their counts (but not as_gcov).
 */
struct an_coverage_function {
    const char *name;      /* as the linker knows it */
    const char *demangled; /* the same when there is nothing to demangle */
    size_t order;          /* its number among all functions, as the files have them */
    uint32_t line, column, last_line, last_column;
    uint32_t blocks, blocks_executed; /* without entry and exit */
    int64_t count;                    /* of calls */
    int64_t returned;                 /* of these */
    const int64_t *block_counts;      /* of the entry, the exit and the others */
    struct an_coverage_totals
        totals;     /* lines of functions before it do not count again; branches as_gcov only */
    bool has_lines; /* any at all, in any source */
    /* Of several functions that begin in the same line of the source, as instances of templates do, each
     * has lines of its own, from `line` on; of others there are none, as the source has them. */
    bool is_instance;
    const struct an_coverage_line *lines;
    size_t line_count;
    bool is_repeated; /* one before it is the same function of the source */
    /* All of these. an_coverage_read() always sets it; in coverage from elsewhere, NULL means that there is no other. */
    const struct an_coverage_whole *whole;
    /* Its prime paths, for an_coverage_each_path(). NULL: they were not asked for, or none were counted. */
    const struct an_coverage_paths *paths;
    uint64_t path_count;
    bool
        lacks_paths; /* it has some, but too many to be found, or not as many as GCC found: `paths` is NULL */
};

struct an_coverage_source {
    const char *name;                             /* to show */
    const char *path;                             /* where it should be found */
    const struct an_coverage_line *lines;         /* lines[n] is line n; lines[0] is none */
    size_t line_count;                            /* with lines[0]; 0 when there are none */
    const struct an_coverage_function *functions; /* by line and column, then by order */
    size_t function_count;
    /* The greatest count that a line has in one object, as gcov colours texts. A line of a header, which
     * several objects have, may have more. */
    int64_t most;
    const struct an_coverage_condition *conditions; /* of all sources */
    struct an_coverage_totals totals;
};

/* A source as an object file mentions it. */
struct an_coverage_mention {
    const char *name;
    size_t source;
};

/* What is known of an object file. */
struct an_coverage_object {
    const char *folder; /* where the compiler ran; "" when it does not say */
    unsigned release;   /* of the gcov whose rules hold for it: AN_GCOV_OLDEST to AN_GCOV_NEWEST */
    bool may_lack_counts; /* has_unexecuted_block means something */
    bool has_data;        /* counts of at least one run */
    uint64_t runs;
    uint64_t programs;     /* that left their summaries (up to GCC 8) */
    const char *misfit;    /* a function that a rejected gcda contradicts; NULL: none */
    int64_t modified;      /* when its gcno was; seconds since 1970 */
    size_t function_count; /* that are taken, and those that the compiler made */
    const struct an_coverage_mention *mentions; /* in the order of the file, each once */
    size_t mention_count;
};

struct an_coverage {
    const struct an_coverage_source *sources; /* as the files mention them */
    size_t source_count;
    const struct an_coverage_object *objects; /* as they were given */
    size_t object_count;
    size_t function_count;
    uint64_t runs; /* the most that an object has */
    struct an_coverage_totals totals;
};

struct an_coverage_input {
    const char *gcno;
    const char *const *gcda; /* all of this object; their counts are added up */
    size_t gcda_count;
};

/* A folder that compilers were told, and where it is now. */
struct an_coverage_map {
    const char *from, *to;
};

/*
 * The releases of gcov whose output is known, 4 being that of GCC 4.7 to 4.9, and the one that speaks for files that none of
 * them reads, and for those of GCC 8. JSON is that of AN_GCOV_OLDEST_JSON or later.
 */
enum { AN_GCOV_OLDEST = 4, AN_GCOV_OLDEST_JSON = 9, AN_GCOV_USUAL = 12, AN_GCOV_NEWEST = 16 };

struct an_coverage_options {
    size_t size;      /* of this structure: sizeof */
    unsigned threads; /* 0: as many as are useful. The result is the same */
    bool demangle;
    bool
        keep_instances_apart; /* counts of instances' lines are not added to those of their source */
    /* As gcov has it, also for what clang made: sources are told apart by what the compiler calls them, wherever it
     * ran. To gcov 12, totals are without the branches of instances, those of functions without the lines of instances,
     * and when instances are kept apart, those of sources as well; from 13 on, lines and branches of each instance count
     * once more for its source. */
    bool as_gcov;
    const char *folder; /* below this one sources have names relative to it; NULL: none */
    /* Where sources are that have moved: paths that begin in `from` begin in `to`, the first that fits; what is not in
     * its place after that is looked for below the root, by as many of the last parts of its path as possible. */
    const struct an_coverage_map *maps;
    size_t map_count;
    const char *source_root; /* NULL: none */
    /* as_gcov: which. 0: the one of the release that made an object; AN_GCOV_USUAL for what clang made, and for 8. When
     * instances are kept apart, as for JSON, also for those before. */
    unsigned gcov_release;
    bool prime_paths; /* find them, where they were counted */
    /* Which functions there are, by their names as the linker knows them; the others are as if the compiler had made them up.
     * NULL: all. */
    bool (*takes_function)(void *context, const char *name);
    void *context;
    /* as_gcov: what is asked of it is to show blocks. Up to gcov 7, counts of lines and totals of branches are others then. */
    bool all_blocks;
};

/*
 * Reads the objects. The ledger has an entry for each gcno, and behind it those of its gcda: a file counts
 * whole or not at all, and what is damaged or of another compilation is rejected there; it is no failure. An
 * object without good gcda never ran; of one without a good gcno, nothing is known. The caller frees both;
 * the strings of the inputs need not live on.
 */
AN_API enum an_code an_coverage_read(const struct an_coverage_options *options,
                                     const struct an_coverage_input *inputs, size_t count,
                                     struct an_coverage **coverage, struct an_ledger **ledger,
                                     struct an_error *error);
AN_API void an_coverage_free(struct an_coverage *coverage);

/*
 * Hands out the prime paths of a function that has some, one after the other; `visit` returns whether it wants more. What it
 * gets is valid for the call only. Fails when memory runs out.
 */
AN_API enum an_code an_coverage_each_path(const struct an_coverage_function *function,
                                          bool (*visit)(void *context,
                                                        const struct an_coverage_path *path),
                                          void *context, struct an_error *error);

/* Adds to totals, to report several sources as one. */
AN_API void an_coverage_totals_add(struct an_coverage_totals *totals,
                                   const struct an_coverage_totals *more);

#ifdef __cplusplus
}
#endif
#endif
