/*
 * Where the bytes of a recording come from, read piece by piece: recordings are larger than what
 * one likes to hold, and each thread reads its own pieces. What cannot be read twice (a pipe) is
 * read to its end when it is opened, and then lies in memory.
 */
#ifndef AN_PERF_SOURCE_H
#define AN_PERF_SOURCE_H

#include "base/file.h"

struct an_source {
    int fd; /* -1: in memory */
    bool owns_fd;
    struct an_file spool;
    uint64_t size;
};

/* Opens path, "-" being standard input. */
enum an_code an_source_open(struct an_source *source, const char *path, struct an_error *error);
void an_source_close(struct an_source *source);

/*
 * A part of a source. A window of a regular file has a buffer that is used again and again; one
 * of memory points into it.
 */
struct an_source_window {
    const struct an_source *source;
    uint64_t offset; /* of bytes.data in the source */
    struct an_bytes bytes;
    uint8_t *buffer;
    size_t capacity;
};

/* Moves the window to [offset, offset + size), or to as much of that as the source has. */
enum an_code an_source_window_load(struct an_source_window *window, uint64_t offset, size_t size,
                                   struct an_error *error);

/* Makes the window reach at least `size` bytes, if the source has them, keeping its offset. What
 * pointed into it is no longer valid. */
enum an_code an_source_window_extend(struct an_source_window *window, size_t size,
                                     struct an_error *error);
void an_source_window_free(struct an_source_window *window);

#endif
