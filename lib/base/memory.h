/*
 * Memory: one allocator entry, so that tests can make any allocation fail, and arenas, so that a
 * profile is one thing to free.
 */
#ifndef AN_BASE_MEMORY_H
#define AN_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* malloc, calloc and realloc with overflow checks; NULL on failure. Freed with free(). What an_grow() makes of nothing is in
 * large pages if it is large (below). */
void *an_alloc(size_t count, size_t size);
void *an_alloc_zero(size_t count, size_t size);
void *an_grow(void *old, size_t count, size_t size);

/* Memory in large pages, where the system has them, which spares page faults; *size is rounded up. NULL is no
 * failure: smaller memory may be had. For less than half a large page it always is NULL. */
void *an_alloc_large(size_t *size);

/* Gives back what is behind the first `size` bytes, at least 1; NULL: it stays as it is. */
void *an_shrink(void *old, size_t size);

/*
 * An arena hands out memory that is freed all at once. Blocks double in size up to half a MiB and have 2 MiB, in
 * large pages, from there on; larger requests get a block of their own. Results are aligned to 16 bytes.
 */
struct an_arena {
    struct an_arena_block *blocks; /* newest first */
    char *next;
    size_t left;
    size_t total; /* bytes asked of the system */
};

void *an_arena_alloc(struct an_arena *arena, size_t count, size_t size); /* NULL: no memory */
void *an_arena_zero(struct an_arena *arena, size_t count, size_t size);
char *an_arena_copy(struct an_arena *arena, const void *bytes, size_t size); /* adds a final 0 */
void an_arena_free(struct an_arena *arena);

/* As an_alloc_zero, for a table that may have many megabytes: then in large pages, too. */
void *an_alloc_table(size_t count, size_t size);

#ifdef AN_FAULTS
/*
 * Test builds only: the allocation or I/O call after `countdown` more of them fails (0: the next).
 * A negative value, the initial one, lets everything succeed.
 */
extern long an_fault_countdown;
int an_fault(void); /* 1 when the caller has to fail */
#else
#define an_fault() 0
#endif

#endif
