/*
 * Merging raw profiles of one layout (the same binary, run often) as what they are: arrays.
 */
#ifndef AN_LLVM_RAW_MERGE_H
#define AN_LLVM_RAW_MERGE_H

#include "llvm/profile.h"
#include "llvm/raw.h"

/* Where merged records go, and who hears of what could not be merged. */
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

struct raw_merger;

struct raw_merger *an_raw_merger_new(void);
void an_raw_merger_free(struct raw_merger *merger);

/*
 * Merges all raw profiles of the file, or none of them when one is damaged. *done is false when
 * the file is of a variant that only the general reader handles; then nothing has happened.
 * info receives format, version, variants, functions, unnamed and total_count.
 */
enum an_code an_raw_merge(struct raw_merger *merger, const struct merge_sink *sink,
                          struct an_bytes file, uint64_t weight, struct an_llvm_info *info,
                          bool *done, struct an_error *error);

#endif
