/* What code that GCC instrumented calls to count values, but for lists of them (gcc_lists.c). */
#include "core/gcc_info.h"
#include "core/gcc_interface.h"

/* The functions that ran so far, for the order of first runs; the code itself counts on. */
int64_t __gcov_time_profiler_counter;

/* One counter for each of `steps` values from start on, then one for larger ones, one for smaller ones. */
static inline void count_interval(int64_t *counters, int64_t value, int start, unsigned steps,
                                  bool atomic)
{
    int64_t step = value - start;
    if (step < 0)
        an_rt_gcc_count(&counters[steps + 1], 1, atomic);
    else
        an_rt_gcc_count(&counters[step < (int64_t)steps ? step : (int64_t)steps], 1, atomic);
}

/* Whether values are powers of two: no, yes. */
static inline void count_power(int64_t *counters, int64_t value, bool atomic)
{
    bool is_power = value != 0 && (value & (value - 1)) == 0;
    an_rt_gcc_count(&counters[is_power], 1, atomic);
}

static inline void count_average(int64_t *counters, int64_t value, bool atomic)
{
    an_rt_gcc_count(&counters[0], value, atomic);
    an_rt_gcc_count(&counters[1], 1, atomic);
}

void __gcov_interval_profiler(int64_t *counters, int64_t value, int start, unsigned steps)
{
    count_interval(counters, value, start, steps, false);
}

void __gcov_interval_profiler_atomic(int64_t *counters, int64_t value, int start, unsigned steps)
{
    count_interval(counters, value, start, steps, true);
}

void __gcov_pow2_profiler(int64_t *counters, int64_t value)
{
    count_power(counters, value, false);
}

void __gcov_pow2_profiler_atomic(int64_t *counters, int64_t value)
{
    count_power(counters, value, true);
}

void __gcov_average_profiler(int64_t *counters, int64_t value)
{
    count_average(counters, value, false);
}

void __gcov_average_profiler_atomic(int64_t *counters, int64_t value)
{
    count_average(counters, value, true);
}

void __gcov_ior_profiler(int64_t *counters, int64_t value)
{
    *counters |= value;
}

void __gcov_ior_profiler_atomic(int64_t *counters, int64_t value)
{
#if UINTPTR_MAX > UINT32_MAX
    __atomic_fetch_or(counters, value, __ATOMIC_RELAXED);
#else
    *counters |= value;
#endif
}

/* Objects name these to tell which kinds of counters they have; gcc_gcda.c does the work. */
void __gcov_merge_add(int64_t *counters, unsigned number)
{
    (void)counters;
    (void)number;
}

void __gcov_merge_ior(int64_t *counters, unsigned number)
{
    (void)counters;
    (void)number;
}

void __gcov_merge_time_profile(int64_t *counters, unsigned number)
{
    (void)counters;
    (void)number;
}

void __gcov_merge_topn(int64_t *counters, unsigned number)
{
    (void)counters;
    (void)number;
}
