/*
 * A kernel that brings in pages, one touch after the other: the heart of the model of pages.
 *
 *     touched   . . . . . . # . . . . . . . . . . .     not in memory:
 *     read      . . . . . . # # # # # # # # . . . .     `ahead` (8) pages from there on
 *     mapped    . . . . . . # # | . . . . . . . . .     of `around` (4) aligned ones those in memory
 *
 * The fault waits for the disk without the lock on the process's memory, so it is taken anew when the page is there, and
 * maps what surrounds it, like any other. (do_read_fault() in mm/memory.c, filemap_fault() and
 * do_sync_mmap_readahead() in mm/filemap.c. Linux 6.18 takes two to four faults more, for
 * what no trace has: .init, the procedure linkage table.)
 */
#ifndef AN_ORDER_TOUCHING_H
#define AN_ORDER_TOUCHING_H

#include <anneal/order.h>

#include "base/bits.h"

struct touching {
    struct an_pages_kernel kernel;
    uint64_t *mapped, *in_memory; /* a bit for each page; in_memory: NULL when all are */
    uint64_t first_page, page_count;
    uint64_t faults, major;
};

static inline void pages_read(struct touching *touching, uint64_t page)
{
    uint64_t behind = touching->kernel.behind < page ? touching->kernel.behind : page;
    uint64_t end = page + touching->kernel.ahead;
    for (uint64_t p = page - behind; p < end && p < touching->page_count; p++)
        an_bit_set(touching->in_memory, p);
}

static inline void pages_map(struct touching *touching, uint64_t page)
{
    uint64_t around = touching->kernel.around;
    uint64_t first = touching->first_page + touching->kernel.shift; /* in memory */
    uint64_t from = (page + first) & -around;
    for (uint64_t p = from; p < from + around; p++)
        if (p >= first && p - first < touching->page_count &&
            (!touching->in_memory || an_bit(touching->in_memory, p - first)))
            an_bit_set(touching->mapped, p - first);
}

/* Touches a page, counted from the first one. */
static inline void page_touch(struct touching *touching, uint64_t page)
{
    if (page >= touching->page_count || an_bit(touching->mapped, page))
        return;
    touching->faults++;
    if (touching->in_memory && !an_bit(touching->in_memory, page)) {
        touching->major++;
        pages_read(touching, page);
    }
    pages_map(touching, page);
}

#endif
