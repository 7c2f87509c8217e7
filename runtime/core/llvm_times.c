/* See llvm_times.h. */
#include "core/llvm_times.h"

#include "core/llvm_interface.h"

uint64_t __llvm_profile_global_timestamp = 1;

/* Code that is instrumented calls it whenever a function is entered. */
void __llvm_profile_set_timestamp(uint64_t *time)
{
#if UINTPTR_MAX > UINT32_MAX
    uint64_t known = __atomic_load_n(time, __ATOMIC_RELAXED);
    if (known != 0 && known != UINT64_MAX)
        return;
    uint64_t now = __atomic_fetch_add(&__llvm_profile_global_timestamp, 1, __ATOMIC_RELAXED);
    /* Another thread may have been faster. */
    __atomic_compare_exchange_n(time, &known, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#else
    if (*time == 0 || *time == UINT64_MAX)
        *time = __llvm_profile_global_timestamp++;
#endif
}

void an_rt_times_clear(const struct an_rt_module *module, uint8_t *counters)
{
    int never = module->version_word & AN_RT_BYTE_COVERAGE ? 0xff : 0;
    for (size_t i = 0; i < module->records; i++) {
        uintptr_t at = an_rt_counters_at(module, i);
        if (at + sizeof(uint64_t) <= module->counters.size)
            memset(counters + at, never, sizeof(uint64_t));
    }
}
