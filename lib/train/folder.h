/* Folders that the training makes and removes, and the files in them. */
#ifndef AN_TRAIN_FOLDER_H
#define AN_TRAIN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/folder.h"

/* Makes a new folder below `parent` (NULL: TMPDIR, or /tmp), and gives its absolute path, to be freed. */
enum an_code an_folder_make_work(const char *parent, char **path, struct an_error *error);

/*
 * Empties folders for those who fill and empty many of them. Files are moved aside, and removed when they take
 * much room, or at the end: for while files are removed it takes ext4 long to make others, up to a millisecond
 * each.
 */
struct an_trash {
    char *folder; /* the caller's; it is made, and goes with the folder that it is in */
    uint64_t bytes;
    size_t files;
};

/* Takes all files out of a folder, but not the folders in it. False when something could not be done. */
bool an_folder_empty(const char *path, struct an_trash *trash);

/* Writes a whole file, with the folders on the way to it. When it `can_be_remade` it is not synchronised. */
enum an_code an_folder_write(const char *path, struct an_bytes bytes, bool can_be_remade,
                             struct an_error *error);

/*
 * Calls take() for each regular file below a folder whose name ends so, in the order of names, folder by
 * folder, with its path, its name below the folder, and its size, until that returns false. A folder that is
 * not there has none. AN_NO_MEMORY when take() returned false.
 */
enum an_code an_folder_search(const char *folder, const char *ending,
                              bool (*take)(void *context, const char *path, const char *name,
                                           uint64_t size),
                              void *context, struct an_error *error);

#endif
