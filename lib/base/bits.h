/* Bits in an array of words. */
#ifndef AN_BASE_BITS_H
#define AN_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline void an_bit_set(uint64_t *bits, uint64_t at)
{
    bits[at / 64] |= (uint64_t)1 << (at % 64);
}

static inline bool an_bit(const uint64_t *bits, uint64_t at)
{
    return bits[at / 64] >> (at % 64) & 1;
}

#endif
