/* Text as UTF-8: telling what is from what is not. */
#ifndef AN_BASE_UTF8_H
#define AN_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes the character at the start has; 0 when there is none (RFC 3629). size is not 0. */
size_t an_utf8_length(const uint8_t *bytes, size_t size);

/* Puts '?' for what would move a terminal's cursor or worse: control characters of ASCII and of Latin-1
 * (U+0080 to U+009F), the latter also as single bytes. Names that others gave are printed so. */
void an_utf8_make_plain(char *text);

#endif
