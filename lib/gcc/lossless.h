/*
 * The counts of an object file while they are merged without loss, for partial results: what is added to it may come in any
 * order and grouping.
 *
 *     most counters      added up, as always
 *     lists and places   as tallies (tally.h); the counters themselves stay 0
 *     programs           until GCC 8: kept for each input, since merging histograms loses some
 *
 * Counts of other builds of the same source are kept beside these, until the end.
 */
#ifndef AN_GCC_LOSSLESS_H
#define AN_GCC_LOSSLESS_H

#include <anneal/ledger.h>

#include "gcc/gcda_add.h"

/* The summary of a program in one input. */
struct an_gcc_origin {
    struct an_digest input;
    struct an_gcc_program program;
};

/* One build of a module. */
struct an_gcc_build {
    struct an_gcda gcda;
    struct {
        AN_VECTOR(struct an_digest);
    } inputs; /* that are in it */
    struct {
        AN_VECTOR(struct an_gcc_origin);
    } origins;
};

/* Whether a file of this header is of the build. */
bool an_gcc_build_has(const struct an_gcc_build *build, const struct an_gcda_header *header);

/* Begins with all zeros. Adds the file of an input, or nothing of it. */
enum an_code an_gcc_build_add(struct an_gcc_build *build, struct an_gcda_plan *plan,
                              struct an_bytes file, const struct an_digest *input,
                              struct an_gcda_added *added, struct an_error *error);

/* Adds another build, of which a look at its counts has made the plan. False when memory runs out. */
bool an_gcc_build_absorb(struct an_gcc_build *build, struct an_gcda_plan *plan,
                         struct an_gcc_build *other);

/* The smallest digest of its inputs: it says which build is the first one. */
struct an_digest an_gcc_build_first(const struct an_gcc_build *build);

/* As GCC reads it, with what there is room for. Nothing can be added any more then. The caller frees the buffer. */
enum an_code an_gcc_build_write(struct an_gcc_build *build, struct an_buffer *to,
                                struct an_error *error);

void an_gcc_build_free(struct an_gcc_build *build);

#endif
