/* Reading a recording in pieces; see source.h. */
#include "perf/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* A regular file is read in place, unless somebody has read a part of it already. */
static bool can_read_in_place(int fd, struct stat *info)
{
    return fstat(fd, info) == 0 && S_ISREG(info->st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
}

static enum an_code spool(struct an_source *source, const char *path, struct an_error *error)
{
    enum an_code code = an_file_load(&source->spool, path, error);
    if (code == AN_USAGE)
        an_error_hint(error, "a folder of perf record --threads, which anneal does not read");
    source->fd = -1;
    source->size = source->spool.bytes.size;
    return code;
}

enum an_code an_source_open(struct an_source *source, const char *path, struct an_error *error)
{
    *source = (struct an_source){.fd = -1};
    struct stat info;
    if (strcmp(path, "-") == 0) {
        if (!can_read_in_place(STDIN_FILENO, &info))
            return spool(source, path, error);
        source->fd = STDIN_FILENO;
        source->size = (uint64_t)info.st_size;
        return AN_OK;
    }
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return spool(source, path, error);
    source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (source->fd < 0)
        return an_fail_errno(error, path, "cannot open");
    source->owns_fd = true;
    if (fstat(source->fd, &info) != 0) {
        enum an_code code = an_fail_errno(error, path, "cannot examine");
        an_source_close(source);
        return code;
    }
    source->size = (uint64_t)info.st_size;
    return AN_OK;
}

void an_source_close(struct an_source *source)
{
    if (source->owns_fd)
        close(source->fd);
    an_file_close(&source->spool);
    *source = (struct an_source){.fd = -1};
}

/* Reads [offset, offset + size) of the file, or up to its end if that has come nearer. */
static enum an_code read_at(const struct an_source *source, uint64_t offset, uint8_t *into,
                            size_t size, size_t *got, struct an_error *error)
{
    *got = 0;
    while (*got < size) {
        ssize_t more = an_fault()
                           ? (errno = EIO, -1)
                           : pread(source->fd, into + *got, size - *got, (off_t)(offset + *got));
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return an_fail_errno(error, NULL, "cannot read");
        if (more == 0)
            break;
        *got += (size_t)more;
    }
    return AN_OK;
}

/* How much of `size` bytes at offset the source has. */
static size_t available(const struct an_source *source, uint64_t offset, size_t size)
{
    uint64_t left = offset < source->size ? source->size - offset : 0;
    return left < size ? (size_t)left : size;
}

static bool make_room(struct an_source_window *window, size_t size)
{
    if (size <= window->capacity)
        return true;
    uint8_t *grown = an_grow(window->buffer, size, 1);
    if (!grown)
        return false;
    window->buffer = grown;
    window->capacity = size;
    return true;
}

enum an_code an_source_window_load(struct an_source_window *window, uint64_t offset, size_t size,
                                   struct an_error *error)
{
    window->offset = offset;
    window->bytes = (struct an_bytes){0};
    return an_source_window_extend(window, size, error);
}

enum an_code an_source_window_extend(struct an_source_window *window, size_t size,
                                     struct an_error *error)
{
    size = available(window->source, window->offset, size);
    if (size <= window->bytes.size)
        return AN_OK;
    if (window->source->fd < 0) {
        const uint8_t *memory = window->source->spool.bytes.data;
        window->bytes = (struct an_bytes){memory + window->offset, size};
        return AN_OK;
    }
    if (!make_room(window, size))
        return an_fail_memory(error);
    size_t have = window->bytes.size, got;
    enum an_code code = read_at(window->source, window->offset + have, window->buffer + have,
                                size - have, &got, error);
    window->bytes = (struct an_bytes){window->buffer, have + got};
    return code;
}

void an_source_window_free(struct an_source_window *window)
{
    free(window->buffer);
    *window = (struct an_source_window){0};
}
