/* See heap.h. */
#include "bare/heap.h"

#include <stdint.h>
#include <string.h>

#include "bare/bare.h"
#include "core/nodes.h"

static struct {
    uintptr_t begin, low, high, end;
    size_t needed;
} heap;

static uintptr_t aligned(uintptr_t address)
{
    return (address + AN_HEAP_ALIGN - 1) & ~(uintptr_t)(AN_HEAP_ALIGN - 1);
}

static uintptr_t aligned_down(uintptr_t address)
{
    return address & ~(uintptr_t)(AN_HEAP_ALIGN - 1);
}

void an_bare_heap(void *memory, size_t size)
{
    heap.begin = heap.low = aligned((uintptr_t)memory);
    heap.high = heap.end = (uintptr_t)memory + size;
    heap.needed = 0;
}

static void note_need(void)
{
    size_t now = heap.low - heap.begin + (heap.end - heap.high);
    if (now > heap.needed)
        heap.needed = now;
}

static bool move_low(uintptr_t *from, uintptr_t to)
{
    if (!__atomic_compare_exchange_n(&heap.low, from, to, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return false;
    note_need();
    return true;
}

static bool has_room(uintptr_t from, size_t size)
{
    uintptr_t high = __atomic_load_n(&heap.high, __ATOMIC_RELAXED);
    return from <= high && size <= high - from;
}

/* What is not yet aligned is aligned only now, for the last to be taken may still grow. */
void *an_heap_take(size_t size)
{
    uintptr_t low = __atomic_load_n(&heap.low, __ATOMIC_RELAXED);
    do {
        if (!has_room(aligned(low), size))
            return NULL;
    } while (!move_low(&low, aligned(low) + size));
    return (void *)aligned(low);
}

bool an_heap_extend(void *end, size_t size)
{
    uintptr_t low = (uintptr_t)end;
    return has_room(low, size) && move_low(&low, low + size);
}

bool an_heap_give_back(void *begin, void *end)
{
    uintptr_t low = (uintptr_t)end;
    return move_low(&low, (uintptr_t)begin);
}

size_t an_heap_size(void)
{
    return heap.end > heap.begin ? heap.end - heap.begin : 0;
}

size_t an_heap_needed(void)
{
    return heap.needed;
}

/* ---- what the core asks for ---- */

void *an_rt_memory(size_t size)
{
    void *memory = an_heap_take(size);
    return memory ? memset(memory, 0, size) : NULL;
}

void an_rt_memory_free(void *memory, size_t size)
{
    an_heap_give_back(memory, (uint8_t *)memory + size);
}

/*
 * The limit moves first, and then it is seen whether that was right: an interrupt that takes memory from the other
 * side in between sees the new limit.
 */
void *an_rt_scratch(size_t size)
{
    uintptr_t high = heap.high, low = __atomic_load_n(&heap.low, __ATOMIC_RELAXED);
    if (aligned(size) < size || aligned(size) > high || high - aligned(size) < low)
        return NULL;
    uintptr_t begin = aligned_down(high - aligned(size));
    __atomic_store_n(&heap.high, begin, __ATOMIC_SEQ_CST);
    if (begin >= __atomic_load_n(&heap.low, __ATOMIC_SEQ_CST)) {
        note_need();
        return (void *)begin;
    }
    __atomic_store_n(&heap.high, high, __ATOMIC_RELAXED);
    return NULL;
}

/* Behind the first that was taken there may be up to 7 bytes for alignment. */
void an_rt_scratch_free(void *memory, size_t size)
{
    uintptr_t end = (uintptr_t)memory + aligned(size);
    __atomic_store_n(&heap.high, end == aligned_down(heap.end) ? heap.end : end, __ATOMIC_RELAXED);
}

/* Not in blocks, as elsewhere: the heap is small, and to take from it costs little. */
void *an_rt_nodes(size_t count)
{
    return an_rt_memory(count * AN_RT_NODE);
}
