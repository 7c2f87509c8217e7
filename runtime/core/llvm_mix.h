/*
 * Programs with objects of several releases of LLVM, whose records differ: as one may link what rustc and clang compiled.
 *
 *     in memory      │ 8 │ 8 │ 8 │   10   │   10   │ ? │   10   │
 *     as it goes     │   10   │   10   │   10   │   10   │   10   │   10   │
 *     to the file
 *
 * The records are told apart by what they point to, and copied as ones of the newest of their versions, which can hold
 * what older ones have. Counters stay where they are; lists of values hang on both a record and its copy. Records of
 * versions that are not known are left out. (Which of the versions a program says it has, is by chance: the linker takes
 * the word of one object.)
 */
#ifndef AN_RT_LLVM_MIX_H
#define AN_RT_LLVM_MIX_H

#include "core/llvm_module.h"

/* Records of one version, one behind the other, in the program. */
struct an_rt_part {
    const uint8_t *begin, *end;
    const struct an_rt_layout *layout;
};

/* Whether this may be a record of that version, by where its counters and its bitmap are. */
bool an_rt_record_fits(const struct an_rt_module *module, const struct an_rt_layout *layout,
                       const uint8_t *record);

/*
 * Makes `data` of the module, which has all its sections, copies of the records that are known, and says in it what these
 * are. False when there are none, or there is no memory.
 */
bool an_rt_mix(struct an_rt_module *module);

/* How a record of the program is laid out; NULL: it is not one that is known. */
const struct an_rt_layout *an_rt_mix_layout(const struct an_rt_module *module,
                                            const uint8_t *record);

#endif
