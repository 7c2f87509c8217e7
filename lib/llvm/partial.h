/*
 * The content of a partial result of LLVM's instrumentation profiles: a lossless profile as bytes.
 *
 *     variants, and from bit 16 on the version that their compilers read, or 0 | traces kept at most | functions of a trace at most | traces of the stream
 *     functions | records
 *     nine columns, each with its size in bytes in front:
 *         names        of the functions, ascending: bytes shared with the name before | bytes of its own | these
 *         records      how many each function has
 *         hashes       8 bytes a record; the records of a function are in the order of their origins
 *         shapes       counters | bytes of the bitmap
 *         origins      the first input that has the record, as an index into the account's used inputs
 *         kinds        a byte a record: bit K, it has value sites of kind K; bit 3 + K, only one input brought them: then the
 *                      values of a site are in its order, otherwise they ascend; bit 6, there are
 *                      bits of uniformity
 *         counts       of all counters
 *         bitmaps      the bitmap, then the bits of uniformity: one for each counter
 *         values       for each kind that a record has: sites, then for each site: values, then for each of these:
 *                      8 bytes value | count
 *     binary ids, ascending:                how many | for each: size, bytes
 *     names of virtual tables, ascending:   how many | for each: size, bytes
 *     traces, in the order of their inputs: how many | for each: input, as in origins | index in the input
 *                      8 bytes: how many traces it stands for, an IEEE double | weight | functions | 8 bytes for each
 *
 * Numbers are ULEB128 but for those of 8 bytes, which are little-endian.
 */
#ifndef AN_LLVM_PARTIAL_H
#define AN_LLVM_PARTIAL_H

#include "base/bytes.h"
#include "base/error.h"
#include "llvm/profile.h"
#include "llvm/sink.h"

enum {
    PARTIAL_NAMES,
    PARTIAL_RECORDS,
    PARTIAL_HASHES,
    PARTIAL_SHAPES,
    PARTIAL_ORIGINS,
    PARTIAL_KINDS,
    PARTIAL_COUNTS,
    PARTIAL_BITMAPS,
    PARTIAL_VALUES,
    PARTIAL_COLUMNS
};

/* In the first word: the variants of the profile, or that no input counted anything, so that it goes with any; and a version. */
enum { PARTIAL_KINDLESS = 1 << 15 };
enum { PARTIAL_VERSION_SHIFT = 16, PARTIAL_VERSION = 1 << PARTIAL_VERSION_SHIFT };

/* Appends a lossless profile, which is arranged for it, with origins as indices of the ledger's used entries in the order of
 * digests. */
enum an_code an_llvm_partial_write(struct an_llvm_profile *profile, const struct an_ledger *ledger,
                                   struct an_buffer *buffer, struct an_error *error);

/* Merges what was written into the sink's profile, which is lossless, or nothing of it. `at` is named in errors. AN_MISMATCH: it is of another kind;
 * *variants says of which. */
enum an_code an_llvm_partial_merge(const struct merge_sink *sink, struct an_bytes content,
                                   const struct an_ledger *ledger, size_t at, unsigned *variants,
                                   struct an_error *error);

#endif
