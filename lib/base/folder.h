/* Folders as a whole, and paths into them. */
#ifndef AN_BASE_FOLDER_H
#define AN_BASE_FOLDER_H

#include <stdbool.h>

/* Whether a path leads to a folder, through links, too. */
bool an_is_folder(const char *path);

/* A path made of a folder and a name below it, to be freed; NULL: no memory. */
char *an_folder_path(const char *folder, const char *name);

/* Removes a folder with all that is in it, or a file; what cannot be removed stays. */
void an_folder_remove(const char *path);

#endif
