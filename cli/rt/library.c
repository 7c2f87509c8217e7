/* See library.h. */
#include "library.h"

#include <stdio.h>
#include <string.h>

#include "cli/core/install_path.h"

const char *const rt_wrapped[RT_WRAPPED_MOST] = {
    "_exit",   "_Exit",   "execve", "execv",  "execvp", "execvpe",
    "fexecve", "execl",   "execlp", "execle", "daemon",
#ifdef __x86_64__
    "clone",   "syscall",
#endif
    NULL,
};

bool rt_library(char path[PATH_MAX])
{
    return install_path_find(AN_RT_FROM_BIN, "runtime/libanneal_rt.a", AN_RT_INSTALLED, path);
}

bool rt_board(char path[PATH_MAX])
{
    return install_path_find(AN_SHARE_FROM_BIN "/runtime/bare", "share/runtime/bare",
                             AN_SHARE_INSTALLED "/runtime/bare", path);
}

bool rt_script(const char *library, char path[PATH_MAX])
{
    int folder = (int)(strrchr(library, '/') - library);
    return snprintf(path, PATH_MAX, "%.*s/anneal_rt.ld", folder, library) < PATH_MAX;
}
