/* A folder that gets a report; see report_folder.h. */
#include "report_folder.h"

#include <anneal/report.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

#define TEXTS "src" /* the one folder that a report has */

static enum an_code fail(const struct report_folder *folder, const char *doing,
                         struct an_error *error)
{
    return an_fail_errno(error, folder->path, doing);
}

/* ---- what is there ---- */

/* Calls for each name in the folder, with `prefix` in front, until that returns false. */
static bool each_name(const char *path, const char *prefix,
                      bool (*look)(void *context, const char *path, const char *name),
                      void *context)
{
    char name[NAME_MAX + 16];
    DIR *directory = opendir(path);
    bool goes_on = directory;
    for (struct dirent *entry; goes_on && (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(name, sizeof name, "%s%s", prefix, entry->d_name);
        goes_on = look(context, path, name);
    }
    if (directory)
        closedir(directory);
    return goes_on;
}

/* Not a symbolic link to one. */
static bool is_folder(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* What is there besides a report. */
struct look {
    bool has_index;
    size_t count;
    char stranger[NAME_MAX + 16];
};

static bool look_at(void *context, const char *path, const char *name)
{
    struct look *look = context;
    char texts[PATH_MAX];
    look->count++;
    if (strcmp(name, "index.html") == 0)
        look->has_index = true;
    if (strcmp(name, TEXTS) == 0 &&
        snprintf(texts, sizeof texts, "%s/" TEXTS, path) < (int)sizeof texts && is_folder(texts))
        return each_name(texts, TEXTS "/", look_at, look);
    if (an_report_has_name(name))
        return true;
    snprintf(look->stranger, sizeof look->stranger, "%s", name);
    return false;
}

/* Pages of any version say which program made them. */
static bool is_of_report(const char *path)
{
    char index[PATH_MAX + 16];
    struct an_file file = {.capacity = 0};
    struct an_error error;
    snprintf(index, sizeof index, "%s/index.html", path);
    bool loaded = an_file_load(&file, index, &error) == AN_OK;
    bool is_ours =
        loaded && memmem(file.bytes.data, file.bytes.size, "name=generator content=\"anneal ",
                         strlen("name=generator content=\"anneal "));
    an_file_close(&file);
    return is_ours;
}

static enum an_code refuse(const struct report_folder *folder, const char *what,
                           struct an_error *error)
{
    an_fail(error, AN_USAGE, "%s", what);
    an_error_hint(error, "name a new or empty folder; anneal replaces only a report");
    return an_error_in(error, folder->path);
}

static enum an_code check_content(const struct report_folder *folder, struct an_error *error)
{
    struct look look = {.count = 0};
    char what[NAME_MAX + 64];
    if (!each_name(folder->target, "", look_at, &look) && !look.stranger[0])
        return fail(folder, "cannot read the folder", error);
    if (look.stranger[0]) {
        snprintf(what, sizeof what, "contains %.200s, which is not part of a report",
                 look.stranger);
        return refuse(folder, what, error);
    }
    if (look.count && !(look.has_index && is_of_report(folder->target)))
        return refuse(folder, "contains files that are not a report by anneal", error);
    return AN_OK;
}

/* ---- where it goes ---- */

static bool too_long(void)
{
    errno = ENAMETOOLONG;
    return false;
}

/* Without the slashes at the end, and behind symbolic links where it exists. */
static bool set_target(struct report_folder *folder)
{
    size_t length = strlen(folder->path);
    while (length > 1 && folder->path[length - 1] == '/')
        length--;
    if (length >= sizeof folder->target)
        return too_long();
    memcpy(folder->target, folder->path, length);
    folder->target[length] = '\0';
    char resolved[PATH_MAX];
    folder->exists = realpath(folder->target, resolved);
    if (folder->exists)
        memcpy(folder->target, resolved, strlen(resolved) + 1);
    return folder->exists || errno == ENOENT;
}

static bool make_temporary(struct report_folder *folder)
{
    struct stat info;
    char texts[PATH_MAX + 16];
    const char *name = an_file_name(folder->target);
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode =
        folder->exists && stat(folder->target, &info) == 0 ? info.st_mode & 07777 : 0777 & ~mask;
    int length = snprintf(folder->temporary, sizeof folder->temporary, "%.*s.%.200s.XXXXXX",
                          (int)(name - folder->target), folder->target, name);
    if (length < 0 || (size_t)length >= sizeof folder->temporary)
        return too_long();
    if (!mkdtemp(folder->temporary)) {
        folder->temporary[0] = '\0';
        return false;
    }
    snprintf(texts, sizeof texts, "%s/" TEXTS, folder->temporary);
    return chmod(folder->temporary, mode) == 0 && mkdir(texts, 0777) == 0;
}

static void hold_signals(struct report_folder *folder)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, &folder->signals);
}

