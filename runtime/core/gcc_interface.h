/*
 * The names that GCC's instrumentation, and programs that steer their profiles themselves, refer to. They
 * are libgcov's of GCC 11 and newer, with its meanings (libgcc/libgcov.h, gcov.h).
 */
#ifndef AN_RT_GCC_INTERFACE_H
#define AN_RT_GCC_INTERFACE_H

#include <stdint.h>

struct an_rt_gcc_info;

/* Kinds of counters are told by these: an object has those whose functions it names. */
void __gcov_merge_add(int64_t *counters, unsigned number);
void __gcov_merge_ior(int64_t *counters, unsigned number);
void __gcov_merge_time_profile(int64_t *counters, unsigned number);
void __gcov_merge_topn(int64_t *counters, unsigned number);

/* What instrumented code calls: gcc_profilers.c, gcc_lists.c. */
void __gcov_interval_profiler(int64_t *counters, int64_t value, int start, unsigned steps);
void __gcov_interval_profiler_atomic(int64_t *counters, int64_t value, int start, unsigned steps);
void __gcov_pow2_profiler(int64_t *counters, int64_t value);
void __gcov_pow2_profiler_atomic(int64_t *counters, int64_t value);
void __gcov_average_profiler(int64_t *counters, int64_t value);
void __gcov_average_profiler_atomic(int64_t *counters, int64_t value);
void __gcov_ior_profiler(int64_t *counters, int64_t value);
void __gcov_ior_profiler_atomic(int64_t *counters, int64_t value);
void __gcov_topn_values_profiler(int64_t *place, int64_t value);
void __gcov_topn_values_profiler_atomic(int64_t *place, int64_t value);
void __gcov_indirect_call_profiler_v4(int64_t number, void *function);
void __gcov_indirect_call_profiler_v4_atomic(int64_t number, void *function);

struct an_rt_indirect_call {
    void *callee;
    int64_t *counters;
};
extern __thread struct an_rt_indirect_call __gcov_indirect_call;
extern int64_t __gcov_time_profiler_counter;

/* What programs call that send their profiles themselves (gcc_stream.c): one object's, as gcov.h of GCC 12 says. */
void __gcov_info_to_gcda(const struct an_rt_gcc_info *info,
                         void (*name)(const char *name, void *argument),
                         void (*dump)(const void *bytes, unsigned size, void *argument),
                         void *(*allocate)(unsigned size, void *argument), void *argument);

/* Files (hosted/gcc.c). */
void __gcov_init(struct an_rt_gcc_info *info);
void __gcov_exit(void);
void __gcov_dump(void);
void __gcov_reset(void);
int __gcov_fork(void);
int __gcov_execl(const char *path, char *argument, ...);
int __gcov_execlp(const char *path, char *argument, ...);
int __gcov_execle(const char *path, char *argument, ...);
int __gcov_execv(const char *path, char *const arguments[]);
int __gcov_execvp(const char *path, char *const arguments[]);
int __gcov_execve(const char *path, char *const arguments[], char *const environment[]);

#endif
