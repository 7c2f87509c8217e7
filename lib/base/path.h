/* Paths as text. */
#ifndef AN_BASE_PATH_H
#define AN_BASE_PATH_H

#include <stdbool.h>

/*
 * Leaves . and .. out of a path, and doubled slashes. A .. stays behind what is not there, and behind a link
 * unless they are followed blindly, as gcov does. `to` has room for the path.
 */
void an_path_canonical(char *to, const char *path, bool blindly);

#endif
