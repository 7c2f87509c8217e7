/* Loading and replacing whole files; see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"

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
    uint8_t *grown = file->buffer ? NULL : an_alloc_large(&wanted);
    if (!grown)
        grown = an_grow(file->buffer, wanted, 1);
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
    /* Standard input is read but once, from wherever it is, even where it is a file. */
    file->regular = S_ISREG(info.st_mode) && fd != STDIN_FILENO;
    file->device = (uint64_t)info.st_dev;
    file->inode = (uint64_t)info.st_ino;
    file->modified = info.st_mtime;
    if (file->regular && info.st_size >= MAP_FROM) {
        void *start = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (start != MAP_FAILED) {
            file->bytes = (struct an_bytes){start, (size_t)info.st_size};
            file->mapped = true;
            return AN_OK;
        }
    }
    size_t guess = S_ISREG(info.st_mode) && info.st_size > 0 ? (size_t)info.st_size : 0;
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

static enum an_code write_whole(const char *path, struct an_bytes bytes, bool can_be_remade,
                                struct an_error *error)
{
    struct an_output output;
    enum an_code code = an_output_open(&output, path, true, error);
    if (code != AN_OK)
        return code;
    output.can_be_remade = can_be_remade;
    code = an_output_write(&output, bytes, error);
    if (code == AN_OK)
        return an_output_commit(&output, error);
    an_output_abandon(&output);
    return code;
}

enum an_code an_file_replace(const char *path, struct an_bytes bytes, struct an_error *error)
{
    return write_whole(path, bytes, false, error);
}

enum an_code an_file_remake(const char *path, struct an_bytes bytes, struct an_error *error)
{
    return write_whole(path, bytes, true, error);
}

/* Whether nothing has this name, as far as one can see. */
static bool is_missing(const char *path)
{
    struct stat info;
    return stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* A folder that one may not look into is taken for there: whoever opens the file has more to say about it. */
enum an_code an_file_make_folders(const char *path, struct an_error *error)
{
    size_t size = strlen(path) + 1;
    char *part = an_alloc(size, 1);
    bool is_there = true;
    if (!part)
        return an_fail_memory(error);
    memcpy(part, path, size);
    for (char *slash = strchr(part + (*part == '/'), '/'); slash && is_there;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (is_missing(part) && mkdir(part, 0777) != 0 && errno != EEXIST) {
            an_fail_errno(error, part, "cannot make the folder");
            is_there = false;
        }
        *slash = '/';
    }
    free(part);
    return is_there ? AN_OK : error->code;
}

size_t an_file_linked_length(const char *path)
{
    static const char deleted[] = " (deleted)";
    size_t length = strlen(path), added = sizeof deleted - 1;
    bool is_deleted = length > added && strcmp(path + length - added, deleted) == 0;
    return is_deleted ? length - added : length;
}

bool an_file_is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

const char *an_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
