/*
 * A thread's memory, as it was when the thread was stopped: pages are copied when they are first
 * touched, and what emulation writes goes into the copies. Nothing is ever written back.
 */
#ifndef AN_RECORD_MEMORY_H
#define AN_RECORD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AN_PAGE = 4096, AN_MEMORY_PAGES = 512, AN_MEMORY_SLOTS = 4 * AN_MEMORY_PAGES };

struct an_memory {
    int32_t tid;
    uint32_t stop;   /* counts the stops: slots of earlier ones are free */
    uint8_t *copies; /* AN_MEMORY_PAGES of them */
    size_t used;
    struct an_memory_slot {
        uint64_t page; /* address / AN_PAGE */
        uint32_t stop;
        uint32_t copy;
    } slots[AN_MEMORY_SLOTS];
    /* Data of the kernel that the vdso reads, which cannot be copied from another process, is the
     * same in every process: where it lies in the thread's, and in this one. */
    uint64_t vvar_start, vvar_end, vvar_here;
    int scratch; /* a file through which one's own pages are read without a fault */
};

bool an_memory_open(struct an_memory *memory);
void an_memory_close(struct an_memory *memory);

/* Forgets everything: another stop. */
void an_memory_begin(struct an_memory *memory, int32_t tid);

/* Where the kernel's data lies in the thread's process, from [vvar] to [vdso]; 0 and 0: nowhere. */
void an_memory_set_vvar(struct an_memory *memory, uint64_t start, uint64_t end);

/* The copy of a page; NULL when it cannot be read, or when there are too many of them. */
uint8_t *an_memory_page(struct an_memory *memory, uint64_t address);

/* Up to `size` bytes across pages; how many there are. */
size_t an_memory_read(struct an_memory *memory, uint64_t address, void *to, size_t size);

/* All of the bytes, or none and false. */
bool an_memory_write(struct an_memory *memory, uint64_t address, const void *from, size_t size);

#endif
