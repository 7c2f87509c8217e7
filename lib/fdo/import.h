/*
 * Trainings from elsewhere: archives (archive.h) of one or more stores become the training of this one.
 *
 *     archive ──► unpacked ──► its units are called as they would be here ──┐
 *     archive ──► unpacked ──► ...                                          ├──► sum ──► the store
 *     archive ──► unpacked ──► ...                                          ┘
 *
 * GCC finds a counter file by the path of the object that it is of, so one that comes from another folder has to have
 * another name here (unit.h).
 */
#ifndef AN_FDO_IMPORT_H
#define AN_FDO_IMPORT_H

#include <stddef.h>

#include "base/vector.h"
#include "fdo/store.h"

struct an_fdo_imported {
    size_t units;    /* of which there are records */
    size_t profiles; /* GCC's counter files, clang's profiles; in the sum */
    struct {
        AN_VECTOR(struct an_error);
    } rejected; /* profiles that are damaged, and in no sum: each error names archive and profile */
};

/*
 * Makes the sum of these archives ("-": standard input) the store's training. What it had goes; it stays when one
 * archive is damaged, is given twice, or has profiles of another build than those before it, and when there is no profile
 * but damaged ones. One that is damaged, beside others, as a process leaves that was killed, is left out. What was imported
 * is to be freed in any case.
 */
enum an_code an_fdo_import(const struct an_fdo_store *store, const char *const *paths, size_t count,
                           struct an_fdo_imported *imported, struct an_error *error);
void an_fdo_imported_free(struct an_fdo_imported *imported);

#endif
