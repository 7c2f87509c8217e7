/*
 * Memory for the core, without malloc: a profile may be written where the program has that locked.
 *
 * Small programs need little of it, and calls of the system cost them more than all else here: what is
 * needed for a moment comes from a pool, used as a stack, that is part of the program; the rest from the
 * system, with its pages in place, for taking them one by one costs more.
 */
#include <sys/mman.h>

#include "hosted/memory.h"

enum { POOL = 1 << 16, ALIGN = 16 };

static _Alignas(ALIGN) uint8_t own[POOL];
static uint8_t *pool = own;
static size_t room = POOL, used;

static size_t rounded(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

static void *map(size_t size, int flags)
{
    flags |= MAP_PRIVATE | MAP_ANONYMOUS;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void *an_rt_memory(size_t size)
{
    return map(size, 0);
}

void an_rt_memory_free(void *memory, size_t size)
{
    munmap(memory, size);
}

void an_rt_scratch_reserve(size_t size)
{
    uint8_t *larger = size > room && used == 0 ? map(size, 0) : NULL;
    if (!larger)
        return;
    pool = larger;
    room = size;
}

void *an_rt_scratch(size_t size)
{
    size_t at = __atomic_load_n(&used, __ATOMIC_RELAXED);
    while (size <= room && rounded(size) <= room - at)
        if (__atomic_compare_exchange_n(&used, &at, at + rounded(size), false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return pool + at;
    return map(size, MAP_POPULATE);
}

void an_rt_scratch_free(void *memory, size_t size)
{
    uint8_t *bytes = memory;
    if (bytes < pool || bytes >= pool + room) {
        munmap(memory, size);
        return;
    }
    /* What somebody else took behind it keeps it; then the pool is smaller from now on. */
    size_t at = (size_t)(bytes - pool), end = at + rounded(size);
    __atomic_compare_exchange_n(&used, &end, at, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
