/*
 * The records of a compressed recording, one after the other: those that stand in the file as they
 * are, and those inside of COMPRESSED records.
 *
 *     COMPRESSED:  head | a part of the zstd stream, to the end of the record
 *     COMPRESSED2: head | u64 size of that part | the part | padding to 8 bytes
 *
 * A record may begin in one COMPRESSED record and end in the next; perf does the same as here with
 * what stands between the two: it comes first.
 *
 * zstd can make 32,768 bytes of one. Records are not so alike: no two have the same time.
 */
#ifndef AN_PERF_INFLATE_H
#define AN_PERF_INFLATE_H

#include "perf/walk.h"

struct perf_inflate {
    const struct perf_walk *walk;
    void *stream;                   /* of zstd */
    struct an_source_window window; /* of the record at `at` */
    uint64_t at;                    /* in the file: the next record to look at */
    uint64_t now;                   /* in the file: the COMPRESSED record being inflated */
    const uint8_t *input;           /* what is left of it, in the window */
    size_t input_left;
    uint64_t taken, made;   /* how many bytes became how many */
    bool more;              /* zstd may hold back output */
    struct an_buffer carry; /* the begin of a record whose end is in the next one */
    bool met_compressed;    /* there was a COMPRESSED record */
    bool cut;
    uint64_t cut_at;
};

enum an_code an_perf_inflate_open(struct perf_inflate *inflate, const struct perf_walk *walk,
                                  struct an_error *error);
void an_perf_inflate_close(struct perf_inflate *inflate);

/*
 * Fills buffer (capacity at least 2 * PERF_RECORD_MOST) with whole records. *size 0 is the end of
 * the recording. *offset is what to report as their place; `from_file` tells whether the records
 * stood in the file as they are, so that each has a place of its own.
 */
struct perf_inflated {
    uint8_t *buffer;
    size_t capacity;
    size_t size;
    uint64_t offset;
    bool from_file;
};
enum an_code an_perf_inflate_fill(struct perf_inflate *inflate, struct perf_inflated *filled,
                                  struct an_error *error);

#endif
