/* See llvm_since.h. */
#include "core/llvm_since.h"

#include "core/llvm_times.h"
#include "core/llvm_values.h"

static uint8_t *written; /* as many bytes as there are counters; NULL: nothing was written yet */
static struct an_rt_node **lists; /* of all sites in a row: those that are not counting */

static bool has_numbers(const struct an_rt_module *module)
{
    return !(module->version_word & AN_RT_BYTE_COVERAGE);
}

static size_t count_sites(const struct an_rt_module *module)
{
    size_t sites = 0;
    for (size_t i = 0; i < module->records; i++)
        sites += an_rt_sites_of(&module->layout, an_rt_record(module, i));
    return sites;
}

/* The first time. */
static bool make_room(const struct an_rt_module *module)
{
    size_t sites = count_sites(module);
    if (!written)
        written = an_rt_memory(module->counters.size + 1);
    if (!lists && sites)
        lists = an_rt_memory(sites * sizeof(struct an_rt_node *));
    return written && (lists || sites == 0);
}

static void store64(uint8_t *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
}

bool an_rt_since_begin(const struct an_rt_module *module, struct an_rt_module *part)
{
    size_t size = module->counters.size;
    uint8_t *counts = an_rt_scratch(size + 1);
    if (!counts || !make_room(module)) {
        if (counts)
            an_rt_scratch_free(counts, size + 1);
        return false;
    }
    memcpy(counts, module->counters.begin, size);
    for (size_t at = 0; has_numbers(module) && at + 8 <= size; at += 8)
        store64(counts + at, an_rt_load64(counts + at) - an_rt_load64(written + at));
    an_rt_values_exchange(module, lists);
    *part = *module;
    part->counts = counts;
    part->lists = lists;
    return true;
}

void an_rt_since_end(struct an_rt_module *part, bool is_written)
{
    size_t size = part->counters.size;
    uint8_t *counts = (uint8_t *)(uintptr_t)part->counts;
    if (is_written) {
        for (size_t at = 0; has_numbers(part) && at + 8 <= size; at += 8)
            store64(written + at, an_rt_load64(written + at) + an_rt_load64(counts + at));
        if (an_rt_has_times(part) && has_numbers(part))
            an_rt_times_clear(part, written); /* the order of the whole run is wanted each time */
    } else {
        an_rt_values_return(part, lists);
    }
    an_rt_scratch_free(counts, size + 1);
}

bool an_rt_since_any(void)
{
    return written;
}

void an_rt_since_reset(const struct an_rt_module *module)
{
    if (written)
        memset(written, 0, module->counters.size);
}

void an_rt_since_settle(const struct an_rt_module *module)
{
    uint64_t *live = (uint64_t *)(void *)module->counters.begin;
    for (size_t i = 0; written && has_numbers(module) && i < module->counters.size / 8; i++)
        live[i] -= an_rt_load64(written + 8 * i);
    an_rt_since_reset(module);
}
