/*
 * Files as text for the console, in the form that docs/reference/extract.md describes:
 *
 *     begin 644 obj/queue.gcda3
 *     M861C9RHR,D+(...              up to 45 bytes a line; the first character is their number
 *     `                             a line of no bytes
 *     end
 *     crc32 1a2b3c4d 1234 obj/queue.gcda3
 *
 * Three bytes become four characters of 6 bits each, counted from the blank on; 0 is a back quote, for
 * consoles cut off blanks (POSIX, uuencode). The last line proves the file to `anneal extract`; uudecode reads
 * over it.
 */
#ifndef AN_BARE_UUENCODE_H
#define AN_BARE_UUENCODE_H

#include <stddef.h>
#include <stdint.h>

enum { AN_UUENCODE_LINE = 45 };

struct an_uuencode {
    const char *name, *ending; /* which follow each other */
    uint32_t sum;              /* CRC-32 of what came so far, not yet inverted */
    unsigned long size;
    unsigned filled; /* of the line that is next */
    uint8_t line[AN_UUENCODE_LINE];
};

/*
 * Prints a file of that name and ending, which have to last, on the console, which the caller holds: in any number of
 * parts.
 */
void an_uuencode_begin(struct an_uuencode *uu, const char *name, const char *ending);
void an_uuencode_put(struct an_uuencode *uu, const uint8_t *bytes, size_t size);
void an_uuencode_end(struct an_uuencode *uu);

#endif
