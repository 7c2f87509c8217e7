/* Where the records and traces of a lossless profile (lossless.h) come from: the part of it that a profile has. */
#ifndef AN_LLVM_ORIGINS_H
#define AN_LLVM_ORIGINS_H

#include <anneal/ledger.h>

#include "base/vector.h"

/* Where a record, or a trace, comes from: an index of the profile's origins, and its place there. */
struct record_origin {
    uint32_t input, rank;
};

/* Of a trace in the reservoir, by its place. */
struct trace_mark {
    uint32_t input;
    uint64_t index; /* in the input */
    double rate;    /* how many traces it stands for */
    double key;     /* the reservoir keeps the smallest */
};

struct lossless {
    bool is_on;
    bool failed;     /* memory ran out where that could not be told */
    uint32_t origin; /* of what is being added */
    uint64_t traces; /* that it has brought */
    struct {
        AN_VECTOR(struct an_digest);
    } origins;
    struct {
        AN_VECTOR(struct trace_mark);
    } marks;
    size_t last; /* the trace that is the first to go, where that is known */
    bool knows_last;
};

void an_lossless_free(struct lossless *lossless);

/* Says that what is added from now on is of this input. False when memory runs out. */
bool an_lossless_begin(struct lossless *lossless, const struct an_digest *input);

/* Appends origins, of a profile that is about to be merged. False when memory runs out. */
bool an_lossless_add_origins(struct lossless *lossless, const struct an_digest *digests,
                             size_t count);

/* The order of two origins: below, at, or above 0. */
int an_lossless_compare_inputs(const struct lossless *lossless, uint32_t a, uint32_t b);
int an_lossless_compare(const struct lossless *lossless, struct record_origin a,
                        struct record_origin b);

#endif
