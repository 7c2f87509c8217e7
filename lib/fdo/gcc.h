/* GCC's units in pass 2: the profile that training left of one, and how much of it is still true. */
#ifndef AN_FDO_GCC_H
#define AN_FDO_GCC_H

#include "fdo/record.h"

/*
 * Finds what training left of a unit: its counter file, and those beside it (of cores, NAME.gcda3; of other builds,
 * and of processes that could not wait, as docs/reference/rt.md has it). `part` of the store has it then, under the name
 * that GCC looks for with -fprofile-use=FOLDER: what is one file stays where it is, unless `is_moved`; what are several
 * is merged. A unit that left nothing borrows the profile of another one of the same source, whose name `lender` is then,
 * or else "": GCC itself finds out by its checksums which functions it is true of. `file` is its path; "" when there is
 * no profile.
 */
enum an_code an_fdo_gcc_profile(const struct an_fdo_store *store, const struct an_fdo_unit *unit,
                                bool is_moved, enum an_fdo_part *part, char file[PATH_MAX],
                                char lender[PATH_MAX], struct an_error *error);

/*
 * Whether a file of that name is of the unit whose counter file is `own`: NAME.gcda3, or NAME.TAG.gcda, where a
 * tag is the number of a build, of 16 hexadecimal digits, one that counts, or both.
 */
bool an_fdo_gcc_is_of(const char *name, const char *own);

/* How many counter files training left of a unit, and the sum of the counts of their arcs, which stops at 2^64-1. */
enum an_code an_fdo_gcc_left(const struct an_fdo_store *store, const struct an_fdo_unit *unit,
                             size_t *files, uint64_t *counts, struct an_error *error);

/* Removes them. */
enum an_code an_fdo_gcc_forget(const struct an_fdo_store *store, const struct an_fdo_unit *unit,
                               struct an_error *error);

/* Adds the counts of one counter file to those of another one, of the same source and compiler, wherever it was built. */
enum an_code an_fdo_gcc_add(const char *to, const char *from, struct an_error *error);

/*
 * Adds to a record what became of each function: compares the counter file with GCC's notes of this compilation
 * (gcno). GCC finds a function by its number, takes its counts when the checksum of its flow is the same, and
 * warns when that of its place is not. (GCC's coverage.cc, get_coverage_counts().)
 */
enum an_code an_fdo_gcc_outcome(struct an_fdo_draft *draft, const char *notes, const char *profile,
                                struct an_error *error);

#endif
