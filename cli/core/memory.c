/* Settings of the C library's allocator; see memory.h. */
#include "memory.h"

#include <malloc.h>

void memory_keep(void)
{
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
    mallopt(M_ARENA_MAX, 1);
}

void memory_give_back(void)
{
    enum { LARGE = 1 << 20, MOST_FREE = 8 << 20 };
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, MOST_FREE);
}
