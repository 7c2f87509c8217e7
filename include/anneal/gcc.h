/*
 * GCC's counter files (gcda): many runs become one, module by module, as libgcov would have done it.
 *
 * docs/formats/gcc.md describes the format, and what merging means. Nothing here keeps global state.
 */
#ifndef ANNEAL_GCC_H
#define ANNEAL_GCC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>
#include <anneal/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the start of a file (4 bytes are enough) is that of a gcda file, of either byte order. */
AN_API bool an_gcc_is_gcda(const void *bytes, size_t size);

/* Whether the start of a file (16 bytes are enough) is that of a partial result of such files. */
AN_API bool an_gcc_is_partial(const void *bytes, size_t size);

struct an_gcc_input {
    const char *path;  /* "-": standard input */
    uint64_t weight;   /* it counts as this many equal runs; at least 1 */
    size_t module;     /* which object file it is of: inputs of one module are merged */
    const void *bytes; /* not NULL: the file is here, and the path only names it */
    size_t size;
};

struct an_gcc_merge_options {
    size_t size;      /* of this structure: sizeof */
    unsigned threads; /* 0: as many as are useful. The result is the same */
    enum an_failure_mode failure_mode;
    bool
        as_gcov_tool; /* lists of frequent values begin with those of the first input, not the last */
    /* Called by any of the threads, one at a time: `done` of `total` modules; may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
};

struct an_gcc_merged {
    void *bytes; /* a gcda file; NULL: no input of the module had data */
    size_t size;
    size_t inputs; /* that are in it */
};

/*
 * Merges the inputs of each of `modules` modules, in their order. *merged has one file for each; the
 * caller frees it and the ledger. On failure *merged is NULL; *ledger may be set and say more.
 *
 * An input counts whole or not at all. It is rejected when it is damaged, or of another build than the
 * first good one of its module.
 */
AN_API enum an_code an_gcc_merge(const struct an_gcc_merge_options *options,
                                 const struct an_gcc_input *inputs, size_t count, size_t modules,
                                 struct an_gcc_merged **merged, struct an_ledger **ledger,
                                 struct an_error *error);
AN_API void an_gcc_merged_free(struct an_gcc_merged *merged, size_t modules);

/* ---- partial results ---- */

/* A file of a run, or a partial result. */
struct an_gcc_source {
    const char *path; /* "-": standard input */
    uint64_t weight;  /* it counts as this many equal runs; at least 1, and 1 for partial results */
    size_t
        run; /* which run left it; AN_GCC_ALONE: it is all that a run left, or a partial result */
    const char *name; /* of the file in its run, where all have different ones */
    size_t
        length; /* so much of that is the name of its module: a path below a folder, or nothing */
};

#define AN_GCC_ALONE SIZE_MAX

/* What a merge without loss made. */
struct an_gcc_sum;

