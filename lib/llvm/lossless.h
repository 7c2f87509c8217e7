/*
 * Profiles that lose nothing, for partial results: merging them in any grouping and order comes to the same.
 *
 * What a merge keeps "first" is made a property of the inputs: the first one is the one with the smallest digest. So each
 * record remembers its *origin*, the first input that has it, and its *rank* among the records of its function there; each
 * trace has the input that it is of. Nothing is dropped before the end:
 *
 *     what LLVM drops on the way                 what is kept
 *     all but 255 values of a site               all of them
 *     a record of another shape                  a record for each shape
 *     traces, by a generator's next number       those with the smallest numbers, drawn by digest and index
 *
 * an_lossless_resolve() does then, once, what LLVM's rules demand of inputs that are merged in the order of their digests.
 */
#ifndef AN_LLVM_LOSSLESS_H
#define AN_LLVM_LOSSLESS_H

#include "llvm/profile.h"

struct merge_sink;

/* Adds a record of another lossless profile, which is used up, with the order of its sites and its origin, as an index of the
 * profile that it is added to. False when memory runs out. */
bool an_lossless_add(struct an_llvm_profile *profile, size_t function,
                     const struct an_llvm_record *record, const uint8_t order[AN_LLVM_VALUE_KINDS],
                     struct record_origin origin, unsigned *warnings);

/* Merges the traces of `from`, whose origins were appended at `offset`. False when memory runs out. */
bool an_lossless_merge_traces(struct an_llvm_profile *profile, const struct an_llvm_profile *from,
                              uint32_t offset);

/* Brings the records of all functions, and the traces, into the order of their origins. False when memory runs out. */
bool an_lossless_arrange(struct an_llvm_profile *profile);

/* Makes an ordinary profile of it. Warnings go to the sink. False when memory runs out. */
bool an_lossless_resolve(struct an_llvm_profile *profile, const struct merge_sink *sink);

#endif
