/*
 * Places of the original that have new code: functions, and blocks in the middle of them (moved_blocks.h).
 */
#ifndef AN_LIVE_MOVED_H
#define AN_LIVE_MOVED_H

#include <stdint.h>

#include "base/vector.h"

struct an_moved {
    uint64_t original, address; /* as linked, in both */
    /* Bytes from there to the end of the function, and of its hot new code */
    uint64_t original_size, size;
    uint8_t first; /* length of its first instruction, if that does the same in both; else 0 */
};

struct an_moved_list {
    AN_VECTOR(struct an_moved);
};

/* By original address, of which none stays twice: the lowest new one does. */
void an_moved_sort(struct an_moved_list *list);

/* In a sorted list, what was at an address of the original, or NULL. */
const struct an_moved *an_moved_find(const struct an_moved_list *list, uint64_t original);

/* The last one that was at an address or before it, or NULL. */
const struct an_moved *an_moved_last_until(const struct an_moved_list *list, uint64_t address);

#endif