struct an_gcc_sum_options {
    size_t size;                       /* of this structure: sizeof */
    unsigned threads;                  /* 0: as many as are useful. The result is the same */
    enum an_failure_mode failure_mode; /* of what is rejected now, and not of what was before */
    bool count_copies; /* sources of the same bytes and different paths each count */
    bool partial;      /* it will be written as a partial result */
    /* Called by any of the threads, one at a time: `done` of `total` modules and partial results; may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
};

/*
 * Merges files and partial results without loss. The result depends neither on the order of the sources nor on how those of
 * partial results were grouped: where an order matters, it is that of their digests. A run that comes twice counts once; it is
 * known by all files that it left. Of different builds of a module, that of the first input is kept in the end, and inputs of others are
 * rejected; a partial result keeps all.
 *
 * *ledger may be set on failure, too. The caller frees both.
 */
AN_API enum an_code an_gcc_sum_make(const struct an_gcc_sum_options *options,
                                    const struct an_gcc_source *sources, size_t count,
                                    struct an_gcc_sum **sum, struct an_ledger **ledger,
                                    struct an_error *error);
AN_API void an_gcc_sum_free(struct an_gcc_sum *sum);

/* Its modules are numbered by their names. The name is not terminated; it is empty, or a path without "..". */
AN_API size_t an_gcc_sum_modules(const struct an_gcc_sum *sum);
AN_API const char *an_gcc_sum_name(const struct an_gcc_sum *sum, size_t module, size_t *length);

/* How many inputs are in a module. */
AN_API size_t an_gcc_sum_inputs(const struct an_gcc_sum *sum, size_t module);

/* The file of a module, for GCC to read: of lists, what there is room for. Once for each module. The caller frees it. */
AN_API enum an_code an_gcc_sum_write(struct an_gcc_sum *sum, size_t module, void **bytes,
                                     size_t *size, struct an_error *error);

/* The partial result, of a sum that was to be one, with the ledger that came with it. The caller frees it. */
AN_API enum an_code an_gcc_sum_write_partial(struct an_gcc_sum *sum, const struct an_ledger *ledger,
                                             void **bytes, size_t *size, struct an_error *error);

enum an_gcc_scaling {
    AN_GCC_BY_FRACTION, /* divided by the denominator, rounded to nearest, then multiplied */
    AN_GCC_BY_FACTOR,   /* in 32-bit floating point, truncated */
    AN_GCC_TO_GREATEST, /* so that the greatest count of an arc becomes the numerator */
};

/* How counts are scaled; the first two as by gcov-tool rewrite. */
struct an_gcc_scale {
    enum an_gcc_scaling how;
    uint64_t numerator, denominator; /* not 0 */
    float factor;                    /* finite, not negative */
};

/*
 * Scales the counts of all inputs, ignoring their weights and modules: those that a merge adds up, and the counts of
 * frequent values. Summaries are kept, except those of GCC up to 8, which have sums of counts. *rewritten has one
 * file per input, and is freed with an_gcc_merged_free(). If any input cannot be read there is none, and the error
 * is that of the first such input.
 *
 * With AN_GCC_TO_GREATEST the denominator is ignored; the greatest count of all inputs takes its place. An empty
 * file, as a process leaves that died early, stays one: its `bytes` are NULL.
 */
AN_API enum an_code an_gcc_rewrite(const struct an_gcc_scale *scale,
                                   const struct an_gcc_input *inputs, size_t count,
                                   struct an_gcc_merged **rewritten, struct an_error *error);

/* ---- what is in a profile ---- */

enum an_gcc_kind_of_file {
    AN_GCC_NO_FILE, /* none of these */
    AN_GCC_COUNTS,  /* gcda */
    AN_GCC_NOTES,   /* gcno */
};

/*
 * What a file is by its first 12 bytes, and its stamp, which tells compilations apart: the gcda and the gcno of an object
 * have the same. *stamp is 0 for other files.
 */
AN_API enum an_gcc_kind_of_file an_gcc_identify(const void *bytes, size_t size, uint32_t *stamp);

/*
 * The path of the gcno beside a gcda, or one of a core's (NAME.gcda7), if there is such a file. NULL also when
 * memory runs out; the caller frees it.
 */
AN_API char *an_gcc_notes_beside(const char *path, size_t length);

/*
 * What c++filt makes of a name, to be freed; NULL when it is no name of C++, when memory runs out, or when
 * there is no C++ runtime library on the machine, which knows how: it is loaded when it is first needed.
 */
AN_API char *an_gcc_demangle(const char *name);

/* The counters of one kind that a function has. */
struct an_gcc_counters {
    const char *kind;       /* GCC's name of it: "arcs", "interval", "indirect_call_topn"... */
    const uint64_t *values; /* NULL: all are 0; then any number may be claimed */
    uint32_t count;
    uint32_t rule; /* private */
};

struct an_gcc_function {
    uint32_t ident;              /* identifies the function within its module */
    uint32_t line_sum, flow_sum; /* checksums of where it begins, and of its control flow */
    const struct an_gcc_counters *counters;
    uint32_t kinds; /* how many of these */

    /* Of the counters of arcs: */
    uint32_t arcs, ran; /* how many there are, and how many are not 0 */
    uint64_t total;     /* stops at 2^64-1 */
    uint64_t largest;

    uint64_t first_run; /* its place in the order of first runs; 0: none is known */

    /* With a gcno: */
    const char *name, *file; /* NULL: it does not have the function */
    uint32_t line;
    bool has_entries; /* its counters are those of this control flow */
    int64_t entries;  /* how often it was entered; below 0 when threads lost counts */
};

enum an_gcc_names {
    AN_GCC_NO_NAMES, /* no gcno was given */
    AN_GCC_NAMES,
    AN_GCC_OTHER_NAMES, /* of another compilation: not used */
    AN_GCC_BAD_NAMES,   /* damaged; `names_error` tells more */
};

struct an_gcc_profile {
    unsigned major, minor; /* the release of GCC whose format it is */
    bool is_clang;         /* which wrote it like that release */
    bool is_big_endian;
    uint32_t version, stamp;
    bool has_checksum;
    uint32_t checksum;
    bool has_summary;
    uint32_t runs, sum_max; /* of the summary: sum_max adds up the largest count of each run */
    const uint32_t
        *program_runs; /* of each program with the object, which GCC up to 8 tells apart */
    size_t programs;

