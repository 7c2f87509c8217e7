/*
 * Local functions across releases of LLVM. A profile of IR calls them FILE:FUNCTION up to LLVM 17, and FILE;FUNCTION from
 * LLVM 18 on. Later compilers look for the old name where they do not find the new one; older ones do not know the new one.
 * The front end writes FILE:FUNCTION in all releases.
 */
#ifndef AN_LLVM_LOCAL_NAMES_H
#define AN_LLVM_LOCAL_NAMES_H

#include "llvm/profile.h"
#include "llvm/sink.h"

/*
 * Merges what goes by an old name into the function that has the new one, where that is among the names: those of the profile
 * itself, or of another one that it is compared with. Warnings go to the sink, if any. False: no memory.
 */
bool an_local_names_join(struct an_llvm_profile *profile, const struct an_names *names,
                         const struct merge_sink *sink);

/* Gives all local functions their old names. False: no memory. */
bool an_local_names_make_old(struct an_llvm_profile *profile);

#endif
