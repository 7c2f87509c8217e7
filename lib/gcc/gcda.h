/*
 * The counts of one object file (gcda), in memory. gcda_walk.h reads them from files, gcda_add.h adds up.
 */
#ifndef AN_GCC_GCDA_H
#define AN_GCC_GCDA_H

#include "base/vector.h"
#include "gcc/gcda_walk.h"
#include "gcc/program.h"
#include "gcc/tally.h"

struct an_gcda_function {
    bool is_present;             /* else all below is 0 */
    uint32_t ident;              /* tells functions of an object apart */
    uint32_t line_sum, flow_sum; /* checksums */
    size_t first;                /* in counters */
    unsigned kinds;              /* how many of these */
};

/* There are many of these, and all are looked at for each file: they are kept small. */
struct an_gcda_counters {
    size_t first;      /* in values */
    uint32_t count;    /* as in the file: of lists, with totals and lengths */
    uint32_t capacity; /* values that there is room for */
    uint32_t places;   /* how many lists these are */
    uint8_t kind;
    bool are_zero; /* all of them; then there are no values, so that a file cannot claim memory */
};

struct an_gcda {
    struct an_gcda_header header;
    bool has_summary, is_clang; /* clang's has the summary last */
    uint32_t runs;              /* these two: of the summary */
    uint32_t sum_max;           /* the greatest count of each run, added up */
    unsigned adoptions;         /* how often functions came that were not there before */
    struct {
        AN_VECTOR(struct an_gcc_program);
    } programs;
    struct {
        AN_VECTOR(struct an_gcda_function);
    } functions;
    struct {
        AN_VECTOR(struct an_gcda_counters);
    } counters;
    struct {
        AN_VECTOR(uint64_t);
    } values;

    /* Of a merge without loss (lossless.h): the values of lists and places, as many as there are counters; these are 0 then */
    bool is_lossless;
    struct {
        AN_VECTOR(struct an_tallies);
    } tallies;
};

/* Reads a file. AN_MALFORMED and the like say where; then there is nothing to free. */
enum an_code an_gcda_read(struct an_gcda *gcda, struct an_bytes file, struct an_error *error);
void an_gcda_free(struct an_gcda *gcda);

/*
 * Loads a file and reads it; the error names it. A file of no bytes, as a process leaves that died early, is
 * AN_OK with all zeros. `file` may be used again and again.
 */
struct an_file;
enum an_code an_gcda_load(struct an_gcda *gcda, struct an_file *file, const char *path,
                          struct an_error *error);

/* Room for so many values more, not filled; NULL when memory runs out. */
uint64_t *an_gcda_extend(struct an_gcda *gcda, size_t count);

/* The rule of its counters. */
static inline enum an_gcc_rule an_gcda_rule(const struct an_gcda *gcda,
                                            const struct an_gcda_counters *counters)
{
    return gcda->header.version.kinds[counters->kind].rule;
}

/* Makes it count as so many runs like it. */
void an_gcda_scale(struct an_gcda *gcda, uint64_t weight);

/* Changes all counts, and not how many runs they are of. */
void an_gcda_rewrite(struct an_gcda *gcda, const struct an_gcc_scale *scale);

/* How many counts there are, if these are counts of arcs and not all 0; and where. */
size_t an_gcda_arcs(const struct an_gcda *gcda, const struct an_gcda_counters *counters,
                    const uint64_t **values);

/* The sum of its arcs' counts; stops at 2^64-1. */
uint64_t an_gcda_total(const struct an_gcda *gcda);

/* The greatest of its arcs' counts. */
uint64_t an_gcda_greatest(const struct an_gcda *gcda);

/* As libgcov writes it; the caller frees the buffer. */
void an_gcda_write(const struct an_gcda *gcda, struct an_buffer *to);

#endif
