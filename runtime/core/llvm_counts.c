/* See llvm_counts.h. */
#include "core/llvm_counts.h"

static bool are_bytes(const struct an_rt_module *module)
{
    return module->version_word & AN_RT_BYTE_COVERAGE;
}

void an_rt_counts_add(const struct an_rt_module *module, const uint8_t *counters,
                      const uint8_t *bitmap)
{
    size_t size = module->counters.size;
    uint8_t *bytes = module->counters.begin;
    uint64_t *numbers = (uint64_t *)(void *)bytes;
    for (size_t i = 0; are_bytes(module) && i < size; i++)
        bytes[i] &= counters[i];
    for (size_t i = 0; !are_bytes(module) && i < size / 8; i++)
        numbers[i] += an_rt_load64(counters + 8 * i);
    for (size_t i = 0; bitmap && i < module->bitmap.size; i++)
        module->bitmap.begin[i] |= bitmap[i];
}

void an_rt_counts_clear(const struct an_rt_module *module, uint8_t *counters, uint8_t *bitmap)
{
    memset(counters, are_bytes(module) ? 0xff : 0, module->counters.size);
    if (bitmap)
        memset(bitmap, 0, module->bitmap.size);
}
