/*
 * Merging raw profiles of one layout (the same binary, run often) as what they are: arrays.
 */
#ifndef AN_LLVM_RAW_MERGE_H
#define AN_LLVM_RAW_MERGE_H

#include "llvm/raw.h"
#include "llvm/sink.h"

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
