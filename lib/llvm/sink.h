/* Where merged records go, and who hears of what could not be merged. */
#ifndef AN_LLVM_SINK_H
#define AN_LLVM_SINK_H

#include "llvm/profile.h"

struct merge_sink {
    struct an_llvm_profile *profile;
    const struct an_llvm_merge_options *options;
    const char *path; /* of the current input */
    bool silent;      /* do not report warnings: the work will be done again */
};

/* Reports warnings (a set of bits) about one function. */
void an_sink_warn(const struct merge_sink *sink, const char *name, size_t name_length,
                  unsigned warnings);

/* an_profile_function() after renaming. */
size_t an_sink_function(const struct merge_sink *sink, const char *name, size_t name_length,
                        uint64_t name_hash, bool sure);

#endif
