/*
 * The counts of one object file (gcda): read, merged, written. What libgcov leaves behind after several
 * runs of a program is what its files, one for each run, become when they are merged.
 */
#ifndef AN_GCC_GCDA_H
#define AN_GCC_GCDA_H

#include "base/vector.h"
#include "gcc/format.h"

struct an_gcda_function {
    bool is_present;             /* else all below is 0 */
    uint32_t ident;              /* tells functions of an object apart */
    uint32_t line_sum, flow_sum; /* checksums */
    size_t first;                /* in counters */
    unsigned kinds;              /* how many of these */
};

struct an_gcda_counters {
    unsigned kind;
    bool are_zero;   /* all of them; then there are no values, so that a file cannot claim memory */
    size_t count;    /* as in the file: of AN_GCC_TOP, with totals and lengths */
    size_t first;    /* in values */
    size_t capacity; /* values that there is room for */
};

struct an_gcda {
    struct an_gcc_version version;
    bool big; /* byte order */
    uint32_t stamp, checksum;
    uint32_t runs;
    uint32_t sum_max;
    struct {
        AN_VECTOR(struct an_gcda_function);
    } functions;
    struct {
        AN_VECTOR(struct an_gcda_counters);
    } counters;
    struct {
        AN_VECTOR(uint64_t);
    } values;
};

/* Reads a file. AN_MALFORMED and the like say where; then there is nothing to free. What stands behind
 * the end mark does not count: libgcov leaves the rest of a longer file there. */
enum an_code an_gcda_read(struct an_gcda *gcda, struct an_bytes file, struct an_error *error);
void an_gcda_free(struct an_gcda *gcda);

/* Room for so many values more, not filled; NULL when memory runs out. */
uint64_t *an_gcda_extend(struct an_gcda *gcda, size_t count);

/* Makes it count as so many runs like it. */
void an_gcda_scale(struct an_gcda *gcda, uint64_t weight);

/* The sum of its arcs' counts; stops at 2^64-1. */
uint64_t an_gcda_total(const struct an_gcda *gcda);

/* As libgcov writes it; the caller frees the buffer. */
void an_gcda_write(const struct an_gcda *gcda, struct an_buffer *to);

/* Whose values come first in lists. It matters where lists are full, and to the bytes of the result. */
enum an_gcda_order {
    AN_GCDA_LATER_FIRST, /* libgcov: a run adds to its own lists what the file has of runs before */
    AN_GCDA_EARLIER_FIRST, /* gcov-tool */
};

/* AN_OK when both are of one build of one object file; else AN_MISMATCH, and what tells. */
enum an_code an_gcda_same_object(const struct an_gcda *one, const struct an_gcda *other,
                                 struct an_error *error);

/*
 * Adds the counts of a later run. AN_MISMATCH when both are not of the same object, with the function
 * that tells; then `into` is as it was.
 */
enum an_code an_gcda_merge(struct an_gcda *into, const struct an_gcda *later,
                           enum an_gcda_order order, struct an_error *error);

#endif
