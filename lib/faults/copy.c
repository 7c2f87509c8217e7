/* Making a copy; see copy.h. */
#include "faults/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "faults/text.h"

#define FOLDER ".anneal-faults.XXXXXX"

static char *join(const char *folder, size_t length, const char *name)
{
    size_t size = length + strlen(name) + 2;
    char *path = an_alloc(size, 1);
    if (path)
        snprintf(path, size, "%.*s/%s", (int)length, folder, name);
    return path;
}

/* A new folder in another one; NULL when there can be none, or nothing in it would be cold. */
static char *new_folder(const char *parent, size_t length)
{
    char *path = join(parent, length, FOLDER);
    if (path && mkdtemp(path)) {
        if (!an_watched_in_memory(path))
            return path;
        rmdir(path);
        errno = EOPNOTSUPP;
    }
    free(path);
    return NULL;
}

static bool copy_bytes(int from, int to)
{
    static const size_t piece = 1 << 20;
    char *bytes = an_alloc(piece, 1);
    ssize_t size = bytes ? 1 : -1;
    while (size > 0 && (size = read(from, bytes, piece)) > 0)
        for (ssize_t done = 0, step; size > 0 && done < size; done += step)
            if ((step = write(to, bytes + done, (size_t)(size - done))) < 0)
                size = step = -1;
    int number = bytes ? errno : ENOMEM;
    free(bytes);
    errno = number;
    return size == 0;
}

static enum an_code copy_file(const char *from_path, const char *to_path, struct an_error *error)
{
    struct stat status;
    int from = open(from_path, O_RDONLY | O_CLOEXEC);
    if (from < 0 || fstat(from, &status) != 0) {
        an_fail_errno(error, from_path, "cannot open");
        if (from >= 0)
            close(from);
        return error->code;
    }
    int to = open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    bool done = to >= 0 && copy_bytes(from, to) &&
                fchmod(to, (status.st_mode & 0777) | 0700) == 0 && fsync(to) == 0;
    if (!done)
        an_fail_errno(error, to_path, "cannot copy");
    if (to >= 0)
        close(to);
    close(from);
    return done ? AN_OK : error->code;
}

enum an_code an_copy_make(struct an_private_copy *copy, const char *path, struct an_error *error)
{
    const char *name = an_file_name(path);
    const char *temporary = getenv("TMPDIR");
    temporary = temporary && *temporary ? temporary : "/tmp";
    size_t length = name > path ? (size_t)(name - path) - 1 : 0;
    *copy = (struct an_private_copy){.folder = new_folder(path, length)};
    if (!copy->folder)
        copy->folder = new_folder(temporary, strlen(temporary));
    if (!copy->folder) {
        an_fail_errno(error, temporary, "cannot make a folder for a copy");
        return an_error_hint(error, "set TMPDIR to a folder on disk, not in memory");
    }
    copy->path = join(copy->folder, strlen(copy->folder), name);
    return copy->path ? copy_file(path, copy->path, error) : an_fail_memory(error);
}

void an_copy_remove(struct an_private_copy *copy)
{
    if (copy->path)
        unlink(copy->path);
    if (copy->folder)
        rmdir(copy->folder);
    free(copy->path);
    free(copy->folder);
    *copy = (struct an_private_copy){0};
}
