/*
 * Numbers that LLVM's profile formats share (InstrProfData.inc, InstrProf.h).
 */
#ifndef AN_LLVM_FORMAT_H
#define AN_LLVM_FORMAT_H

#include <stdint.h>

#include <anneal/error.h>

/* First eight bytes as a little-endian number: "\x81rforpl\xff", and with R for 32-bit targets. */
#define RAW_MAGIC_64 0xff6c70726f667281u
#define RAW_MAGIC_32 0xff6c70726f665281u
#define RAW_OLDEST 5u
#define RAW_NEWEST 11u

/* "\xfflprofi\x81" */
#define INDEXED_MAGIC 0x8169666f72706cffu
#define INDEXED_NEWEST 14u

/* The versions in which something else follows. */
#define INDEXED_SEMICOLONS 11u /* LLVM 18: local functions of IR profiles are FILE;FUNCTION */
#define INDEXED_VTABLES 12u    /* LLVM 19 */
#define INDEXED_MASKED 13u     /* LLVM 22: the four highest bits of front-end hashes are 0 */
#define INDEXED_PACKED 14u     /* LLVM 23: packed bitmaps, uniformity */

/* Upper half of the version word. What is not listed here has no meaning up to LLVM 23. */
#define VARIANT_LOOP_ENTRIES (1ull << 55)
#define VARIANT_IR (1ull << 56)
#define VARIANT_CONTEXT_SENSITIVE (1ull << 57)
#define VARIANT_ENTRY_FIRST (1ull << 58)
#define VARIANT_DEBUG_CORRELATE (1ull << 59)
#define VARIANT_BYTE_COVERAGE (1ull << 60)
#define VARIANT_ENTRY_ONLY (1ull << 61)
#define VARIANT_MEMPROF (1ull << 62)
#define VARIANT_TEMPORAL (1ull << 63)

#define VERSION_OF(word) ((uint32_t)(word))

/* A counter of a raw profile above this is taken for corruption, as LLVM 19 does. */
#define LARGEST_RAW_COUNT (1ull << 56)

/* Counts stop here, before AN_LLVM_WARM and AN_LLVM_HOT. */
#define LARGEST_COUNT (UINT64_MAX - 2)

/* All variants that there are. */
#define AN_LLVM_VARIANTS 0x1ffu

/* Profiles that differ in these cannot be merged. */
#define AN_LLVM_KINDS (AN_LLVM_IR | AN_LLVM_BYTE_COVERAGE | AN_LLVM_LOOP_ENTRIES)

/* Fails, with the number of the bit, where a version word has a flag that is not known. */
enum an_code an_llvm_check_flags(uint64_t version_word, uint64_t at, struct an_error *error);

/* enum an_llvm_variant from a version word; an_llvm_version_word() is the way back. */
unsigned an_llvm_variants_of(uint64_t version_word);

#endif
