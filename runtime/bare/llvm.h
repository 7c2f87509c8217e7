/*
 * What is written of LLVM's profile: all of it (llvm.c), or counters only (counters.c), for programs that have nothing else
 * in memory (-mllvm -profile-correlate). The linker takes the latter for -u an_bare_counters_only; of the former, which
 * is weak, nothing is a part of the program then.
 */
#ifndef AN_BARE_LLVM_H
#define AN_BARE_LLVM_H

#include "core/port.h"

/* False: there is nothing to write. */
bool an_bare_profile_exists(void);

/* False: the sink refused something, or memory ran out. */
bool an_bare_profile_write(struct an_rt_sink *sink);

/* To be said before the name of the file: what is not in it. NULL: nothing. */
const char *an_bare_profile_lacks(void);

#endif
