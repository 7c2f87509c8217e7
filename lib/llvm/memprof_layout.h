/* In which order memory profiles have frames and call stacks, from version 3 on. */
#ifndef AN_LLVM_MEMPROF_LAYOUT_H
#define AN_LLVM_MEMPROF_LAYOUT_H

#include "llvm/memprof.h"

struct memprof_layout {
    uint64_t *ids;         /* of frames, by which LLVM decides what else is equal */
    uint32_t *frames;      /* in their order */
    uint32_t *frame_place; /* of each frame */
    uint32_t *words;       /* the array of call stacks */
    size_t word_number;
    uint32_t *stack_place; /* by node, of those that are stacks */
};

/* False: no memory, or too much for the format; then, too, it has to be freed. */
bool an_memprof_lay_out(const struct memprof *memprof, struct memprof_layout *layout);
void an_memprof_layout_free(struct memprof_layout *layout);

#endif
