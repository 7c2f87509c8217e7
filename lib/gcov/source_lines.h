/*
 * The lines of a source, one after the other. They are read bit by bit, since the memory for a large file costs
 * more time than reading it does. Those that are wanted again are kept.
 */
#ifndef AN_GCOV_SOURCE_LINES_H
#define AN_GCOV_SOURCE_LINES_H

#include "base/bytes.h"
#include "base/vector.h"

struct an_source_lines {
    int fd;
    bool keeps, at_end, failed;
    uint8_t *buffer;
    size_t start, end, capacity; /* of what was read and not handed out yet */
    struct an_buffer joined;     /* a line with zeros */
    struct an_arena arena;
    struct {
        AN_VECTOR(struct an_bytes);
    } kept;
};

/* False when there is no such file; then there is nothing to be closed. */
bool an_source_lines_open(struct an_source_lines *lines, const char *path, bool keeps);

/*
 * The next line, without its end, valid until the one after it is asked for; false behind the last one, or
 * when memory runs out or the file cannot be read, which `failed` tells. A 0 hides the rest of its line, and the
 * next one is taken for part of it, as gcov does.
 */
bool an_source_lines_next(struct an_source_lines *lines, struct an_bytes *line);
void an_source_lines_close(struct an_source_lines *lines);

/* Reads all lines at once, into `kept`, as far as there are any; false when memory runs out. To be closed in any case. */
bool an_source_lines_read(struct an_source_lines *lines, const char *path);

#endif
