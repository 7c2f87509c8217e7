/*
 * The summary of a program, which GCC's counter files had until GCC 8: one for each program that the
 * object was linked into, before the functions.
 *
 *     checksum of the program │ counters │ runs │ sum (64) │ greatest count (64) │ sum of these (64)
 *     from GCC 4.8 on: 8 words, a bit for each bucket of the histogram that is not empty, then for each
 *     counters │ least count (64) │ sum (64)
 *
 * Counts are sorted into 252 buckets, four for each power of two.
 *
 * (GCC 4.8's gcc/gcov-io.c: gcov_histo_index, gcov_histogram_merge.)
 */
#ifndef AN_GCC_PROGRAM_H
#define AN_GCC_PROGRAM_H

#include "gcc/format.h"
#include "gcc/scale.h"

enum { AN_GCC_PROGRAM_BUCKETS = 252 };

struct an_bucket {
    uint32_t counters;
    uint64_t least, sum;
};

struct an_gcc_program {
    uint32_t checksum, counters, runs;
    uint64_t sum, greatest, sum_max;
    struct an_bucket buckets[AN_GCC_PROGRAM_BUCKETS];
};

/* Reads what is in such a record; false when its length does not fit what it says. */
bool an_gcc_program_read(struct an_gcc_program *program, const struct an_gcc_version *version,
                         struct an_cursor cursor);

/* What is in such a record, in 32-bit words; `to` may be NULL, and has room else. */
enum { AN_GCC_PROGRAM_MOST_WORDS = 9 + 8 + 5 * AN_GCC_PROGRAM_BUCKETS };
size_t an_gcc_program_words(const struct an_gcc_program *program,
                            const struct an_gcc_version *version, uint32_t *to);

/* Whether both are of one program. */
bool an_gcc_program_is_same(const struct an_gcc_program *one, const struct an_gcc_program *other);

/* Adds later runs of the program. */
void an_gcc_program_merge(struct an_gcc_program *into, const struct an_gcc_program *later);

/* Changes its sums. The runs and the greatest count stay: when it counts as several runs, there is still none
 * greater. */
void an_gcc_program_scale(struct an_gcc_program *program, const struct an_gcc_scale *scale);

#endif
