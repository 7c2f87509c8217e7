/*
 * Values that were seen at the sites of functions: the targets of indirect calls, the sizes of memory
 * operations. Each site has a list of at most an_rt_values_kept of them; when it is full, a new value takes
 * from the count of the rarest one, and its place when that is used up ("space saving").
 */
#ifndef AN_RT_LLVM_VALUES_H
#define AN_RT_LLVM_VALUES_H

#include "core/llvm_module.h"

/* As many as a file can have, and as many as compiler-rt keeps. */
enum { AN_RT_VALUES_MOST = 255, AN_RT_VALUES = 24 };

/* How many a site keeps, at most AN_RT_VALUES_MOST; the user may want more or less of them (LLVM_VP_MAX_NUM_VALS_PER_SITE). */
extern unsigned an_rt_values_kept;
extern bool an_rt_values_kept_is_told; /* otherwise it is all where the compiler has made no room */

/* The list of a site, counted through all kinds of the function; NULL: nothing was seen. */
const struct an_rt_node *an_rt_values(const struct an_rt_module *module, const uint8_t *record,
                                      unsigned site);

/* All counts become 0. */
void an_rt_values_reset(const struct an_rt_module *module);

/* Nothing is written yet. */
void an_rt_values_forget(const struct an_rt_module *module);

/* What came since the counts were last written is due; it is written now. */
void an_rt_values_make_due(const struct an_rt_module *module);
void an_rt_values_note_written(const struct an_rt_module *module);

#endif
