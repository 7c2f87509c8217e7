/* See install_path.h. */
#include "install_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool install_path_find(const char *installed, const char *built, const char *fallback,
                       char path[PATH_MAX])
{
    const char *const places[] = {installed, built};
    char program[PATH_MAX], found[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(found, sizeof found, "%s/../%s", program, places[i]);
        if (access(found, R_OK) == 0 && realpath(found, path))
            return true;
    }
    snprintf(path, PATH_MAX, "%s", fallback);
    return access(path, R_OK) == 0;
}
