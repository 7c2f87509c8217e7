/* See together.h. */
#include "hosted/together.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hosted/environment.h"
#include "hosted/lock.h"
#include "hosted/message.h"
#include "hosted/open.h"
#include "hosted/rename_new.h"
#include "hosted/text.h"

static const char list_name[] = "anneal.commit";

enum { REPLACED = '=', MADE = '+', SPILLS = 16 };

/* ---- names ---- */

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static struct an_rt_text name_list(const char *path, char *name, size_t room)
{
    struct an_rt_text text = an_rt_text(name, room);
    an_rt_text_put_bytes(&text, path, (size_t)(last_of(path) - path));
    an_rt_text_put(&text, list_name);
    return text;
}

/* Whether the list has that name. */
static bool is_in(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at;) {
        const char *end = strchrnul(at, '/');
        if ((size_t)(end - at) == length + 1 && memcmp(at + 1, name, length) == 0)
            return true;
        at = *end ? end + 1 : end;
    }
    return false;
}

/* ---- the rest, behind the commit point ---- */

/* Somebody has made a file of that name meanwhile. */
AN_RT_APART static bool place_beside(int folder, const char *from, const char *name)
{
    static char beside[AN_RT_PATH];
    char number[12];
    for (unsigned i = 1; i <= SPILLS && errno == EEXIST; i++) {
        struct an_rt_text text = an_rt_text(number, sizeof number);
        an_rt_text_put_decimal(&text, i);
        if (!an_rt_name_with(name, number, beside, sizeof beside))
            return false;
        if (an_rt_rename_new(folder, from, beside))
            return true;
    }
    return false;
}

/* What is not there any more was done before. */
AN_RT_APART static bool place(int folder, int kind, const char *name)
{
    static char from[AN_RT_PATH];
    struct stat is;
    struct an_rt_text text = an_rt_text(from, sizeof from);
    an_rt_text_put(&text, name);
    an_rt_text_put(&text, ".new");
    if (text.overflowed || fstatat(folder, from, &is, AT_SYMLINK_NOFOLLOW) < 0)
        return true;
    if (kind == MADE)
        return an_rt_rename_new(folder, from, name) || place_beside(folder, from, name);
    if (fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
        return unlinkat(folder, from, 0) == 0;
    return renameat(folder, from, folder, name) == 0;
}

/* All files of a list. 0, or the errno of the first that could not be placed. */
static int place_all(int folder, const char *list)
{
    static char name[AN_RT_PATH];
    int error = 0;
    for (const char *at = list; *at;) {
        const char *end = strchrnul(at, '/');
        struct an_rt_text text = an_rt_text(name, sizeof name);
        an_rt_text_put_bytes(&text, at + 1, (size_t)(end - at) - 1);
        if (*name && !place(folder, *at, name) && !error)
            error = errno;
        at = *end ? end + 1 : end;
    }
    return error;
}

/* The list, and whose it is, of one and the same link, whatever takes its place meanwhile. */
static ssize_t read_list(int folder, char *list, size_t room, struct stat *is)
{
    int link = openat(folder, list_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (link < 0)
        return -1;
    ssize_t length = fstat(link, is) < 0 ? -1 : readlinkat(link, "", list, room - 1);
    close(link);
    if (length >= 0)
        list[length] = 0;
    return length;
}

/* For whoever has the folder's lock: does what a process that was killed has left to do. */
static bool finish_list(int folder)
{
    static char list[AN_RT_PATH];
    struct stat is;
    if (read_list(folder, list, sizeof list, &is) < 0)
        return true;
    if (is.st_uid != geteuid() && is.st_uid != 0)
        return false;
    return !place_all(folder, list) && unlinkat(folder, list_name, 0) == 0;
}

bool an_rt_together_concerns(const char *path)
{
    static char name[AN_RT_PATH], list[AN_RT_PATH];
    if (name_list(path, name, sizeof name).overflowed)
        return false;
    ssize_t length = readlink(name, list, sizeof list - 1);
    if (length < 0)
        return false;
    list[length] = 0;
    return is_in(list, last_of(path));
}

static int lock_folder(const char *name)
{
    int folder = an_rt_open(name, O_RDONLY | O_DIRECTORY, 0);
    if (folder >= 0 && !an_rt_lock_file(folder)) {
        close(folder);
        return -1;
    }
    return folder;
}

int an_rt_together_lock(const struct an_rt_together *all, const char *path)
{
    return all && all->folder >= 0 ? -1 : lock_folder(an_rt_name_folder(path));
}

bool an_rt_together_settle(const struct an_rt_together *all, const char *path)
{
    int folder = an_rt_together_lock(all, path);
    if (folder < 0)
        return false;
    bool is_done = finish_list(folder);
    close(folder);
    return is_done;
}

/* ---- putting off ---- */

void an_rt_together_begin(struct an_rt_together *all, unsigned modules)
{
    if (!all)
        return;
    all->is_wanted = modules > 1 && !an_rt_is_plain();
    all->folder = -1;
    all->count = 0;
    all->list[0] = 0;
}

int an_rt_together_takes(struct an_rt_together *all, const char *folder)
{
    if (!all || !all->is_wanted)
        return 0;
    if (all->folder >= 0)
        return strcmp(folder, all->folder_name) == 0 ? 1 : 0;
    errno = 0;
    all->folder = lock_folder(folder);
    if (all->folder < 0)
        return errno == ENOENT ? -1 : 0;
    if (!finish_list(all->folder)) {
        close(all->folder);
        all->folder = -1;
        return 0;
    }
    memcpy(all->folder_name, folder, strlen(folder) + 1);
    return 1;
}

bool an_rt_together_has(const struct an_rt_together *all, const char *path)
{
    return all->count && is_in(all->list, last_of(path));
}

void an_rt_together_put(struct an_rt_together *all, const char *path, int file)
{
    const char *name = last_of(path);
    size_t used = strlen(all->list), length = strlen(name);
    if (all->count == AN_RT_TOGETHER || used + length + 3 > sizeof all->list) {
        an_rt_together_commit(all);
        used = 0;
    }
    struct an_rt_text text = an_rt_text(all->list + used, sizeof all->list - used);
    if (used)
        an_rt_text_put(&text, "/");
    char kind[] = {file < 0 ? MADE : REPLACED, 0};
    an_rt_text_put(&text, kind);
    an_rt_text_put(&text, name);
    all->files[all->count++] = file;
}

static void close_files(struct an_rt_together *all)
{
    while (all->count) {
        int file = all->files[--all->count];
        if (file >= 0)
            close(file);
    }
}

void an_rt_together_commit(struct an_rt_together *all)
{
    if (!all)
        return;
    bool is_listed = all->count > 1 && symlinkat(all->list, all->folder, list_name) == 0;
    int error = all->count ? place_all(all->folder, all->list) : 0;
    if (error)
        an_rt_warn(all->folder_name, "counts of this run are lost; those of others are kept",
                   error);
    if (is_listed)
        unlinkat(all->folder, list_name, 0);
    close_files(all);
    all->list[0] = 0;
}

void an_rt_together_end(struct an_rt_together *all)
{
    if (!all || !all->is_wanted)
        return;
    an_rt_together_commit(all);
    if (all->folder >= 0) {
        an_rt_unlock_file(all->folder); /* a child that another thread forked has it, too */
        close(all->folder);
    }
    all->folder = -1;
    all->is_wanted = false;
}

void an_rt_together_forget(struct an_rt_together *all)
{
    if (!all)
        return;
    close_files(all);
    if (all->is_wanted && all->folder >= 0)
        close(all->folder);
    all->is_wanted = false;
    all->folder = -1;
}
