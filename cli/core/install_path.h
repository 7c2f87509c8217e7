/* Files that belong to this program, wherever it was built, installed or moved to. */
#ifndef AN_CLI_CORE_INSTALL_PATH_H
#define AN_CLI_CORE_INSTALL_PATH_H

#include <limits.h>
#include <stdbool.h>

/*
 * Finds a file by its path from the program's folder, as it is installed and as it is built; else where it was to
 * be installed. False when it is not there; `path` is then where it should be.
 */
bool install_path_find(const char *installed, const char *built, const char *fallback,
                       char path[PATH_MAX]);

#endif
