/*
 * Where in a log something may begin: the words that all the forms have, looked for in one pass and not
 * line by line, so that a log which is mostly something else is read fast.
 *
 * Of every second place the two characters there are looked up in a table of all pairs that begin a word
 * or follow its first character; where one stands, the words are compared.
 */
#ifndef AN_CONSOLE_MARKS_H
#define AN_CONSOLE_MARKS_H

#include "base/bytes.h"

struct an_marks {
    uint8_t pairs[(1 << 16) / 8]; /* a bit for each */
};

void an_marks_start(struct an_marks *marks);

/* The offset of the next one from there on; the log's size when there is none. What is before belongs to
 * the log, too. */
size_t an_marks_next(const struct an_marks *marks, struct an_bytes log, size_t from);

#endif
