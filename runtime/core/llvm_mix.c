/* See llvm_mix.h. */
#include "core/llvm_mix.h"

enum {
    STEP = 8, /* sizes of records, and their places, are multiples of this */
    VTABLE_SITES = 2,
};

/* Where they are in the program. */
static uintptr_t counters_of(const struct an_rt_layout *layout, const uint8_t *record)
{
    uintptr_t pointer = an_rt_load_address(record + AN_RT_POINTER_TO_COUNTERS);
    return pointer + (layout->version > 7 ? (uintptr_t)record : 0);
}

static bool counters_fit(const struct an_rt_module *module, const struct an_rt_layout *layout,
                         const uint8_t *record)
{
    const struct an_rt_span *counters = &module->counters;
    uintptr_t at = counters_of(layout, record) - (uintptr_t)counters->begin;
    uint64_t number = an_rt_load32(record + layout->counter_number);
    unsigned size = module->version_word & AN_RT_BYTE_COVERAGE ? 1 : 8;
    return number && at < counters->size && number * size <= counters->size - at;
}

/*
 * Functions without a bitmap may point to one all the same. Only the front end makes bitmaps, and only IR instrumentation
 * has sites of virtual tables: a record with both is one of version 9, which has the bitmap's size where 10 has these.
 */
static bool bitmap_fits(const struct an_rt_module *module, const struct an_rt_layout *layout,
                        const uint8_t *record)
{
    const struct an_rt_span *bitmap = &module->bitmap;
    if (!layout->bitmap)
        return true;
    uintptr_t pointer = an_rt_load_address(record + layout->bitmap);
    uint32_t bytes = an_rt_load32(record + layout->bitmap_bytes);
    uintptr_t at = pointer + (uintptr_t)record - (uintptr_t)bitmap->begin;
    if (bytes)
        return at < bitmap->size && bytes <= bitmap->size - at;
    return !pointer || !an_rt_sites(layout, record, VTABLE_SITES);
}

bool an_rt_record_fits(const struct an_rt_module *module, const struct an_rt_layout *layout,
                       const uint8_t *record)
{
    return counters_fit(module, layout, record) && bitmap_fits(module, layout, record);
}

/* ---- telling records apart ---- */

/*
 * Whether the records may go on there, of whatever version: all of them have pointers to their counters in one place. A
 * record that is taken for one of another size is followed by something else.
 */
static bool may_go_on(const struct an_rt_module *module, const uint8_t *at)
{
    enum { POINTER = AN_RT_POINTER_TO_COUNTERS };
    const uint8_t *end = module->data.begin + module->data.size;
    if (end - at < (ptrdiff_t)(POINTER + sizeof(void *)))
        return at == end;
    uintptr_t absolute = an_rt_load_address(at + POINTER) - (uintptr_t)module->counters.begin;
    return absolute < module->counters.size || absolute + (uintptr_t)at < module->counters.size;
}

static bool is_record(const struct an_rt_module *module, const struct an_rt_layout *layout,
                      const uint8_t *at)
{
    const uint8_t *end = module->data.begin + module->data.size;
    return layout->record_size <= end - at && an_rt_record_fits(module, layout, at) &&
           may_go_on(module, at + layout->record_size);
}

/* What begins there. NULL: no record that is known. */
static const struct an_rt_layout *layout_at(const struct an_rt_module *module, const uint8_t *at)
{
    const struct an_rt_layout *layout;
    for (unsigned version = AN_RT_NEWEST; (layout = an_rt_layout(version)); version--)
        if (is_record(module, layout, at))
            return layout;
    return NULL;
}

/* The next records of one version; *at moves behind them. False at the end. */
static bool next_part(const struct an_rt_module *module, const uint8_t **at,
                      struct an_rt_part *part)
{
    const uint8_t *end = module->data.begin + module->data.size;
    part->layout = NULL;
    while (end - *at >= STEP && !(part->layout = layout_at(module, *at)))
        *at += STEP;
    if (!part->layout)
        return false;
    part->begin = *at;
    while (is_record(module, part->layout, *at))
        *at += part->layout->record_size;
    part->end = *at;
    return true;
}

/* ---- copies ---- */

/* What all parts come to. */
struct total {
    const struct an_rt_layout *newest;
    size_t parts, records, bytes, sites;
};

