/*
 * Lines of a console log, as they would look on paper. A line ends with LF, with CR and LF, or with CR
 * alone. What terminals interpret and nobody reads is taken out: escape sequences (ESC [ ... letter,
 * ESC ] ... BEL, ESC letter), back-spaces with what they erase, NUL and other control characters.
 */
#ifndef AN_CONSOLE_LINE_H
#define AN_CONSOLE_LINE_H

#include "base/bytes.h"

struct an_line {
    const char *text; /* not terminated */
    size_t size;
    uint64_t number; /* as editors count: by LF; the first is 1 */
};

struct an_lines {
    struct an_bytes log; /* or a part of it that ends where a line ends */
    size_t at;           /* where the next line begins */
    size_t feed;         /* the next LF from there on, or the end */
    uint64_t number;     /* of the next line */
    bool has_returns;    /* there is a CR in it */
};

struct an_lines an_lines_of(struct an_bytes log);

/* Goes on in a longer piece of the log, or in another one; where, says lines->at. */
void an_lines_go_on(struct an_lines *lines, struct an_bytes log);

/* The next line as it stands in the log; false at the end. */
bool an_lines_next(struct an_lines *lines, struct an_line *line);

/* Goes on with the line that the byte at this offset, which must lie ahead, belongs to. */
void an_lines_skip_to(struct an_lines *lines, size_t offset);

/*
 * Takes out what is no text. The result stands in the line itself if nothing had to be done, else in
 * the buffer; it is cut off when memory runs out, which buffer->failed tells.
 */
struct an_line an_line_clean(struct an_line line, struct an_buffer *buffer);

/* Without blanks at its end. */
size_t an_trimmed(const char *text, size_t size);

#endif
