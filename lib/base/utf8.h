/* Text as UTF-8: telling what is from what is not. */
#ifndef AN_BASE_UTF8_H
#define AN_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes the character at the start has; 0 when there is none (RFC 3629). size is not 0. */
size_t an_utf8_length(const uint8_t *bytes, size_t size);

#endif
