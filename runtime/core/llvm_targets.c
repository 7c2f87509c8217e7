/* See llvm_targets.h. */
#include "core/llvm_targets.h"

enum { CALL_TARGET, MEMORY_SIZE, VTABLE };
enum { VTABLE_ADDRESS = 8, VTABLE_SIZE = 8 + sizeof(void *) };

static const uint8_t *function_at(const struct an_rt_targets *targets, const uint8_t *data,
                                  size_t record)
{
    const struct an_rt_layout *layout = &targets->module->layout;
    return data + record * layout->record_size + layout->function;
}

static uint64_t address_of(const struct an_rt_targets *targets, const struct an_rt_order *order,
                           size_t place)
{
    size_t record = order->records[place];
    return an_rt_load_address(order == &targets->functions
                                  ? function_at(targets, targets->from.data, record)
                                  : targets->from.vtables + record * AN_RT_VTABLE + VTABLE_ADDRESS);
}

/* ---- sorting ---- */

/* Records mostly come in the order of their addresses. */
static bool is_sorted(const struct an_rt_targets *targets, const struct an_rt_order *order)
{
    for (size_t i = 1; i < order->count; i++)
        if (address_of(targets, order, i - 1) > address_of(targets, order, i))
            return false;
    return true;
}

/* Merges two sorted runs, [start, middle) and [middle, end), into `merged`; of equals the first comes first. */
static void merge(const struct an_rt_targets *targets, const struct an_rt_order *order,
                  size_t start, size_t middle, size_t end, uint32_t *merged)
{
    size_t left = start, right = middle;
    for (size_t i = start; i < end; i++) {
        bool from_left = right == end || (left < middle && address_of(targets, order, left) <=
                                                               address_of(targets, order, right));
        merged[i] = order->records[from_left ? left++ : right++];
    }
}

/* By address, in a time that does not depend on who has chosen these. */
static void sort(const struct an_rt_targets *targets, struct an_rt_order *order, uint32_t *spare)
{
    if (is_sorted(targets, order))
        return;
    for (size_t width = 1; width < order->count; width *= 2) {
        for (size_t start = 0; start < order->count; start += 2 * width) {
            size_t left = order->count - start;
            merge(targets, order, start, start + (left < width ? left : width),
                  start + (left < 2 * width ? left : 2 * width), spare);
        }
        memcpy(order->records, spare, order->count * sizeof *spare);
    }
}

/* ---- the whole ---- */

static size_t room_for(const struct an_rt_module *module)
{
    size_t most = module->records > module->vtables.size / AN_RT_VTABLE
                      ? module->records
                      : module->vtables.size / AN_RT_VTABLE;
    return (module->records + module->vtables.size / AN_RT_VTABLE + most + 1) * sizeof(uint32_t);
}

bool an_rt_targets_make(struct an_rt_targets *targets, const struct an_rt_module *module,
                        const struct an_rt_addresses *from, const struct an_rt_addresses *to)
{
    uint32_t *room = an_rt_scratch(room_for(module));
    *targets = (struct an_rt_targets){.module = module, .from = *from, .to = *to, .room = room};
    if (!room)
        return false;
    targets->functions.records = room;
    for (uint32_t i = 0; i < module->records; i++)
        if (an_rt_load_address(function_at(targets, from->data, i)))
            room[targets->functions.count++] = i;
    room += module->records;
    targets->vtables.records = room;
    for (uint32_t i = 0; i < module->vtables.size / AN_RT_VTABLE; i++)
        room[targets->vtables.count++] = i;
    room += targets->vtables.count;
    sort(targets, &targets->functions, room);
    sort(targets, &targets->vtables, room);
    return true;
}

void an_rt_targets_free(struct an_rt_targets *targets)
{
    if (targets->room)
        an_rt_scratch_free(targets->room, room_for(targets->module));
    targets->room = NULL;
}

/* How many begin below the address. */
static size_t count_below(const struct an_rt_targets *targets, const struct an_rt_order *order,
                          uint64_t address)
{
    size_t low = 0, high = order->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (address_of(targets, order, middle) < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t find_function(const struct an_rt_targets *targets, uint64_t value)
{
    const struct an_rt_order *order = &targets->functions;
    size_t place = count_below(targets, order, value);
    if (place == order->count || address_of(targets, order, place) != value)
        return 0;
    return an_rt_load_address(function_at(targets, targets->to.data, order->records[place]));
}

/* Values lie within a table; tables do not overlap. */
static uint64_t find_vtable(const struct an_rt_targets *targets, uint64_t value)
{
    const struct an_rt_order *order = &targets->vtables;
    size_t place = value == UINT64_MAX ? order->count : count_below(targets, order, value + 1);
    if (place == 0)
        return 0;
    size_t at = order->records[place - 1] * (size_t)AN_RT_VTABLE;
    uint64_t offset = value - address_of(targets, order, place - 1);
    if (offset >= an_rt_load32(targets->from.vtables + at + VTABLE_SIZE))
        return 0;
    return an_rt_load_address(targets->to.vtables + at + VTABLE_ADDRESS) + offset;
}

uint64_t an_rt_targets_find(const struct an_rt_targets *targets, unsigned kind, uint64_t value)
{
    if (kind == MEMORY_SIZE)
        return value;
    return kind == VTABLE ? find_vtable(targets, value) : find_function(targets, value);
}
