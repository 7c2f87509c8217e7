/*
 * See gzip.h. The compressor is as small as one can be that finds what was there before: for each three bytes it knows one
 * earlier place, and takes the longest run of bytes from there.
 */
#include "bare/gzip.h"

#include <stdbool.h>

#include "bare/checksum.h"

enum { SHORTEST = 3, LONGEST = 258, FURTHEST = 32768, END_OF_BLOCK = 256 };

/* ---- bits ---- */

static void put_bits(struct an_gzip *gzip, uint32_t bits, unsigned count)
{
    gzip->bits |= bits << gzip->bit_count;
    gzip->bit_count += count;
    for (; gzip->bit_count >= 8; gzip->bit_count -= 8) {
        gzip->put(gzip->context, (uint8_t)gzip->bits);
        gzip->bits >>= 8;
    }
}

/* Huffman codes have their first bit highest. */
static void put_code(struct an_gzip *gzip, uint32_t code, unsigned count)
{
    uint32_t turned = 0;
    for (unsigned i = 0; i < count; i++)
        turned |= (code >> i & 1) << (count - 1 - i);
    put_bits(gzip, turned, count);
}

static void put_symbol(struct an_gzip *gzip, unsigned symbol)
{
    if (symbol < 144)
        put_code(gzip, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(gzip, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(gzip, symbol - 256, 7);
    else
        put_code(gzip, 0xc0 + symbol - 280, 8);
}

/* ---- runs ---- */

static unsigned highest_bit(unsigned number)
{
    unsigned bit = 0;
    while (number >>= 1)
        bit++;
    return bit;
}

/* Lengths in groups of four symbols, each group with one bit more behind them. (RFC 1951, 3.2.5) */
static void put_length(struct an_gzip *gzip, unsigned length)
{
    unsigned rest = length - SHORTEST, more = rest < 8 ? 0 : highest_bit(rest) - 2;
    if (length == LONGEST) {
        put_symbol(gzip, 285);
        return;
    }
    put_symbol(gzip, 257 + 4 * more + (rest >> more));
    put_bits(gzip, rest & ((1u << more) - 1), more);
}

/* The same in groups of two. */
static void put_distance(struct an_gzip *gzip, unsigned distance)
{
    unsigned rest = distance - 1, more = rest < 4 ? 0 : highest_bit(rest) - 1;
    put_code(gzip, 2 * more + (rest >> more), 5);
    put_bits(gzip, rest & ((1u << more) - 1), more);
}

/*
 * How far back the same three bytes may have been; 0: nowhere. The places are kept without their higher bits: what is
 * found there is compared.
 */
static unsigned look_back(struct an_gzip *gzip, const uint8_t *bytes, size_t at)
{
    const uint8_t *three = bytes + at;
    uint16_t *place = &gzip->places[(three[0] * 5u + three[1] * 3u + three[2]) % AN_GZIP_PLACES];
    unsigned distance = (uint16_t)(at - *place);
    *place = (uint16_t)at;
    return distance <= at && distance <= FURTHEST ? distance : 0;
}

static unsigned common(const uint8_t *one, const uint8_t *other, size_t most)
{
    unsigned length = 0;
    most = most < LONGEST ? most : LONGEST;
    while (length < most && one[length] == other[length])
        length++;
    return length;
}

/* ---- the whole ---- */

void an_gzip_begin(struct an_gzip *gzip, void (*put)(void *context, uint8_t byte), void *context)
{
    static const uint8_t header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    *gzip = (struct an_gzip){.put = put, .context = context, .sum = AN_CHECKSUM_START};
    for (unsigned i = 0; i < sizeof header; i++)
        put(context, header[i]);
}

/* A block of its own, which looks back no further than to its beginning. */
void an_gzip_put(struct an_gzip *gzip, const uint8_t *bytes, size_t size)
{
    gzip->size += (uint32_t)size;
    for (size_t i = 0; i < size; i++)
        gzip->sum = an_checksum_add(gzip->sum, bytes[i]);
    put_bits(gzip, 1 << 1, 3); /* not the last one; fixed codes */
    for (size_t at = 0; at < size;) {
        unsigned back = size - at >= SHORTEST ? look_back(gzip, bytes, at) : 0;
        unsigned length = back ? common(bytes + at, bytes + at - back, size - at) : 0;
        if (length < SHORTEST) {
            put_symbol(gzip, bytes[at++]);
            continue;
        }
        put_length(gzip, length);
        put_distance(gzip, back);
        at += length;
    }
    put_symbol(gzip, END_OF_BLOCK);
}

static void put_word(struct an_gzip *gzip, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        gzip->put(gzip->context, (uint8_t)(word >> 8 * i));
}

void an_gzip_end(struct an_gzip *gzip)
{
    put_bits(gzip, 1 | 1 << 1, 3); /* the last one */
    put_symbol(gzip, END_OF_BLOCK);
    put_bits(gzip, 0, 7); /* to the end of the byte */
    put_word(gzip, ~gzip->sum);
    put_word(gzip, gzip->size);
}
