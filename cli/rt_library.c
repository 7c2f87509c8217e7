/* See rt_library.h. */
#include "rt_library.h"

#include <stdio.h>
#include <string.h>

#include "beside.h"

const char *const rt_wrapped[] = {
    "_exit",   "_Exit", "execve", "execv",  "execvp", "execvpe",
    "fexecve", "execl", "execlp", "execle", NULL,
};

bool rt_library(char path[PATH_MAX])
{
    return beside_program(AN_RT_FROM_BIN, "runtime/libanneal_rt.a", AN_RT_INSTALLED, path);
}

bool rt_script(const char *library, char path[PATH_MAX])
{
    int folder = (int)(strrchr(library, '/') - library);
    return snprintf(path, PATH_MAX, "%.*s/anneal_rt.ld", folder, library) < PATH_MAX;
}
