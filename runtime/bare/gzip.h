/*
 * Files for the console in the form of gzip (RFC 1952), for consoles are slow: counts are mostly zeros and small numbers.
 * The bytes go uuencoded, as NAME.gz; uudecode and gunzip read them, and `anneal extract` gives back NAME.
 *
 *     1f 8b 08 00  0 0 0 0  0 ff       a header that says nothing
 *     blocks of deflate                with the fixed codes (RFC 1951, 3.2.6)
 *     CRC-32, size                     of the file, 32 bits each, the low byte first
 *
 * Whoever wants it links with -u an_bare_compress; of a program that does not, nothing of this is a part.
 */
#ifndef AN_BARE_GZIP_H
#define AN_BARE_GZIP_H

#include <stddef.h>
#include <stdint.h>

enum { AN_GZIP_PLACES = 256 }; /* of earlier bytes, by three of them */

struct an_gzip {
    void (*put)(void *context, uint8_t byte);
    void *context;
    uint32_t bits; /* that are not put yet, the first one lowest */
    unsigned bit_count;
    uint32_t sum, size;
    uint16_t places[AN_GZIP_PLACES];
};

/* Compresses a file in any number of parts; `put` gets it byte by byte. */
void an_gzip_begin(struct an_gzip *gzip, void (*put)(void *context, uint8_t byte), void *context);
void an_gzip_put(struct an_gzip *gzip, const uint8_t *bytes, size_t size);
void an_gzip_end(struct an_gzip *gzip);

#endif