    const struct an_gcc_function
        *functions; /* those that the program had, in the order of the file */
    size_t count;
    enum an_gcc_names names;
    struct an_error names_error;
};

/*
 * Reads a gcda, of one run or merged, and the gcno of that path, unless it is NULL: a gcno that cannot be used is no
 * failure. *profile is the caller's to free, and does not refer to the bytes; on failure it is NULL.
 */
AN_API enum an_code an_gcc_profile_read(const void *bytes, size_t size, const char *notes,
                                        struct an_gcc_profile **profile, struct an_error *error);
AN_API void an_gcc_profile_free(struct an_gcc_profile *profile);

/* The counters of a kind that a function has, by GCC's name of it, or NULL. */
AN_API const struct an_gcc_counters *an_gcc_counters_of(const struct an_gcc_function *function,
                                                        const char *kind);

/*
 * The frequent values of expressions, and the targets of indirect calls, whatever a release kept them as: one
 * place of the program after the other, each with its values.
 *
 *     struct an_gcc_values at = an_gcc_values_of(counters);
 *     while (an_gcc_values_next(&at)) ...
 */
struct an_gcc_values {
    bool are_there;        /* false: counters of another kind */
    const uint64_t *pairs; /* value, count, value, count ... */
    size_t count;          /* of these; those with a count of 0 are empty */
    /* private */
    const uint64_t *next, *end;
    uint32_t rule;
};

AN_API struct an_gcc_values an_gcc_values_of(const struct an_gcc_counters *counters);
AN_API bool an_gcc_values_next(struct an_gcc_values *values);

/* ---- streams ---- */

struct an_gcc_file {
    char *name; /* as built into the program: the path of a gcda file */
    void *bytes;
    size_t size;
};

/*
 * Splits the stream that libgcov prints in a freestanding program, with __gcov_filename_to_gcfn() and
 * __gcov_info_to_gcda(), into its files; free them with an_gcc_stream_free(). A damaged stream yields none.
 */
AN_API enum an_code an_gcc_stream_read(const void *bytes, size_t size, struct an_gcc_file **files,
                                       size_t *count, struct an_error *error);
AN_API void an_gcc_stream_free(struct an_gcc_file *files, size_t count);

/* ---- other versions ---- */

enum an_gcc_order { AN_GCC_ORDER_KEPT, AN_GCC_LITTLE_ENDIAN, AN_GCC_BIG_ENDIAN };

struct an_gcc_convert_options {
    size_t size;           /* of this structure: sizeof */
    unsigned major, minor; /* of the release that will read the file; 0.0: the one that wrote it */
    enum an_gcc_order order;
};

/* Counters of a kind that a release does not have, or keeps differently, and the number of functions with them. */
enum { AN_GCC_MOST_KINDS = 16 };
struct an_gcc_left_out {
    const char *kind; /* GCC's name of it */
    size_t functions;
};

struct an_gcc_converted {
    void *bytes; /* the file; free it with free() */
    size_t size;
    unsigned major, minor; /* of the release that it is for now */
    struct an_gcc_left_out left_out[AN_GCC_MOST_KINDS];
    size_t left_out_count;
};

/*
 * Turns a file of one release of GCC into one of another, from 4.7 to 16, or of another byte order. Counters are
 * matched by name. Values and checksums are kept, so the other compiler decides by the checksums whether they fit its
 * own control flow.
 */
AN_API enum an_code an_gcc_convert(const struct an_gcc_convert_options *options, const void *bytes,
                                   size_t size, struct an_gcc_converted *converted,
                                   struct an_error *error);

/* ---- overlap ---- */

/* A module of two profiles. */
struct an_gcc_pair {
    const char *base, *test; /* its files; NULL where the profile does not have it */
};

enum an_gcc_heat {
    AN_GCC_ABSENT,
    AN_GCC_ZERO, /* it has only counts of 0 */
    AN_GCC_COLD,
    AN_GCC_HOT, /* some count is above the threshold */
};

struct an_gcc_overlap_function {
    uint32_t ident; /* identifies the function within its module */
    bool in_base, in_test;
    bool changed;    /* its control flow is not the same in both: nothing of it overlaps */
    bool has_counts; /* some are not 0 */
    bool is_hot;     /* some count is at or above the threshold, in either */
    double overlap, base_share, test_share;
};

struct an_gcc_overlap_module {
    enum an_gcc_heat base_heat, test_heat;
    size_t base_functions, test_functions; /* also those that a program did not have */
    double overlap, base_share, test_share;
    struct an_gcc_overlap_function *functions; /* of base, then what only test has */
    size_t count;
};

struct an_gcc_overlap {
    uint64_t base_total, test_total; /* of all counts of arcs */
    double overlap;
    struct an_gcc_overlap_module *modules; /* in the order of the pairs */
    size_t count;
};

/*
 * How alike two profiles are: for each arc the smaller one of its shares of all counts in either profile,
 * added up; 1 if they tell the compiler the same. A function is compared with the one of the same number,
 * which is how GCC finds it, if its control flow has not changed since.
 *
 * A count is hot that is at or above `hot`, a share of all counts that is not negative (gcov-tool's is 0.005).
 * *overlap is the caller's to free; when any file cannot be read there is none, and the error names it. A file
 * of no bytes, as a process leaves that died early, is as good as none.
 */
AN_API enum an_code an_gcc_overlap(const struct an_gcc_pair *pairs, size_t count, double hot,
                                   struct an_gcc_overlap **overlap, struct an_error *error);
AN_API void an_gcc_overlap_free(struct an_gcc_overlap *overlap);

#ifdef __cplusplus
}
#endif
#endif
