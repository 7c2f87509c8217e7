/* Loading and replacing whole files; see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum {
    MAP_FROM = 64 << 20, /* bytes; below, reading into a warm buffer is faster than mapping */
    SLURP_STEP = 1 << 16,
};

static void unmap(struct an_file *file)
{
    if (file->mapped)
        munmap((void *)file->bytes.data, file->bytes.size);
    file->mapped = false;
    file->bytes = (struct an_bytes){0};
}

void an_file_close(struct an_file *file)
{
    unmap(file);
    free(file->buffer);
    *file = (struct an_file){0};
}

static bool make_room(struct an_file *file, size_t wanted)
{
    if (wanted <= file->capacity)
        return true;
    uint8_t *grown = an_grow(file->buffer, wanted, 1);
    if (!grown)
        return false;
    file->buffer = grown;
    file->capacity = wanted;
    return true;
}

/* Reads until the end, which is where read() says it is: the size in stat is only a first guess. */
static enum an_code slurp(struct an_file *file, int fd, size_t guess, const char *path,
                          struct an_error *error)
{
    size_t size = 0;
    for (;;) {
        size_t wanted = size < guess ? guess + 1 : size + SLURP_STEP;
        if (size == file->capacity || file->capacity < wanted)
            if (!make_room(file, wanted > 2 * file->capacity ? wanted : 2 * file->capacity)) {
                an_fail_memory(error);
                return an_error_in(error, path);
            }
        ssize_t got =
            an_fault() ? (errno = EIO, -1) : read(fd, file->buffer + size, file->capacity - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return an_fail_errno(error, path, "cannot read");
        size += (size_t)got;
        if (got == 0 || size == guess) /* what is added while we read belongs to the next reader */
            break;
    }
    file->bytes = (struct an_bytes){file->buffer, size};
    return AN_OK;
}

static enum an_code load_open(struct an_file *file, int fd, const char *path,
                              struct an_error *error)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return an_fail_errno(error, path, "cannot examine");
    if (S_ISDIR(info.st_mode)) {
        an_fail(error, AN_USAGE, "is a directory, expected a file");
        return an_error_in(error, path);
    }
    file->regular = S_ISREG(info.st_mode);
    file->device = (uint64_t)info.st_dev;
    file->inode = (uint64_t)info.st_ino;
    if (file->regular && info.st_size >= MAP_FROM) {
        void *start = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (start != MAP_FAILED) {
            file->bytes = (struct an_bytes){start, (size_t)info.st_size};
            file->mapped = true;
            return AN_OK;
        }
    }
    size_t guess = file->regular && info.st_size > 0 ? (size_t)info.st_size : 0;
    return slurp(file, fd, guess, path, error);
}

enum an_code an_file_load(struct an_file *file, const char *path, struct an_error *error)
{
    unmap(file);
    if (strcmp(path, "-") == 0)
        return load_open(file, STDIN_FILENO, "<stdin>", error);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return an_fail_errno(error, path, "cannot open");
    enum an_code code = load_open(file, fd, path, error);
    close(fd);
    return code;
}

enum an_code an_file_peek(struct an_file *file, const char *path, size_t size,
                          struct an_error *error)
{
    struct stat info;
    unmap(file);
    if (stat(path, &info) != 0)
        return an_fail_errno(error, path, "cannot examine");
    if (!S_ISREG(info.st_mode)) {
        an_fail(error, AN_USAGE, "is not a regular file");
        return an_error_in(error, path);
    }
    if (!make_room(file, size))
        return an_fail_memory(error);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, file->buffer, size);
    enum an_code code = got < 0 ? an_fail_errno(error, path, "cannot read") : AN_OK;
    file->bytes = (struct an_bytes){file->buffer, got < 0 ? 0 : (size_t)got};
    if (fd >= 0)
        close(fd);
    return code;
}

