/* BLAKE3, as far as LLVM uses it for numbers in its profiles: the first eight bytes of a hash, without a key. */
#ifndef AN_BASE_BLAKE3_H
#define AN_BASE_BLAKE3_H

#include <stddef.h>
#include <stdint.h>

/* The first eight bytes of the hash of these bytes, as a little-endian number. */
uint64_t an_blake3_64(const uint8_t *bytes, size_t size);

#endif
