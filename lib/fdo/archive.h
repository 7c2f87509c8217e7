/*
 * A training in one file: the parts of a store (store.h) that pass 2 needs and training fills, gcc/, llvm/, pass1/ and
 * programs/, as a tar archive that gzip has compressed. The program tar makes and unpacks it.
 */
#ifndef AN_FDO_ARCHIVE_H
#define AN_FDO_ARCHIVE_H

#include "base/bytes.h"
#include "fdo/store.h"

/* The parts that an archive has. */
enum { AN_FDO_ARCHIVED = 4 };
extern const enum an_fdo_part an_fdo_archived[AN_FDO_ARCHIVED];

/* Replaces path by an archive of the store, whole or not at all; "-" is standard output. */
enum an_code an_fdo_export(const struct an_fdo_store *store, const char *path,
                           struct an_error *error);

/*
 * Unpacks an archive into a folder that is empty. It is an error when the archive has something else than files and
 * folders in these parts. Whatever happens, what is in the folder then is the caller's to remove.
 */
enum an_code an_fdo_unpack(struct an_bytes archive, const char *path, const char *folder,
                           struct an_error *error);

#endif