static struct total add_up(const struct an_rt_module *module)
{
    struct total total = {0};
    struct an_rt_part part;
    for (const uint8_t *at = module->data.begin; next_part(module, &at, &part); total.parts++) {
        const struct an_rt_layout *layout = part.layout;
        if (!total.newest || layout->version > total.newest->version)
            total.newest = layout;
        total.bytes += (size_t)(part.end - part.begin);
        for (const uint8_t *record = part.begin; record < part.end; record += layout->record_size) {
            total.records++;
            total.sites += an_rt_sites_of(layout, record);
        }
    }
    return total;
}

static void store_address(uint8_t *to, uintptr_t value)
{
    memcpy(to, &value, sizeof value);
}

static void store32(uint8_t *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
}

/* The lists of values of a record, unless the compiler made some, or another thread was faster. */
static void give_lists(uint8_t *place, struct an_rt_node **lists)
{
    uintptr_t *slot = (void *)place, none = 0;
    __atomic_compare_exchange_n(slot, &none, (uintptr_t)lists, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
}

/* place: where the copy would be if it were in the program, which its pointers are relative to. */
static void copy_record(uint8_t *to, uintptr_t place, const struct an_rt_layout *as, uint8_t *from,
                        const struct an_rt_layout *is)
{
    enum { HASHES = 16, POINTER = AN_RT_POINTER_TO_COUNTERS };
    uint32_t bytes = is->bitmap ? an_rt_load32(from + is->bitmap_bytes) : 0;
    memcpy(to, from, HASHES);
    store_address(to + POINTER, counters_of(is, from) - (as->version > 7 ? place : 0));
    store_address(to + as->function, an_rt_load_address(from + is->function));
    store_address(to + as->values, an_rt_load_address(from + is->values));
    store32(to + as->counter_number, an_rt_load32(from + is->counter_number));
    for (unsigned kind = 0; kind < is->kinds; kind++)
        memcpy(to + as->sites + 2 * kind, from + is->sites + 2 * kind, 2);
    if (bytes) {
        uintptr_t bitmap = an_rt_load_address(from + is->bitmap) + (uintptr_t)from;
        store_address(to + as->bitmap, bitmap - place);
        store32(to + as->bitmap_bytes, bytes);
    }
}

/* In one piece of memory: parts, lists of values, copies. */
static void copy_all(struct an_rt_module *module, const struct total *total, uint8_t *memory)
{
    const struct an_rt_layout *as = total->newest;
    struct an_rt_part *parts = (void *)memory;
    struct an_rt_node **lists = (void *)(parts + total->parts);
    uint8_t *copies = (uint8_t *)(lists + total->sites), *to = copies;
    const uint8_t *at = module->data.begin;
    for (size_t i = 0; i < total->parts && next_part(module, &at, &parts[i]); i++) {
        const struct an_rt_layout *is = parts[i].layout;
        for (const uint8_t *end = parts[i].end, *record = parts[i].begin; record < end;
             record += is->record_size, to += as->record_size) {
            uint8_t *from = (uint8_t *)(uintptr_t)record;
            unsigned sites = an_rt_sites_of(is, from);
            if (sites)
                give_lists(from + is->values, lists);
            lists += sites;
            copy_record(to, (uintptr_t)module->data.begin + (uintptr_t)(to - copies), as, from, is);
        }
    }
    module->parts = parts;
    module->part_count = total->parts;
    module->data = (struct an_rt_span){copies, total->records * as->record_size};
}

bool an_rt_mix(struct an_rt_module *module)
{
    struct total total = add_up(module);
    module->unknown = module->data.size - total.bytes;
    if (!total.records)
        return false;
    uint8_t *memory = an_rt_memory(total.parts * sizeof(struct an_rt_part) +
                                   total.sites * sizeof(struct an_rt_node *) +
                                   total.records * total.newest->record_size);
    if (!memory) {
        module->unknown = module->data.size;
        return false;
    }
    module->layout = *total.newest;
    module->version_word = (module->version_word & ~0xffull) | total.newest->version;
    copy_all(module, &total, memory);
    return true;
}

const struct an_rt_layout *an_rt_mix_layout(const struct an_rt_module *module,
                                            const uint8_t *record)
{
    for (size_t i = 0; i < module->part_count; i++)
        if (record >= module->parts[i].begin && record < module->parts[i].end)
            return module->parts[i].layout;
    bool is_copy = record >= module->data.begin && record < module->data.begin + module->data.size;
    return is_copy ? &module->layout : NULL;
}
