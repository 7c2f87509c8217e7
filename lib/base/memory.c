/*
 * The only place that asks the system for memory. Sizes come from files, so products are checked.
 */
#include "base/memory.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20) /* of most machines; of others a part of one */

#ifdef AN_FAULTS
long an_fault_countdown = -1;

int an_fault(void)
{
    if (an_fault_countdown < 0)
        return 0;
    return an_fault_countdown-- == 0;
}
#endif

void *an_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (an_fault() || __builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return malloc(bytes ? bytes : 1);
}

void *an_alloc_zero(size_t count, size_t size)
{
    if (an_fault())
        return NULL;
    return calloc(count ? count : 1, size ? size : 1);
}

void *an_grow(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (an_fault() || __builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *large = old || bytes < LARGE_PAGE ? NULL : an_alloc_large(&bytes);
    return large ? large : realloc(old, bytes ? bytes : 1);
}

void *an_alloc_large(size_t *size)
{
    size_t rounded = (*size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    bool worth_it = *size >= LARGE_PAGE / 2 && rounded >= *size;
    void *memory = worth_it ? aligned_alloc(LARGE_PAGE, rounded) : NULL;
    if (!memory)
        return NULL;
    madvise(memory, rounded, MADV_HUGEPAGE);
    *size = rounded;
    return memory;
}

void *an_alloc_table(size_t count, size_t size)
{
    size_t bytes, rounded;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes < LARGE_PAGE)
        return an_alloc_zero(count, size);
    rounded = bytes;
    void *table = an_fault() ? NULL : an_alloc_large(&rounded);
    return table ? memset(table, 0, bytes) : NULL;
}

void *an_shrink(void *old, size_t size)
{
    return realloc(old, size);
}

struct an_arena_block {
    struct an_arena_block *older;
    size_t size;
};

enum { ALIGNMENT = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = LARGE_PAGE };
#define BLOCK_HEAD ((sizeof(struct an_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

static void *new_block(struct an_arena *arena, size_t bytes)
{
    size_t whole;
    if (__builtin_add_overflow(bytes, BLOCK_HEAD, &whole))
        return NULL;
    struct an_arena_block *block = whole >= LARGEST_BLOCK ? an_alloc_large(&whole) : NULL;
    if (!block)
        block = an_alloc(1, whole);
    if (!block)
        return NULL;
    block->older = arena->blocks;
    block->size = bytes;
    arena->blocks = block;
    arena->total += whole;
    return (char *)block + BLOCK_HEAD;
}

void *an_arena_alloc(struct an_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - ALIGNMENT)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0)
        bytes = ALIGNMENT; /* something to point at, which is not NULL */
    if (bytes <= arena->left) {
        void *result = arena->next;
        arena->next += bytes;
        arena->left -= bytes;
        return result;
    }
    size_t usual = arena->blocks ? arena->total : FIRST_BLOCK;
    if (usual >= LARGEST_BLOCK / 4) /* a large page is had for the price of a few small ones */
        usual = LARGEST_BLOCK;
    if (bytes > usual / 4) /* a block of its own; what is left of the current one stays usable */
        return new_block(arena, bytes);
    char *start = new_block(arena, usual - BLOCK_HEAD);
    if (!start)
        return NULL;
    arena->next = start + bytes;
    arena->left = usual - BLOCK_HEAD - bytes;
    return start;
}

void *an_arena_zero(struct an_arena *arena, size_t count, size_t size)
{
    void *memory = an_arena_alloc(arena, count, size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

char *an_arena_copy(struct an_arena *arena, const void *bytes, size_t size)
{
    char *copy = size < SIZE_MAX ? an_arena_alloc(arena, size + 1, 1) : NULL;
    if (copy) {
        if (size)
            memcpy(copy, bytes, size);
        copy[size] = '\0';
    }
    return copy;
}

void an_arena_free(struct an_arena *arena)
{
    while (arena->blocks) {
        struct an_arena_block *older = arena->blocks->older;
        free(arena->blocks);
        arena->blocks = older;
    }
    *arena = (struct an_arena){0};
}
