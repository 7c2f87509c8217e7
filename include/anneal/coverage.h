/*
 * Coverage: how often each line of a program's sources ran, from the control flow of its object files
 * (gcno) and their counts (gcda).
 *
 * docs/cov.md tells how counts of lines come about. Everything belongs to the coverage and lives as long.
 */
#ifndef ANNEAL_COVERAGE_H
#define ANNEAL_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One way out of a block that ends in a line: a branch, or a call. */
struct an_coverage_branch {
    uint64_t count;       /* how often it was taken */
    uint64_t block_count; /* how often the block ran */
    uint32_t block;       /* number of the block in its function */
    uint32_t destination;
    bool is_call; /* a call that may not return: count is how often it did not */
    bool is_unconditional;
    bool is_fall_through;
    bool is_throw;
};

struct an_coverage_line {
    uint32_t number;           /* from 1 */
    bool exists;               /* there is code of it */
    bool has_unexecuted_block; /* gcov's '*' */
    bool is_exceptional;       /* only exceptions lead there: gcov's '=====' */
    uint64_t count;
    const struct an_coverage_branch *branches; /* of all its blocks */
    size_t branch_count;
};

/* A function, or one instance of a template. */
struct an_coverage_function {
    const char *name;      /* as the linker knows it */
    const char *demangled; /* the same when there is nothing to demangle */
    bool is_artificial;
    uint32_t line, column, last_line, last_column;
    uint32_t blocks, blocks_executed;
    uint64_t count; /* of calls */
    /* Lines of this instance alone, when the source has several of the same place; else none. */
    const struct an_coverage_line *lines;
    size_t line_count;
};

/* Of a source, a function or all of it. */
struct an_coverage_totals {
    uint64_t lines, lines_executed;
    uint64_t branches, branches_executed, branches_taken;
    uint64_t calls, calls_executed;
    uint64_t functions, functions_executed;
};

struct an_coverage_source {
    const char *name; /* as the compiler was told */
    const char *path; /* the same from the folder where it ran, without . and .. */
    const struct an_coverage_line *lines;         /* lines[n] is line n; lines[0] is none */
    size_t line_count;                            /* with lines[0] */
    const struct an_coverage_function *functions; /* by line */
    size_t function_count;
    struct an_coverage_totals totals;
};

struct an_coverage {
    const struct an_coverage_source *sources;
    size_t source_count;
    uint64_t runs;
    struct an_coverage_totals totals;
};

#ifdef __cplusplus
}
#endif
#endif
