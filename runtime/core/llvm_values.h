/*
 * Values that were seen at the sites of functions: the targets of indirect calls, the sizes of memory
 * operations. Each site has a list of at most AN_RT_VALUES of them; when it is full, a new value takes
 * from the count of the rarest one, and its place when that is used up ("space saving").
 */
#ifndef AN_RT_LLVM_VALUES_H
#define AN_RT_LLVM_VALUES_H

#include "core/llvm_module.h"

enum { AN_RT_VALUES = 24 }; /* as compiler-rt has it */

/* The list of a site, counted through all kinds of the function; NULL: nothing was seen. */
const struct an_rt_node *an_rt_values(const struct an_rt_module *module, const uint8_t *record,
                                      unsigned site);

/* All counts become 0. */
void an_rt_values_reset(const struct an_rt_module *module);

/* What came since the counts were last written is due; it is written now. */
void an_rt_values_make_due(const struct an_rt_module *module);
void an_rt_values_note_written(const struct an_rt_module *module);

#endif
