/* Bytes as text, in the three ways in which programs print whole streams. */
#ifndef AN_CONSOLE_DIGITS_H
#define AN_CONSOLE_DIGITS_H

#include "base/bytes.h"

enum an_digits {
    AN_HEX,     /* 67 63: hexadecimal, the high half of a byte first */
    AN_NIBBLES, /* hg dg: letters a to p, the low half first */
    AN_BASE64,  /* RFC 4648, with = at the end */
};

struct an_digits_reader {
    enum an_digits kind;
    unsigned held; /* digits of a byte, or of three, that is not complete */
    unsigned bits;
    bool is_padded; /* = was seen: nothing may follow */
    struct an_buffer bytes;
};

/* Reads digits up to the first character that is none; returns how many. */
size_t an_digits_read(struct an_digits_reader *reader, const char *text, size_t size);

/* Whether a text, without the blanks at its end, is digits and nothing else. */
bool an_digits_only(enum an_digits kind, const char *text, size_t size);

/* Whether it ends with a whole byte. */
bool an_digits_whole(const struct an_digits_reader *reader);

#endif
