/*
 * GCC's counter files: written from the program's memory, or from that and a file that other runs of the
 * program left, added up as libgcov does it. anneal's lib/gcc/format.h draws the format.
 */
#ifndef AN_RT_GCC_GCDA_H
#define AN_RT_GCC_GCDA_H

#include "core/gcc_info.h"

enum { AN_RT_GCDA_MAGIC = 0x67636461 };

/*
 * Whether the object's counts can be added to the file in these bytes. *stamp: of an object that has this
 * name, too, when the file is another one's.
 */
enum an_rt_fit an_rt_gcda_judge(const struct an_rt_gcc_info *info, const uint8_t *old, size_t size,
                                uint32_t *stamp);

/*
 * Writes the object's counts; added to the old file, which was judged to fit, when `old` is not NULL.
 * greatest: the greatest count of an arc in the whole program; AN_RT_NO_SUMMARY: without the record that has it.
 */
#define AN_RT_NO_SUMMARY INT64_MIN
bool an_rt_gcda_write(const struct an_rt_gcc_info *info, int64_t greatest, const uint8_t *old,
                      size_t size, struct an_rt_sink *sink);

/*
 * What stands in the place of the first record while a file of that size is written over: a record of a kind that
 * all readers pass by its length, which ends where the file does. What is appended to it, from the place that is
 * returned on, they then take for its records. (GCC's coverage.cc, gcov.cc, gcov-dump.cc and libgcov-util.c: the tag
 * has to be odd in its first byte and to be none of theirs.)
 */
enum { AN_RT_DETOUR = 8 };
size_t an_rt_gcda_detour(const struct an_rt_gcc_info *info, size_t size,
                         uint8_t detour[AN_RT_DETOUR]);

/* The greatest count of an arc in the object. */
int64_t an_rt_gcda_greatest(const struct an_rt_gcc_info *info);

/* All counts become 0. */
void an_rt_gcda_reset(const struct an_rt_gcc_info *info);

#endif
