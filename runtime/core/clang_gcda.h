/*
 * The files of clang's --coverage, which has all that is to be in one come piece by piece: it is gathered, and then added
 * to what other runs have left. All words have 32 bits, and counters two of them.
 *
 *     magic │ version │ stamp │ functions, each with its arcs │ summary │ 0 │ 0
 *
 *     function   0x01000000 │ 3 (2 before GCC 4.7) │ ident │ checksum of its line │ checksum of its flow
 *     arcs       0x01a10000 │ twice the number of counters │ counters
 *     summary    0xa1000000 │ 2 │ runs │ 0              of GCC 9 and newer
 *                0xa3000000 │ 3 │ 0 │ 0 │ runs           of older ones
 *
 * Lengths are numbers of words in all versions; GCC's own files have other summaries, and bytes from GCC 12 on. (Seen in
 * files of clang 14 and 19.)
 */
#ifndef AN_RT_CLANG_GCDA_H
#define AN_RT_CLANG_GCDA_H

#include "core/port.h"

/* What was gathered of one object. */
struct an_rt_clang_gcda {
    uint32_t version, stamp;
    uint8_t *bytes; /* functions and arcs */
    size_t used, room;
    bool is_later; /* this process has written the object before: it is no further run */
    bool is_cut;   /* there was no memory for some of it */
};

/* Begins an object; what was gathered before goes. */
void an_rt_clang_gcda_begin(struct an_rt_clang_gcda *gcda, uint32_t version, uint32_t stamp);
void an_rt_clang_gcda_function(struct an_rt_clang_gcda *gcda, uint32_t ident, uint32_t line_sum,
                               uint32_t flow_sum);
void an_rt_clang_gcda_arcs(struct an_rt_clang_gcda *gcda, uint32_t number,
                           const uint64_t *counters);

/* Whether an old file is this object's; *stamp: of whose it is. */
enum an_rt_fit an_rt_clang_gcda_judge(const struct an_rt_clang_gcda *gcda, const uint8_t *old,
                                      size_t size, uint32_t *stamp);

/* Writes the file; added to the old one, which was judged to fit, when `old` is not NULL. */
bool an_rt_clang_gcda_write(const struct an_rt_clang_gcda *gcda, const uint8_t *old, size_t size,
                            struct an_rt_sink *sink);

#endif
