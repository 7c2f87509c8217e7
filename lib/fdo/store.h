/*
 * The folder in which a project keeps what it was trained with, between the two passes of its build:
 *
 *     .anneal/gcc/        what GCC's programs leave: a counter file for each unit
 *             llvm/       what clang's programs leave: a raw profile for each program
 *             use/        merged, for the compiler of pass 2
 *             pass1/      a record for each unit that was compiled with counters (record.h)
 *             programs/   a record for each program and library: the units in it
 *             pass2/      a record for each unit that was compiled with a profile
 *             linked/     a record for each program and library of pass 2: the units in it
 *             notes/      what GCC says of the functions of pass 2 (gcno)
 *
 * ANNEAL_PROFILE_DIR names it. Otherwise it is .anneal in the outermost folder of the build: the one furthest up,
 * from the folder in which the compiler runs, that has a build file, where all between have one, too, or
 * that lies within the same repository.
 */
#ifndef AN_FDO_STORE_H
#define AN_FDO_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum an_fdo_part {
    AN_FDO_GCC,
    AN_FDO_LLVM,
    AN_FDO_USE,
    AN_FDO_PASS1,
    AN_FDO_PROGRAMS,
    AN_FDO_PASS2,
    AN_FDO_LINKED,
    AN_FDO_NOTES,
    AN_FDO_PARTS,
};

struct an_fdo_store {
    char root[PATH_MAX]; /* absolute */
    char base[PATH_MAX]; /* the outermost folder of the build, wherever the store is */
};

/* Finds where it is or is to be. `folder` is that in which the compiler runs. */
enum an_code an_fdo_store_find(struct an_fdo_store *store, const char *folder,
                               struct an_error *error);

/* Makes what is missing of it. Processes may do so at once. */
enum an_code an_fdo_store_make(const struct an_fdo_store *store, struct an_error *error);

/* ROOT/PART, or ROOT/PART/NAME; false when that is too long. */
bool an_fdo_store_path(const struct an_fdo_store *store, enum an_fdo_part part, const char *name,
                       char path[PATH_MAX]);

#endif
