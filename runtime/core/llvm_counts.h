/*
 * Counters and bitmaps as they are in memory. Counters are numbers, or, with coverage of single bytes, 0 for what ran and 0xff
 * for what did not; bits of bitmaps are 1 for what was seen.
 */
#ifndef AN_RT_LLVM_COUNTS_H
#define AN_RT_LLVM_COUNTS_H

#include "core/llvm_module.h"

/* Adds others, as many as the module has, to the module's own. `bitmap` may be NULL: there are none. */
void an_rt_counts_add(const struct an_rt_module *module, const uint8_t *counters,
                      const uint8_t *bitmap);

/* Makes these, as many as the module has, those of what never ran. `bitmap` may be NULL. */
void an_rt_counts_clear(const struct an_rt_module *module, uint8_t *counters, uint8_t *bitmap);

#endif
