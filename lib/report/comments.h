/* Where comments of C and its relatives go over the ends of lines, for the script that colours them. */
#ifndef AN_REPORT_COMMENTS_H
#define AN_REPORT_COMMENTS_H

#include <stdbool.h>

#include "base/bytes.h"

/* Whether a source of this name has comments as C does. */
bool an_comments_as_in_c(const char *path);

/* Whether the line after this one begins inside of a comment; inside: whether this one does. */
bool an_comment_goes_on(struct an_bytes line, bool inside);

#endif
