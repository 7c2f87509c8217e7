/* Reading a source line by line; see source_lines.h. */
#include "gcov/source_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/foreign.h"

enum { ROOM = 1 << 16 };

bool an_source_lines_open(struct an_source_lines *lines, const char *path, bool keeps)
{
    const struct an_foreign any = {.most = AN_FOREIGN_SOURCE, .follows = true};
    struct an_error ignored;
    *lines = (struct an_source_lines){.keeps = keeps};
    lines->fd = an_foreign_open(path, &any, &ignored); /* a name out of a profile */
    return lines->fd >= 0;
}

void an_source_lines_close(struct an_source_lines *lines)
{
    if (lines->fd >= 0)
        close(lines->fd);
    free(lines->buffer);
    an_buffer_free(&lines->joined);
    an_arena_free(&lines->arena);
    an_vector_free(&lines->kept);
}

/* Moves what is left to the front, and makes room behind it. */
static bool make_room(struct an_source_lines *lines)
{
    if (lines->start) {
        lines->end -= lines->start;
        memmove(lines->buffer, lines->buffer + lines->start, lines->end);
        lines->start = 0;
    }
    return an_vector_extend((void **)&lines->buffer, &lines->capacity, lines->end + ROOM, 1);
}

/* Reads more; false at the end. */
static bool fill(struct an_source_lines *lines)
{
    ssize_t got = -1;
    if (lines->at_end)
        return false;
    if (make_room(lines)) {
        do
            got = read(lines->fd, lines->buffer + lines->end, lines->capacity - lines->end);
        while (got < 0 && errno == EINTR);
    }
    lines->failed = got < 0;
    lines->at_end = got <= 0;
    lines->end += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* Bytes up to the end of a line, or of the file; false when there are none. */
static bool take(struct an_source_lines *lines, struct an_bytes *line)
{
    size_t seen = 0;
    for (;;) {
        const uint8_t *start = lines->buffer + lines->start;
        size_t size = lines->end - lines->start;
        const uint8_t *end = size > seen ? memchr(start + seen, '\n', size - seen) : NULL;
        if (end || (lines->at_end && size)) {
            *line = (struct an_bytes){start, end ? (size_t)(end - start) : size};
            lines->start += line->size + (end != NULL);
            return true;
        }
        seen = size;
        if (!fill(lines) && (lines->failed || lines->end == lines->start))
            return false;
    }
}

/* A line that goes on behind its zeros in the next one; false when nothing is left of it. */
static bool join(struct an_source_lines *lines, struct an_bytes *line)
{
    bool goes_on = true;
    lines->joined.size = 0;
    for (;;) {
        const uint8_t *zero = line->size ? memchr(line->data, 0, line->size) : NULL;
        size_t size = zero ? (size_t)(zero - line->data) : line->size;
        an_buffer_put(&lines->joined, line->data, size);
        goes_on = zero && take(lines, line);
        if (!goes_on) {
            *line = (struct an_bytes){lines->joined.data, lines->joined.size};
            lines->failed |= lines->joined.failed;
            return !lines->failed && (!zero || lines->joined.size > 0);
        }
    }
}

static bool keep(struct an_source_lines *lines, struct an_bytes *line)
{
    const char *copy = an_arena_copy(&lines->arena, line->data, line->size);
    struct an_bytes *kept = copy ? an_vector_push(&lines->kept) : NULL;
    lines->failed = !kept;
    if (kept)
        *kept = *line = (struct an_bytes){(const uint8_t *)copy, line->size};
    return kept != NULL;
}

bool an_source_lines_next(struct an_source_lines *lines, struct an_bytes *line)
{
    if (!take(lines, line))
        return false;
    if (line->size && memchr(line->data, 0, line->size) && !join(lines, line))
        return false;
    return !lines->keeps || keep(lines, line);
}

bool an_source_lines_read(struct an_source_lines *lines, const char *path)
{
    struct an_bytes line;
    if (!an_source_lines_open(lines, path, true))
        return true;
    while (an_source_lines_next(lines, &line))
        continue;
    bool done = !lines->failed || lines->at_end;
    close(lines->fd);
    lines->fd = -1;
    free(lines->buffer);
    lines->buffer = NULL;
    return done;
}
