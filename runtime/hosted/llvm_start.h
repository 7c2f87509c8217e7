/*
 * LLVM's profiles are written by themselves at the end of the program, unless it defines __llvm_profile_runtime: LLVM's
 * documented way to have them written by calls only (clang's SourceBasedCodeCoverage).
 */
#ifndef AN_RT_LLVM_START_H
#define AN_RT_LLVM_START_H

#include <stdbool.h>

/* is_wanted: there is to be a file even when nothing is instrumented. */
void an_rt_llvm_start(bool is_wanted);

#endif
