/* See llvm_since.h. */
#include "core/llvm_since.h"

#include "core/llvm_times.h"
#include "core/llvm_values.h"

/* How far the counters were, as many bytes as they have; NULL: nothing was written yet. */
static uint8_t *written;

static bool has_numbers(const struct an_rt_module *module)
{
    return !(module->version_word & AN_RT_BYTE_COVERAGE);
}

static void store64(uint8_t *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
}

bool an_rt_since_begin(const struct an_rt_module *module, struct an_rt_module *part)
{
    size_t size = module->counters.size;
    if (!written)
        written = an_rt_memory(size + 1);
    uint8_t *counts = written ? an_rt_scratch(size + 1) : NULL;
    if (!counts)
        return false;
    memcpy(counts, module->counters.begin, size);
    for (size_t at = 0; has_numbers(module) && at + 8 <= size; at += 8) {
        uint64_t now = an_rt_load64(counts + at), then = an_rt_load64(written + at);
        /* One that threads add to at once may become smaller. */
        store64(counts + at, now > then ? now - then : 0);
    }
    an_rt_values_make_due(module);
    *part = *module;
    part->counts = counts;
    part->is_part = true;
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
        an_rt_values_note_written(part);
    }
    an_rt_scratch_free(counts, size + 1);
}

bool an_rt_since_any(void)
{
    return written;
}

bool an_rt_since_nothing(const struct an_rt_module *module)
{
    size_t size = module->counters.size;
    if (!written || !has_numbers(module))
        return false;
    uint8_t *counts = an_rt_scratch(size + 1);
    if (!counts)
        return false;
    memcpy(counts, module->counters.begin, size);
    if (an_rt_has_times(module))
        an_rt_times_clear(module, counts);
    bool is_same = memcmp(counts, written, size / 8 * 8) == 0;
    an_rt_scratch_free(counts, size + 1);
    return is_same;
}

void an_rt_since_reset(const struct an_rt_module *module)
{
    if (written)
        memset(written, 0, module->counters.size);
}

void an_rt_since_forget(const struct an_rt_module *module)
{
    an_rt_since_reset(module);
    an_rt_values_forget(module);
}

void an_rt_since_settle(const struct an_rt_module *module)
{
    uint64_t *live = (uint64_t *)(void *)module->counters.begin;
    for (size_t i = 0; written && has_numbers(module) && i < module->counters.size / 8; i++)
        live[i] -= an_rt_load64(written + 8 * i);
    an_rt_since_reset(module);
}
