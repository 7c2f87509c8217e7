/*
 * Where in a log something may begin: the words that all the forms have, looked for in the whole log and
 * not line by line, so that a log which is mostly something else is read at the speed of memory.
 */
#ifndef AN_CONSOLE_MARKS_H
#define AN_CONSOLE_MARKS_H

#include "base/bytes.h"

enum { AN_MARKS = 8 };

struct an_marks {
    struct an_bytes log;
    size_t at[AN_MARKS]; /* the next of each, as far as it is known */
};

/* The offset of the next one from there on; the log's size when there is none. */
size_t an_marks_next(struct an_marks *marks, size_t from);

#endif
