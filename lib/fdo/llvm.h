/* clang's programs: the raw profiles that they left in training become one profile for the compiler. */
#ifndef AN_FDO_LLVM_H
#define AN_FDO_LLVM_H

#include <anneal/llvm.h>

#include "base/file.h"
#include "base/map.h"
#include "fdo/store.h"
#include "fdo/unit.h"

/*
 * Brings the merged profile up to date, unless it is newer than all that there is to merge. Compilers that run at
 * once wait for the first of them. *path is "" when training left nothing.
 */
enum an_code an_fdo_llvm_profile(const struct an_fdo_store *store, char path[PATH_MAX],
                                 struct an_error *error);

/* Whether a file of that name is a profile. What a process still writes or counts in has an ending of its own. */
bool an_fdo_llvm_is_profile(const char *name);

/*
 * The hash that a profile has of a function; clang's messages call those of one file, which the profile has as
 * FILE;NAME, by their bare names. False: there is none.
 */
bool an_fdo_llvm_hash(const char *profile, const char *name, uint64_t *hash);

/* The functions that a profile has, by their bare names. */
struct an_fdo_llvm_functions {
    struct an_file file;
    struct an_llvm_reader *reader;
    struct an_names names; /* what they are made of is the reader's */
};

/* False: it cannot be read. To be freed in any case. */
bool an_fdo_llvm_functions_read(struct an_fdo_llvm_functions *functions, const char *profile);
void an_fdo_llvm_functions_free(struct an_fdo_llvm_functions *functions);

/* A profile that training left. */
struct an_fdo_llvm_left {
    const char *path;
    const struct an_llvm_binary_id *ids; /* of the programs and libraries that it is of */
    size_t id_count;
    uint64_t counts; /* their sum, which stops at 2^64-1 */
};

/* Hands over each of them that can be read, in the order of their names, until `take` fails. */
enum an_code an_fdo_llvm_each(const struct an_fdo_store *store,
                              enum an_code (*take)(void *context,
                                                   const struct an_fdo_llvm_left *left,
                                                   struct an_error *error),
                              void *context, struct an_error *error);

/* Whether that is the build-id, as hexadecimal digits. */
bool an_fdo_llvm_is_id(const char *digits, const struct an_llvm_binary_id *id);

/*
 * Whether a program with that unit left a profile in training: profiles have the build-ids of their
 * programs, and so have the records of these. True also when that is not known.
 */
bool an_fdo_llvm_left(const struct an_fdo_store *store, const struct an_fdo_unit *unit);

#endif
