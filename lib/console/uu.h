/*
 * One line of uuencoded data:
 *
 *     M 9V-D 830P ...            15 groups of four characters, each three bytes
 *     │ ╰─ 6 bits each: a character less 0x20, so that 0 is ' '; or '`', which many use for it
 *     ╰─ how many bytes, the same way: 'M' is 45, which all lines have but the last; 0 ends the file
 *
 * The last group is filled up with zeros. Some encoders add one character more: the sum of the line's
 * bytes modulo 64, or one that means nothing.
 */
#ifndef AN_CONSOLE_UU_H
#define AN_CONSOLE_UU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AN_UU_FULL = 45, AN_UU_FULL_TEXT = 61, AN_UU_ROOM = 64 /* of what is decoded */ };

struct an_uu {
    uint8_t bytes[AN_UU_ROOM];
    size_t count;        /* of bytes; 0 for the line that ends a file */
    size_t lost;         /* blanks that are missing at its end */
    bool has_extra;      /* one character more than needed */
    bool extra_is_sum;   /* which is the right sum */
    bool has_back_quote; /* for a zero */
    bool has_blank;
    bool keeps_blank; /* its last character is a blank, and it is not lost */
    bool has_filling; /* bits that belong to no byte and are not zero */
};

/* False when the text is no such line. */
bool an_uu_decode(const char *text, size_t size, struct an_uu *line);

/*
 * The 60 characters behind the 'M' of a whole line, in one go. Room is needed for AN_UU_ROOM bytes. Returns
 * what all characters together mean; AN_UU_WRONG: one of them means nothing.
 */
enum { AN_UU_BACK_QUOTE = 0x100, AN_UU_BLANK = 0x200, AN_UU_WRONG = 0x8000 };
unsigned an_uu_decode_whole(const char *text, uint8_t *to);

/*
 * A line of a file in base64 ("uuencode -m"): groups of four characters of RFC 4648, the last one filled up
 * with =. They do not tell their number, and the file ends with "====", which is no such line.
 */
bool an_uu_decode_base64(const char *text, size_t size, struct an_uu *line);

/* Whether a text that is no such line may have been one before it was damaged. */
bool an_uu_resembles(const char *text, size_t size);

#endif
