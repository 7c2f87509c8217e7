/* Reading a ring buffer of the kernel; see perf_ring.h. */
#include "record/perf_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "perf/format.h"

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool an_perf_ring_map(struct an_perf_ring *ring, int event, size_t most)
{
    size_t page = page_size();
    void *start = MAP_FAILED;
    *ring = (struct an_perf_ring){.joined = an_alloc(PERF_RECORD_MOST, 1)};
    if (!ring->joined) {
        errno = ENOMEM;
        return false;
    }
    /* How much there may be for a user depends on perf_event_mlock_kb and on ulimit -l. */
    for (ring->size = most; ring->size >= page; ring->size /= 2) {
        start = mmap(NULL, page + ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
        if (start != MAP_FAILED || (errno != EPERM && errno != ENOMEM))
            break;
    }
    if (start == MAP_FAILED) {
        int number = errno;
        free(ring->joined);
        *ring = (struct an_perf_ring){0};
        errno = number;
        return false;
    }
    ring->page = start;
    ring->data = (const uint8_t *)start + page;
    return true;
}

void an_perf_ring_unmap(struct an_perf_ring *ring)
{
    if (ring->page)
        munmap(ring->page, page_size() + ring->size);
    free(ring->joined);
    *ring = (struct an_perf_ring){0};
}

/* The record at a position, in one piece. */
static const uint8_t *record_at(const struct an_perf_ring *ring, uint64_t position, size_t size)
{
    uint64_t at = position & (ring->size - 1), before_end = ring->size - at;
    if (size <= before_end)
        return ring->data + at;
    memcpy(ring->joined, ring->data + at, before_end);
    memcpy(ring->joined + before_end, ring->data, size - before_end);
    return ring->joined;
}

enum an_code an_perf_ring_read(struct an_perf_ring *ring, an_perf_record_callback *callback,
                               void *context, uint64_t *bytes, struct an_error *error)
{
    enum { SIZE_AT = 6 };
    /* What the kernel wrote before it moved the head is seen behind this load. */
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->page->data_tail;
    *bytes += head - tail;
    while (tail != head) {
        uint64_t left = head - tail, at = tail & (ring->size - 1);
        size_t size = left < PERF_RECORD_HEAD ? 0 : an_load16(ring->data + at + SIZE_AT);
        if (size < PERF_RECORD_HEAD || size % 8 || size > left)
            return an_fail(error, AN_MALFORMED,
                           "a record of %zu bytes in the kernel's buffer, but only %llu are left",
                           size, (unsigned long long)left);
        callback(context, record_at(ring, tail, size), size);
        tail += size;
    }
    /* All reads are done before the kernel may write there again. */
    __atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
    return AN_OK;
}
