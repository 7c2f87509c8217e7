/* See nodes.h. */
#include "core/nodes.h"

enum { ROOM = 1638 }; /* a block has 64 KiB */

struct block {
    size_t used;
    _Alignas(8) uint8_t nodes[ROOM][AN_RT_NODE];
};

void *an_rt_nodes(size_t count)
{
    static struct block *newest;
    if (count > ROOM)
        return an_rt_memory(count * AN_RT_NODE);
    for (;;) {
        struct block *block = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
        size_t mine = block ? __atomic_fetch_add(&block->used, count, __ATOMIC_RELAXED) : ROOM;
        if (mine <= ROOM - count)
            return block->nodes[mine];
        struct block *fresh = an_rt_memory(sizeof *fresh);
        if (!fresh)
            return NULL;
        if (!__atomic_compare_exchange_n(&newest, &block, fresh, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            an_rt_memory_free(fresh, sizeof *fresh);
    }
}
