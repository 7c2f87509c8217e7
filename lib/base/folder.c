/* See folder.h. */
#include "base/folder.h"

#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool an_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

char *an_folder_path(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    char *path;
    while (*name == '/')
        name++;
    const char *between = length && folder[length - 1] == '/' ? "" : "/";
    return asprintf(&path, "%s%s%s", folder, between, name) < 0 ? NULL : path;
}

void an_folder_remove(const char *path)
{
    char *roots[] = {(char *)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    const FTSENT *found;
    if (!walk)
        return;
    while ((found = fts_read(walk))) {
        if (found->fts_info == FTS_DP || found->fts_info == FTS_DNR)
            rmdir(found->fts_accpath);
        else if (found->fts_info != FTS_D)
            unlink(found->fts_accpath);
    }
    fts_close(walk);
}
