/* A table of decoded instructions; see operations.h. */
#include "record/operations.h"

#include <string.h>

#include "base/memory.h"

bool an_operations_open(struct an_operations *operations)
{
    memset(operations, 0, sizeof *operations);
    ZydisDecoderInit(&operations->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    an_cpu_features_find(&operations->features);
    operations->items = an_alloc(AN_OPERATIONS_MOST, sizeof *operations->items);
    operations->slots = an_alloc_zero(AN_OPERATION_SLOTS, sizeof *operations->slots);
    if (operations->items && operations->slots && an_thunks_open(&operations->thunks))
        return true;
    an_operations_close(operations);
    return false;
}

void an_operations_close(struct an_operations *operations)
{
    an_thunks_close(&operations->thunks);
    free(operations->items);
    free(operations->slots);
    operations->items = NULL;
    operations->slots = NULL;
}

static void forget_all(struct an_operations *operations)
{
    operations->count = 0;
    memset(operations->slots, 0, AN_OPERATION_SLOTS * sizeof *operations->slots);
    an_thunks_clear(&operations->thunks);
}

/* The slot of an address: its own, or a free one. */
static uint32_t *slot_of(struct an_operations *operations, uint64_t address)
{
    size_t at = address * 0x9e3779b97f4a7c15u >> 40 & (AN_OPERATION_SLOTS - 1);
    while (operations->slots[at] && operations->items[operations->slots[at] - 1].address != address)
        at = (at + 1) & (AN_OPERATION_SLOTS - 1);
    return &operations->slots[at];
}

/* The page that an address is in, from the copies of this stop. */
static const uint8_t *code_page(struct an_operations *operations, struct an_memory *memory,
                                uint64_t address)
{
    uint64_t page = address / AN_PAGE;
    if (operations->page != page || operations->page_stop != memory->stop) {
        operations->page_copy = an_memory_page(memory, address);
        operations->page = page;
        operations->page_stop = memory->stop;
    }
    return operations->page_copy;
}

static bool is_unchanged(const struct an_operation *operation, const uint8_t *page,
                         struct an_memory *memory)
{
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    size_t at = operation->address % AN_PAGE, length = operation->length;
    if (at + length <= AN_PAGE)
        return memcmp(page + at, operation->bytes, length) == 0;
    return an_memory_read(memory, operation->address, bytes, length) == length &&
           memcmp(bytes, operation->bytes, length) == 0;
}

/* Decodes it into a new place; a changed instruction loses its old one, until all are forgotten. */
static const struct an_operation *decode(struct an_operations *operations, struct an_memory *memory,
                                         uint64_t address)
{
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    size_t size = an_memory_read(memory, address, bytes, sizeof bytes);
    for (bool again = false;; again = true) {
        if (operations->count == AN_OPERATIONS_MOST || again)
            forget_all(operations);
        struct an_operation *operation = &operations->items[operations->count];
        an_operation_decode(operation, &operations->decoder, &operations->features, address, bytes,
                            size, &decoded, operands);
        bool native = operation->kind == AN_OP_NATIVE || operation->kind == AN_OP_DIVIDE;
        if (native && !an_thunk_make(&operations->thunks, operation, &operations->features,
                                     &decoded, operands))
            continue;
        operations->last = operations->count++;
        *slot_of(operations, address) = (uint32_t)operations->count;
        return operation;
    }
}

const struct an_operation *an_operations_at(struct an_operations *operations,
                                            struct an_memory *memory, uint64_t address)
{
    const uint8_t *page = code_page(operations, memory, address);
    if (!page)
        return NULL;
    size_t found = operations->last + 1; /* those that follow one another were decoded so, mostly */
    if (found >= operations->count || operations->items[found].address != address)
        found = (size_t)*slot_of(operations, address) - 1;
    if (found < operations->count && is_unchanged(&operations->items[found], page, memory)) {
        operations->last = found;
        return &operations->items[found];
    }
    return decode(operations, memory, address);
}
