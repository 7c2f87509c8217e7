/*
 * The ring buffer into which the kernel puts the records of one processor.
 *
 *     page 0   struct perf_event_mmap_page: data_head, as far as the kernel has written, and
 *              data_tail, as far as was read; both only grow
 *     then     2^n pages: byte i is that of the positions i, i + size, i + 2 * size, ...
 *
 * A record begins at a multiple of 8 and may go over the end of the buffer, to be continued at its
 * beginning. Where there is no room the kernel drops records, and tells how many with the next.
 */
#ifndef AN_RECORD_PERF_RING_H
#define AN_RECORD_PERF_RING_H

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "base/error.h"

struct an_perf_ring {
    struct perf_event_mmap_page *page;
    const uint8_t *data;
    uint64_t size;   /* of the data; a power of two */
    uint8_t *joined; /* room for a record that goes over the end */
};

/* Maps the buffer of an event, of `most` bytes (a power of two) or less where the system gives no
 * more. On failure errno is set. */
bool an_perf_ring_map(struct an_perf_ring *ring, int event, size_t most);
void an_perf_ring_unmap(struct an_perf_ring *ring);

/* A record, head and all; valid during the call. */
typedef void an_perf_record_callback(void *context, const uint8_t *record, size_t size);

/* Hands out the records that are complete, and gives their room back. *bytes grows by their size. */
enum an_code an_perf_ring_read(struct an_perf_ring *ring, an_perf_record_callback *callback,
                               void *context, uint64_t *bytes, struct an_error *error);

#endif
