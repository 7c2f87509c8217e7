/* CRC-32 as zlib and gzip have it, bit by bit: a table would take a kilobyte. */
#ifndef AN_BARE_CHECKSUM_H
#define AN_BARE_CHECKSUM_H

#include <stdint.h>

#define AN_CHECKSUM_START 0xffffffffu

/* The sum is inverted at the end. */
static inline uint32_t an_checksum_add(uint32_t sum, uint8_t byte)
{
    sum ^= byte;
    for (unsigned bit = 0; bit < 8; bit++)
        sum = sum >> 1 ^ (0xedb88320u & -(sum & 1));
    return sum;
}

#endif