static bool signal_waits(const struct report_folder *folder)
{
    sigset_t waiting;
    sigpending(&waiting);
    static const int held[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (sigismember(&waiting, held[i]) == 1 && sigismember(&folder->signals, held[i]) == 0)
            return true;
    return false;
}

enum an_code report_folder_open(struct report_folder *folder, const char *path,
                                struct an_error *error)
{
    *folder = (struct report_folder){.path = path};
    if (!*path)
        return an_fail(error, AN_USAGE, "the folder of the report has no name");
    if (!set_target(folder))
        return fail(folder, "cannot make the folder", error);
    struct stat info;
    if (folder->exists && stat(folder->target, &info) == 0 && !S_ISDIR(info.st_mode))
        return refuse(folder, "is a file; expected a folder", error);
    enum an_code code = folder->exists ? check_content(folder, error) : AN_OK;
    if (code != AN_OK)
        return code;
    hold_signals(folder);
    if (make_temporary(folder))
        return AN_OK;
    fail(folder, "cannot make the folder", error);
    report_folder_abandon(folder);
    return error->code;
}

/* ---- files ---- */

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

enum an_code report_folder_put(struct report_folder *folder, const char *name, const void *bytes,
                               size_t size, struct an_error *error)
{
    char path[PATH_MAX + 300];
    if (signal_waits(folder))
        return an_fail(error, AN_SYSTEM, "interrupted");
    snprintf(path, sizeof path, "%s/%s", folder->temporary, name);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool done = file >= 0 && write_all(file, bytes, size);
    int reason = errno;
    if (file >= 0 && close(file) != 0 && done) {
        reason = errno;
        done = false;
    }
    errno = reason;
    return done ? AN_OK : fail(folder, "cannot write a page", error);
}

/* ---- the end ---- */

static bool remove_one(void *context, const char *path, const char *name)
{
    char file[2 * PATH_MAX];
    const char *last = an_file_name(name);
    (void)context;
    snprintf(file, sizeof file, "%s/%s", path, last);
    if (strcmp(name, TEXTS) == 0 && is_folder(file)) {
        each_name(file, TEXTS "/", remove_one, NULL);
        rmdir(file);
    } else if (an_report_has_name(name)) {
        unlink(file);
    }
    return true;
}

static void remove_report(const char *path)
{
    each_name(path, "", remove_one, NULL);
    rmdir(path);
}

/* Where two folders cannot change their names at once, there is a moment without a report. */
static bool exchange(const struct report_folder *folder)
{
    char aside[PATH_MAX + 8];
    if (renameat2(AT_FDCWD, folder->temporary, AT_FDCWD, folder->target, RENAME_EXCHANGE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    snprintf(aside, sizeof aside, "%s.old", folder->temporary);
    if (rename(folder->target, aside) != 0)
        return false;
    if (rename(folder->temporary, folder->target) == 0)
        return rename(aside, folder->temporary) == 0;
    int reason = errno;
    rename(aside, folder->target);
    errno = reason;
    return false;
}

static void finish(struct report_folder *folder)
{
    folder->temporary[0] = '\0';
    sigprocmask(SIG_SETMASK, &folder->signals, NULL);
}

enum an_code report_folder_commit(struct report_folder *folder, struct an_error *error)
{
    bool done = folder->exists ? exchange(folder) : rename(folder->temporary, folder->target) == 0;
    if (!done) {
        fail(folder, "cannot move the report into place", error);
        report_folder_abandon(folder);
        return error->code;
    }
    if (folder->exists)
        remove_report(folder->temporary);
    finish(folder);
    return AN_OK;
}

void report_folder_abandon(struct report_folder *folder)
{
    if (folder->temporary[0])
        remove_report(folder->temporary);
    finish(folder);
}
