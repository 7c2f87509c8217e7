/* The sample of traces of a lossless profile (lossless.h). */
#ifndef AN_LLVM_TRACE_DRAW_H
#define AN_LLVM_TRACE_DRAW_H

#include "llvm/profile.h"

/* Where a trace goes in the reservoir, as an_profile_draw_trace(). */
size_t an_lossless_draw_trace(struct an_llvm_profile *profile, uint32_t input, uint64_t index,
                              double rate);

/* From now on at most so many traces are kept, of so many functions at most. */
void an_lossless_limit_traces(struct an_llvm_profile *profile, uint64_t reservoir, uint64_t length);

#endif
