/* See llvm_targets.h. */
#include "core/llvm_targets.h"

enum { CALL_TARGET, MEMORY_SIZE, VTABLE };
enum { VTABLE_ADDRESS = 8, VTABLE_SIZE = 8 + sizeof(void *) };

static uint64_t address_of(const struct an_rt_targets *targets, const uint8_t *data, size_t record)
{
    const struct an_rt_layout *layout = &targets->module->layout;
    return an_rt_load_address(data + record * layout->record_size + layout->function);
}

static size_t first_slot(const struct an_rt_targets *targets, uint64_t address)
{
    return (size_t)(address * 0x9e3779b97f4a7c15ull >> 32) & (targets->slot_count - 1);
}

/* The slot of the address, or the free one where it would be. */
static uint32_t *slot_of(const struct an_rt_targets *targets, uint64_t address)
{
    size_t at = first_slot(targets, address);
    while (targets->slots[at] &&
           address_of(targets, targets->from.data, targets->slots[at] - 1) != address)
        at = (at + 1) & (targets->slot_count - 1);
    return &targets->slots[at];
}

bool an_rt_targets_make(struct an_rt_targets *targets, const struct an_rt_module *module,
                        const struct an_rt_addresses *from, const struct an_rt_addresses *to)
{
    size_t slots = 16;
    while (slots < 2 * module->records)
        slots *= 2;
    *targets = (struct an_rt_targets){.module = module,
                                      .from = *from,
                                      .to = *to,
                                      .slots = an_rt_scratch(slots * sizeof(uint32_t)),
                                      .slot_count = slots};
    if (!targets->slots)
        return false;
    memset(targets->slots, 0, slots * sizeof(uint32_t));
    for (size_t i = 0; i < module->records; i++) {
        uint64_t address = address_of(targets, from->data, i);
        uint32_t *slot = address ? slot_of(targets, address) : NULL;
        if (slot && !*slot)
            *slot = (uint32_t)(i + 1);
    }
    return true;
}

void an_rt_targets_free(struct an_rt_targets *targets)
{
    if (targets->slots)
        an_rt_scratch_free(targets->slots, targets->slot_count * sizeof(uint32_t));
    targets->slots = NULL;
}

static uint64_t find_vtable(const struct an_rt_targets *targets, uint64_t value)
{
    size_t size = targets->module->vtables.size;
    for (size_t at = 0; at + AN_RT_VTABLE <= size; at += AN_RT_VTABLE) {
        uint64_t address = an_rt_load_address(targets->from.vtables + at + VTABLE_ADDRESS);
        if (value - address < an_rt_load32(targets->from.vtables + at + VTABLE_SIZE))
            return an_rt_load_address(targets->to.vtables + at + VTABLE_ADDRESS) +
                   (value - address);
    }
    return 0;
}

uint64_t an_rt_targets_find(const struct an_rt_targets *targets, unsigned kind, uint64_t value)
{
    if (kind == MEMORY_SIZE)
        return value;
    if (kind == VTABLE)
        return find_vtable(targets, value);
    uint32_t slot = value ? *slot_of(targets, value) : 0;
    return slot ? address_of(targets, targets->to.data, slot - 1) : 0;
}
