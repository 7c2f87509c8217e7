/* See archive.h. */
#include "fdo/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"

const enum an_fdo_part an_fdo_archived[AN_FDO_ARCHIVED] = {AN_FDO_GCC, AN_FDO_LLVM, AN_FDO_PASS1,
                                                           AN_FDO_PROGRAMS};

/* ---- running tar ---- */

enum { NOT_RUN = 127 };

/* What its user wants of tar elsewhere is not wanted here. */
static _Noreturn void become_tar(const char *const *words, int from, int to)
{
    unsetenv("TAR_OPTIONS");
    unsetenv("GZIP");
    if (from >= 0)
        dup2(from, STDIN_FILENO);
    if (to >= 0)
        dup2(to, STDOUT_FILENO);
    execvp(words[0], (char *const *)(uintptr_t)words);
    _exit(NOT_RUN);
}

static pid_t start_tar(const char *const *words, int from, int to)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_tar(words, from, to);
    return child;
}

/* tar itself has said what the matter is, before. */
static enum an_code wait_for_tar(pid_t child, const char *path, const char *what,
                                 struct an_error *error)
{
    int status = 0;
    if (child < 0)
        return an_fail_errno(error, "tar", "cannot start");
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return an_fail_errno(error, "tar", "cannot wait for it");
    if (status == 0)
        return AN_OK;
    bool is_missing = WIFEXITED(status) && WEXITSTATUS(status) == NOT_RUN;
    an_fail(error, AN_SYSTEM, "%s",
            is_missing ? "the program tar is needed, and cannot be run" : what);
    return an_error_in(error, path);
}

/* ---- writing ---- */

static bool has_any(const struct an_fdo_store *store, enum an_fdo_part part)
{
    char folder[PATH_MAX];
    const struct dirent *entry;
    bool any = false;
    DIR *opened = an_fdo_store_path(store, part, NULL, folder) ? opendir(folder) : NULL;
    while (opened && !any && (entry = readdir(opened)))
        any = entry->d_name[0] != '.';
    if (opened)
        closedir(opened);
    return any;
}

enum an_code an_fdo_export(const struct an_fdo_store *store, const char *path,
                           struct an_error *error)
{
    const char *const words[] = {"tar", "-C",   store->root, "-czf",     "-",
                                 "gcc", "llvm", "pass1",     "programs", NULL};
    struct an_output output;
    if (!has_any(store, AN_FDO_GCC) && !has_any(store, AN_FDO_LLVM)) {
        an_fail(error, AN_USAGE, "has no profiles");
        an_error_in(error, store->root);
        return an_error_hint(error, "run what FDO_PASS=1 has built, to its end");
    }
    enum an_code code = an_output_open(&output, path, false, error);
    if (code != AN_OK)
        return code;
    code = wait_for_tar(start_tar(words, -1, output.fd), path,
                        "tar could not write all profiles into it", error);
    if (code == AN_OK)
        return an_output_commit(&output, error);
    an_output_abandon(&output);
    return code;
}

/* ---- unpacking ---- */

/* What tar does not take, since it has found out that this is no archive, it says itself. */
static void feed(int to, struct an_bytes bytes)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    while (bytes.size) {
        ssize_t size = write(to, bytes.data, bytes.size);
        if (size < 0 && errno != EINTR)
            break;
        bytes.data += size > 0 ? size : 0;
        bytes.size -= size > 0 ? (size_t)size : 0;
    }
    signal(SIGPIPE, before);
}

static bool is_part(const char *name)
{
    static const struct an_fdo_store nowhere = {.root = ""};
    char path[PATH_MAX];
    for (size_t i = 0; i < AN_FDO_ARCHIVED; i++)
        if (an_fdo_store_path(&nowhere, an_fdo_archived[i], NULL, path) &&
            strcmp(path + 1, name) == 0)
            return true;
    return false;
}

static bool is_expected(const FTSENT *found)
{
    if (found->fts_level == FTS_ROOTLEVEL || found->fts_info == FTS_DP)
        return true;
    if (found->fts_level == 1)
        return found->fts_info == FTS_D && is_part(found->fts_name);
    return found->fts_info == FTS_D || found->fts_info == FTS_F;
}

static enum an_code check(const char *path, const char *folder, struct an_error *error)
{
    char *roots[] = {(char *)(uintptr_t)folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    const FTSENT *found;
    size_t files = 0;
    enum an_code code = walk ? AN_OK : an_fail_errno(error, folder, "cannot list");
    while (code == AN_OK && (found = fts_read(walk))) {
        files += found->fts_info == FTS_F;
        if (is_expected(found))
            continue;
        an_fail(error, AN_MALFORMED, "is no training that anneal fdo has exported: it has %.200s",
                found->fts_path + strlen(folder));
        code = an_error_in(error, path);
    }
    if (walk)
        fts_close(walk);
    if (code == AN_OK && !files) {
        an_fail(error, AN_EMPTY, "has no profiles");
        code = an_error_in(error, path);
    }
    return code;
}

enum an_code an_fdo_unpack(struct an_bytes archive, const char *path, const char *folder,
                           struct an_error *error)
{
    const char *const words[] = {"tar", "-C", folder, "-xzof", "-", NULL};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return an_fail_errno(error, path, "cannot make a pipe");
    pid_t child = start_tar(words, ends[0], -1);
    close(ends[0]);
    feed(ends[1], archive);
    close(ends[1]);
    enum an_code code =
        wait_for_tar(child, path, "is no whole archive (tar, compressed by gzip)", error);
    return code == AN_OK ? check(path, folder, error) : code;
}
