/*
 * Temporal profiles (clang -mllvm -pgo-temporal-instrumentation): the first eight bytes of each function's
 * counters tell when it was first entered: 1 for the first function of the run, 2 for the second. They do not
 * add up, so a file has the counts of many runs, but the order of the last one only; and for there to be several
 * orders, runs take turns at several files.
 */
#ifndef AN_RT_LLVM_TIMES_H
#define AN_RT_LLVM_TIMES_H

#include "core/llvm_module.h"

/* So many files. */
enum { AN_RT_ORDERS = 8 };

static inline bool an_rt_has_times(const struct an_rt_module *module)
{
    return module->version_word >> 63;
}

/* Makes all functions of a copy of the module's counters ones that were never entered. */
void an_rt_times_clear(const struct an_rt_module *module, uint8_t *counters);

#endif
