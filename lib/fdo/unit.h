/*
 * A unit: what one source file becomes in one compilation. It is called as GCC calls its counter file, without
 * ".gcda": by the absolute path of the object without its suffix, and of a program that is compiled and linked at
 * once, by PROGRAM-SOURCE. (GCC 11 and later; gcc.cc, process_command().)
 */
#ifndef AN_FDO_UNIT_H
#define AN_FDO_UNIT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "fdo/arguments.h"

struct an_fdo_unit {
    char source[PATH_MAX]; /* absolute, without symbolic links */
    char name[PATH_MAX];
    bool is_absolute;      /* the command names it so */
    char object[PATH_MAX]; /* what is written, absolute; "": the compiler keeps it to itself */
};

/* The folder in which the compiler runs, as GCC has it: $PWD if that is true. False: it cannot be known. */
bool an_fdo_folder(char folder[PATH_MAX]);

/* False when a path becomes too long. */
bool an_fdo_unit_of(struct an_fdo_unit *unit, const struct an_fdo_arguments *arguments,
                    const struct an_fdo_source *source, const char *folder);

/*
 * The name of the unit's counter file below a folder of such files (-fprofile-use=FOLDER): slashes become #, and ".."
 * becomes ^, with ".gcda" behind it. An object that was named by an absolute path keeps that as it is.
 * (GCC's coverage.cc, coverage_init() and mangle_path().)
 */
bool an_fdo_unit_gcda(const struct an_fdo_unit *unit, char name[PATH_MAX]);

/*
 * What stands before the source's name in the unit's, as the command has it: GCC's -dumpdir. It is a part of the numbers that
 * GCC gives to static functions. False: there is nothing. (GCC's coverage.cc, coverage_compute_profile_id().)
 */
bool an_fdo_unit_dump_folder(const struct an_fdo_unit *unit, const struct an_fdo_source *source,
                             const char *folder, char to[PATH_MAX]);

/* A number for a path, to name its record by. */
uint64_t an_fdo_hash(const char *path);

/* The unit's: that of its counter file's name, which GCC puts into programs; 0: that is too long. */
uint64_t an_fdo_unit_number(const struct an_fdo_unit *unit);

#endif
