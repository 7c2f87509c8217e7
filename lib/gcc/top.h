/*
 * The most frequent values of an expression, or targets of a call: for each place
 *
 *     total │ n │ value │ count │ value │ count ...     n pairs
 *
 * The total counts how often the place was passed; it is negative when values had to make room for others,
 * of which there are at most 32.
 */
#ifndef AN_GCC_TOP_H
#define AN_GCC_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AN_TOP_MOST = 32 };

/* Whether these values of a file are such lists, one behind the other; then how many. */
bool an_top_find(const uint8_t *values, size_t count, bool big, uint32_t *places);

/*
 * Merges lists of as many places: what is in `added` comes behind what is in `base`, as libgcov does it.
 * `to` has room for both together. Returns how many values the result has.
 *
 * libgcov adds the total of a file to that of a run, which is never negative. gcov-tool does the same with two files; so the totals
 * of two whose values had to make room cancel each other. With `keeps_sign` this does so, too.
 */
size_t an_top_merge(const uint64_t *base, const uint64_t *added, size_t places, uint64_t *to,
                    bool keeps_sign);

#endif
