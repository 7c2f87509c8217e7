/*
 * A process's memory as far as it has any: pages that it has never touched are not read, since reading
 * would make them, nor are pages of devices.
 *
 *      mapping      |........|########|....|##G#####|.........|      . never touched  # in memory, or swapped
 *      what is read          |--------|    |--|-----|                G a guard: cannot be read
 *
 * What is where comes from /proc/PID/pagemap (PAGEMAP_SCAN where the kernel has it, since 6.7). A page of
 * a shared mapping that the kernel has taken back counts as never touched.
 */
#ifndef AN_LIVE_PAGES_H
#define AN_LIVE_PAGES_H

#include "live/target.h"

struct an_pages {
    const struct an_target *target;
    int pagemap;   /* an open file, or -1: everything is read */
    bool can_scan; /* PAGEMAP_SCAN */
};

void an_pages_open(struct an_pages *pages, const struct an_target *target);
void an_pages_close(struct an_pages *pages);

/* Whether a mapping is memory, and not a device's or a buffer of the kernel. */
bool an_pages_are_memory(const struct an_target_mapping *mapping);

/*
 * Calls a function for what there is from `start` to `end`, which are multiples of 8, in order; `piece` has
 * room for AN_PIECE bytes. Pages that cannot be read although they are there, as guards in a stack, are
 * left out: nothing can be in them. False when the memory is not known, for the process has ended.
 */
enum { AN_PIECE = 1 << 20 };
bool an_pages_each(const struct an_pages *pages, uint64_t start, uint64_t end, void *piece,
                   void (*call)(void *context, uint64_t address, const void *bytes, size_t size),
                   void *context);

/* Reads `size` bytes, 0 where there is nothing; otherwise the same. */
bool an_pages_read(const struct an_pages *pages, uint64_t start, void *to, size_t size);

#endif
