/*
 * The trace in a raw temporal profile: each function's counters begin with a time stamp, 0 or the number of the
 * function in the order of first entries.
 */
#ifndef AN_LLVM_RAW_TRACE_H
#define AN_LLVM_RAW_TRACE_H

#include "base/memory.h"
#include "llvm/raw.h"

/* Where the time stamp of a function is. */
struct trace_stamp {
    uint64_t offset; /* in the counters section */
    uint64_t function;
};

/* A raw profile with the stamps of its layout, one for each function. */
struct trace_source {
    struct trace_stamp *stamps;
    const struct raw_image *image;
};

/* The stamps of a checked layout, to be freed; NULL: no memory. */
struct trace_stamp *an_raw_stamps(const struct raw_image *image);

/* What the stamps add to the sum of the section, modulo 2^64. */
uint64_t an_raw_stamps_sum(const struct trace_stamp *stamps, const struct raw_image *image);

/* Whether any function of them was entered. */
bool an_raw_has_trace(const struct trace_source *sources, size_t count);

/* Makes their common trace: its functions, in memory of the arena. False: no memory. */
bool an_raw_trace(const struct trace_source *sources, size_t count, struct an_arena *arena,
                  struct an_llvm_trace *trace);

#endif
