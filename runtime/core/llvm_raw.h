/*
 * LLVM's raw profiles: written from the program's memory, or from that and a profile that other runs of the
 * program left, added up. anneal's lib/llvm/raw.c draws the format.
 */
#ifndef AN_RT_LLVM_RAW_H
#define AN_RT_LLVM_RAW_H

#include "core/llvm_module.h"

/*
 * Whether the module's counts can be added to the profile in these bytes. AN_RT_FITS promises that
 * an_rt_raw_write can rely on all of them. Further profiles may stand behind it. *owner: the signature of
 * the profile's build, when that is another one.
 */
enum an_rt_fit an_rt_raw_judge(const struct an_rt_module *module, const uint8_t *old, size_t size,
                               uint64_t *owner);

/*
 * Writes the profile of the module; added to the old one when `old` is not NULL. Addresses in it are
 * those of the old one. False when the sink refused something or memory ran out.
 */
bool an_rt_raw_write(const struct an_rt_module *module, const uint8_t *old, size_t size,
                     struct an_rt_sink *sink);

/* The same without an old one; where nothing ever reads one, the linker can leave the reader out. */
bool an_rt_raw_write_own(const struct an_rt_module *module, struct an_rt_sink *sink);

/* Where the counters are in a profile of the module that is not added to another one. */
uint64_t an_rt_raw_place_of_counters(const struct an_rt_module *module);

/*
 * Of a file with the profiles of a program and its libraries, one behind the other: where the module's is. AN_RT_OTHER: it is
 * not among them, and they end at *at.
 */
enum an_rt_fit an_rt_raw_find(const struct an_rt_module *module, const uint8_t *old, size_t size,
                              size_t *at);

/* Writes such a file, with the module's profile added to its own, or behind the others. */
bool an_rt_raw_write_among(const struct an_rt_module *module, const uint8_t *old, size_t size,
                           struct an_rt_sink *sink);

#endif
