/*
 * The parts of a raw profile in memory that some run of this program, or of another one, left; everything
 * that it says about itself has been checked.
 */
#ifndef AN_RT_LLVM_FILE_H
#define AN_RT_LLVM_FILE_H

#include "core/llvm_module.h"

/* The words of a header, whichever version has them. */
enum an_rt_word {
    AN_RT_MAGIC,
    AN_RT_VERSION,
    AN_RT_BINARY_IDS,
    AN_RT_RECORDS,
    AN_RT_PADDING_BEFORE_COUNTERS,
    AN_RT_COUNTERS,
    AN_RT_PADDING_AFTER_COUNTERS,
    AN_RT_BITMAP,
    AN_RT_PADDING_AFTER_BITMAP,
    AN_RT_UNIFORM_COUNTERS,
    AN_RT_PADDING_AFTER_UNIFORM,
    AN_RT_UNIFORM_DELTA,
    AN_RT_NAMES,
    AN_RT_COUNTERS_DELTA,
    AN_RT_BITMAP_DELTA,
    AN_RT_NAMES_DELTA,
    AN_RT_VTABLES,
    AN_RT_VTABLE_NAMES,
    AN_RT_LAST_KIND,
    AN_RT_WORDS,
};
/* "\xfflprofr\x81", read as a number; of 32-bit targets it has an R. */
#define AN_RT_RAW_MAGIC (sizeof(void *) == 8 ? 0xff6c70726f667281ull : 0xff6c70726f665281ull)

struct an_rt_file {
    uint64_t words[AN_RT_WORDS];
    const uint8_t *binary_ids, *data, *counters, *bitmap, *uniform, *names, *vtables, *vtable_names;
    const uint8_t *values;     /* a block for each record with sites */
    const uint8_t *rest, *end; /* what stands behind the profile */
};

/* Values of one kind in a block. */
struct an_rt_value_record {
    uint32_t kind, sites;
    const uint8_t *counts; /* how many values each site has */
    const uint8_t *pairs;  /* value and count of each, 64 bits wide */
};

/* Whether a header of this version has the word. */
bool an_rt_word_is_in(unsigned version, enum an_rt_word word);

/* Reads and checks a whole profile; AN_RT_FITS when it is of a build that has the module's layout. */
enum an_rt_fit an_rt_file_open(struct an_rt_file *file, const struct an_rt_module *module,
                               const uint8_t *bytes, size_t size);

/*
 * The next record of values in a block, which *at points into. Fails when it does not fit before `end`.
 */
bool an_rt_value_record_next(struct an_rt_value_record *record, const uint8_t **at,
                             const uint8_t *end);

#endif
