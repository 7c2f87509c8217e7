/* The instructions that were seen: decoded once, found by their address, and checked each time, since
 * code changes: another process, a library in the place of another, a compiler at run time. */
#ifndef AN_RECORD_OPERATIONS_H
#define AN_RECORD_OPERATIONS_H

#include "record/memory.h"
#include "record/operation.h"
#include "record/thunk.h"

enum { AN_OPERATIONS_MOST = 1 << 16, AN_OPERATION_SLOTS = 4 * AN_OPERATIONS_MOST };

struct an_operations {
    ZydisDecoder decoder;
    struct an_cpu_features features;
    struct an_thunks thunks;
    struct an_operation *items;
    size_t count;
    size_t last;     /* index of the last one that was asked for */
    uint32_t *slots; /* index + 1 */
    /* the page of the last instruction */
    uint64_t page;
    uint32_t page_stop; /* valid in that stop only */
    const uint8_t *page_copy;
};

bool an_operations_open(struct an_operations *operations);
void an_operations_close(struct an_operations *operations);

/* The instruction at an address of the stopped thread; NULL when there is nothing to be read. Valid
 * until the next call. */
const struct an_operation *an_operations_at(struct an_operations *operations,
                                            struct an_memory *memory, uint64_t address);

#endif
