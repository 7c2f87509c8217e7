/* clang's programs: the raw profiles that they left in training become one profile for the compiler. */
#ifndef AN_FDO_LLVM_H
#define AN_FDO_LLVM_H

#include "fdo/store.h"

/*
 * Brings the merged profile up to date, unless it is newer than all that there is to merge. Compilers that run at
 * once wait for the first of them. *path is "" when training left nothing.
 */
enum an_code an_fdo_llvm_profile(const struct an_fdo_store *store, char path[PATH_MAX],
                                 struct an_error *error);

/*
 * The hash that a profile has of a function; clang's messages call those of one file, which the profile has as
 * FILE;NAME, by their bare names. False: there is none.
 */
bool an_fdo_llvm_hash(const char *profile, const char *name, uint64_t *hash);

/*
 * Whether a program with the unit of that number left a profile in training: profiles have the build-ids of their
 * programs, and so have the records of these. True also when that is not known.
 */
bool an_fdo_llvm_left(const struct an_fdo_store *store, uint64_t number);

#endif
