/* See llvm_internal.h. */
#include "core/llvm_internal.h"

#include "core/bytes.h"
#include "core/llvm_file.h"
#include "core/llvm_interface.h"
#include "core/llvm_raw.h"
#include "core/llvm_values.h"

static struct an_rt_span span(const void *begin, const void *end)
{
    size_t size = begin ? (size_t)((const char *)end - (const char *)begin) : 0;
    return (struct an_rt_span){(uint8_t *)(uintptr_t)begin, size};
}

/* ---- profiles ---- */

/* The program's own module with other sections; without values where these are not the program's records. */
static bool take(struct an_rt_module *module, struct an_rt_span data, struct an_rt_span counters,
                 struct an_rt_span bitmap, struct an_rt_span names)
{
    const struct an_rt_module *own = an_rt_module();
    if (!own)
        return false;
    *module = *own;
    module->data = data;
    module->counters = counters;
    module->counts = counters.begin;
    module->bitmap = bitmap;
    module->names = names;
    module->records = data.size / module->layout.record_size;
    module->counters_delta = (uintptr_t)counters.begin;
    if (module->layout.version > 7)
        module->counters_delta -= (uintptr_t)data.begin;
    module->bitmap_delta = (uintptr_t)bitmap.begin - (uintptr_t)data.begin;
    return true;
}

struct counting_sink {
    struct an_rt_sink sink;
    char *to; /* NULL: only count */
    uint64_t size;
};

static bool count(struct an_rt_sink *sink, const void *bytes, size_t size)
{
    struct counting_sink *counting = (struct counting_sink *)sink;
    if (counting->to)
        memcpy(counting->to + counting->size, bytes, size);
    counting->size += size;
    return true;
}

uint64_t __llvm_profile_get_size_for_buffer_internal(const void *data, const void *data_end,
                                                     const char *counters, const char *counters_end,
                                                     const char *bitmap, const char *bitmap_end,
                                                     const char *names, const char *names_end,
                                                     const void *vtables, const void *vtables_end,
                                                     const char *vtable_names,
                                                     const char *vtable_names_end)
{
    struct an_rt_module module;
    struct counting_sink counting = {{count}, NULL, 0};
    (void)vtables;
    (void)vtables_end;
    (void)vtable_names;
    (void)vtable_names_end; /* those of the program are written */
    return take(&module, span(data, data_end), span(counters, counters_end),
                span(bitmap, bitmap_end), span(names, names_end)) &&
                   an_rt_raw_write_own(&module, &counting.sink)
               ? counting.size
               : 0;
}

int __llvm_profile_write_buffer_internal(char *buffer, const void *data, const void *data_end,
                                         const char *counters, const char *counters_end,
                                         const char *bitmap, const char *bitmap_end,
                                         const char *names, const char *names_end)
{
    struct an_rt_module module;
    struct counting_sink counting = {{count}, buffer, 0};
    return take(&module, span(data, data_end), span(counters, counters_end),
                span(bitmap, bitmap_end), span(names, names_end)) &&
                   an_rt_raw_write_own(&module, &counting.sink)
               ? 0
               : -1;
}

uint64_t lprofGetLoadModuleSignature(void)
{
    const struct an_rt_module *module = an_rt_module();
    return module ? an_rt_module_signature(module) : 0;
}

/* ---- records and values ---- */

/* How the program's records look; LLVM 19's where it has none. */
static const struct an_rt_layout *layout(void)
{
    const struct an_rt_module *module = an_rt_module();
    return module ? &module->layout : an_rt_layout(10);
}

const void *__llvm_profile_iterate_data(const void *record)
{
    return (const uint8_t *)record + layout()->record_size;
}

void *__llvm_get_function_addr(const void *record)
{
    uintptr_t address = an_rt_load_address((const uint8_t *)record + layout()->function);
    return (void *)address;
}

void __llvm_profile_set_num_value_sites(void *record, uint32_t kind, uint16_t sites)
{
    if (kind < layout()->kinds)
        memcpy((uint8_t *)record + layout()->sites + (size_t)2 * kind, &sites, sizeof sites);
}

void lprofSetMaxValsPerSite(uint32_t most)
{
    an_rt_values_kept = most < AN_RT_VALUES_MOST ? most : AN_RT_VALUES_MOST;
    if (!an_rt_values_kept)
        an_rt_values_kept = 1;
    an_rt_values_kept_is_told = true;
}

static void merge_sites(const struct an_rt_value_record *values, uint8_t *record, unsigned first)
{
    enum { PAIR = 16 };
    const uint8_t *pair = values->pairs;
    for (unsigned site = 0; site < values->sites; site++)
        for (unsigned i = 0; i < values->counts[site]; i++, pair += PAIR)
            __llvm_profile_instrument_target_value(an_rt_load64(pair), record, first + site,
                                                   an_rt_load64(pair + 8));
}

void lprofMergeValueProfData(const void *block, void *record)
{
    const uint8_t *at = block, *end = at + an_rt_load32(at);
    uint32_t kinds = an_rt_load32(at + 4);
    at += 8;
    for (uint32_t i = 0; i < kinds; i++) {
        struct an_rt_value_record values;
        unsigned first = 0;
        if (!an_rt_value_record_next(&values, &at, end) ||
            values.sites != an_rt_sites(layout(), record, values.kind))
            return;
        for (unsigned kind = 0; kind < values.kind; kind++)
            first += an_rt_sites(layout(), record, kind);
        merge_sites(&values, record, first);
    }
}

/* ---- writing into memory ---- */

void initBufferWriter(struct an_rt_llvm_writer *writer, char *buffer)
{
    writer->write = lprofBufferWriter;
    writer->context = buffer;
}

uint32_t lprofBufferWriter(struct an_rt_llvm_writer *writer, struct an_rt_llvm_piece *pieces,
                           uint32_t count_of_pieces)
{
    char *to = writer->context;
    for (uint32_t i = 0; i < count_of_pieces; i++) {
        size_t size = pieces[i].size * pieces[i].count;
        if (pieces[i].bytes)
            memcpy(to, pieces[i].bytes, size);
        else if (pieces[i].are_zeros)
            memset(to, 0, size);
        to += size;
    }
    writer->context = to;
    return 0;
}
