/*
 * A log, piece by piece, so that it needs not be in memory, and so that what is looked at is in the
 * processor's cache: reading into the same memory again costs less than mapping a file.
 *
 *     │ before │ whole lines            │ part of a line │
 *              ╰─ where lines are read  ╰─ whole         ╰─ held.size
 *
 * What is looked at are whole lines, and a little of what was before them; the part of a line at the end
 * waits for its rest.
 */
#ifndef AN_CONSOLE_PIECES_H
#define AN_CONSOLE_PIECES_H

#include "base/error.h"
#include "console/line.h"

enum { AN_PIECES_BEFORE = 4096 }; /* bytes that stay to be looked at, of those that were before */

struct an_pieces {
    int file;
    const char *path;      /* for messages */
    size_t size;           /* of the whole log; 0 when nobody knows it before the end */
    struct an_buffer held; /* what is in memory */
    size_t whole;          /* so much of it are whole lines */
    size_t gone;           /* bytes of the log that are before it */
    bool has_begun, has_ended;
};

/* path: "-" is the standard input, which stays open. */
enum an_code an_pieces_open(struct an_pieces *pieces, const char *path, struct an_error *error);

/* More lines, when all there are have been read. At the end there are none, which is no failure. */
enum an_code an_pieces_next(struct an_pieces *pieces, struct an_lines *lines,
                            struct an_error *error);

/* How many bytes of the log have been read by whom reads the lines. */
size_t an_pieces_done(const struct an_pieces *pieces, const struct an_lines *lines);

void an_pieces_close(struct an_pieces *pieces);

#endif
