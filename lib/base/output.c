/* Files that take their names when they are whole; see output.h. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* ---- where it goes ---- */

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Standard output under any of its names is written to; the file behind it is not replaced. */
static bool is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 ||
           strcmp(path, "/dev/fd/1") == 0 || strcmp(path, "/proc/self/fd/1") == 0;
}

static bool take_target(struct an_output *output, const char *target)
{
    size_t length = strlen(target);
    if (length >= sizeof output->target) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(output->target, target, length + 1);
    return true;
}

static enum an_code place(struct an_output *output, const char *path, struct an_error *error)
{
    *output = (struct an_output){.path = path, .fd = -1};
    if (is_standard_output(path)) {
        output->path = "<stdout>";
        output->fd = STDOUT_FILENO;
        output->in_place = true;
        return AN_OK;
    }
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        an_fail(error, AN_USAGE, "is a directory, expected a file to write");
        return an_error_in(error, path);
    }
    output->in_place = exists && !S_ISREG(info.st_mode);
    output->mode = exists ? info.st_mode & 07777 : usual_mode();
    /* Replace the file that a symbolic link points at, not the link. */
    char resolved[PATH_MAX];
    if (!take_target(output, exists && realpath(path, resolved) ? resolved : path))
        return an_fail_errno(error, path, "cannot create");
    if (exists && !output->in_place && access(output->target, W_OK) != 0)
        return an_fail_errno(error, path, "cannot write");
    return AN_OK;
}

/* ---- the temporary file: without a name where the file system can, else a hidden one ---- */

static bool name_temporary(struct an_output *output)
{
    const char *target = output->target, *slash = strrchr(target, '/');
    int directory = slash ? (int)(slash - target) + 1 : 0;
    int length = snprintf(output->temporary, sizeof output->temporary, "%.*s.%.200s.XXXXXX",
                          directory, target, target + directory);
    if (length < 0 || (size_t)length >= sizeof output->temporary) {
        output->temporary[0] = '\0';
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

static bool open_temporary(struct an_output *output)
{
    char directory[PATH_MAX];
    const char *target = output->target, *slash = strrchr(target, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - target) + 1 : 2,
             slash ? target : "./");
    output->fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (output->fd >= 0)
        return true;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return false;
    if (!name_temporary(output))
        return false;
    output->fd = mkostemp(output->temporary, O_CLOEXEC);
    if (output->fd < 0)
        output->temporary[0] = '\0';
    return output->fd >= 0;
}

/* Gives an unnamed file a name that nobody has, next to the target. */
static bool link_temporary(struct an_output *output)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", output->fd);
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        if (!name_temporary(output))
            return false;
        char *random = output->temporary + strlen(output->temporary) - 6;
        unsigned seed = (unsigned)getpid() * 2654435761u + attempt * 40503u;
        for (int i = 0; i < 6; i++, seed = seed * 1664525u + 1013904223u)
            random[i] = "abcdefghijklmnopqrstuvwxyz012345"[seed >> 27];
        if (linkat(AT_FDCWD, self, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST)
            break;
    }
    output->temporary[0] = '\0';
    return false;
}

/* ---- signals ---- */

static void hold_signals(struct an_output *output)
{
    sigset_t all;
    sigfillset(&all);
    if (!output->holds_signals)
        pthread_sigmask(SIG_BLOCK, &all, &output->signals);
    output->holds_signals = true;
}

static void let_signals(struct an_output *output)
{
    if (output->holds_signals)
        pthread_sigmask(SIG_SETMASK, &output->signals, NULL);
    output->holds_signals = false;
}

/* ---- the steps ---- */

static enum an_code open_in_place(struct an_output *output, struct an_error *error)
{
    if (output->fd >= 0)
        return AN_OK;
    output->fd = open(output->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    output->owns_fd = true;
    if (output->fd < 0)
        return an_fail_errno(error, output->path, "cannot open for writing");
    return AN_OK;
}

enum an_code an_output_open(struct an_output *output, const char *path, bool hold,
                            struct an_error *error)
{
    enum an_code code = place(output, path, error);
    if (code != AN_OK)
        return code;
    if (output->in_place)
        return open_in_place(output, error);
    if (hold)
        hold_signals(output);
    if (open_temporary(output)) {
        output->owns_fd = true;
        return AN_OK;
    }
    code = an_fail_errno(error, path, "cannot create");
    let_signals(output);
    return code;
}

static enum an_code write_all(struct an_output *output, struct an_bytes bytes, off_t offset,
                              struct an_error *error)
{
    while (bytes.size) {
        ssize_t done = -1;
        if (an_fault())
            errno = ENOSPC;
        else if (offset < 0)
            done = write(output->fd, bytes.data, bytes.size);
        else
            done = pwrite(output->fd, bytes.data, bytes.size, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return an_fail_errno(error, output->path, "cannot write");
        bytes.data += done;
        bytes.size -= (size_t)done;
        offset += offset < 0 ? 0 : done;
    }
    return AN_OK;
}

enum an_code an_output_write(struct an_output *output, struct an_bytes bytes,
                             struct an_error *error)
{
    return write_all(output, bytes, -1, error);
}

enum an_code an_output_write_at(struct an_output *output, uint64_t offset, struct an_bytes bytes,
                                struct an_error *error)
{
    an_assert(!output->in_place && offset <= INT64_MAX - bytes.size);
    return write_all(output, bytes, (off_t)offset, error);
}

/* Synchronises and renames. Returns what failed, or NULL. */
static const char *rename_temporary(struct an_output *output)
{
    if (fchmod(output->fd, output->mode) != 0)
        return "cannot set permissions";
    if (an_fault() ? (errno = EIO, true) : !output->can_be_remade && fsync(output->fd) != 0)
        return "cannot write";
    if (!output->temporary[0] && !link_temporary(output))
        return "cannot name the new file";
    if (rename(output->temporary, output->target) != 0)
        return "cannot replace";
    output->temporary[0] = '\0';
    return NULL;
}

enum an_code an_output_commit(struct an_output *output, struct an_error *error)
{
    const char *failed = NULL;
    if (!output->in_place) {
        hold_signals(output);
        failed = rename_temporary(output);
    }
    enum an_code code = failed ? an_fail_errno(error, output->path, failed) : AN_OK;
    an_output_abandon(output);
    return code;
}

void an_output_abandon(struct an_output *output)
{
    if (output->temporary[0])
        unlink(output->temporary);
    if (output->owns_fd)
        close(output->fd);
    let_signals(output);
    *output = (struct an_output){.fd = -1};
}

bool an_output_is_left(const char *name, const char *first, const char *last)
{
    enum { RANDOM = 6, TAIL = RANDOM + 1 }; /* a dot and letters drawn by chance */
    size_t length = strlen(name), before = strlen(first), behind = strlen(last) + TAIL;
    return length >= 1 + before + behind && name[0] == '.' &&
           strncmp(name + 1, first, before) == 0 &&
           strncmp(name + length - behind, last, strlen(last)) == 0 && name[length - TAIL] == '.';
}
