/*
 * Raw memory profiles, as compiler-rt's memprof runtime leaves them (memprof.profraw): what was measured of allocations, by call
 * stacks of addresses. They say nothing of functions; see memprof_records.h for how they become a memory profile.
 */
#ifndef AN_LLVM_MEMPROF_RAW_H
#define AN_LLVM_MEMPROF_RAW_H

#include "llvm/memprof.h"

enum { MEMPROF_RAW_OLDEST = 3, MEMPROF_RAW_NEWEST = 5 };

/* A part of a program or library that is executable, as it was mapped. */
struct memprof_segment {
    uint64_t start, end, offset;
    struct an_bytes build_id; /* in the file; may be empty */
};

struct memprof_measured {
    uint64_t stack;                  /* the number of its call stack */
    uint64_t values[MEMPROF_FIELDS]; /* as of an allocation */
    uint64_t *histogram;             /* of accesses: values[MEMPROF_HISTOGRAM] of them */
};

struct memprof_trace {
    uint64_t number;
    uint64_t *addresses; /* within the calls, from the leaf to the root */
    size_t count;
};

/* All raw profiles of a file, which are of one process. */
struct memprof_raw {
    struct an_arena arena;
    unsigned version; /* of the last one */
    size_t dumps;
    struct {
        AN_VECTOR(struct memprof_segment);
    } segments;
    struct {
        AN_VECTOR(struct memprof_measured);
    } measured;
    struct an_map measured_of; /* number of a call stack -> index + 1 */
    struct {
        AN_VECTOR(struct memprof_trace);
    } traces;
    struct an_map trace_of; /* number -> index + 1 */
    /* The numbers of traces as they came, also again, and where those of each raw profile end. */
    struct {
        AN_VECTOR(uint64_t);
    } numbers;
    struct {
        AN_VECTOR(size_t);
    } ends;
};

bool an_memprof_raw_recognise(struct an_bytes file);

/* Reads a file, which has to stay as long as the raw profile does; to be freed in any case. */
enum an_code an_memprof_raw_read(struct memprof_raw *raw, struct an_bytes file,
                                 struct an_error *error);
void an_memprof_raw_free(struct memprof_raw *raw);

/* The trace of a number, or NULL. */
const struct memprof_trace *an_memprof_raw_trace(const struct memprof_raw *raw, uint64_t number);

#endif
