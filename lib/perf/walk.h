/*
 * Walking the records of a perf.data: in order, and by several threads.
 *
 *     u32 type, u16 misc, u16 size | size - 8 bytes of payload | ...
 *
 * Where a record begins is known only from the one before it. So the threads read pieces of the
 * file apart, step over the heads of their records in turn, and look into the records apart
 * again. Compressed recordings (perf record -z) are one zstd stream from the first COMPRESSED
 * record to the last: they are inflated in turn, a mebibyte at a time.
 */
#ifndef AN_PERF_WALK_H
#define AN_PERF_WALK_H

#include "perf/source.h"

struct perf_record {
    const uint8_t *bytes; /* the head and what follows; valid during the callback */
    uint64_t offset;      /* in the file; of the COMPRESSED record that it was in, if it was */
    uint32_t type;
    uint16_t misc;
    uint16_t size; /* at least 8 */
};

typedef enum an_code perf_in_order(void *context, const struct perf_record *record,
                                   struct an_error *error);
typedef enum an_code perf_apart(void *context, unsigned thread, const struct perf_record *record,
                                struct an_error *error);

struct perf_walk {
    const struct an_source *source;
    uint64_t start, end; /* of the records in the source */
    bool big;
    bool compressed; /* there are COMPRESSED records */
    bool allow_truncated;
    unsigned threads; /* at least 1 */
    void *context;
    perf_in_order *in_order; /* every record, in the order of the file; may be NULL */
    perf_apart *apart;       /* every SAMPLE, by all threads at once; may be NULL */
    /* results */
    bool cut; /* with allow_truncated: what begins at cut_at is no record, or has no end */
    uint64_t cut_at;
    bool met_compressed; /* there was a COMPRESSED record */
};

enum an_code an_perf_walk(struct perf_walk *walk, struct an_error *error);

/* The pieces that threads read. Beyond the size of the second-level cache nothing is won. */
enum { PERF_PIECE = 1 << 20 };

#endif
