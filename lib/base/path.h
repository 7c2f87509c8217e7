/* Paths as text. */
#ifndef AN_BASE_PATH_H
#define AN_BASE_PATH_H

#include <stdbool.h>

/*
 * Leaves . and .. out of a path, and doubled slashes. A .. stays behind what is not there, and behind a link
 * unless they are followed blindly, as gcov does. `to` has room for the path.
 */
void an_path_canonical(char *to, const char *path, bool blindly);

/* Whether a name ends so, and has something in front of that. */
bool an_path_ends_with(const char *path, const char *ending);

#endif
