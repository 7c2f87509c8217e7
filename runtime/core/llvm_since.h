/*
 * What a program counts after its profile was written, so that it can be added to the file later. Other threads
 * go on counting while a profile is written, most programs without atomic instructions: to take from a counter
 * what was written could give it back all of it, by a thread that has read it before and writes it after. So
 * counters are not touched. It is remembered how far they were; each value knows that for itself.
 */
#ifndef AN_RT_LLVM_SINCE_H
#define AN_RT_LLVM_SINCE_H

#include "core/llvm_module.h"

/*
 * Makes `part` the module with what it has counted since the last time; nothing but an_rt_raw_write knows what
 * to do with that. an_rt_since_end follows, with whether it was written; what was not is counted further.
 * False when there is no memory.
 */
bool an_rt_since_begin(const struct an_rt_module *module, struct an_rt_module *part);
void an_rt_since_end(struct an_rt_module *part, bool is_written);

/* Whether some of what the module has counted is written already. */
bool an_rt_since_any(void);

/* Whether nothing was counted since; false when nobody can tell. */
bool an_rt_since_nothing(const struct an_rt_module *module);

/* The counters were set to 0. */
void an_rt_since_reset(const struct an_rt_module *module);

/* What comes next is another file, which has nothing yet. */
void an_rt_since_forget(const struct an_rt_module *module);

/* Takes from the counters what is written: nobody else may be counting. */
void an_rt_since_settle(const struct an_rt_module *module);

#endif
