/* Counting up a profile; the public half is in anneal/llvm.h. */
#ifndef AN_LLVM_SUMMARY_H
#define AN_LLVM_SUMMARY_H

#include <anneal/llvm.h>

#include "base/vector.h"

struct an_llvm_summary_builder {
    struct {
        AN_VECTOR(uint64_t);
    } counts; /* all that are not 0 */
    uint64_t zeros;
    uint64_t functions, blocks, total_count;
    uint64_t max_function_count, max_internal_count, max_count;
};

#define SUMMARY_CUTOFFS 16
extern const uint32_t an_llvm_cutoffs[SUMMARY_CUTOFFS];

#endif
