/* Folders and files of a training; see folder.h. */
#include "train/folder.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum an_code an_folder_make_work(const char *parent, char **path, struct an_error *error)
{
    const char *given = parent ? parent : getenv("TMPDIR");
    char *resolved = realpath(given && *given ? given : "/tmp", NULL);
    *path = NULL;
    if (!resolved)
        return an_fail_errno(error, given, "cannot make a work folder in it");
    char *wanted = an_folder_path(resolved, "anneal-train.XXXXXX");
    enum an_code code = AN_OK;
    if (!wanted) {
        code = an_fail_memory(error);
    } else if (strchr(resolved, '%')) { /* it would be read as a pattern by what writes profiles */
        an_fail(error, AN_USAGE, "has a %% in its name, which the work folder must not have");
        code = an_error_in(error, resolved);
    } else if (!mkdtemp(wanted)) {
        code = an_fail_errno(error, resolved, "cannot make a work folder in it");
    }
    free(resolved);
    if (code == AN_OK)
        *path = wanted;
    else
        free(wanted);
    return code;
}

static bool throw_away(const FTSENT *found, struct an_trash *trash)
{
    enum { MOST_BYTES = 256 << 20, BLOCK = 4096 };
    char *place;
    if (trash->bytes > MOST_BYTES) {
        an_folder_remove(trash->folder);
        trash->bytes = 0;
    }
    if (trash->bytes == 0)
        mkdir(trash->folder, 0700);
    if (asprintf(&place, "%s/%zu", trash->folder, trash->files++) < 0)
        return false;
    bool done = rename(found->fts_accpath, place) == 0;
    free(place);
    trash->bytes += (uint64_t)found->fts_statp->st_size + BLOCK;
    return done;
}

bool an_folder_empty(const char *path, struct an_trash *trash)
{
    char *roots[] = {(char *)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    const FTSENT *found;
    bool good = walk != NULL;
    while (walk && (found = fts_read(walk))) {
        if (found->fts_info == FTS_DNR || found->fts_info == FTS_ERR || found->fts_info == FTS_NS)
            good = false;
        else if (found->fts_info != FTS_D && found->fts_info != FTS_DP)
            good = throw_away(found, trash) && good;
    }
    if (walk)
        fts_close(walk);
    return good;
}

enum an_code an_folder_write(const char *path, struct an_bytes bytes, bool can_be_remade,
                             struct an_error *error)
{
    enum an_code code = an_file_make_folders(path, error);
    if (code != AN_OK)
        return code;
    return can_be_remade ? an_file_remake(path, bytes, error) : an_file_replace(path, bytes, error);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool ends_in(const FTSENT *entry, const char *ending)
{
    size_t length = strlen(ending);
    return entry->fts_namelen >= length &&
           strcmp(entry->fts_name + entry->fts_namelen - length, ending) == 0;
}

enum an_code an_folder_search(const char *folder, const char *ending,
                              bool (*take)(void *context, const char *path, const char *name,
                                           uint64_t size),
                              void *context, struct an_error *error)
{
    char *roots[] = {(char *)folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    const FTSENT *found;
    enum an_code code = AN_OK;
    if (!walk)
        return an_fail_errno(error, folder, "cannot list");
    while (code == AN_OK && (found = fts_read(walk))) {
        bool is_missing = found->fts_errno == ENOENT;
        if (found->fts_info == FTS_F && ends_in(found, ending)) {
            if (!take(context, found->fts_path, found->fts_path + strlen(folder) + 1,
                      (uint64_t)found->fts_statp->st_size))
                code = an_fail_memory(error);
        } else if ((found->fts_info == FTS_DNR || found->fts_info == FTS_ERR ||
                    found->fts_info == FTS_NS) &&
                   !is_missing) {
            errno = found->fts_errno;
            code = an_fail_errno(error, found->fts_path, "cannot read");
        }
    }
    fts_close(walk);
    return code;
}