static bool write_all(int fd, struct an_bytes bytes)
{
    while (bytes.size) {
        ssize_t done = an_fault() ? (errno = ENOSPC, -1) : write(fd, bytes.data, bytes.size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        bytes.data += done;
        bytes.size -= (size_t)done;
    }
    return true;
}

static enum an_code write_in_place(int fd, const char *path, struct an_bytes bytes,
                                   struct an_error *error)
{
    if (!write_all(fd, bytes))
        return an_fail_errno(error, path, "cannot write");
    return AN_OK;
}

/* The temporary file: without a name where the file system can (O_TMPFILE), else a hidden one. */
struct temporary {
    int fd;
    char name[PATH_MAX]; /* "" while it has no name */
};

static bool temporary_name(struct temporary *temporary, const char *target)
{
    const char *slash = strrchr(target, '/');
    int directory = slash ? (int)(slash - target) + 1 : 0;
    int length = snprintf(temporary->name, sizeof temporary->name, "%.*s.%.200s.XXXXXX", directory,
                          target, target + directory);
    if (length < 0 || (size_t)length >= sizeof temporary->name) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

static bool temporary_open(struct temporary *temporary, const char *target)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(target, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - target) + 1 : 2,
             slash ? target : "./");
    temporary->name[0] = '\0';
    temporary->fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (temporary->fd >= 0)
        return true;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return false;
    if (!temporary_name(temporary, target))
        return false;
    temporary->fd = mkostemp(temporary->name, O_CLOEXEC);
    return temporary->fd >= 0;
}

/* Gives an unnamed file a name that nobody has, next to the target. */
static bool temporary_link(struct temporary *temporary, const char *target)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", temporary->fd);
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        if (!temporary_name(temporary, target))
            return false;
        char *random = temporary->name + strlen(temporary->name) - 6;
        unsigned seed = (unsigned)getpid() * 2654435761u + attempt * 40503u;
        for (int i = 0; i < 6; i++, seed = seed * 1664525u + 1013904223u)
            random[i] = "abcdefghijklmnopqrstuvwxyz012345"[seed >> 27];
        if (linkat(AT_FDCWD, self, AT_FDCWD, temporary->name, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST)
            break;
    }
    temporary->name[0] = '\0';
    return false;
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes, synchronises and renames. Returns what failed, or NULL. */
static const char *write_and_rename(struct temporary *temporary, const char *target, mode_t mode,
                                    struct an_bytes bytes)
{
    if (!write_all(temporary->fd, bytes))
        return "cannot write";
    if (fchmod(temporary->fd, mode) != 0)
        return "cannot set permissions";
    if (an_fault() ? (errno = EIO, true) : fsync(temporary->fd) != 0)
        return "cannot write";
    if (!temporary->name[0] && !temporary_link(temporary, target))
        return "cannot name the new file";
    return rename(temporary->name, target) != 0 ? "cannot replace" : NULL;
}

/* A temporary file that has a name must not be left behind: signals wait until it is gone. */
static enum an_code replace_regular(const char *path, const char *target, mode_t mode,
                                    struct an_bytes bytes, struct an_error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    struct temporary temporary;
    enum an_code code = AN_OK;
    if (!temporary_open(&temporary, target)) {
        code = an_fail_errno(error, path, "cannot create");
    } else {
        const char *failed = write_and_rename(&temporary, target, mode, bytes);
        if (failed) {
            code = an_fail_errno(error, path, failed);
            if (temporary.name[0])
                unlink(temporary.name);
        }
        if (close(temporary.fd) != 0 && code == AN_OK)
            code = an_fail_errno(error, path, "cannot close");
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* Standard output under any of its names is written to; the file behind it is not replaced. */
static bool is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 ||
           strcmp(path, "/dev/fd/1") == 0 || strcmp(path, "/proc/self/fd/1") == 0;
}

enum an_code an_file_replace(const char *path, struct an_bytes bytes, struct an_error *error)
{
    if (is_standard_output(path))
        return write_in_place(STDOUT_FILENO, "<stdout>", bytes, error);
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        an_fail(error, AN_USAGE, "is a directory, expected a file to write");
        return an_error_in(error, path);
    }
    if (exists && !S_ISREG(info.st_mode)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (fd < 0)
            return an_fail_errno(error, path, "cannot open for writing");
        enum an_code code = write_in_place(fd, path, bytes, error);
        close(fd);
        return code;
    }
    /* Replace the file that a symbolic link points at, not the link. */
    char resolved[PATH_MAX];
    const char *target = exists && realpath(path, resolved) ? resolved : path;
    if (exists && access(target, W_OK) != 0)
        return an_fail_errno(error, path, "cannot write");
    mode_t mode = exists ? info.st_mode & 07777 : usual_mode();
    return replace_regular(path, target, mode, bytes, error);
}

const char *an_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
