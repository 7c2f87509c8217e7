/*
 * What programs call that steer their profiles, __gcov_dump and its like, is for what GCC instrumented and for what clang did
 * (clang_coverage.h), which takes part only if there is some.
 */
#ifndef AN_RT_GCC_PROGRAMS_H
#define AN_RT_GCC_PROGRAMS_H

struct an_rt_gcc_program {
    void (*dump)(void), (*reset)(void);
};

/* There is one. */
void an_rt_gcc_add_program(const struct an_rt_gcc_program *program);

#endif
